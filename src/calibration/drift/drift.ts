// Drift detection: without labels, by how decisions look beside those the calibration was fitted on; with labels, by
// betting against its probabilities. Alarms are data. Their thresholds grow with the uncertainty of small samples, so
// that all checks of one call together raise a false alarm with probability alpha.

import { argmax, mean, sum } from '../../core/math.ts'
import type { Calibrator } from '../../questions/shared/decision.ts'
import { type Evidence, keyOf, LARGEST_LABEL_WEIGHT, type RecordedEvidence, samplesOf } from '../evidence/evidence.ts'
import { normalQuantile } from '../numerics/special-functions.ts'
import { bettingMartingale } from './betting.ts'
import { countsOf, type DriftMeasure, type DriftReference, type Histogram, measuresByKey, type Observation } from './reference.ts'

export interface DriftAlarm {
  /**
   * `psi`, `ks`: decisions look different. `over-sure`, `under-sure`: probabilities are higher, or lower, than the
   * share that comes true.
   */
  readonly kind: 'psi' | 'ks' | 'over-sure' | 'under-sure'
  /** Hash of a question, a kind of decision, or `all`. */
  readonly key: string
  /** What was measured; `outcome` for the kinds that need labels. */
  readonly measure: DriftMeasure | 'outcome'
  readonly value: number
  readonly threshold: number
  /** Decisions (states) that were measured. */
  readonly count: number
  /** What it means and what to do. */
  readonly message: string
}

export interface PopulationOptions {
  /** Probability of any alarm when nothing drifts; default 0.01. */
  readonly alpha?: number
  /** Differences (of PSI and KS distance) that are ignored however certain they are; default 0.1. */
  readonly material?: number
  /** States a key needs; default 50. */
  readonly leastStates?: number
}

/**
 * Drift without labels: the population stability index and the Kolmogorov–Smirnov distance (at the edges of the bins)
 * of each measure and key of the reference. Without drift, PSI is about (1/n + 1/m) χ² with bins − 1 degrees of
 * freedom; an alarm needs more than that, and a material difference.
 */
export function populationDrift(
  reference: DriftReference,
  observations: Iterable<Observation>,
  options: PopulationOptions = {},
): DriftAlarm[] {
  const { alpha = 0.01, material = 0.1, leastStates = 50 } = options
  const tests = [...measuresByKey(observations).values()].flatMap(({ key, name, states, values }) => {
    const before = Object.hasOwn(reference, key) ? reference[key] : undefined
    if (before === undefined || states < leastStates) return []
    return (Object.keys(before) as DriftMeasure[]).flatMap((measure) => {
      const histogram = before[measure]
      const now = values[measure]
      return histogram === undefined || now === undefined ? [] : [{ key, name, states, measure, ...distanceTo(histogram, now) }]
    })
  })
  // Two tests of each measure share alpha (Bonferroni).
  const share = alpha / (2 * tests.length)
  return tests.flatMap(({ key, name, states, measure, psi, distance, bins, scale }) => {
    const about = { key, measure, count: states } as const
    const psiThreshold = Math.max(material, scale * chiSquaredQuantile(1 - share, bins - 1))
    const ksThreshold = Math.max(material, Math.sqrt((-Math.log(share / 2) / 2) * scale))
    const message = `The ${MEASURE_NAMES[measure]} of ${name} changed since the calibration was fitted (${states} states). Label some of these decisions and refit.`
    return [
      ...(psi > psiThreshold ? [{ ...about, kind: 'psi' as const, value: psi, threshold: psiThreshold, message }] : []),
      // Candidates have no order, so their cumulative counts mean nothing.
      ...(measure !== 'chosen' && distance > ksThreshold
        ? [{ ...about, kind: 'ks' as const, value: distance, threshold: ksThreshold, message }]
        : []),
    ]
  })
}

/** How messages call the measures. */
const MEASURE_NAMES: Readonly<Record<DriftMeasure, string>> = {
  entropy: 'entropy',
  top: 'largest probability',
  mass: 'mass on the listed candidates',
  chosen: 'share of each candidate',
}

interface HistogramDistance {
  readonly psi: number
  readonly distance: number
  /** Bins after rare ones were joined. */
  readonly bins: number
  /** 1/n + 1/m. */
  readonly scale: number
}

/** Least decisions expected in a bin of either sample. With fewer, χ² approximates PSI badly. */
const LEAST_EXPECTED = 5

function distanceTo({ edges, counts: before }: Histogram, values: readonly number[]): HistogramDistance {
  const now = countsOf(values, edges)
  const n = sum(before)
  const m = values.length
  const needed = (LEAST_EXPECTED * (n + m)) / Math.min(n, m)
  // Neighbours are joined until each bin has enough of both samples; the rest goes to the last bin.
  const joined: { before: number; now: number }[] = []
  let open = { before: 0, now: 0 }
  let distance = 0
  let [belowBefore, belowNow] = [0, 0]
  for (let bin = 0; bin < before.length; bin++) {
    open = { before: open.before + before[bin]!, now: open.now + now[bin]! }
    belowBefore += before[bin]! / n
    belowNow += now[bin]! / m
    distance = Math.max(distance, Math.abs(belowBefore - belowNow))
    if (open.before + open.now < needed) continue
    joined.push(open)
    open = { before: 0, now: 0 }
  }
  const last = joined.at(-1)
  if (last === undefined) joined.push(open)
  else joined[joined.length - 1] = { before: last.before + open.before, now: last.now + open.now }
  // Half a decision is added to each bin, which keeps the logarithm finite.
  const bins = joined.length
  const psi = joined.reduce((sum, { before: b, now: c }) => {
    const p = (b + 0.5) / (n + bins / 2)
    const q = (c + 0.5) / (m + bins / 2)
    return sum + (p - q) * Math.log(p / q)
  }, 0)
  return { psi, distance, bins, scale: 1 / n + 1 / m }
}

/**
 * Wilson & Hilferty 1931; within 1 % in the upper tail from two degrees on. Infinity for none: one bin cannot differ.
 */
function chiSquaredQuantile(probability: number, degrees: number): number {
  if (degrees < 1) return Infinity
  // One degree of freedom is the square of a normal.
  if (degrees === 1) return normalQuantile((1 + probability) / 2) ** 2
  const spread = 2 / (9 * degrees)
  return degrees * (1 - spread + normalQuantile(probability) * Math.sqrt(spread)) ** 3
}

export interface LabelledOptions {
  /** Probability of any alarm, at any number of looks, when the probabilities are right; default 0.05. */
  readonly alpha?: number
}

type Labelled = Evidence & Partial<Pick<RecordedEvidence, 'event' | 'features'>>

/** Bets of many sizes on both signs: large ones detect a gross error soon, small ones a slight one at all. */
const BETS = [1 / 2, 1 / 4, 1 / 8, 1 / 16].flatMap((size) => [size, -size])

/** Probabilities and truths in order. */
interface BetStream {
  readonly name: string
  readonly predicted: number[]
  readonly actual: number[]
  /** The number of labels, and sums over them with their full weight, for messages. */
  readonly sums: { labels: number; weight: number; predicted: number; actual: number }
}

/**
 * Drift with labels, in the order of the decisions (a sequential e-process; by Ville's inequality M reaches 1/alpha
 * with probability at most alpha). For a question the bet is on "true" of a two-way decision and on the leading
 * candidate of others; over all decisions it is on the leading candidate, one bet an event. Give evidence that the
 * calibration was not fitted on, of events that were chosen for labelling without looking at whether they were right.
 */
export function labelledDrift(evidence: Iterable<Labelled>, calibrator: Calibrator, { alpha = 0.05 }: LabelledOptions = {}): DriftAlarm[] {
  const items = [...evidence]
  // Bets on weighted labels are paid in shares of the largest possible weight, so that none loses more than its stake.
  const most = items.some(({ weight = 1 }) => weight > 1) ? LARGEST_LABEL_WEIGHT : 1
  const all = streamOf('all decisions')
  const questions = new Map<string, BetStream>()
  let event: { readonly id: string; readonly predictions: Prediction[] } | null = null
  for (const item of items) {
    const { onTop, onTrue } = predictionsOf(item, calibrator)
    const weight = (item.weight ?? 1) / most
    const question = questions.get(item.question) ?? streamOf(`the question "${item.task}"`)
    questions.set(item.question, question)
    bet(question, paid(onTrue, weight))
    tally(question, onTrue, weight)
    tally(all, onTop, weight)
    // Decisions on one state are not independent, so they are one bet on their mean.
    const id = item.event ?? item.state
    if (event !== null && event.id !== id) bet(all, meanOf(event.predictions))
    if (event === null || event.id !== id) event = { id, predictions: [] }
    event.predictions.push(paid(onTop, weight))
  }
  if (event !== null) bet(all, meanOf(event.predictions))

  // Half of alpha is for all decisions, the rest for questions in order of appearance: 1/2, 1/6, 1/12 … of it, which
  // sum to one for any number of questions.
  const streams = [...questions].map(([key, stream], i) => ({ key, stream, threshold: (2 / alpha) * (i + 1) * (i + 2) }))
  return [{ key: 'all', stream: all, threshold: 2 / alpha }, ...streams].flatMap(({ key, stream, threshold }) => {
    const value = peakOf(stream)
    if (value < threshold) return []
    const [predicted, actual] = [stream.sums.predicted / stream.sums.weight, stream.sums.actual / stream.sums.weight]
    const count = stream.predicted.length
    const kind = actual < predicted ? 'over-sure' : 'under-sure'
    const message = `Of ${stream.name}, ${percent(actual)} came true where ${percent(predicted)} was said (${stream.sums.labels} labels). Refit, and roll back if it lasts.`
    return [{ kind, key, measure: 'outcome', value, threshold, count, message }]
  })
}

/**
 * The largest mean wealth of bets of all sizes, starting from 1. Each is a martingale while the probabilities are
 * right, so their mean is one too.
 */
function peakOf({ predicted, actual }: BetStream): number {
  const wealths = BETS.map((lambda) => bettingMartingale(predicted, actual, lambda))
  const together = predicted.map((_, t) => mean(wealths.map((wealth) => wealth[t]!)))
  return Math.min(
    together.reduce((a, b) => Math.max(a, b), 1),
    Number.MAX_VALUE,
  )
}

/** A probability and its truth, from 0 to 1. */
interface Prediction {
  readonly predicted: number
  readonly actual: number
}

function predictionsOf(item: Labelled, calibrator: Calibrator): { readonly onTop: Prediction; readonly onTrue: Prediction } {
  const passMode = item.deliberated === null ? 'single' : 'deliberated'
  const rows = item.deliberated ?? item.single
  const { probabilities } = calibrator.calibrate(keyOf(item), passMode, rows, item.features ?? null)
  const targets = samplesOf(item, passMode).map(({ target }) => target)
  const predict = (candidateOf: (row: readonly number[]) => number): Prediction =>
    meanOf(probabilities.map((row, i) => ({ predicted: row[candidateOf(row)]!, actual: targets[i]![candidateOf(row)]! })))
  const isTwoWay = item.readout !== 'exclusive' && item.readout !== 'ordinal'
  return { onTop: predict(argmax), onTrue: predict(isTwoWay ? () => 0 : argmax) }
}

/**
 * A prediction of which only a share of the bet is paid: as if the truth had come that much closer to the probability.
 */
function paid({ predicted, actual }: Prediction, share: number): Prediction {
  return { predicted, actual: share === 1 ? actual : predicted + share * (actual - predicted) }
}

function bet(stream: BetStream, { predicted, actual }: Prediction): void {
  stream.predicted.push(predicted)
  stream.actual.push(actual)
}

function tally({ sums }: BetStream, { predicted, actual }: Prediction, weight: number): void {
  sums.labels += 1
  sums.weight += weight
  sums.predicted += weight * predicted
  sums.actual += weight * actual
}

function meanOf(predictions: readonly Prediction[]): Prediction {
  return {
    predicted: mean(predictions.map(({ predicted }) => predicted)),
    actual: mean(predictions.map(({ actual }) => actual)),
  }
}

function streamOf(name: string): BetStream {
  return { name, predicted: [], actual: [], sums: { labels: 0, weight: 0, predicted: 0, actual: 0 } }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

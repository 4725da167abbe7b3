// Whether a calibration still fits what comes in: without labels, by how decisions look beside the window it was fitted on; with labels, by betting against it.
// Alarms are data. Their thresholds grow with the uncertainty of small samples, so that all checks of one call together alarm falsely with probability alpha.

import type { Calibrator } from '../../questions/shared/decision.ts'
import { normalQuantile } from '../numerics/special-functions.ts'
import { type Evidence, samplesOf } from '../outcomes/evidence.ts'
import { MOST_WEIGHT, type RecordedEvidence } from '../outcomes/outcomes.ts'
import { bettingMartingale } from './betting.ts'
import { countsOf, type DriftMeasure, type DriftReference, type Histogram, measuresByKey, type Observation } from './reference.ts'

export interface DriftAlarm {
  /** `psi`, `ks`: what comes in looks different. `over-sure`, `under-sure`: probabilities are higher, or lower, than what comes true. */
  readonly kind: 'psi' | 'ks' | 'over-sure' | 'under-sure'
  /** Hash of a question, a kind of decision, or `all`. */
  readonly key: string
  /** What it was seen in; `outcome` for the labelled kinds. */
  readonly measure: DriftMeasure | 'outcome'
  readonly value: number
  readonly threshold: number
  /** Decisions (states) it was seen in. */
  readonly count: number
  /** What it means and what to do. */
  readonly message: string
}

export interface PopulationOptions {
  /** Probability of any alarm while nothing drifts; default 0.01. */
  readonly alpha?: number
  /** Smaller differences than this (PSI, and KS distance) are of no consequence, however sure; default 0.1. */
  readonly material?: number
  /** States a key needs before it is judged; default 50. */
  readonly leastStates?: number
}

/**
 * Label-free drift: the population stability index and the Kolmogorov–Smirnov distance (at the edges of the bins) of each measure and key that the
 * reference has. Under no drift PSI is about (1/n + 1/m) χ² with bins - 1 degrees of freedom; an alarm needs more than that, and a material difference.
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
      return histogram === undefined || now === undefined ? [] : [{ key, name, states, measure, ...compare(histogram, now) }]
    })
  })
  // Two tests of each measure share alpha (Bonferroni).
  const share = alpha / (2 * tests.length)
  return tests.flatMap(({ key, name, states, measure, psi, distance, bins, scale }) => {
    const about = { key, measure, count: states } as const
    const psiThreshold = Math.max(material, scale * chiSquaredQuantile(1 - share, bins - 1))
    const ksThreshold = Math.max(material, Math.sqrt((-Math.log(share / 2) / 2) * scale))
    const message = `The ${SAID[measure]} of ${name} changed since the calibration was fitted (${states} states). Label some of these decisions and refit.`
    return [
      ...(psi > psiThreshold ? [{ ...about, kind: 'psi' as const, value: psi, threshold: psiThreshold, message }] : []),
      // Places have no order, so their cumulative counts mean nothing.
      ...(measure !== 'chosen' && distance > ksThreshold
        ? [{ ...about, kind: 'ks' as const, value: distance, threshold: ksThreshold, message }]
        : []),
    ]
  })
}

const SAID: Readonly<Record<DriftMeasure, string>> = {
  entropy: 'entropy',
  top: 'largest probability',
  mass: 'mass on the listed candidates',
  chosen: 'share of each candidate',
}

interface Comparison {
  readonly psi: number
  readonly distance: number
  /** Bins that were left after rare ones were joined. */
  readonly bins: number
  /** 1/n + 1/m. */
  readonly scale: number
}

/** Fewest decisions expected in a bin of either sample: below, χ² says too little about PSI. */
const LEAST_EXPECTED = 5

function compare({ edges, counts: before }: Histogram, values: readonly number[]): Comparison {
  const now = countsOf(values, edges)
  const n = before.reduce((a, b) => a + b, 0)
  const m = values.length
  const needed = (LEAST_EXPECTED * (n + m)) / Math.min(n, m)
  // Neighbours are joined until each bin has enough of both together; what is left over goes to the last.
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
  // Half a decision more in each bin keeps the logarithm finite.
  const bins = joined.length
  const psi = joined.reduce((sum, { before: b, now: c }) => {
    const p = (b + 0.5) / (n + bins / 2)
    const q = (c + 0.5) / (m + bins / 2)
    return sum + (p - q) * Math.log(p / q)
  }, 0)
  return { psi, distance, bins, scale: 1 / n + 1 / m }
}

/** Wilson and Hilferty 1931; within 1 % in the upper tail from two degrees on. Infinity for none: one bin cannot differ. */
function chiSquaredQuantile(probability: number, degrees: number): number {
  if (degrees < 1) return Infinity
  // One degree is the square of a normal.
  if (degrees === 1) return normalQuantile((1 + probability) / 2) ** 2
  const spread = 2 / (9 * degrees)
  return degrees * (1 - spread + normalQuantile(probability) * Math.sqrt(spread)) ** 3
}

export interface LabelledOptions {
  /** Probability of any alarm, however long one looks, while the probabilities are right; default 0.05. */
  readonly alpha?: number
}

type Labelled = Evidence & Partial<Pick<RecordedEvidence, 'event' | 'hidden'>>

/** Bets of many sizes, each on both signs: large ones see a gross error soon, small ones a slight one at all. */
const BETS = [1 / 2, 1 / 4, 1 / 8, 1 / 16].flatMap((size) => [size, -size])

/** What was said and what came, in order. */
interface Stream {
  readonly name: string
  readonly said: number[]
  readonly came: number[]
  /** Sums over labels by their full weight, for a person. */
  readonly sums: { weight: number; said: number; came: number }
}

/**
 * Drift seen by labels, in the order they were decided (sequential e-process, Ville's inequality: M reaches 1/alpha with probability at most alpha).
 * Per question the bet is on "true" of a binary decision and on the leading candidate of others; over all, on the leading candidate, one bet an event.
 * Give evidence that the calibration was not fitted on, of events chosen to be labelled without looking at whether they were right.
 */
export function labelledDrift(evidence: Iterable<Labelled>, judge: Calibrator, { alpha = 0.05 }: LabelledOptions = {}): DriftAlarm[] {
  const items = [...evidence]
  // Weighted labels are paid in shares of the largest weight there can be, so that no bet loses more than it has.
  const most = items.some(({ weight = 1 }) => weight > 1) ? MOST_WEIGHT : 1
  const all = streamOf('all decisions')
  const questions = new Map<string, Stream>()
  let event: { readonly id: string; readonly claims: Claim[] } | null = null
  for (const item of items) {
    const { onTop, onTrue } = claimsOf(item, judge)
    const weight = (item.weight ?? 1) / most
    const question = questions.get(item.question) ?? streamOf(`the question "${item.task}"`)
    questions.set(item.question, question)
    bet(question, paid(onTrue, weight))
    tally(question, onTrue, weight)
    tally(all, onTop, weight)
    // Decisions on one state are not independent: they are one bet, on their mean.
    const id = item.event ?? item.state
    if (event !== null && event.id !== id) bet(all, meanOf(event.claims))
    if (event === null || event.id !== id) event = { id, claims: [] }
    event.claims.push(paid(onTop, weight))
  }
  if (event !== null) bet(all, meanOf(event.claims))

  // Half of alpha for all decisions, half for questions in the order they appeared: 1/2, 1/6, 1/12 … of it, which sum to one however many come.
  const streams = [...questions].map(([key, stream], i) => ({ key, stream, threshold: (2 / alpha) * (i + 1) * (i + 2) }))
  return [{ key: 'all', stream: all, threshold: 2 / alpha }, ...streams].flatMap(({ key, stream, threshold }) => {
    const value = peakOf(stream)
    if (value < threshold) return []
    const [said, came] = [stream.sums.said / stream.sums.weight, stream.sums.came / stream.sums.weight]
    const count = stream.said.length
    const kind = came < said ? 'over-sure' : 'under-sure'
    const message = `Of ${stream.name}, ${percent(came)} came true where ${percent(said)} was said (${count} labels). Refit, and roll back if it lasts.`
    return [{ kind, key, measure: 'outcome', value, threshold, count, message }]
  })
}

/** The most wealth that bets of all sizes had together, starting from 1. A martingale while what is said is right, so the mean of them is one too. */
function peakOf({ said, came }: Stream): number {
  const wealths = BETS.map((lambda) => bettingMartingale(said, came, lambda))
  const together = said.map((_, t) => meanOfNumbers(wealths.map((wealth) => wealth[t]!)))
  return Math.min(
    together.reduce((a, b) => Math.max(a, b), 1),
    Number.MAX_VALUE,
  )
}

interface Claim {
  readonly said: number
  readonly came: number
}

function claimsOf(item: Labelled, judge: Calibrator): { readonly onTop: Claim; readonly onTrue: Claim } {
  const regime = item.deliberated === null ? 'single' : 'deliberated'
  const rows = item.deliberated ?? item.single
  const key = { ...item, candidates: item.readout === 'independent' ? rows.length : (rows[0]?.length ?? 0) }
  const { probabilities } = judge.calibrate(key, regime, rows, item.hidden ?? null)
  const targets = samplesOf(item, regime).map(({ target }) => target)
  const claim = (place: (row: readonly number[]) => number): Claim =>
    meanOf(probabilities.map((row, i) => ({ said: row[place(row)]!, came: targets[i]![place(row)]! })))
  const top = (row: readonly number[]): number => row.indexOf(Math.max(...row))
  const isTwoWay = item.readout !== 'exclusive' && item.readout !== 'ordinal'
  return { onTop: claim(top), onTrue: claim(isTwoWay ? () => 0 : top) }
}

/** A bet of which only a share is paid out: as if the outcome had come that much nearer to what was said. */
function paid({ said, came }: Claim, share: number): Claim {
  return { said, came: share === 1 ? came : said + share * (came - said) }
}

function bet(stream: Stream, { said, came }: Claim): void {
  stream.said.push(said)
  stream.came.push(came)
}

function tally({ sums }: Stream, { said, came }: Claim, weight: number): void {
  sums.weight += weight
  sums.said += weight * said
  sums.came += weight * came
}

function meanOf(claims: readonly Claim[]): Claim {
  return { said: meanOfNumbers(claims.map(({ said }) => said)), came: meanOfNumbers(claims.map(({ came }) => came)) }
}

function meanOfNumbers(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function streamOf(name: string): Stream {
  return { name, said: [], came: [], sums: { weight: 0, said: 0, came: 0 } }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

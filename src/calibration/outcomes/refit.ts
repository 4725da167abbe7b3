// Fits the next calibration from the served one and new evidence, and says whether to serve it: only if it is not worse
// on states it was not fitted on, nor spoils questions that have no labels.
import { createHash } from 'node:crypto'
import { EngineError } from '../../core/errors.ts'
import type { PassMode } from '../../questions/shared/decision.ts'
import { type CalibratedModel, type Calibration, calibratorOf, sealCalibration } from '../calibration.ts'
import { type DriftReference, driftReferenceOf, type Observation } from '../drift/reference.ts'
import { type FitOptions, fit as fitCalibration, summaryOf } from '../fit.ts'
import { LEAST_LABELS, learnHeads } from '../heads/learn.ts'
import { ENOUGH_LABELS, mergeCalibrations } from '../hierarchy/merge.ts'
import { pairedDifference } from '../metrics/resampling.ts'
import { weightedMean } from '../numerics/aligned.ts'
import { type Evidence, keyOf, samplesOf } from './evidence.ts'
import type { RecordedEvidence } from './outcomes.ts'
import { MOST_SHIPPED_RISE, type ShippedLabels, shippedRise } from './shipped-labels.ts'

/** Log-loss in nats a decision on held-out states, weighted as the evidence is. */
export interface HeldOutComparison {
  /** Decisions. */
  readonly labels: number
  readonly states: number
  /** Of the served calibration. */
  readonly current: number
  /** Of the new calibration. */
  readonly candidate: number
  /** 95 % interval of candidate − current, by bootstrap over states. */
  readonly interval: readonly [number, number]
}

export interface RefitOptions {
  /** Share of states that are held out; default 0.2. */
  readonly heldOutShare?: number
  /** Least held-out decisions for a verdict; default 20. */
  readonly leastHeldOut?: number
  /**
   * The number of newer labels after which a label counts half; null (default) for equal weights. 500 follows a drift.
   * Evidence comes oldest first.
   */
  readonly halfLife?: number | null
  /**
   * Since when the current calibration is served, in milliseconds. It was not fitted on decisions since then; they are
   * the held-out ones when there are enough.
   */
  readonly servedSince?: number | null
  /** Evidence that is always fitted on and never held out, such as that of the first calibration of the model. */
  readonly base?: readonly Evidence[]
  /**
   * Labels of others that are fitted on besides, with bounded weights. Nothing is judged by them, no head is learned
   * from them, and they are not counted in `fittedOn`.
   */
  readonly lent?: readonly Evidence[]
  /**
   * Labels that came with the model. General maps that lose more than `MOST_SHIPPED_RISE` on them are not taken, and a
   * calibration that does so all the same is not served. Default null: no such labels.
   */
  readonly shipped?: ShippedLabels | null
  /** Recent decisions, labelled or not, as the reference for drift detection; default: the evidence. */
  readonly window?: Iterable<Observation>
  readonly fit?: FitOptions
  /** Of the bootstrap; default 1000. */
  readonly resamples?: number
  /** Default 1. */
  readonly seed?: number
}

export interface RefitResult {
  /**
   * Fitted on all evidence when it is to be served, else on the part that was not held out. Null when there is too
   * little.
   */
  readonly candidate: Calibration | null
  readonly decision: 'serve' | 'keep'
  /** Null when too little was held out. */
  readonly heldOut: HeldOutComparison | null
  /** Why, with the numbers. */
  readonly reason: string
}

type Labelled = Evidence & Partial<Pick<RecordedEvidence, 'at' | 'hidden'>>

/**
 * Fits a candidate on four fifths of the states, compares it with `current` on the rest, and says whether to serve it.
 * Deterministic. `evidence` is of this model alone, oldest first; a `current` of another model counts as none. Without
 * `base`, maps for which the evidence has fewer labels are taken from `current`. A `current` that was fitted on the
 * held-out states has an advantage, which errs on the side of keeping it.
 */
export function refit(
  current: Calibration | null,
  evidence: readonly Labelled[],
  model: CalibratedModel,
  options: RefitOptions = {},
): RefitResult {
  const { heldOutShare = 0.2, leastHeldOut = 20, halfLife = null, servedSince = null, resamples = 1000, seed = 1 } = options
  const { base = [], lent = [], shipped = null } = options
  if (!(heldOutShare > 0 && heldOutShare < 1)) {
    throw new EngineError('invalid_request', `heldOutShare lies between 0 and 1, received ${heldOutShare}.`)
  }
  const before = calibratorOf(current, model).isMismatch ? null : current
  const riseOf = (calibration: Calibration): number => (shipped === null ? 0 : (shippedRise(calibration, shipped)?.rise ?? 0))
  // What spoils questions without labels is not built on.
  const older = before !== null && shipped !== null && riseOf(before) > MOST_SHIPPED_RISE ? shipped.calibration : before
  const weighted = halfLife === null ? evidence : withDecay(evidence, halfLife)
  const isOut = (item: Labelled): boolean => shareOf(item.state) < heldOutShare
  const rest = weighted.filter((item) => !isOut(item))
  const unseen = weighted.filter((item) => isOut(item) && servedSince !== null && (item.at ?? -Infinity) >= servedSince)
  const tested = unseen.length >= leastHeldOut ? unseen : weighted.filter(isOut)
  if (tested.length < leastHeldOut || rest.length === 0) {
    const needed = Math.ceil(leastHeldOut / heldOutShare)
    const reason = `${evidence.length} labels leave ${tested.length} held out, ${leastHeldOut} are needed; record outcomes until there are about ${needed}.`
    return { candidate: null, decision: 'keep', heldOut: null, reason }
  }

  const taught = taughtQuestions(weighted)
  // With a half-life, old maps must not outweigh the remaining weight of new labels.
  const enough = Math.min(ENOUGH_LABELS, (halfLife ?? Infinity) / 2)
  const make = (
    items: readonly Labelled[],
    loans: readonly Evidence[],
  ): { readonly made: Calibration; readonly refused: number | null } => {
    const own = [...base, ...items.map(bare)]
    const fitted = { ...fitCalibration([...own, ...loans.map(bare)], model, options.fit), fittedOn: summaryOf(own) }
    if (base.length > 0 || older === null) return { made: withHeads(fitted, older, items, taught), refused: null }
    const merged = mergeCalibrations(older, fitted, { enough })
    const rise = riseOf(merged)
    if (rise <= MOST_SHIPPED_RISE) return { made: withHeads(merged, older, items, taught), refused: null }
    return { made: withHeads(mergeCalibrations(older, fitted, { enough, keepsGeneral: true }), older, items, taught), refused: rise }
  }
  const { made: trial } = make(
    rest,
    lent.filter((item) => !isOut(item)),
  )
  const states = tested.map(({ state }) => state)
  const weights = tested.map(({ weight = 1 }) => weight)
  const losses = [trial, before].map((calibration) => tested.map((item) => lossOf(item, calibration, model)))
  const [ofTrial, ofCurrent] = losses as [number[], number[]]
  const { mean: difference, interval } = pairedDifference(ofTrial, ofCurrent, states, { weights, resamples, seed })
  const heldOut: HeldOutComparison = {
    labels: tested.length,
    states: new Set(states).size,
    current: weightedMean(ofCurrent, weights),
    candidate: weightedMean(ofTrial, weights),
    interval,
  }
  const reference = driftReferenceOf(options.window ?? evidence)
  const numbers = `held-out log-loss ${heldOut.candidate.toFixed(4)} against ${heldOut.current.toFixed(4)} (difference ${range(difference, interval)}, ${heldOut.labels} labels)`
  const keep = (reason: string): RefitResult => ({ candidate: withReference(trial, reference), decision: 'keep', heldOut, reason })
  if (difference > 0) return keep(`Worse: ${numbers}; what is served stays.`)
  const { made, refused } = make(weighted, lent)
  const rise = riseOf(made)
  if (rise > MOST_SHIPPED_RISE) return keep(`Worse on labels that came with the model (${nats(rise)}); what is served stays.`)
  const kept =
    refused === null
      ? ''
      : ` Maps of whole kinds stay as they were: new ones would lose ${nats(refused)} on labels that came with the model.`
  return { candidate: withReference(made, reference), decision: 'serve', heldOut, reason: `Not worse: ${numbers}.${kept}` }
}

function nats(rise: number): string {
  return `${rise.toFixed(4)} nats a decision, ${MOST_SHIPPED_RISE} are allowed`
}

/** The evidence with weights that halve every `halfLife` labels; the newest keeps its weight. */
function withDecay(evidence: readonly Labelled[], halfLife: number): Labelled[] {
  if (!(halfLife > 0)) throw new EngineError('invalid_request', `halfLife is a number of labels above 0, received ${halfLife}.`)
  return evidence.map((item, i) => ({ ...item, weight: (item.weight ?? 1) * 0.5 ** ((evidence.length - 1 - i) / halfLife) }))
}

/**
 * A number from 0 to 1 that depends on the state alone, and not on its fold in `fit`, which hashes the state
 * differently.
 */
function shareOf(state: string): number {
  return createHash('sha256').update(`held-out ${state}`).digest().readUInt32BE(0) / 2 ** 32
}

/** The fields of evidence that `fit` uses. */
function bare({ task, state, readout, hasImage, wording, question, single, deliberated, mass, truth, weight = 1 }: Evidence): Evidence {
  return { task, state, readout, hasImage, wording, question, single, deliberated, mass, truth, weight }
}

/** Cross-entropy of the calibrated distributions of a decision, mean over its rows and pass modes. */
function lossOf(item: Labelled, calibration: Calibration | null, model: CalibratedModel): number {
  const calibrator = calibratorOf(calibration, model)
  const passModes: readonly PassMode[] = item.deliberated === null ? ['single'] : ['single', 'deliberated']
  const losses = passModes.flatMap((passMode) => {
    const samples = samplesOf(item, passMode)
    const rows = samples.map(({ logProbabilities }) => logProbabilities)
    const { probabilities } = calibrator.calibrate(keyOf(item), passMode, rows, item.hidden ?? null)
    return samples.map(({ target }, row) => target.reduce((sum, t, i) => (t > 0 ? sum - t * Math.log(probabilities[row]![i]!) : sum), 0))
  })
  return losses.reduce((a, b) => a + b, 0) / losses.length
}

/** Questions with enough labels and features for a head. */
function taughtQuestions(items: readonly Labelled[]): ReadonlySet<string> {
  const labels = new Map<string, number>()
  for (const { question, hidden } of items) if (hidden != null) labels.set(question, (labels.get(question) ?? 0) + 1)
  return new Set([...labels].flatMap(([question, count]) => (count >= LEAST_LABELS ? [question] : [])))
}

/** The calibration with heads of `taught` questions, learned from `items`, and with earlier heads of the others. */
function withHeads(
  calibration: Calibration,
  before: Calibration | null,
  items: readonly Labelled[],
  taught: ReadonlySet<string>,
): Calibration {
  const calibrator = calibratorOf(calibration, calibration.model)
  const { heads, tried } = learnHeads(
    items.filter(({ question }) => taught.has(question)).map((item) => ({ evidence: bare(item), features: item.hidden ?? null })),
    {
      // What is tried stands for what all labels will make, so it learns heads of the same questions from fewer.
      leastLabels: LEAST_LABELS / 2,
      served(evidence) {
        return calibrator.calibrate(keyOf(evidence), 'single', evidence.single, null).probabilities
      },
    },
  )
  const isTried = new Set(tried.map(({ question }) => question))
  const kept = Object.entries(before?.heads ?? {}).filter(([question]) => !isTried.has(question))
  const all = { ...Object.fromEntries(kept), ...heads }
  const { heads: _, ...maps } = calibration
  return sealCalibration(Object.keys(all).length === 0 ? maps : { ...maps, heads: all })
}

function withReference(calibration: Calibration, reference: DriftReference): Calibration {
  return Object.keys(reference).length === 0 ? calibration : sealCalibration({ ...calibration, reference })
}

function range(difference: number, [low, high]: readonly [number, number]): string {
  const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(4)}`
  return `${signed(difference)}, 95 % ${signed(low)} to ${signed(high)}`
}

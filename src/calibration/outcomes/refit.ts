// Fits the next calibration from the served one and new evidence, and says whether to serve it: only if it is not worse
// on states it was not fitted on, nor spoils questions that have no labels.
import { createHash } from 'node:crypto'
import { EngineError } from '../../core/errors.ts'
import { groupBy } from '../../core/group-by.ts'
import { argmax, mean } from '../../core/math.ts'
import type { CalibratedModel, PassMode } from '../../questions/shared/decision.ts'
import { type Calibration, calibratorOf, sealCalibration } from '../calibration.ts'
import { type DriftReference, driftReferenceOf, type Observation } from '../drift/reference.ts'
import { type FitOptions, fit as fitCalibration, summaryOf } from '../fit.ts'
import { isLearned } from '../heads/head.ts'
import { LEAST_LABELS, learnHeads } from '../heads/learn.ts'
import { ENOUGH_LABELS, mergeCalibrations } from '../hierarchy/merge.ts'
import { pairedDifference } from '../metrics/resampling.ts'
import { crossEntropy } from '../metrics/scores.ts'
import { weightedMean } from '../numerics/aligned.ts'
import { bareEvidence, type Evidence, keyOf, samplesOf } from './evidence.ts'
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
  /** Shares of decisions whose likeliest candidate is the true one. Versions kept before 2026-11-29 do not say. */
  readonly right?: { readonly current: number; readonly candidate: number }
}

export interface RefitOptions {
  /** Share of states that are held out; default 0.2. */
  readonly heldOutShare?: number
  /**
   * Least held-out decisions for a verdict; default 20. Where one share of the states has fewer, and up to
   * `MOST_IN_TURN` labels, each share is held out in turn.
   */
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

/** With more labels one share of the states tells enough, and takes a fifth of the time. */
export const MOST_IN_TURN = 500

export interface RefitResult {
  /**
   * Fitted on all evidence when it is to be served, else on a part that was not held out. Null when there is too
   * little.
   */
  readonly candidate: Calibration | null
  readonly decision: 'serve' | 'keep'
  /** Null when too little was held out. */
  readonly heldOut: HeldOutComparison | null
  /** Why, with the numbers. */
  readonly reason: string
}

type Labelled = Evidence & Partial<Pick<RecordedEvidence, 'at' | 'features'>>

/**
 * Fits a candidate on four fifths of the states, compares it with `current` on the rest (up to `MOST_IN_TURN` labels on
 * each fifth in turn), and says whether to serve it.
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
  const trials = trialsOf(weighted, { heldOutShare, leastHeldOut, servedSince })
  if (trials.length === 0) {
    const reason = `${evidence.length} labels are too few to judge a fit by; it takes ${leastHeldOut}, of different states.`
    return { candidate: null, decision: 'keep', heldOut: null, reason }
  }

  const taught = taughtQuestions(weighted)
  // With a half-life, old maps must not outweigh the remaining weight of new labels.
  const enough = Math.min(ENOUGH_LABELS, (halfLife ?? Infinity) / 2)
  const make = (
    items: readonly Labelled[],
    loans: readonly Evidence[],
  ): { readonly made: Calibration; readonly refused: number | null } => {
    const own = [...base, ...items.map(bareEvidence)]
    const fitted = { ...fitCalibration([...own, ...loans.map(bareEvidence)], model, options.fit), fittedOn: summaryOf(own) }
    if (base.length > 0 || older === null) return { made: withHeads(fitted, older, items, taught), refused: null }
    const merged = mergeCalibrations(older, fitted, { enough })
    const rise = riseOf(merged)
    if (rise <= MOST_SHIPPED_RISE) return { made: withHeads(merged, older, items, taught), refused: null }
    return { made: withHeads(mergeCalibrations(older, fitted, { enough, keepsGeneral: true }), older, items, taught), refused: rise }
  }
  const made = trials.map(({ isOut }) => {
    const isIn = (item: Evidence): boolean => !isOut(item)
    return make(weighted.filter(isIn), lent.filter(isIn)).made
  })
  const heldOut = comparison(
    trials.map(({ tested }, i) => ({ tested, trial: made[i]! })),
    before,
    model,
    { resamples, seed },
  )
  const difference = heldOut.candidate - heldOut.current
  const reference = driftReferenceOf(options.window ?? evidence)
  const numbers = `held-out log-loss ${heldOut.candidate.toFixed(4)} against ${heldOut.current.toFixed(4)} (difference ${range(difference, heldOut.interval)}, ${heldOut.labels} labels)`
  const untaught = featurelessNote(evidence)
  const keep = (why: string): RefitResult => {
    return { candidate: withReference(made[0]!, reference), decision: 'keep', heldOut, reason: `${why}${untaught}` }
  }
  if (difference > 0) return keep(`Worse: ${numbers}; what is served stays.`)
  const { made: whole, refused } = make(weighted, lent)
  const rise = riseOf(whole)
  if (rise > MOST_SHIPPED_RISE) return keep(`Worse on labels that came with the model (${nats(rise)}); what is served stays.`)
  const kept =
    refused === null
      ? ''
      : ` Maps of whole kinds stay as they were: new ones would lose ${nats(refused)} on labels that came with the model.`
  return { candidate: withReference(whole, reference), decision: 'serve', heldOut, reason: `Not worse: ${numbers}.${kept}${untaught}` }
}

function nats(rise: number): string {
  return `${rise.toFixed(4)} nats a decision, ${MOST_SHIPPED_RISE} are allowed`
}

/** The evidence with weights that halve every `halfLife` labels; the newest keeps its weight. */
function withDecay(evidence: readonly Labelled[], halfLife: number): Labelled[] {
  if (!(halfLife > 0)) throw new EngineError('invalid_request', `halfLife is a number of labels above 0, received ${halfLife}.`)
  return evidence.map((item, i) => ({ ...item, weight: (item.weight ?? 1) * 0.5 ** ((evidence.length - 1 - i) / halfLife) }))
}

/** What a fit without some states is judged by. */
interface Trial {
  /** Decisions on states that the fit did not see. */
  readonly tested: readonly Labelled[]
  /** Whether the fit must not see a state. */
  readonly isOut: (item: Pick<Evidence, 'state'>) => boolean
}

/** One share of the states where there are labels enough to judge by it, else each in turn; none where all are few. */
function trialsOf(
  evidence: readonly Labelled[],
  { heldOutShare, leastHeldOut, servedSince }: Required<Pick<RefitOptions, 'heldOutShare' | 'leastHeldOut' | 'servedSince'>>,
): Trial[] {
  const trialOf = (part: number): Trial => {
    const isOut = ({ state }: Pick<Evidence, 'state'>): boolean => partOf(state, heldOutShare) === part
    return { tested: evidence.filter(isOut), isOut }
  }
  const parts = [...new Set(evidence.map(({ state }) => partOf(state, heldOutShare)))].sort((a, b) => a - b)
  // Nothing is left to fit on where one share holds all.
  if (parts.length < 2) return []
  const first = trialOf(parts[0]!)
  const unseen = first.tested.filter(({ at }) => servedSince !== null && (at ?? -Infinity) >= servedSince)
  if (unseen.length >= leastHeldOut) return [{ ...first, tested: unseen }]
  if (evidence.length > MOST_IN_TURN && first.tested.length >= leastHeldOut) return [first]
  return evidence.length < leastHeldOut ? [] : parts.map(trialOf)
}

/** Each trial on what it did not see, beside what is served. */
function comparison(
  judged: readonly { readonly tested: readonly Labelled[]; readonly trial: Calibration }[],
  current: Calibration | null,
  model: CalibratedModel,
  bootstrap: { readonly resamples: number; readonly seed: number },
): HeldOutComparison {
  const tested = judged.flatMap(({ tested, trial }) => tested.map((item) => ({ item, trial })))
  const states = tested.map(({ item }) => item.state)
  const weights = tested.map(({ item }) => item.weight ?? 1)
  const ofTrial = tested.map(({ item, trial }) => scoreOf(item, trial, model))
  const ofCurrent = tested.map(({ item }) => scoreOf(item, current, model))
  const losses = (scores: readonly Score[]): number[] => scores.map(({ loss }) => loss)
  const rights = (scores: readonly Score[]): number[] => scores.map(({ right }) => right)
  const { interval } = pairedDifference(losses(ofTrial), losses(ofCurrent), states, { weights, ...bootstrap })
  return {
    labels: tested.length,
    states: new Set(states).size,
    current: weightedMean(losses(ofCurrent), weights),
    candidate: weightedMean(losses(ofTrial), weights),
    interval,
    right: { current: weightedMean(rights(ofCurrent), weights), candidate: weightedMean(rights(ofTrial), weights) },
  }
}

/**
 * Which part of all states one belongs to, counted from 0, where a part is `share` of them (the last may be larger). It
 * depends on the state alone, and not on its fold in `fit`, which hashes the state differently.
 */
export function partOf(state: string, share: number): number {
  const place = createHash('sha256').update(`held-out ${state}`).digest().readUInt32BE(0) / 2 ** 32
  return Math.min(Math.floor(place / share), Math.max(1, Math.floor(1 / share) - 1))
}

interface Score {
  /** Cross-entropy of the calibrated distributions of a decision, mean over its rows and pass modes. */
  readonly loss: number
  /** The share of them whose likeliest candidate is the true one. */
  readonly right: number
}

function scoreOf(item: Labelled, calibration: Calibration | null, model: CalibratedModel): Score {
  const calibrator = calibratorOf(calibration, model)
  const passModes: readonly PassMode[] = item.deliberated === null ? ['single'] : ['single', 'deliberated']
  const scores = passModes.flatMap((passMode) => {
    const samples = samplesOf(item, passMode)
    const rows = samples.map(({ logProbabilities }) => logProbabilities)
    const { probabilities } = calibrator.calibrate(keyOf(item), passMode, rows, item.features ?? null)
    return samples.map(({ target }, row) => ({
      loss: crossEntropy(probabilities[row]!, target),
      right: rightOf(probabilities[row]!, target),
    }))
  })
  return { loss: mean(scores.map(({ loss }) => loss)), right: mean(scores.map(({ right }) => right)) }
}

/** Whether the likeliest candidate is the true one (of a truth between two: the nearer). */
function rightOf(probabilities: readonly number[], target: readonly number[]): number {
  return Number(argmax(probabilities) === argmax(target))
}

/** Questions with enough labels and features for a head. */
function taughtQuestions(items: readonly Labelled[]): ReadonlySet<string> {
  const featured = items.filter(({ features }) => features != null)
  const byQuestion = groupBy(featured, ({ question }) => question)
  return new Set([...byQuestion].flatMap(([question, { length }]) => (length >= LEAST_LABELS ? [question] : [])))
}

/** Says of questions with labels enough for a head that none can be learned, since no features were kept. */
function featurelessNote(items: readonly Labelled[]): string {
  const learned = items.filter(({ readout }) => isLearned(readout))
  const byQuestion = [...groupBy(learned, ({ question }) => question).values()]
  const bare = byQuestion.filter((alike) => alike.length >= LEAST_LABELS && alike.every(({ features }) => features == null))
  if (bare.length === 0) return ''
  const named = JSON.stringify(bare[0]![0]!.task)
  const which = bare.length === 1 ? `The question ${named} has` : `${bare.length} questions (${named} first) have`
  return (
    ` ${which} the ${LEAST_LABELS} labels that learning it takes, but no features of it were kept:` +
    ' keep them with keepsFeatures: true of the store, or --keep-features on of assay serve, and label later answers.'
  )
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
    items.filter(({ question }) => taught.has(question)).map((item) => ({ evidence: bareEvidence(item), features: item.features ?? null })),
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

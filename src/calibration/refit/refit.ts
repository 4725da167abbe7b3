// Fits the next calibration from the served one and new evidence, and says whether to serve it: only if it is not worse
// on states it was not fitted on, nor spoils questions that have no labels.
import { EngineError } from '../../core/errors.ts'
import { groupBy } from '../../core/group-by.ts'
import type { CalibratedModel } from '../../questions/shared/decision.ts'
import { type Calibration, calibratorOf, sealCalibration } from '../calibration.ts'
import { type DriftReference, driftReferenceOf, type Observation } from '../drift/reference.ts'
import { bareEvidence, type Evidence, keyOf } from '../evidence/evidence.ts'
import { type FitOptions, fit as fitCalibration, summaryOf } from '../fit.ts'
import { isLearned } from '../heads/head.ts'
import { LEAST_LABELS, learnHeads } from '../heads/learn.ts'
import type { HeldOutComparison } from '../outcomes/versions.ts'
import { ENOUGH_LABELS, mergeCalibrations } from './merge.ts'
import { MOST_SHIPPED_RISE, type ShippedLabels, shippedRise } from './shipped-labels.ts'
import { type LabelledEvidence, type TrialOptions, trialsOf } from './trials.ts'
import { compareHeldOut, whyServed, whySpoiled, whyWorse } from './verdict.ts'

export interface RefitOptions extends Partial<TrialOptions> {
  /**
   * The number of newer labels after which a label counts half; null (default) for equal weights. 500 follows a drift.
   * Evidence comes oldest first.
   */
  readonly halfLife?: number | null
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

/**
 * Fits a candidate on four fifths of the states, compares it with `current` on the rest (up to `MOST_IN_TURN` labels on
 * each fifth in turn), and says whether to serve it.
 * Deterministic. `evidence` is of this model alone, oldest first; a `current` of another model counts as none. Without
 * `base`, maps for which the evidence has fewer labels are taken from `current`. A `current` that was fitted on the
 * held-out states has an advantage, which errs on the side of keeping it: labels since it is served are judged by alone
 * where they are enough.
 */
export function refit(
  current: Calibration | null,
  evidence: readonly LabelledEvidence[],
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
  const { trials, areSeen } = trialsOf(weighted, { heldOutShare, leastHeldOut, servedSince })
  if (trials.length === 0) {
    const reason = `${evidence.length} labels are too few to judge a fit by; it takes ${leastHeldOut}, of different states.`
    return { candidate: null, decision: 'keep', heldOut: null, reason }
  }

  const taught = taughtQuestions(weighted)
  // With a half-life, old maps must not outweigh the remaining weight of new labels.
  const enough = Math.min(ENOUGH_LABELS, (halfLife ?? Infinity) / 2)
  // `refusedRise`: what new maps of whole kinds lose on labels that came with the model, where they are not taken.
  const make = (items: readonly LabelledEvidence[], loans: readonly Evidence[]): { made: Calibration; refusedRise: number | null } => {
    const own = [...base, ...items.map(bareEvidence)]
    const fitted = { ...fitCalibration([...own, ...loans.map(bareEvidence)], model, options.fit), fittedOn: summaryOf(own) }
    if (base.length > 0 || older === null) return { made: withHeads(fitted, older, items, taught), refusedRise: null }
    const merged = mergeCalibrations(older, fitted, { enough })
    const rise = riseOf(merged)
    if (rise <= MOST_SHIPPED_RISE) return { made: withHeads(merged, older, items, taught), refusedRise: null }
    const withoutGeneral = mergeCalibrations(older, fitted, { enough, keepsGeneral: true })
    return { made: withHeads(withoutGeneral, older, items, taught), refusedRise: rise }
  }
  const tried = trials.map(({ tested, isOut }) => {
    const isIn = (item: Evidence): boolean => !isOut(item)
    return { tested, made: make(weighted.filter(isIn), lent.filter(isIn)).made }
  })
  const heldOut = compareHeldOut(tried, before, model, { resamples, seed })
  const reference = driftReferenceOf(options.window ?? evidence)
  const result = (decision: RefitResult['decision'], made: Calibration, why: string): RefitResult => {
    return { candidate: withReference(made, reference), decision, heldOut, reason: `${why}${featurelessNote(evidence)}` }
  }
  const worse = whyWorse(heldOut, areSeen)
  if (worse !== null) return result('keep', tried[0]!.made, worse)
  const { made: whole, refusedRise } = make(weighted, lent)
  const spoiled = whySpoiled(riseOf(whole))
  if (spoiled !== null) return result('keep', tried[0]!.made, spoiled)
  return result('serve', whole, whyServed(heldOut, refusedRise))
}

/** The evidence with weights that halve every `halfLife` labels; the newest keeps its weight. */
function withDecay(evidence: readonly LabelledEvidence[], halfLife: number): LabelledEvidence[] {
  if (!(halfLife > 0)) throw new EngineError('invalid_request', `halfLife is a number of labels above 0, received ${halfLife}.`)
  return evidence.map((item, i) => ({ ...item, weight: (item.weight ?? 1) * 0.5 ** ((evidence.length - 1 - i) / halfLife) }))
}

/** Questions with enough labels and features for a head. */
function taughtQuestions(items: readonly LabelledEvidence[]): ReadonlySet<string> {
  const featured = items.filter(({ features }) => features != null)
  const byQuestion = groupBy(featured, ({ question }) => question)
  return new Set([...byQuestion].flatMap(([question, { length }]) => (length >= LEAST_LABELS ? [question] : [])))
}

/** Says of questions with labels enough for a head that none can be learned, since no features were kept. */
function featurelessNote(items: readonly LabelledEvidence[]): string {
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
  items: readonly LabelledEvidence[],
  taught: ReadonlySet<string>,
): Calibration {
  const calibrator = calibratorOf(calibration, calibration.model)
  const { heads, tried } = learnHeads(
    items.filter(({ question }) => taught.has(question)).map((item) => ({ evidence: bareEvidence(item), features: item.features ?? null })),
    {
      // A trial has only a part of the labels, so half as many are enough: else the final fit could get a head that no
      // trial had judged.
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

// Labelled decisions of one question to a head that is used only if it would have done better on labels it had not seen.
// Which prior is right, and whether the features help at all, is decided by the same held-out folds; folds keep a state's decisions together.
import { EngineError } from '../../core/errors.ts'
import { isCheck, targetOf } from '../../questions/shared/decision.ts'
import type { Evidence } from '../outcomes/evidence.ts'
import { type Head, isEachAlone, type LearnedReadout, startOf } from './head.ts'
import { aloneResiduals, type Example, HeadFitter, type HeadParameters, headLogits, type Priors, residualsOf } from './head-fit.ts'
import { encodeVector } from './vector-text.ts'

/** Fewer labels than this say too little to tell whether a head is better. */
export const LEAST_LABELS = 50
/**
 * A head is chosen when held-out labels show a gain of more than so many standard errors: one-sided 95 %. Less would do were there one prior to try;
 * the best of several looks better than it is, and a head that is wrong costs more than one that comes a few labels later.
 */
const SURE = 1.645
/** The newest so many labels are learned from. */
const MOST_LABELS = 5000
const FOLDS = 5
/** Priors that are tried: from "the features do not help" to "they decide". */
const WEIGHT_DEVIATIONS = [0, 1, 2, 4, 8] as const
const BIAS_DEVIATIONS = [0.3, 1] as const
/** How exactly a fit is found that is only compared with others: differences of this share of the loss choose no prior. */
const ROUGHLY = 1e-5

/** Evidence with what the model made of its state and question. */
export interface FeaturedEvidence {
  readonly evidence: Evidence
  readonly features: Float32Array
}

export interface LearnOptions {
  /**
   * Probabilities that would be served without a head, in the shape of `evidence.single`: the head must be better than these. They should not have
   * been fitted on this evidence. Default: the model's own.
   */
  readonly served?: (evidence: Evidence) => readonly (readonly number[])[]
  /** From how many labels on a head is learned at all, to look at; below 50 it is never chosen. Default 50. */
  readonly leastLabels?: number
}

/** Mean cross-entropies in nats a decision (of a `select`: an option), each decision judged by a head that had not seen its state. */
export interface HeldOutHead {
  /** Decisions. */
  readonly n: number
  /** Of what is served without a head. */
  readonly zeroShot: number
  readonly head: number
  /** 95 % interval of how much better the head is, by its standard error over states. */
  readonly interval: readonly [number, number]
}

export interface LearnedHead {
  /** Learned from all labels; null when there are too few to try. */
  readonly head: Head | null
  /** Whether the head should be used: at least 50 labels, and better on held-out ones beyond what chance explains (see `SURE`). */
  readonly chosen: boolean
  readonly heldOut: HeldOutHead | null
  /** The priors that did best; the features are not used when the deviation of weights is 0. */
  readonly priors: Priors | null
}

/**
 * Learns a head for a question. All evidence must be of that question. Deterministic; the order of evidence does not matter beyond rounding.
 * Throws `invalid_request` when questions or widths of features are mixed.
 */
export function learnHead(labelled: readonly FeaturedEvidence[], options: LearnOptions = {}): LearnedHead {
  const used = labelled.slice(-MOST_LABELS)
  const least = options.leastLabels ?? LEAST_LABELS
  const first = used[0]
  if (first === undefined || used.length < least) return { head: null, chosen: false, heldOut: null, priors: null }
  const { question, readout } = first.evidence
  if (readout === 'check' || readout === 'absence')
    throw new EngineError('invalid_request', 'a check is about another value each time; no head can be learned for it')
  for (const { evidence, features } of used) {
    if (evidence.question !== question || features.length !== first.features.length) {
      const what = `${evidence.question} with ${features.length} features beside ${question} with ${first.features.length}`
      throw new EngineError('invalid_request', `a head is learned from one question of one model: found ${what}; sort the evidence first`)
    }
  }
  const eachAlone = isEachAlone(readout)
  const examples = used.map((one) => exampleOf(one, readout))
  const foldOf = foldsOf(used.map(({ evidence }) => evidence.state))
  const lossOf = (logits: readonly number[], target: readonly number[]): number =>
    eachAlone ? aloneResiduals(logits, target).loss / target.length : residualsOf(logits, target).loss

  // Held-out logits under a prior.
  const fitters = Array.from({ length: FOLDS }, (_, fold) => {
    const others = examples.filter((_, i) => foldOf[i] !== fold)
    return new HeadFitter(others, eachAlone)
  })
  const tryOut = (priors: Priors): Trial => {
    const parameters = fitters.map((fitter) => fitter.fit(priors, ROUGHLY))
    const logits = examples.map((example, i) => headLogits(parameters[foldOf[i]!]!, example))
    const losses = logits.map((each, i) => lossOf(each, examples[i]!.target))
    return { priors, logits, losses, mean: weightedMean(losses, examples) }
  }
  // One prior after the other: they depend on each other little, and trying all pairs would take longer.
  const [narrow, wide] = BIAS_DEVIATIONS
  const along = (biases: number, but?: number): Trial[] =>
    WEIGHT_DEVIATIONS.filter((weights) => weights !== but).map((weights) => tryOut({ weights, biases }))
  const narrowBest = bestOf(along(narrow))
  const widened = tryOut({ ...narrowBest.priors, biases: wide })
  const best = widened.mean < narrowBest.mean ? bestOf([widened, ...along(wide, widened.priors.weights)]) : narrowBest

  // What it must beat: what is served now, and the model's own log-probabilities.
  const own = examples.map(({ start, target }) => lossOf(start, target))
  const { served } = options
  const servedLosses =
    served === undefined ? own : used.map(({ evidence }, i) => lossOf(startOf(readout, logs(served(evidence))), examples[i]!.target))
  const before = weightedMean(servedLosses, examples) <= weightedMean(own, examples) ? servedLosses : own
  const states = used.map(({ evidence }) => evidence.state)
  const { mean: gain, error } = pairedGain(before, best.losses, examples, states)

  const all = new HeadFitter(examples, eachAlone).fit(best.priors)
  const sharpness = sharpnessOf(best.logits, examples, eachAlone)
  return {
    head: headOf(sharpened(all, sharpness), used, question, readout),
    chosen: used.length >= LEAST_LABELS && gain > SURE * error,
    heldOut: {
      n: examples.length,
      zeroShot: weightedMean(before, examples),
      head: best.mean,
      interval: [gain - 1.96 * error, gain + 1.96 * error],
    },
    priors: best.priors,
  }
}

/** Priors with what heads under them say of examples they were not learned from. */
interface Trial {
  readonly priors: Priors
  readonly logits: readonly (readonly number[])[]
  readonly losses: readonly number[]
  readonly mean: number
}

function bestOf(trials: readonly Trial[]): Trial {
  return trials.reduce((best, trial) => (trial.mean < best.mean ? trial : best))
}

function exampleOf({ evidence, features }: FeaturedEvidence, readout: LearnedReadout): Example {
  const { single, truth, weight = 1 } = evidence
  const start = startOf(readout, single)
  const target = isEachAlone(readout) ? truth.map((index) => targetOf(index, 2)[0]!) : targetOf(truth[0]!, start.length)
  return { start, target, features, weight }
}

/** States in the order of their hashes, dealt out: folds of equal size that depend on nothing else. */
function foldsOf(states: readonly string[]): number[] {
  const place = new Map([...new Set(states)].sort().map((state, i) => [state, i % FOLDS] as const))
  return states.map((state) => place.get(state)!)
}

function logs(rows: readonly (readonly number[])[]): number[][] {
  return rows.map((row) => row.map(Math.log))
}

function weightedMean(values: readonly number[], examples: readonly Example[]): number {
  let sum = 0
  let total = 0
  for (const [i, { weight }] of examples.entries()) {
    sum += weight * values[i]!
    total += weight
  }
  return sum / total
}

/** How much lower the losses are after than before, with its standard error over states. */
function pairedGain(before: readonly number[], after: readonly number[], examples: readonly Example[], states: readonly string[]) {
  const mean = weightedMean(before, examples) - weightedMean(after, examples)
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  const byState = new Map<string, number>()
  for (const [i, state] of states.entries()) {
    const off = examples[i]!.weight * (before[i]! - after[i]! - mean)
    byState.set(state, (byState.get(state) ?? 0) + off)
  }
  const square = [...byState.values()].reduce((sum, value) => sum + value * value, 0)
  const groups = byState.size
  return { mean, error: groups < 2 ? Number.POSITIVE_INFINITY : Math.sqrt((square * groups) / (groups - 1)) / total }
}

/** Prior of the log of the sharpness: a head is about as sure as it should be. */
const SHARPNESS_DEVIATION = 0.3

/** What to multiply logits by so that held-out ones are as sure as they are right: the inverse of a temperature, by bisection on the slope. */
function sharpnessOf(logits: readonly (readonly number[])[], examples: readonly Example[], eachAlone: boolean): number {
  const slopeAt = (log: number): number => {
    const times = Math.exp(log)
    let slope = log / SHARPNESS_DEVIATION ** 2
    for (const [i, { target, weight }] of examples.entries()) {
      const scaled = logits[i]!.map((logit) => times * logit)
      const { values } = eachAlone ? aloneResiduals(scaled, target) : residualsOf(scaled, target)
      for (const [k, value] of values.entries()) slope += weight * value * scaled[k]!
    }
    return slope
  }
  let [low, high] = [-2, 2]
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (slopeAt(middle) > 0) high = middle
    else low = middle
  }
  return Math.exp((low + high) / 2)
}

function sharpened({ scale, biases, weights }: HeadParameters, times: number): HeadParameters {
  return { scale: scale * times, biases: biases.map((x) => x * times), weights: weights.map((row) => row.map((x) => x * times)) }
}

function headOf(
  { scale, biases, weights }: HeadParameters,
  used: readonly FeaturedEvidence[],
  question: string,
  readout: LearnedReadout,
): Head {
  const rounded = (value: number): number => Number(value.toPrecision(9))
  return {
    question,
    readout,
    width: used[0]!.features.length,
    labels: used.length,
    scale: rounded(scale),
    biases: biases.map(rounded),
    weights: weights.map(encodeVector),
  }
}

export interface LearnedHeads {
  /** The chosen heads by question hash, as a calibration keeps them. */
  readonly heads: Readonly<Record<string, Head>>
  /** Every question with labels enough to try, chosen or not, most labels first. */
  readonly tried: readonly { readonly question: string; readonly task: string; readonly learned: LearnedHead }[]
}

/** Sorts evidence by question and learns a head for each that has labels enough. Evidence without features, and checks, are passed over. */
export function learnHeads(
  evidence: Iterable<{ readonly evidence: Evidence; readonly features: Float32Array | null }>,
  options: LearnOptions = {},
): LearnedHeads {
  const byQuestion = new Map<string, FeaturedEvidence[]>()
  for (const one of evidence) {
    if (one.features === null || isCheck(one.evidence.readout)) continue
    const known = byQuestion.get(one.evidence.question)
    if (known === undefined) byQuestion.set(one.evidence.question, [one as FeaturedEvidence])
    else known.push(one as FeaturedEvidence)
  }
  const enough = [...byQuestion].filter(([, labelled]) => labelled.length >= (options.leastLabels ?? LEAST_LABELS))
  enough.sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
  const tried = enough.map(([question, labelled]) => ({
    question,
    task: labelled[0]!.evidence.task,
    learned: learnHead(labelled, options),
  }))
  const chosen = tried.flatMap(({ question, learned }) =>
    learned.chosen && learned.head !== null ? [[question, learned.head] as const] : [],
  )
  return { heads: Object.fromEntries(chosen.sort(([a], [b]) => (a < b ? -1 : 1))), tried }
}

// Learns a head from labelled decisions of one question, and says whether to use it: only if it does better on labels
// it was not fitted on. The prior, and whether features help at all, are chosen by the same held-out folds; a fold
// keeps the decisions of a state together.
import { EngineError } from '../../core/errors.ts'
import { groupBy } from '../../core/group-by.ts'
import { sum } from '../../core/math.ts'
import { isOfValue } from '../../questions/shared/readouts.ts'
import { targetOf } from '../../questions/shared/truth.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { weightedMean } from '../numerics/aligned.ts'
import { type Head, isIndependent, type LearnedReadout, startOf } from './head.ts'
import {
  type HeadExample,
  HeadFitter,
  type HeadParameters,
  type HeadPriors,
  headLogits,
  independentResiduals,
  residualsOf,
} from './head-fit.ts'
import { encodeVector } from './vector-text.ts'

/** With fewer labels, no head is learned unless that is asked for. */
export const LEAST_LABELS = 30
/**
 * A head is chosen when held-out labels show a gain of more than so many standard errors, one-sided 95 %. With one
 * prior less would do; the best of several looks better than it is, and a wrong head costs more than a late one.
 */
const REQUIRED_ERRORS = 1.645
/** A head is learned from at most so many of the newest labels. */
const MOST_LABELS = 5000
const FOLDS = 5
/** Standard deviations of the weights that are tried, from "the features do not help" on. */
const WEIGHT_DEVIATIONS = [0, 1, 2, 4, 8] as const
const BIAS_DEVIATIONS = [0.3, 1] as const
/** Tolerance of fits that are only compared with each other. */
const TRIAL_TOLERANCE = 1e-5

/** Evidence with the feature vector of its state and question. */
export interface FeaturedEvidence {
  readonly evidence: Evidence
  readonly features: Float32Array
}

export interface LearnOptions {
  /**
   * Probabilities without a head, in the shape of `evidence.single`, which the head must improve on. They should not
   * have been fitted on this evidence. Default: the model's own.
   */
  readonly served?: (evidence: Evidence) => readonly (readonly number[])[]
  /** Labels from which a head is learned at all. Default 30. */
  readonly leastLabels?: number
}

/**
 * Mean cross-entropies in nats a decision (of a `select`: an option), each by a head that was not fitted on its state.
 */
export interface HeldOutHead {
  /** Decisions. */
  readonly n: number
  /** Without a head. */
  readonly zeroShot: number
  readonly head: number
  /** 95 % interval of the gain of the head, by its standard error over states. */
  readonly interval: readonly [number, number]
}

export interface LearnedHead {
  /** Learned from all labels; null when there are too few. */
  readonly head: Head | null
  /** Whether to use the head: held-out labels show a gain beyond chance. */
  readonly chosen: boolean
  readonly heldOut: HeldOutHead | null
  /** The best priors; the features are not used when the deviation of weights is 0. */
  readonly priors: HeadPriors | null
}

/**
 * Learns a head for a question. All evidence must be of that question. Deterministic; the order of evidence does not
 * matter beyond rounding. Throws `invalid_request` when questions or widths of features are mixed.
 */
export function learnHead(labelled: readonly FeaturedEvidence[], options: LearnOptions = {}): LearnedHead {
  const used = labelled.slice(-MOST_LABELS)
  const least = options.leastLabels ?? LEAST_LABELS
  const first = used[0]
  if (first === undefined || used.length < least) return { head: null, chosen: false, heldOut: null, priors: null }
  const { question, readout } = first.evidence
  if (isOfValue(readout))
    throw new EngineError('invalid_request', 'a read and its check are about another value each time; no head can be learned for it')
  if (readout === 'composed' || readout === 'compared')
    throw new EngineError('invalid_request', 'a statement that is worked out from others or from a number has no features of its own')
  for (const { evidence, features } of used) {
    if (evidence.question !== question || features.length !== first.features.length) {
      const what = `${evidence.question} with ${features.length} features beside ${question} with ${first.features.length}`
      throw new EngineError('invalid_request', `a head is learned from one question of one model: found ${what}; sort the evidence first`)
    }
  }
  const isAlone = isIndependent(readout)
  const examples = used.map((one) => exampleOf(one, readout))
  const weights = examples.map(({ weight }) => weight)
  const foldOf = foldsOf(used.map(({ evidence }) => evidence.state))
  const lossOf = (logits: readonly number[], target: readonly number[]): number =>
    isAlone ? independentResiduals(logits, target).loss / target.length : residualsOf(logits, target).loss

  // Held-out logits under a prior.
  const fitters = Array.from({ length: FOLDS }, (_, fold) => {
    const others = examples.filter((_, i) => foldOf[i] !== fold)
    return new HeadFitter(others, isAlone)
  })
  const tryOut = (priors: HeadPriors): PriorTrial => {
    const parameters = fitters.map((fitter) => fitter.fit(priors, TRIAL_TOLERANCE))
    const logits = examples.map((example, i) => headLogits(parameters[foldOf[i]!]!, example))
    const losses = logits.map((each, i) => lossOf(each, examples[i]!.target))
    return { priors, logits, losses, mean: weightedMean(losses, weights) }
  }
  // The two priors are chosen one after the other: they hardly depend on each other, and trying all pairs would take
  // longer.
  const [narrow, wide] = BIAS_DEVIATIONS
  const along = (biases: number, but?: number): PriorTrial[] =>
    WEIGHT_DEVIATIONS.filter((weights) => weights !== but).map((weights) => tryOut({ weights, biases }))
  const narrowBest = bestOf(along(narrow))
  const widened = tryOut({ ...narrowBest.priors, biases: wide })
  const best = widened.mean < narrowBest.mean ? bestOf([widened, ...along(wide, widened.priors.weights)]) : narrowBest

  // The baseline to improve on: what is served now, or the log-probabilities of the model, whichever is better.
  const own = examples.map(({ start, target }) => lossOf(start, target))
  const { served } = options
  const servedLosses =
    served === undefined ? own : used.map(({ evidence }, i) => lossOf(startOf(readout, logs(served(evidence))), examples[i]!.target))
  const before = weightedMean(servedLosses, weights) <= weightedMean(own, weights) ? servedLosses : own
  const states = used.map(({ evidence }) => evidence.state)
  const { mean: gain, error } = pairedGain(before, best.losses, weights, states)

  const all = new HeadFitter(examples, isAlone).fit(best.priors)
  const inverseTemperature = inverseTemperatureOf(best.logits, examples, isAlone)
  return {
    head: headOf(scaledBy(all, inverseTemperature), used, question, readout),
    chosen: gain > REQUIRED_ERRORS * error,
    heldOut: {
      n: examples.length,
      zeroShot: weightedMean(before, weights),
      head: best.mean,
      interval: [gain - 1.96 * error, gain + 1.96 * error],
    },
    priors: best.priors,
  }
}

/** Priors, with the held-out logits and losses of heads under them. */
interface PriorTrial {
  readonly priors: HeadPriors
  readonly logits: readonly (readonly number[])[]
  readonly losses: readonly number[]
  readonly mean: number
}

function bestOf(trials: readonly PriorTrial[]): PriorTrial {
  return trials.reduce((best, trial) => (trial.mean < best.mean ? trial : best))
}

function exampleOf({ evidence, features }: FeaturedEvidence, readout: LearnedReadout): HeadExample {
  const { single, truth, weight = 1 } = evidence
  const start = startOf(readout, single)
  const target = isIndependent(readout) ? truth.map((index) => targetOf(index, 2)[0]!) : targetOf(truth[0]!, start.length)
  return { start, target, features, weight }
}

/** The fold of each state: states in the order of their hashes, dealt out evenly. */
function foldsOf(states: readonly string[]): number[] {
  const place = new Map([...new Set(states)].sort().map((state, i) => [state, i % FOLDS] as const))
  return states.map((state) => place.get(state)!)
}

function logs(rows: readonly (readonly number[])[]): number[][] {
  return rows.map((row) => row.map(Math.log))
}

/** The mean decrease of the losses, with its standard error over states. */
function pairedGain(before: readonly number[], after: readonly number[], weights: readonly number[], states: readonly string[]) {
  const mean = weightedMean(before, weights) - weightedMean(after, weights)
  const total = sum(weights)
  const byState = new Map<string, number>()
  for (const [i, state] of states.entries()) {
    const off = weights[i]! * (before[i]! - after[i]! - mean)
    byState.set(state, (byState.get(state) ?? 0) + off)
  }
  const square = [...byState.values()].reduce((sum, value) => sum + value * value, 0)
  const groups = byState.size
  return { mean, error: groups < 2 ? Number.POSITIVE_INFINITY : Math.sqrt((square * groups) / (groups - 1)) / total }
}

/** Standard deviation of the prior of the logarithm of the inverse temperature, around 0. */
const INVERSE_TEMPERATURE_DEVIATION = 0.3

/**
 * The inverse temperature that calibrates held-out logits, by bisection on the slope of the posterior. It never makes a
 * head surer: held-out logits of the best of several priors look better than they are.
 */
function inverseTemperatureOf(logits: readonly (readonly number[])[], examples: readonly HeadExample[], isAlone: boolean): number {
  const slopeAt = (log: number): number => {
    const times = Math.exp(log)
    let slope = log / INVERSE_TEMPERATURE_DEVIATION ** 2
    for (const [i, { target, weight }] of examples.entries()) {
      const scaled = logits[i]!.map((logit) => times * logit)
      const { values } = isAlone ? independentResiduals(scaled, target) : residualsOf(scaled, target)
      for (const [k, value] of values.entries()) slope += weight * value * scaled[k]!
    }
    return slope
  }
  let [low, high] = [-2, 0]
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (slopeAt(middle) > 0) high = middle
    else low = middle
  }
  return Math.exp((low + high) / 2)
}

function scaledBy({ scale, biases, weights }: HeadParameters, times: number): HeadParameters {
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
  /** The chosen heads by question hash, as in a calibration. */
  readonly heads: Readonly<Record<string, Head>>
  /** Every question with enough labels, chosen or not, most labels first. */
  readonly tried: readonly { readonly question: string; readonly task: string; readonly learned: LearnedHead }[]
}

/** Learns a head for each question with enough labels. Evidence without features, checks and reads are ignored. */
export function learnHeads(
  evidence: Iterable<{ readonly evidence: Evidence; readonly features: Float32Array | null }>,
  options: LearnOptions = {},
): LearnedHeads {
  const featured = [...evidence].filter((one): one is FeaturedEvidence => one.features !== null && !isOfValue(one.evidence.readout))
  const byQuestion = groupBy(featured, (one) => one.evidence.question)
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

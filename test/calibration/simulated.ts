// Labelled decisions drawn from worlds with a known truth: the model's distributions are drawn, and truths follow a
// distorted version of them.
import type { Calibration } from '../../src/calibration/calibration.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { logSigmoid, logSoftmax } from '../../src/core/math.ts'
import { seededRandom } from '../../src/core/random.ts'

export const MODEL = { id: 'm', revision: 'revision-1', templateHash: 'template-1' } as const

/** A draw from the standard normal (Box and Muller). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** A place in `probabilities`, each as often as it says. */
export function draw(random: () => number, probabilities: readonly number[]): number {
  let left = random()
  for (const [i, p] of probabilities.entries()) {
    left -= p
    if (left < 0) return i
  }
  return probabilities.length - 1
}

export function sigmoid(x: number): number {
  return Math.exp(logSigmoid(x))
}

/** Log-probabilities of yes and no. */
export const row = (logOdds: number): number[] => [logSigmoid(logOdds), logSigmoid(-logOdds)]

/** A decision of one row, of a task named after its question. */
function evidenceOf(
  given: Pick<Evidence, 'question' | 'state' | 'readout'> & { readonly row: readonly number[]; readonly truth: number },
): Evidence {
  const { question, state, readout, row, truth } = given
  const key = { readout, hasImage: false, wording: `w ${question}`.slice(0, 16), question } as const
  return { task: question, state, ...key, single: [row], deliberated: null, mass: 0.9, truth: [truth] }
}

export function binaryCase(given: {
  readonly question: string
  readonly state: string
  readonly logOdds: number
  readonly isTrue: boolean
}): Evidence {
  const { question, state, logOdds, isTrue } = given
  return evidenceOf({ question, state, readout: 'binary', row: row(logOdds), truth: isTrue ? 0 : 1 })
}

export interface BinaryTruth {
  /** True log-odds are these times the model's, plus `bias`. */
  readonly slope: number
  readonly bias: number
  /** Mean and standard deviation of the model's log-odds; default 0.3 and 2.2. */
  readonly mean?: number
  readonly spread?: number
}

/** Yes-or-no decisions of one question, each on a state of its own, numbered from `first`. */
export function binaryEvidence(random: () => number, count: number, truth: BinaryTruth, question = 'q'.repeat(16), first = 0): Evidence[] {
  const { slope, bias, mean = 0.3, spread = 2.2 } = truth
  return Array.from({ length: count }, (_, i) => {
    const logOdds = mean + spread * normal(random)
    const isTrue = random() < sigmoid(slope * logOdds + bias)
    return binaryCase({ question, state: `state-${question}-${first + i}`, logOdds, isTrue })
  })
}

export interface ChoiceTruth {
  readonly candidates: number
  /** The true distribution is softmax(slope · logits + biases). */
  readonly slope: number
  readonly biases?: readonly number[]
  /** Standard deviation of the model's logits; default 2. */
  readonly spread?: number
  readonly readout?: 'exclusive' | 'ordinal'
}

/** One-of-many decisions of one question, each on a state of its own, numbered from `first`. */
export function choiceEvidence(random: () => number, count: number, truth: ChoiceTruth, question = 'c'.repeat(16), first = 0): Evidence[] {
  const { candidates, slope, biases, spread = 2, readout = 'exclusive' } = truth
  return Array.from({ length: count }, (_, i) => {
    const row = logSoftmax(Array.from({ length: candidates }, () => spread * normal(random)))
    const isTrue = logSoftmax(row.map((logP, k) => slope * logP + (biases?.[k] ?? 0))).map(Math.exp)
    return evidenceOf({ question, state: `state-${question}-${first + i}`, readout, row, truth: draw(random, isTrue) })
  })
}

export interface BinaryQuestion {
  readonly name: string
  readonly w: number
  readonly c: number
}

/**
 * Questions q0, q1, … with true maps σ(w s + c) of their own, and labelled evidence of each. `slope` and `bias` are the
 * mean and standard deviation of ln w and of c.
 */
export function binaryWorld(world: {
  readonly questions: number
  readonly labels: number
  readonly seed: number
  readonly slope: readonly [number, number]
  readonly bias: readonly [number, number]
}): { questions: BinaryQuestion[]; evidence: Evidence[] } {
  const random = seededRandom(world.seed)
  const questions = Array.from({ length: world.questions }, (_, q) => ({
    name: `q${q}`,
    w: Math.exp(world.slope[0] + world.slope[1] * normal(random)),
    c: world.bias[0] + world.bias[1] * normal(random),
  }))
  const evidence = questions.flatMap(({ name, w, c }) => binaryEvidence(random, world.labels, { slope: w, bias: c }, name))
  return { questions, evidence }
}

/** Choices of questions q0, q1, … with one truth for all. */
export function choiceWorld(
  world: ChoiceTruth & { readonly questions: number; readonly labels: number; readonly seed: number },
): Evidence[] {
  const random = seededRandom(world.seed)
  return Array.from({ length: world.questions }, (_, q) => choiceEvidence(random, world.labels, { spread: 1.5, ...world }, `q${q}`)).flat()
}

/** A copy as it comes back from a file. */
export function reread(calibration: Calibration): unknown {
  return JSON.parse(JSON.stringify(calibration))
}

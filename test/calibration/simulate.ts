// Evidence drawn from worlds whose truth is known: log-odds are drawn, truths follow a distorted version of them.
import type { Evidence } from '../../src/calibration/evidence.ts'
import { seededRandom } from '../../src/calibration/resampling.ts'

export type Draw = () => number

/** Standard normal numbers from a seed (Box and Muller). */
export function normals(random: () => number): Draw {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x))
}

export const row = (logOdds: number): number[] => [-Math.log1p(Math.exp(-logOdds)), -Math.log1p(Math.exp(logOdds))]

export interface BinaryWorld {
  readonly questions: number
  readonly labels: number
  readonly seed: number
  /** Mean and standard deviation of ln w and of the bias between questions. */
  readonly slope: readonly [number, number]
  readonly bias: readonly [number, number]
}

export interface BinaryQuestion {
  readonly name: string
  readonly w: number
  readonly c: number
}

/** Questions with their own true maps σ(w s + c) and labelled evidence of each; s ~ N(0.3, 2.2²). */
export function binaryWorld({ questions, labels, seed, slope, bias }: BinaryWorld): { questions: BinaryQuestion[]; evidence: Evidence[] } {
  const random = seededRandom(seed)
  const normal = normals(random)
  const made = Array.from({ length: questions }, (_, q) => ({
    name: `q${q}`,
    w: Math.exp(slope[0] + slope[1] * normal()),
    c: bias[0] + bias[1] * normal(),
  }))
  const evidence = made.flatMap(({ name, w, c }) =>
    Array.from({ length: labels }, (_, i): Evidence => {
      const s = 0.3 + 2.2 * normal()
      const isTrue = random() < sigmoid(w * s + c)
      return binaryEvidence({ question: name, state: `${name}-${i}`, task: name, logOdds: s, isTrue })
    }),
  )
  return { questions: made, evidence }
}

export function binaryEvidence(given: { question: string; state: string; task: string; logOdds: number; isTrue: boolean }): Evidence {
  const { question, state, task, logOdds, isTrue } = given
  const key = { readout: 'binary', hasImage: false, wording: `w ${question}`, question } as const
  return { task, state, ...key, single: [row(logOdds)], deliberated: null, mass: 1, truth: [isTrue ? 0 : 1] }
}

/** Choices among `candidates` with true distribution softmax(w z + biases). */
export function choiceWorld(given: {
  readonly questions: number
  readonly labels: number
  readonly candidates: number
  readonly seed: number
  readonly w: number
  readonly biases?: readonly number[]
  readonly readout?: 'exclusive' | 'ordinal'
}): Evidence[] {
  const random = seededRandom(given.seed)
  const normal = normals(random)
  return Array.from({ length: given.questions }, (_, q) => `q${q}`).flatMap((question) =>
    Array.from({ length: given.labels }, (_, i): Evidence => {
      const logits = Array.from({ length: given.candidates }, () => 1.5 * normal())
      const norm = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0))
      const masses = logits.map((logit, k) => Math.exp(given.w * logit + (given.biases?.[k] ?? 0)))
      let left = random() * masses.reduce((sum, mass) => sum + mass, 0)
      const truth = masses.findIndex((mass) => {
        left -= mass
        return left <= 0
      })
      return {
        task: question,
        state: `${question}-${i}`,
        readout: given.readout ?? 'exclusive',
        hasImage: false,
        wording: `w ${question}`,
        question,
        single: [logits.map((logit) => logit - norm)],
        deliberated: null,
        mass: 1,
        truth: [Math.max(0, truth)],
      }
    }),
  )
}

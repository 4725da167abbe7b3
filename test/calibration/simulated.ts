// Labelled decisions drawn from a known truth, for tests of what learns from them.
import type { Calibration } from '../../src/calibration/calibration.ts'
import type { Evidence } from '../../src/calibration/evidence.ts'
import { logSigmoid, logSoftmax } from '../../src/math.ts'

export const MODEL = { id: 'm', revision: 'revision-1', templateHash: 'template-1' } as const

/** A draw from the standard normal. */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

export interface World {
  /** True log-odds are these times the model's, plus `bias`. */
  readonly slope: number
  readonly bias: number
  /** Mean and spread of the model's log-odds. */
  readonly mean?: number
  readonly spread?: number
}

/** Yes-or-no decisions of one question, each on a state of its own, numbered from `first`. */
export function binaryEvidence(random: () => number, count: number, world: World, question = 'q'.repeat(16), first = 0): Evidence[] {
  const { slope, bias, mean = 0.3, spread = 2.2 } = world
  return Array.from({ length: count }, (_, i) => {
    const logit = mean + spread * normal(random)
    const isTrue = random() < Math.exp(logSigmoid(slope * logit + bias))
    const key = { readout: 'binary', hasImage: false, wording: `w${question}`.slice(0, 16), question } as const
    const single = [logSoftmax([logit, 0])]
    return {
      ...key,
      task: `ask ${question[0]}`,
      state: `state-${question}-${first + i}`,
      single,
      deliberated: null,
      mass: 0.9,
      truth: [isTrue ? 0 : 1],
    }
  })
}

/** One-of-many decisions whose true distribution is the model's at temperature 1/`slope`. */
export function choiceEvidence(
  random: () => number,
  count: number,
  candidates: number,
  slope: number,
  question = 'c'.repeat(16),
  first = 0,
): Evidence[] {
  return Array.from({ length: count }, (_, i) => {
    const row = logSoftmax(Array.from({ length: candidates }, () => 2 * normal(random)))
    const truth = draw(random, logSoftmax(row.map((logP) => slope * logP)).map(Math.exp))
    const key = { readout: 'exclusive', hasImage: false, wording: `w${question}`.slice(0, 16), question } as const
    return {
      ...key,
      task: `ask ${question[0]}`,
      state: `state-${question}-${first + i}`,
      single: [row],
      deliberated: null,
      mass: 0.9,
      truth: [truth],
    }
  })
}

export function draw(random: () => number, probabilities: readonly number[]): number {
  let left = random()
  for (const [i, p] of probabilities.entries()) {
    left -= p
    if (left < 0) return i
  }
  return probabilities.length - 1
}

/** A copy as it comes back from a file. */
export function reread(calibration: Calibration): unknown {
  return JSON.parse(JSON.stringify(calibration))
}

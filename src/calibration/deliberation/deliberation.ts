// When to look again, and when that is enough: the gate, the pool and the budget of one request. The looks themselves are `questions/operators.ts`.
import type { DecisionReadout, Deliberation } from '../../questions/shared/decision.ts'
import { uncertaintyOf } from './gate.ts'
import { logPool } from './pooling.ts'

export type DeliberationMode = 'automatic' | 'never' | 'always'

export interface DeliberationOptions {
  readonly mode: DeliberationMode
  /** Names of operators for a decision, the most useful first. */
  operatorsFor(readout: DecisionReadout): readonly string[]
  /** Normalised entropy (entropy over that of the uniform distribution) above which a decision is uncertain, by read-out. */
  readonly thresholds: Readonly<Partial<Record<DecisionReadout, number>>>
  /** Most passes of one decision, the first included. */
  readonly passes: number
  /** Branches that all decisions of the request may add together. */
  readonly budget: number
}

/** Where no threshold was chosen from data: two options at .79 to .21 are as uncertain. */
const DEFAULT_THRESHOLD = 0.75
/** Below this mass the model wanted to say something else, however sure it is among the candidates. */
const LEAST_MASS = 0.5
/** No single pass can rule a candidate out. */
const POOL_FLOOR = 1e-3
/** A leader this probable, unchanged over the last two passes, is not looked at again. */
const SETTLED_PROBABILITY = 0.95

export function createDeliberation({ mode, operatorsFor, thresholds, passes, budget }: DeliberationOptions): Deliberation {
  let left = budget
  return {
    operatorsFor: (readout) => operatorsFor(readout).slice(0, passes - 1),
    isCalledFor({ readout }, probabilities, mass) {
      if (mode !== 'automatic') return mode === 'always'
      return mass < LEAST_MASS || uncertaintyOf(probabilities) > (thresholds[readout] ?? DEFAULT_THRESHOLD)
    },
    isSettled(tops, probabilities) {
      const isUnchanged = tops.length >= 3 && tops.at(-1) === tops.at(-2)
      return isUnchanged && probabilities.every((row) => Math.max(...row) > SETTLED_PROBABILITY)
    },
    pool: (looks) =>
      looks[0]!.map((_, row) =>
        logPool(
          looks.map((look) => look[row]!),
          { floor: POOL_FLOOR },
        ),
      ),
    spend(branches) {
      if (branches > left) return false
      left -= branches
      return true
    },
  }
}

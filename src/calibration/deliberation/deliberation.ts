// When to deliberate a decision and when to stop: the gate, the pool and the budget of one request. The operators that
// make further passes are in `questions/shared/operators.ts`.

import type { Deliberation, DeliberationMode } from '../../questions/shared/deliberation.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import { type Gate, isShort, uncertaintyOf } from './gate.ts'
import { logPool } from './pooling.ts'

export interface DeliberationOptions {
  readonly mode: DeliberationMode
  /** Names of operators for a decision, the most useful first. */
  operatorsFor(readout: DecisionReadout): readonly string[]
  /** Chosen from data, by read-out. */
  readonly gates: Readonly<Partial<Record<DecisionReadout, Pick<Gate, 'threshold' | 'short'>>>>
  /** Most passes of one decision, including the first. */
  readonly passes: number
  /** Of the request: all its decisions, and all models of a chain, draw on one. */
  readonly budget: Budget
}

/** Branches that the decisions of one request may add together. */
export interface Budget {
  /** Takes so many; false when they are not there, and then takes none. */
  spend(branches: number): boolean
}

export function budgetOf(branches: number): Budget {
  let left = branches
  return {
    spend(wanted) {
      if (wanted > left) return false
      left -= wanted
      return true
    },
  }
}

/** Used where no threshold was chosen from data. Two options at 0.79 and 0.21 are as uncertain. */
const DEFAULT_THRESHOLD = 0.75
/**
 * Below this mass the model would rather have answered something else, however confident it is among the candidates.
 */
const LEAST_MASS = 0.5
/** The least probability that one pass may give, so that it cannot rule a candidate out. */
const POOL_FLOOR = 1e-3
/** A leading candidate this probable, unchanged over the last two passes, needs no further pass. */
const SETTLED_PROBABILITY = 0.95

export function createDeliberation({ mode, operatorsFor, gates, passes, budget }: DeliberationOptions): Deliberation {
  return {
    operatorsFor: (readout) => operatorsFor(readout).slice(0, passes - 1),
    isCalledFor(readout, { probabilities, mass, tokens }) {
      if (mode !== 'automatic') return mode === 'always'
      const gate = gates[readout]
      return isShort(gate?.short, tokens) || isUncertain(probabilities, mass, gate?.threshold)
    },
    isSettled(tops, probabilities) {
      const isUnchanged = tops.length >= 3 && tops.at(-1) === tops.at(-2)
      return isUnchanged && probabilities.every((row) => Math.max(...row) > SETTLED_PROBABILITY)
    },
    pool: (passRows) =>
      passRows[0]!.map((_, row) =>
        logPool(
          passRows.map((one) => one[row]!),
          { floor: POOL_FLOOR },
        ),
      ),
    spend: (branches) => budget.spend(branches),
  }
}

/** Whether calibrated probabilities, [row][candidate], are too flat, or the mass on the candidates is too low. */
export function isUncertain(probabilities: readonly (readonly number[])[], mass: number, threshold = DEFAULT_THRESHOLD): boolean {
  return mass < LEAST_MASS || uncertaintyOf(probabilities) > threshold
}

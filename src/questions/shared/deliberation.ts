// When a decision is looked at again, as questions see it.
import type { DecisionReadout } from './readouts.ts'

export const DELIBERATION_MODES = ['automatic', 'never', 'always'] as const
export type DeliberationMode = (typeof DELIBERATION_MODES)[number]

/** Normalised entropy, H / ln K, above which a decision is uncertain: of every read-out, or by read-out. */
export type Thresholds = number | Readonly<Partial<Record<DecisionReadout, number>>>

/** A decision after one pass. */
export interface FirstLook {
  /** Calibrated, [row][candidate]. */
  readonly probabilities: readonly (readonly number[])[]
  /** `mass` and `tokens` as in `Decision`. */
  readonly mass: number
  readonly tokens: number
}

/**
 * When a decision is looked at again, and how the passes are put together. Made for one request: `spend` draws on its
 * budget.
 */
export interface Deliberation {
  /** Names of operators for a decision, the most useful first (see `operators.ts`). */
  operatorsFor(readout: DecisionReadout): readonly string[]
  /** Whether what the first look gave calls for more passes. */
  isCalledFor(readout: DecisionReadout, look: FirstLook): boolean
  /**
   * Whether more passes would change nothing: `tops` name the leading candidates of each pass, the first one first.
   */
  isSettled(tops: readonly string[], probabilities: readonly (readonly number[])[]): boolean
  /** Passes, each [row][candidate] of log-probabilities, to one. */
  pool(passes: readonly (readonly (readonly number[])[])[]): readonly (readonly number[])[]
  /** Takes so many branches from the budget of the request; false when they are not there. */
  spend(branches: number): boolean
}

// Confidence intervals for a probability from counts of successes.
import { EngineError } from '../../core/errors.ts'
import { inverseRegularisedBeta, normalQuantile } from '../numerics/special-functions.ts'

function requireCount(k: number, n: number): void {
  if (!(n > 0 && k >= 0 && k <= n))
    throw new EngineError('invalid_request', `${k} of ${n} is not a count; at least one trial and 0 ≤ k ≤ n are needed`)
}

/**
 * Wilson's score interval for a probability, from `k` successes in `n` trials.
 * @param z standard errors to each side; default 95 %.
 * @returns [lower, upper], inside [0, 1].
 */
export function wilson(k: number, n: number, z: number = normalQuantile(0.975)): [number, number] {
  requireCount(k, n)
  const share = k / n
  const shrink = 1 + (z * z) / n
  const centre = (share + (z * z) / (2 * n)) / shrink
  const half = (z / shrink) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))
  // Rounding may put an end past the share itself when that is 0 or 1.
  return [Math.max(0, Math.min(share, centre - half)), Math.min(1, Math.max(share, centre + half))]
}

/**
 * The Clopper–Pearson upper bound: the probability is below it with confidence 1 − `delta`. It is exact, so
 * never too low. @param k errors in `n` trials. @param delta in (0, 1).
 */
export function clopperPearsonUpper(k: number, n: number, delta: number): number {
  requireCount(k, n)
  // The quantile from above: 1 − delta would be 1 for a small delta.
  return k === n ? 1 : 1 - inverseRegularisedBeta(delta, n - k, k + 1)
}

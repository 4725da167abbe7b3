// Log-probabilities and the parameters of a map to calibrated probabilities. Nothing is fitted here.
import { logSoftmax, PROBABILITY_FLOOR } from '../../core/math.ts'
import type { CalibrationMap } from './map.ts'

/**
 * Log-probabilities, renormalised and held above the floor of all probabilities, so that one distribution of an
 * extremely overconfident model cannot decide a fit.
 */
export function floored(logProbabilities: readonly number[]): number[] {
  const keep = 1 - logProbabilities.length * PROBABILITY_FLOOR
  return logSoftmax(logProbabilities).map((logP) => Math.log(keep * Math.exp(logP) + PROBABILITY_FLOOR))
}

/** Logits of a map, [candidate]. `biases`: of candidates that are always the same, [candidate]; empty for none. */
export function mapLogits(
  map: CalibrationMap,
  z: readonly number[],
  parameters: readonly number[],
  biases: readonly number[] = [],
): number[] {
  const inverseTemperature = Math.exp(parameters[0] ?? 0)
  const columns = map.columns(z.length)
  return z.map((logP, k) => {
    let logit = inverseTemperature * logP + (biases[k] ?? 0)
    for (const [j, column] of columns.entries()) logit += (parameters[j + 1] ?? 0) * column[k]!
    return logit
  })
}

/** How much a logit shrinks towards 0 when it is known with this variance only: E σ(s) ≈ σ(κ s) (MacKay 1992). */
export function mackayFactor(variance: number): number {
  return 1 / Math.sqrt(1 + (Math.PI * variance) / 8)
}

/**
 * Logits shrunk for the uncertainty of the parameters. One factor κ for all candidates, from the log-odds r of the
 * leading one: r κ(r) rises with r, so the order of candidates, and of decisions, stays the same.
 * @param variance of each parameter.
 */
export function shrunkLogits(map: CalibrationMap, logits: readonly number[], variance: readonly number[]): number[] {
  const factor = mackayFactor(map.logOddsVariance(variance, leadingLogOdds(logits)))
  return logits.map((logit) => factor * logit)
}

/** Log-odds of the leading candidate against all others together. */
export function leadingLogOdds(logits: readonly number[]): number {
  const top = Math.max(...logits)
  let rest = 0
  let isTopSeen = false
  for (const logit of logits) {
    if (logit === top && !isTopSeen) isTopSeen = true
    else rest += Math.exp(logit - top)
  }
  // Beyond ±700 an exponential vanishes; no variance makes such odds matter.
  return rest === 0 ? 700 : -Math.log(rest)
}

/**
 * The least probability that a fitted map gives a candidate: one that n labels cannot tell from 0.
 * For two candidates it is min(1e-3, 1 / (2 (n + 2))).
 */
export function floorOf(labels: number, candidates: number): number {
  return (Math.min(1e-3, 1 / (2 * (labels + 2))) * 2) / candidates
}

/** Logits to probabilities of which none is below the floor. The floor is mixed in, not clipped, so order is kept. */
export function softmaxWithFloor(logits: readonly number[], floor: number): number[] {
  const keep = 1 - logits.length * floor
  return logSoftmax(logits).map((logP) => keep * Math.exp(logP) + floor)
}

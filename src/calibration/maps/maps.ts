// Log-probabilities and a few numbers to calibrated probabilities: the maps themselves, no fitting. Each is a softmax over
// logits u_k = exp(a · f) z_k + d · x_k (+ b_k): z the log-probabilities, exp(a · f) the inverse temperature, x_k fixed columns of the map.
import { logSoftmax, PROBABILITY_FLOOR } from '../../core/math.ts'
import type { DecisionReadout } from '../../questions/shared/decision.ts'

/** Which map a read-out has. `affine`: of the log-odds of two candidates. `temperature`: any candidates. `tilt`: an ordered scale. */
export type MapKind = 'affine' | 'temperature' | 'tilt'

export function mapKindOf(readout: DecisionReadout): MapKind {
  if (readout === 'exclusive') return 'temperature'
  return readout === 'ordinal' ? 'tilt' : 'affine'
}

/** What the numbers of a map are called, in their order. The first is the logarithm of the inverse temperature. */
export const PARAMETERS: Readonly<Record<MapKind, readonly string[]>> = {
  affine: ['log inverse temperature', 'bias'],
  temperature: ['log inverse temperature'],
  tilt: ['log inverse temperature', 'shift', 'spread'],
}

/**
 * The columns x_k that a map adds to the logits, [column][candidate]. `affine`: the log-odds of the first candidate. `tilt`: the level and its square,
 * the scale stretched to [-2, 2], where five levels are one apart.
 */
export function columnsOf(kind: MapKind, candidates: number): readonly (readonly number[])[] {
  if (kind === 'temperature') return []
  if (kind === 'affine') return [[1, 0]]
  const levels = Array.from({ length: candidates }, (_, k) => (candidates === 1 ? 0 : (4 * k) / (candidates - 1) - 2))
  return [levels, levels.map((x) => x * x)]
}

/** Log-probabilities renormalised and held above the floor, so that one answer of a model that was sure beyond reason cannot decide a fit. */
export function floored(logProbabilities: readonly number[]): number[] {
  const keep = 1 - logProbabilities.length * PROBABILITY_FLOOR
  return logSoftmax(logProbabilities).map((logP) => Math.log(keep * Math.exp(logP) + PROBABILITY_FLOOR))
}

/** Logits of a map, [candidate]. `biases`: b_k of candidates that are always the same; empty for none. */
export function mapLogits(kind: MapKind, z: readonly number[], parameters: readonly number[], biases: readonly number[] = []): number[] {
  const inverseTemperature = Math.exp(parameters[0] ?? 0)
  const columns = columnsOf(kind, z.length)
  return z.map((logP, k) => {
    let logit = inverseTemperature * logP + (biases[k] ?? 0)
    for (const [j, column] of columns.entries()) logit += (parameters[j + 1] ?? 0) * column[k]!
    return logit
  })
}

/** How much a logit shrinks towards 0 when it is only known with this variance: E σ(s) ≈ σ(κ s) (MacKay 1992). */
export function mackayFactor(variance: number): number {
  return 1 / Math.sqrt(1 + (Math.PI * variance) / 8)
}

/**
 * Logits pulled together for what is not known of the map. `variance`: of ln w and, for `affine`, of the bias. One factor for all candidates,
 * from the log-odds r of the leading one: r κ(r) rises with r, so order is kept, between candidates and between decisions.
 */
export function shrunkLogits(logits: readonly number[], variance: readonly number[], kind: MapKind): number[] {
  const factor = mackayFactor((variance[0] ?? 0) * leadOf(logits) ** 2 + (kind === 'affine' ? (variance[1] ?? 0) : 0))
  return logits.map((logit) => factor * logit)
}

/** Log-odds of the leading candidate. */
export function leadOf(logits: readonly number[]): number {
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

/** The least probability a fitted map gives a candidate: one that n labels cannot tell from 0. At two candidates `min(1e-3, 1 / (2 (n + 2)))`. */
export function floorOf(labels: number, candidates: number): number {
  return (Math.min(1e-3, 1 / (2 * (labels + 2))) * 2) / candidates
}

/** Logits to probabilities of which none is below the floor. The floor is mixed in, not clipped, so order is kept. */
export function softmaxWithFloor(logits: readonly number[], floor: number): number[] {
  const keep = 1 - logits.length * floor
  return logSoftmax(logits).map((logP) => keep * Math.exp(logP) + floor)
}

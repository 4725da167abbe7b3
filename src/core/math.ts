// Small arithmetic on log-probabilities, in float64.

/** log(sum(exp(x))), stable for large and for -Infinity values. Empty gives -Infinity. */
export function logSumExp(values: ArrayLike<number>): number {
  let top = -Infinity
  for (let i = 0; i < values.length; i++) top = Math.max(top, values[i] as number)
  if (top === -Infinity) return -Infinity
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += Math.exp((values[i] as number) - top)
  return top + Math.log(sum)
}

/**
 * Logits to log-probabilities that sum to one in probability. Summed from the smallest up, so that their order changes
 * nothing, not even the last bit.
 */
export function logSoftmax(logits: ArrayLike<number>): number[] {
  const norm = logSumExp(Array.from(logits).sort((a, b) => a - b))
  return Array.from(logits, (logit) => logit - norm)
}

/** log(1 / (1 + exp(-x))), stable at both ends. */
export function logSigmoid(logit: number): number {
  return logit >= 0 ? -Math.log1p(Math.exp(-logit)) : logit - Math.log1p(Math.exp(logit))
}

/** Summed in their order. */
export function sum(values: ArrayLike<number>): number {
  let total = 0
  for (let i = 0; i < values.length; i++) total += values[i] as number
  return total
}

/** NaN of an empty list. */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length
}

/** Index of the largest, the first of equals; −1 when there is none, or one is NaN. */
export function argmax(values: readonly number[]): number {
  return values.indexOf(Math.max(...values))
}

/** Shannon entropy in bits. */
export function entropyBits(probabilities: readonly number[]): number {
  let bits = 0
  for (const p of probabilities) if (p > 0) bits -= p * Math.log2(p)
  return bits
}

/** The smallest and largest probability the engine reports: never exactly 0 or 1. */
export const PROBABILITY_FLOOR = 1e-6

/**
 * Log-probabilities (any normalisation) to probabilities that sum to one, each at least `PROBABILITY_FLOOR`.
 * The floor is mixed in, so order is kept: p' = (1 - K floor) p + floor.
 */
export function toProbabilities(logProbabilities: ArrayLike<number>): number[] {
  const normalised = logSoftmax(logProbabilities)
  const keep = 1 - normalised.length * PROBABILITY_FLOOR
  return normalised.map((logP) => keep * Math.exp(logP) + PROBABILITY_FLOOR)
}

/**
 * The confidence of a read from the log-probability of what was read: its probability, within the same bounds as every
 * other. Not calibrated.
 */
export function readConfidence(logProbability: number): number {
  return Math.min(1 - PROBABILITY_FLOOR, Math.max(PROBABILITY_FLOOR, Math.exp(logProbability)))
}

/** Intersection over union of two boxes (left, top, right, bottom, in any unit); 0 when either is empty. */
export function overlap(a: readonly [number, number, number, number], b: readonly [number, number, number, number]): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0])
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1])
  if (width <= 0 || height <= 0) return 0
  const area = (edges: readonly [number, number, number, number]): number => (edges[2] - edges[0]) * (edges[3] - edges[1])
  return (width * height) / (area(a) + area(b) - width * height)
}

// Bootstrap intervals over groups of decisions, since decisions on one state are not independent.
import { EngineError } from '../../core/errors.ts'
import { groupBy } from '../../core/group-by.ts'
import { seededRandom } from '../../core/random.ts'
import { requireAligned } from '../numerics/aligned.ts'

export interface ResamplingOptions {
  /** How many times to resample. */
  readonly resamples: number
  readonly seed: number
  /** Share of resamples inside the interval; default 0.95. */
  readonly confidence?: number
}

/** Which observations belong together, by name or number. */
export type Groups = readonly (string | number)[]

/** Positions of each group's members, groups in order of first appearance. */
export function membersOf(groups: Groups): number[][] {
  return [...groupBy(groups.keys(), (i) => groups[i]!).values()]
}

/**
 * The quantile of a share by linear interpolation between order statistics (the usual type 7). NaN for no values.
 * @param sorted by rising value. @param share in [0, 1].
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = share * (sorted.length - 1)
  const low = Math.floor(at)
  const below = sorted[low] ?? Number.NaN
  const above = sorted[Math.min(low + 1, sorted.length - 1)] ?? Number.NaN
  return below + (at - low) * (above - below)
}

/** The middle `confidence` share of values: [lower, upper]. */
export function percentileInterval(values: readonly number[], confidence = 0.95): [number, number] {
  const sorted = [...values].sort((a, b) => a - b)
  return [quantile(sorted, (1 - confidence) / 2), quantile(sorted, (1 + confidence) / 2)]
}

/** Throws `invalid_request` for fewer than one resample. */
export function requireResamples({ resamples }: Pick<ResamplingOptions, 'resamples'>): void {
  if (!(Number.isInteger(resamples) && resamples >= 1)) {
    throw new EngineError('invalid_request', `resamples is ${resamples}; a whole number from 1 on is needed`)
  }
}

interface WeightedResampling extends Omit<ResamplingOptions, 'confidence'> {
  /** Not negative; equal when absent. */
  readonly weights?: readonly number[]
}

/**
 * The mean of a − b over the same observations, with its bootstrap interval over groups.
 * @param a losses, [observation]. @param b the other losses, aligned.
 * @throws EngineError `invalid_request` on lengths that differ or no observations.
 */
export function pairedDifference(
  a: readonly number[],
  b: readonly number[],
  groups: Groups,
  { confidence, ...options }: WeightedResampling & Pick<ResamplingOptions, 'confidence'>,
): { mean: number; interval: [number, number] } {
  requireAligned({ a, b, groups, weights: options.weights })
  const { mean, resampled } = resampledMeans(
    a.map((value, i) => value - b[i]!),
    groups,
    options,
  )
  return { mean, interval: percentileInterval(resampled, confidence) }
}

/** The mean of values, and the means of its resamples over groups (those that have one), for intervals of any width. */
export function resampledMeans(
  values: readonly number[],
  groups: Groups,
  options: WeightedResampling,
): { mean: number; resampled: readonly number[] } {
  const { weights, resamples, seed } = options
  requireResamples(options)
  // A resample needs only the sum and weight of each group.
  const sums = membersOf(groups).map((members) => {
    let sum = 0
    let weight = 0
    for (const i of members) {
      const w = weights === undefined ? 1 : weights[i]!
      sum += w * values[i]!
      weight += w
    }
    return { sum, weight }
  })
  const meanOf = (drawn: readonly { sum: number; weight: number }[]): number =>
    drawn.reduce((total, group) => total + group.sum, 0) / drawn.reduce((total, group) => total + group.weight, 0)
  const random = seededRandom(seed)
  const means = Array.from({ length: resamples }, () => meanOf(sums.map(() => sums[Math.floor(random() * sums.length)]!)))
  return { mean: meanOf(sums), resampled: means.filter(Number.isFinite) }
}

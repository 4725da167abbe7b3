// Isotonic regression: labels along a score to the closest curve that never falls, by pooling adjacent violators.
// A block keeps the sum and count of its labels, not their mean, so that a caller can smooth it towards a prior.
import { EngineError } from '../../core/errors.ts'
import { requireAligned } from '../numerics/aligned.ts'

/** One level of an isotonic fit: all scores from `low` to `high` have the value sum / count. */
export interface IsotonicBlock {
  /** Weighted sum of the labels. */
  readonly sum: number
  /** Sum of the weights; the number of labels when there are none. */
  readonly count: number
  readonly low: number
  readonly high: number
}

/** Blocks by rising score. */
export interface IsotonicBlocks {
  readonly blocks: readonly IsotonicBlock[]
}

interface MutableBlock {
  sum: number
  count: number
  low: number
  high: number
}

/**
 * Whether the mean of `a` is not below that of `b`, without dividing, so that equal fractions are equal.
 * A block without weight joins any other.
 */
function mustMerge(a: MutableBlock, b: MutableBlock): boolean {
  return a.sum * b.count >= b.sum * a.count
}

/** Pools adjacent violators: merges blocks from the left until means rise strictly. */
function pool(points: Iterable<MutableBlock>): MutableBlock[] {
  const blocks: MutableBlock[] = []
  for (const point of points) {
    let last = point
    for (let before = blocks.at(-1); before !== undefined && mustMerge(before, last); before = blocks.at(-1)) {
      blocks.pop()
      last = { sum: before.sum + last.sum, count: before.count + last.count, low: before.low, high: last.high }
    }
    blocks.push(last)
  }
  return blocks
}

/**
 * The non-decreasing sequence nearest to `values` in weighted least squares (pool adjacent violators; Barlow et al.
 * 1972).
 * @param values in the order in which the fit must not fall.
 * @param weights not negative and not all zero; equal when absent. A value without weight takes the level beside it.
 * @returns as many numbers as `values`.
 * @throws EngineError `invalid_request` on lengths that differ.
 */
export function isotonic(values: readonly number[], weights?: readonly number[]): number[] {
  requireAligned({ values, weights })
  const points = values.map((value, i) => {
    const count = weights === undefined ? 1 : weights[i]!
    return { sum: value * count, count, low: i, high: i }
  })
  const fitted: number[] = []
  for (const block of pool(points)) while (fitted.length <= block.high) fitted.push(block.sum / block.count)
  return fitted
}

/** Positions of `x` by rising value; ties keep their order. */
function rising(x: readonly number[]): number[] {
  return x.map((_, i) => i).sort((a, b) => x[a]! - x[b]!)
}

/** One block per distinct score, by rising score; labels without weight are left out. */
function tiesOf(x: readonly number[], y: readonly number[], weights: readonly number[] | undefined): MutableBlock[] {
  const ties: MutableBlock[] = []
  for (const i of rising(x)) {
    const count = weights === undefined ? 1 : weights[i]!
    if (count === 0) continue
    const last = ties.at(-1)
    if (last !== undefined && last.high === x[i]!) {
      last.sum += count * y[i]!
      last.count += count
    } else ties.push({ sum: count * y[i]!, count, low: x[i]!, high: x[i]! })
  }
  return ties
}

/**
 * Isotonic regression of labels on scores. Labels with equal scores are pooled first, so their order does not matter.
 * @param x scores, in any order. @param y labels, in [0, 1] for probabilities. @param weights not negative.
 * @throws EngineError `invalid_request` on lengths that differ, no labels, scores that are not numbers, or no weight at
 * all.
 */
export function fitIsotonic(x: readonly number[], y: readonly number[], weights?: readonly number[]): IsotonicBlocks {
  requireAligned({ x, y, weights })
  const wrong = x.findIndex(Number.isNaN)
  if (wrong >= 0) throw new EngineError('invalid_request', `x[${wrong}] is NaN; scores must be numbers`)
  const ties = tiesOf(x, y, weights)
  if (ties.length === 0) throw new EngineError('invalid_request', `all ${x.length} weights are zero; at least one label must count`)
  return { blocks: pool(ties) }
}

// Labels along a score to the nearest curve that never falls (pool adjacent violators), its steps, and Venn–Abers intervals built on it.
// A block keeps sum and count rather than its mean, so that blocks can be smoothed towards a prior and merged later.
import { EngineError } from '../../core/errors.ts'
import { requireAligned } from '../numerics/aligned.ts'

/** One step of an isotonic fit: all scores from `low` to `high` share the value sum / count. */
export interface IsotonicBlock {
  /** Weighted sum of the labels. */
  readonly sum: number
  /** Sum of the weights; the number of labels when there are none. */
  readonly count: number
  readonly low: number
  readonly high: number
}

/** Blocks by rising score; plain JSON. */
export interface IsotonicBlocks {
  readonly blocks: readonly IsotonicBlock[]
}

/** What Venn–Abers says at a score: the fit there had its label been 0, had it been 1, and the probability that minimises the worst log-loss regret. */
export interface VennAbers {
  readonly low: number
  readonly high: number
  readonly merged: number
}

interface MutableBlock {
  sum: number
  count: number
  low: number
  high: number
}

/** Whether the mean of `a` is not below that of `b`, without dividing, so that equal fractions are equal. A block without weight joins any other. */
function mustMerge(a: MutableBlock, b: MutableBlock): boolean {
  return a.sum * b.count >= b.sum * a.count
}

/** Pool adjacent violators: merges from the left until means rise strictly. */
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
 * The non-decreasing sequence nearest to `values` in weighted least squares (pool adjacent violators; Barlow et al. 1972).
 * @param values in the order along which the fit must not fall.
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
 * @throws EngineError `invalid_request` on lengths that differ, no labels, scores that are not numbers, or no weight at all.
 */
export function fitIsotonic(x: readonly number[], y: readonly number[], weights?: readonly number[]): IsotonicBlocks {
  requireAligned({ x, y, weights })
  const wrong = x.findIndex(Number.isNaN)
  if (wrong >= 0) throw new EngineError('invalid_request', `x[${wrong}] is NaN; scores must be numbers`)
  const ties = tiesOf(x, y, weights)
  if (ties.length === 0) throw new EngineError('invalid_request', `all ${x.length} weights are zero; at least one label must count`)
  return { blocks: pool(ties) }
}

/** sum / count of each block. */
export function blockMeans({ blocks }: IsotonicBlocks): number[] {
  return blocks.map((block) => block.sum / block.count)
}

/**
 * Means shrunk towards a prior as if `strength` further labels with mean `prior` stood in each block: (sum + strength · prior) / (count + strength).
 * The defaults are Laplace's rule, (sum + 1) / (count + 2). Never 0 or 1 for a prior inside (0, 1). Small blocks are shrunk more than large ones,
 * which can turn the order of two around; those are pooled again.
 */
export function smoothedMeans({ blocks }: IsotonicBlocks, { prior = 0.5, strength = 2 } = {}): number[] {
  const means = blocks.map((block) => (block.sum + strength * prior) / (block.count + strength))
  return isotonic(
    means,
    blocks.map((block) => block.count + strength),
  )
}

/**
 * The fit at a score: the level inside a block, a straight line between two blocks, constant outside.
 * @param values levels of the blocks; their means when absent (pass `smoothedMeans` for smoothed ones).
 */
export function interpolate(fitted: IsotonicBlocks, x: number, values?: readonly number[]): number {
  const { blocks } = fitted
  const levelOf = (i: number): number => (values === undefined ? blocks[i]!.sum / blocks[i]!.count : values[i]!)
  // The last block that starts at or before x.
  let low = 0
  let high = blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (blocks[middle]!.low <= x) low = middle
    else high = middle - 1
  }
  const block = blocks[low]!
  const next = blocks[low + 1]
  if (x <= block.high || next === undefined) return levelOf(low)
  const share = (x - block.high) / (next.low - block.high)
  return levelOf(low) + share * (levelOf(low + 1) - levelOf(low))
}

/** The isotonic level at a score after one more label there. `ties` are not changed. */
function levelWith(ties: readonly MutableBlock[], at: number, label: number): number {
  const points: MutableBlock[] = []
  let isPlaced = false
  for (const tie of ties) {
    if (!isPlaced && tie.low >= at) {
      const isTied = tie.low === at
      points.push({ sum: label + (isTied ? tie.sum : 0), count: 1 + (isTied ? tie.count : 0), low: at, high: at })
      isPlaced = true
      if (isTied) continue
    }
    points.push(tie)
  }
  if (!isPlaced) points.push({ sum: label, count: 1, low: at, high: at })
  const block = pool(points).find((candidate) => candidate.high >= at)!
  return block.sum / block.count
}

/**
 * Inductive Venn–Abers predictor (Vovk & Petej 2014): the isotonic fit with the point itself labelled 0 and then 1. One of the two is calibrated;
 * their distance says how little is known there. Costs one fit per score, linear in the labels.
 * @param x scores of the labels. @param y labels, 0 or 1. @param at scores to predict at.
 */
export function vennAbers(x: readonly number[], y: readonly number[], at: readonly number[]): VennAbers[] {
  requireAligned({ x, y })
  const ties = tiesOf(x, y, undefined)
  return at.map((score) => {
    const low = levelWith(ties, score, 0)
    const high = levelWith(ties, score, 1)
    return { low, high, merged: high / (1 - low + high) }
  })
}

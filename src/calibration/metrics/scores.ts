// Proper scores of distributions, and calibration errors with bins: how good probabilities are, given what came true.
// `p` are probabilities of an event and `y` whether it came true, 0 or 1 (a share in between when annotators
// disagreed): both [decision].
import { EngineError } from '../../core/errors.ts'
import { mean, sum } from '../../core/math.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'
import { normalCdf } from '../numerics/special-functions.ts'

function requireEvents(p: readonly number[], y: readonly number[], weights?: readonly number[]): void {
  requireAligned({ p, y, weights })
  requireProbabilities('p', p)
  requireProbabilities('y', y)
}

/**
 * 1 − score / base: the share of a loss that is saved. 0 is no better than the base, 1 is perfect, NaN when the
 * base is 0.
 */
export function skill(score: number, base: number): number {
  return base === 0 ? Number.NaN : 1 - score / base
}

/**
 * −Σ target · ln row in nats: the log-loss of one distribution.
 * @param row probabilities, [candidate]. @param target a distribution, [candidate].
 */
export function crossEntropy(row: readonly number[], target: readonly number[]): number {
  requireAligned({ row, target })
  return row.reduce((sum, p, k) => (target[k] === 0 ? sum : sum - target[k]! * Math.log(p)), 0)
}

/**
 * Σ (row − target)² over candidates, from 0 to 2: the Brier score of one distribution. Shapes as in
 * `crossEntropy`.
 */
export function squaredError(row: readonly number[], target: readonly number[]): number {
  requireAligned({ row, target })
  return row.reduce((sum, p, k) => sum + (p - target[k]!) ** 2, 0)
}

/** One bin of a calibration table. */
export interface CalibrationBin {
  /** Decisions in it. */
  readonly count: number
  /** Mean probability. */
  readonly probability: number
  /** Share that came true. */
  readonly frequency: number
}

export interface BinOptions {
  /** How many bins; default 15. Empty ones are left out. */
  readonly bins?: number
  /**
   * Bins of equal width, closed above, or of equal count. Equal probabilities stay in one bin, so that order never
   * matters. Default `width`.
   */
  readonly by?: 'width' | 'mass'
}

/** The bins by rising probability, none empty. */
export function calibrationBins(
  p: readonly number[],
  y: readonly number[],
  { bins = 15, by = 'width' }: BinOptions = {},
): CalibrationBin[] {
  requireEvents(p, y)
  if (!(Number.isInteger(bins) && bins >= 1))
    throw new EngineError('invalid_request', `bins is ${bins}; a whole number from 1 on is needed`)
  const order = p.map((_, i) => i).sort((a, b) => p[a]! - p[b]!)
  const members: number[][] = Array.from({ length: bins }, () => [])
  let bin = 0
  for (const [rank, i] of order.entries()) {
    if (by === 'width') bin = Math.max(0, Math.ceil(p[i]! * bins) - 1)
    else if (rank === 0 || p[i] !== p[order[rank - 1]!]) bin = Math.max(bin, Math.floor((rank * bins) / p.length))
    members[bin]!.push(i)
  }
  return members
    .filter((positions) => positions.length > 0)
    .map((positions) => ({
      count: positions.length,
      probability: mean(positions.map((i) => p[i]!)),
      frequency: mean(positions.map((i) => y[i]!)),
    }))
}

/**
 * Expected calibration error: the distance of mean probability and frequency, averaged over bins by count. It is biased
 * up by noise (0.028 for perfect probabilities at n = 1000, 15 bins of equal width) and down by errors that cancel in a
 * bin, so it must not be reported alone.
 */
export function binnedCalibrationError(p: readonly number[], y: readonly number[], options?: BinOptions): number {
  return sum(calibrationBins(p, y, options).map((bin) => (bin.count / p.length) * Math.abs(bin.probability - bin.frequency)))
}

/**
 * Squared calibration error over bins without the part that noise adds (Kumar, Liang & Ma 2019, arXiv 1909.10155). It
 * may be negative. The noise of a bin with one label cannot be estimated and stays.
 */
export function debiasedSquaredError(p: readonly number[], y: readonly number[], options: BinOptions = { by: 'mass' }): number {
  let squared = 0
  let noise = 0
  for (const { count, probability, frequency } of calibrationBins(p, y, options)) {
    squared += (count / p.length) * (probability - frequency) ** 2
    if (count > 1) noise += ((count / p.length) * frequency * (1 - frequency)) / (count - 1)
  }
  return squared - noise
}

/**
 * Spiegelhalter's (1986) test of calibration: z is standard normal when the probabilities are calibrated, and above 0
 * when they are overconfident where they are wrong. `pValue` is two-sided. It assumes independent decisions. NaN when
 * every p is 0, ½ or 1.
 */
export function spiegelhalter(p: readonly number[], y: readonly number[]): { z: number; pValue: number } {
  requireEvents(p, y)
  let sum = 0
  let variance = 0
  for (const [i, value] of p.entries()) {
    sum += (y[i]! - value) * (1 - 2 * value)
    variance += (1 - 2 * value) ** 2 * value * (1 - value)
  }
  const z = variance === 0 ? Number.NaN : sum / Math.sqrt(variance)
  return { z, pValue: 2 * normalCdf(-Math.abs(z)) }
}

// Probabilities and what came true to how good they are: proper scores, and how far they are off in bins and without bins.
// `p` are probabilities of an event and `y` whether it came true, 0 or 1 (or a share in between, when annotators disagreed): both [decision].
import { EngineError } from '../../core/errors.ts'
import { blockMeans, fitIsotonic } from '../maps/isotonic.ts'
import { requireAligned, requireProbabilities, weightedMean } from '../numerics/aligned.ts'
import { normalCdf } from '../numerics/special-functions.ts'

function requireEvents(p: readonly number[], y: readonly number[], weights?: readonly number[]): void {
  requireAligned({ p, y, weights })
  requireProbabilities('p', p)
  requireProbabilities('y', y)
}

/** −y ln p − (1 − y) ln(1 − p) in nats, where 0 · ln 0 = 0; Infinity for what was held impossible. */
function logLossOf(p: number, y: number): number {
  return (y === 0 ? 0 : -y * Math.log(p)) + (y === 1 ? 0 : -(1 - y) * Math.log1p(-p))
}

/** Mean −ln of the probability given to what came true, in nats. Infinity when something held impossible came true. */
export function logLoss(p: readonly number[], y: readonly number[], weights?: readonly number[]): number {
  requireEvents(p, y, weights)
  return weightedMean(
    p.map((value, i) => logLossOf(value, y[i]!)),
    weights,
  )
}

/** Mean (p − y)², from 0 to 1. Over both outcomes of a two-way distribution the sum is twice this: see `squaredError`. */
export function brierScore(p: readonly number[], y: readonly number[], weights?: readonly number[]): number {
  requireEvents(p, y, weights)
  return weightedMean(
    p.map((value, i) => (value - y[i]!) ** 2),
    weights,
  )
}

/** 1 − score / base: the share of a loss that is saved; 0 is no better than the base, 1 perfect. NaN when the base has no loss. */
export function skill(score: number, base: number): number {
  return base === 0 ? Number.NaN : 1 - score / base
}

/** −Σ target · ln row, in nats: the log-loss of one distribution. @param row probabilities, [candidate]. @param target a distribution, [candidate]. */
export function crossEntropy(row: readonly number[], target: readonly number[]): number {
  requireAligned({ row, target })
  return row.reduce((sum, p, k) => (target[k] === 0 ? sum : sum - target[k]! * Math.log(p)), 0)
}

/** Σ (row − target)² over candidates, from 0 to 2: the Brier score of one distribution, as Brier defined it. Shapes as in `crossEntropy`. */
export function squaredError(row: readonly number[], target: readonly number[]): number {
  requireAligned({ row, target })
  return row.reduce((sum, p, k) => sum + (p - target[k]!) ** 2, 0)
}

/**
 * Σ over levels of the squared difference of the cumulated row and target: how far off an ordinal distribution is, nearer levels counting as less wrong.
 * From 0 to K − 1; divide by K − 1 for [0, 1]. Shapes as in `crossEntropy`, candidates in the order of the levels.
 */
export function rankedProbabilityScore(row: readonly number[], target: readonly number[]): number {
  requireAligned({ row, target })
  let ahead = 0
  let sum = 0
  // The last level is left out: both have cumulated to one by then.
  for (let k = 0; k < row.length - 1; k++) {
    ahead += row[k]! - target[k]!
    sum += ahead * ahead
  }
  return sum
}

/** One bin of a calibration table. */
export interface CalibrationBin {
  /** Labels in it. */
  readonly count: number
  /** Mean probability. */
  readonly probability: number
  /** Share that came true. */
  readonly frequency: number
  /** Positions of its labels. */
  readonly members: readonly number[]
}

export interface BinOptions {
  /** How many bins; default 15. Fewer come back when some are empty. */
  readonly bins?: number
  /** Equal steps of probability, closed above; or equal counts, equal probabilities staying together so that order never matters. Default `width`. */
  readonly by?: 'width' | 'mass'
}

/** The table behind binned measures, bins by rising probability, none empty. */
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
      probability: positions.reduce((sum, i) => sum + p[i]!, 0) / positions.length,
      frequency: positions.reduce((sum, i) => sum + y[i]!, 0) / positions.length,
      members: positions,
    }))
}

/**
 * Expected calibration error: the distance of mean probability and frequency, averaged over bins by count; and the largest one.
 * Biased up by noise (0.028 for perfect probabilities at n = 1000, 15 bins of equal width) and down by errors that cancel in a bin: never report it alone.
 */
export function binnedCalibrationError(
  p: readonly number[],
  y: readonly number[],
  options?: BinOptions,
): { value: number; maximum: number } {
  const gaps = calibrationBins(p, y, options).map((bin) => ({
    share: bin.count / p.length,
    gap: Math.abs(bin.probability - bin.frequency),
  }))
  return { value: gaps.reduce((sum, { share, gap }) => sum + share * gap, 0), maximum: Math.max(...gaps.map(({ gap }) => gap)) }
}

/**
 * Squared calibration error over bins, without the part that noise adds (Kumar, Liang & Ma 2019, arXiv 1909.10155): may be negative.
 * `root` is of the square, 0 when that is negative; `plugIn` is the square before debiasing. A bin of one label cannot tell its noise and keeps it.
 */
export function debiasedSquaredError(
  p: readonly number[],
  y: readonly number[],
  options: BinOptions = { by: 'mass' },
): { value: number; root: number; plugIn: number } {
  let plugIn = 0
  let noise = 0
  for (const { count, probability, frequency } of calibrationBins(p, y, options)) {
    plugIn += (count / p.length) * (probability - frequency) ** 2
    if (count > 1) noise += ((count / p.length) * frequency * (1 - frequency)) / (count - 1)
  }
  const value = plugIn - noise
  return { value, root: Math.sqrt(Math.max(0, value)), plugIn }
}

/** Parts of the Brier score; they add up: brier = reliability − resolution + uncertainty + withinVariance − withinCovariance. */
export interface Murphy {
  readonly brier: number
  readonly reliability: number
  readonly resolution: number
  readonly uncertainty: number
  /** The last two are of probabilities that differ within a bin; zero when they do not. */
  readonly withinVariance: number
  readonly withinCovariance: number
}

/** Murphy's decomposition of the Brier score over bins, with the two within-bin terms of Stephenson et al. (2008). `y` must be 0 or 1. */
export function murphy(p: readonly number[], y: readonly number[], options: BinOptions = { by: 'mass' }): Murphy {
  const base = weightedMean(y)
  let [reliability, resolution, withinVariance, withinCovariance] = [0, 0, 0, 0]
  for (const { count, probability, frequency, members } of calibrationBins(p, y, options)) {
    reliability += (count / p.length) * (probability - frequency) ** 2
    resolution += (count / p.length) * (frequency - base) ** 2
    for (const i of members) {
      withinVariance += (p[i]! - probability) ** 2 / p.length
      withinCovariance += (2 * (y[i]! - frequency) * (p[i]! - probability)) / p.length
    }
  }
  return { brier: brierScore(p, y), reliability, resolution, uncertainty: base * (1 - base), withinVariance, withinCovariance }
}

/**
 * CORP decomposition (Dimitriadis, Gneiting & Jordan 2021): score = miscalibration − discrimination + uncertainty, with the isotonic fit in place of bins.
 * Miscalibration is what isotonic recalibration in hindsight would save: never negative, and biased up when labels are few.
 */
export function corp(
  p: readonly number[],
  y: readonly number[],
  { score = 'brier', weights }: { readonly score?: 'brier' | 'log'; readonly weights?: readonly number[] } = {},
): { score: number; miscalibration: number; discrimination: number; uncertainty: number } {
  requireEvents(p, y, weights)
  const lossOf = score === 'brier' ? brierScore : logLoss
  const fitted = fitIsotonic(p, y, weights)
  const means = blockMeans(fitted)
  // Rounding may carry a mean of ones a hair above one.
  const recalibrated = new Map<number, number>()
  const order = [...new Set(p)].sort((a, b) => a - b)
  let block = 0
  for (const value of order) {
    while (block < means.length - 1 && value > fitted.blocks[block]!.high) block += 1
    recalibrated.set(value, Math.min(1, means[block]!))
  }
  const own = lossOf(p, y, weights)
  const best = lossOf(
    p.map((value) => recalibrated.get(value)!),
    y,
    weights,
  )
  const base = weightedMean(y, weights)
  const uncertainty = lossOf(
    p.map(() => base),
    y,
    weights,
  )
  return { score: own, miscalibration: own - best, discrimination: uncertainty - best, uncertainty }
}

/**
 * Spiegelhalter's (1986) test that probabilities are calibrated: z is standard normal if they are, above 0 when they are not sure enough about
 * what they get wrong (overconfident), and `pValue` two-sided. Assumes independent decisions. NaN when every p is 0, ½ or 1.
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

// The data of a reliability diagram: the curve, the band it would lie in if calibrated, its own uncertainty, and the
// density of the probabilities. No bins are used.
import { EngineError } from '../../core/errors.ts'
import { sum } from '../../core/math.ts'
import { seededRandom } from '../../core/random.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'
import { type Groups, membersOf, quantile, type ResamplingOptions, requireResamples } from './resampling.ts'
import { smoothCalibrationError } from './smooth-ece.ts'

/** Steps of the grid that probabilities are put on before smoothing. Each is split between its two neighbours. */
const CELLS = 512

export interface ReliabilityOptions extends ResamplingOptions {
  /** Which decisions belong together, [decision]; each is alone when absent. The bootstrap band alone uses it. */
  readonly groups?: Groups
  /** [decision], not negative; equal when absent. */
  readonly weights?: readonly number[]
  /** Of the kernel, in units of probability; default that of smECE. The density is smoothed with it too. */
  readonly bandwidth?: number
  /** Points of the grid, from 0 to 1; default 101. */
  readonly points?: number
}

/** All arrays are [grid point]; null where too few probabilities are near. */
export interface Reliability {
  readonly grid: readonly number[]
  /**
   * Share that came true at a probability, on the diagonal when calibrated. The kernel flattens it, and the bands,
   * within a bandwidth of the ends.
   */
  readonly curve: readonly (number | null)[]
  /**
   * Where the curve lies in 95 % (`confidence`) of draws of labels from the probabilities themselves, point by point. A
   * curve outside is not explained by chance.
   */
  readonly consistency: readonly (readonly [number, number] | null)[]
  /** Where the curve lies in 95 % of resamples of the decisions by group. */
  readonly bootstrap: readonly (readonly [number, number] | null)[]
  /** Density of the probabilities, which integrates to one. */
  readonly density: readonly number[]
  readonly bandwidth: number
}

/** The value of a Gaussian of this bandwidth at t − u, reflected at 0 and 1. */
function reflectedGaussian(t: number, u: number, bandwidth: number): number {
  const reach = 2 * Math.ceil(3 * bandwidth)
  let sum = 0
  for (let m = -reach; m <= reach; m += 2) {
    sum += Math.exp(-((t - u - m) ** 2) / (2 * bandwidth * bandwidth)) + Math.exp(-((t + u - m) ** 2) / (2 * bandwidth * bandwidth))
  }
  return sum / (bandwidth * Math.sqrt(2 * Math.PI))
}

/** The curve, [grid point], for weights and labels of the decisions; null where there are too few. */
type CurveFit = (weights: Float64Array, labels: ArrayLike<number>) => (number | null)[]

/** The least density of a point with a curve: that of three decisions spread evenly. */
function leastDensity(n: number): number {
  return Math.max(1e-3, 3 / n)
}

/** Smooths a value on each cell, [cell], to one on each point, [grid point]. */
function smootherOf(grid: readonly number[], bandwidth: number): (cells: Float64Array) => Float64Array {
  const kernel = grid.map((t) => Float64Array.from({ length: CELLS + 1 }, (_, j) => reflectedGaussian(t, j / CELLS, bandwidth)))
  return (cells) => Float64Array.from(kernel, (row) => row.reduce((sum, value, j) => sum + value * cells[j]!, 0))
}

/** Sums values, one a decision, on the cells. */
function onCells(p: readonly number[], valueAt: (i: number) => number): Float64Array {
  const cells = new Float64Array(CELLS + 1)
  for (const [i, probability] of p.entries()) {
    const low = Math.min(CELLS - 1, Math.floor(probability * CELLS))
    const share = probability * CELLS - low
    const value = valueAt(i)
    cells[low]! += value * (1 - share)
    cells[low + 1]! += value * share
  }
  return cells
}

function kernelFit(p: readonly number[], grid: readonly number[], smooth: (cells: Float64Array) => Float64Array): CurveFit {
  const low = p.reduce((least, value) => Math.min(least, value), 1)
  const high = p.reduce((most, value) => Math.max(most, value), 0)
  return (weights, labels) => {
    const total = sum(weights)
    const density = smooth(onCells(p, (i) => weights[i]!))
    const positives = smooth(onCells(p, (i) => weights[i]! * labels[i]!))
    return Array.from(density, (value, point) => {
      const isOutside = grid[point]! < low || grid[point]! > high
      return isOutside || value / total < leastDensity(p.length) ? null : positives[point]! / value
    })
  }
}

/** Point by point, the middle share of curves; null where fewer than half of them have a value. */
function bandOf(curves: readonly (readonly (number | null)[])[], points: number, confidence: number): ([number, number] | null)[] {
  return Array.from({ length: points }, (_, point) => {
    const values = curves.flatMap((curve) => curve[point] ?? []).sort((a, b) => a - b)
    if (values.length * 2 < curves.length) return null
    return [quantile(values, (1 - confidence) / 2), quantile(values, (1 + confidence) / 2)]
  })
}

/**
 * The data of a reliability diagram (Dimitriadis, Gneiting & Jordan 2021 for the bands; Błasiok & Nakkiran 2023 for
 * the kernel).
 * @param p probabilities, [decision]. @param y whether it came true, 0 or 1, aligned.
 * @throws EngineError `invalid_request` on lengths that differ, values outside [0, 1], no decisions, no resamples, or
 * fewer than two points.
 */
export function reliability(p: readonly number[], y: readonly number[], options: ReliabilityOptions): Reliability {
  const { groups, weights, points = 101, resamples, seed, confidence = 0.95 } = options
  requireAligned({ p, y, groups, weights })
  requireProbabilities('p', p)
  requireProbabilities('y', y)
  requireResamples(options)
  if (!(Number.isInteger(points) && points >= 2))
    throw new EngineError('invalid_request', `points is ${points}; a whole number from 2 on is needed`)
  const smoothing = {
    ...(options.bandwidth === undefined ? {} : { bandwidth: options.bandwidth }),
    ...(weights === undefined ? {} : { weights }),
  }
  // With a narrower bandwidth the curve would show the grid itself.
  const bandwidth = Math.max(2 / CELLS, smoothCalibrationError(p, y, smoothing).bandwidth)
  const grid = Array.from({ length: points }, (_, i) => i / (points - 1))
  const smooth = smootherOf(grid, bandwidth)
  const curveOf = kernelFit(p, grid, smooth)
  const own = Float64Array.from(weights ?? p.map(() => 1))
  const random = seededRandom(seed)

  const drawn = Array.from({ length: resamples }, () =>
    curveOf(
      own,
      p.map((value) => (random() < value ? 1 : 0)),
    ),
  )
  const members = membersOf(groups ?? p.map((_, i) => i))
  const resampled = Array.from({ length: resamples }, () => {
    const counts = new Float64Array(p.length)
    for (let g = 0; g < members.length; g++) for (const i of members[Math.floor(random() * members.length)]!) counts[i]! += own[i]!
    return counts.some((count) => count > 0) ? curveOf(counts, y) : grid.map(() => null)
  })

  const total = sum(own)
  return {
    grid,
    curve: curveOf(own, y),
    consistency: bandOf(drawn, points, confidence),
    bootstrap: bandOf(resampled, points, confidence),
    density: Array.from(smooth(onCells(p, (i) => own[i]! / total))),
    bandwidth,
  }
}

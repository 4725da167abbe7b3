// The data of a report's charts: reliability diagrams, errors among the most confident answers, times of rows.

import { type Reliability, reliability } from '../../calibration/metrics/reliability.ts'
import { quantile } from '../../calibration/metrics/resampling.ts'
import { groupBy } from '../../core/group-by.ts'
import type { Resampling } from '../numbers.ts'
import { type RiskCurve, weightedRisk } from '../risk.ts'
import type { RowResult } from '../run.ts'
import type { ScoredAnswer } from '../scored-answers.ts'

export interface NamedReliability extends Reliability {
  readonly name: string
  readonly distributions: number
}

/** Points of a drawn curve, and resamples of its bands. More could not be seen. */
const POINTS = 81
const BAND_RESAMPLES = 200

/** Bandwidth of the kernel: narrower with more data, and never so wide that smoothing itself bends the curve. */
function bandwidthOf(distributions: number): number {
  return Math.min(0.08, Math.max(0.03, 0.4 * distributions ** -0.3))
}

/** A reliability diagram for all, and one for each type when there are several. */
export function diagramsOf(answers: readonly ScoredAnswer[], { resamples, seed }: Resampling): NamedReliability[] {
  if (answers.length === 0) return []
  const types = [...groupBy(answers, ({ type }) => type)].sort(([a], [b]) => (a < b ? -1 : 1))
  const groups: readonly (readonly [string, readonly ScoredAnswer[]])[] = types.length > 1 ? [['all types', answers], ...types] : types
  return groups.map(([name, group]) => ({
    name,
    distributions: group.length,
    ...reliability(
      group.map(({ probability }) => probability),
      group.map(({ outcome }) => outcome),
      {
        groups: group.map(({ state }) => state),
        weights: group.map(({ weight }) => weight),
        points: POINTS,
        bandwidth: bandwidthOf(group.length),
        resamples: Math.min(resamples, BAND_RESAMPLES),
        seed,
      },
    ),
  }))
}

/** The points of `RiskCurve`, thinned to what can be drawn. */
export function riskCurve(answers: readonly ScoredAnswer[]): RiskCurve['points'] {
  if (answers.length === 0) return []
  const { points } = weightedRisk(answers)
  const step = Math.max(1, Math.floor(points.length / 300))
  return points.filter((_, i) => (i + 1) % step === 0 || i === points.length - 1)
}

export interface LatencyBin {
  readonly from: number
  readonly to: number
  readonly rows: number
}

/** Rows by the time they took, in equal steps up to the 99th percentile; the last bin holds the rest. */
export function latencyBins(rows: readonly RowResult[], bins = 40): LatencyBin[] {
  const times = rows.flatMap(({ error, ms }) => (error === undefined ? [ms] : [])).sort((a, b) => a - b)
  if (times.length === 0) return []
  const most = Math.max(quantile(times, 0.99), Number.EPSILON)
  const counts = new Array<number>(bins).fill(0)
  for (const time of times) counts[Math.min(bins - 1, Math.floor((time / most) * bins))]!++
  return counts.map((count, i) => ({ from: (most * i) / bins, to: (most * (i + 1)) / bins, rows: count }))
}

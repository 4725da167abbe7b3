// Compares two calibrations on the same evidence, by task and over all, with intervals over states.
import type { PassMode } from '../questions/shared/decision.ts'
import type { ModelCalibrator } from './calibration.ts'
import { type Evidence, keyOf, type RecordedEvidence, samplesOf } from './evidence/evidence.ts'
import { eventOf } from './maps/mixture.ts'
import { pairedDifference } from './metrics/resampling.ts'
import { crossEntropy, squaredError } from './metrics/scores.ts'
import { type CalibrationExcess, smoothCalibrationExcess } from './metrics/smooth-ece.ts'
import { weightedMean } from './numerics/aligned.ts'

/** A distribution and its scores under a calibrator. */
export interface ScoredDistribution {
  readonly task: string
  readonly state: string
  readonly weight: number
  readonly logLoss: number
  /** Half the squared error over candidates: from 0 to 1, and (p − y)² for two candidates. */
  readonly brier: number
  /** The probability of an event: that the first of two candidates, or the leading one of more, is the true one. */
  readonly probability: number
  /** Whether the event came true, 1 or 0. */
  readonly outcome: number
}

/** The distributions of evidence under a pass mode. Evidence without that pass mode is left out. */
export function scoredDistributions(
  evidence: readonly (Evidence & Partial<Pick<RecordedEvidence, 'features'>>)[],
  calibrator: ModelCalibrator,
  passMode: PassMode,
): ScoredDistribution[] {
  return evidence.flatMap((one) => {
    const rows = passMode === 'single' ? one.single : one.deliberated
    if (rows === null) return []
    const { probabilities } = calibrator.calibrate(keyOf(one), passMode, rows, one.features ?? null)
    return samplesOf(one, passMode).map(({ target, weight }, i): ScoredDistribution => {
      const row = probabilities[i]!
      const event = eventOf(row)
      return {
        task: one.task,
        state: one.state,
        weight,
        logLoss: crossEntropy(row, target),
        brier: squaredError(row, target) / 2,
        probability: row[event]!,
        outcome: target[event]!,
      }
    })
  })
}

export interface PairedLosses {
  readonly first: number
  readonly second: number
  /** first − second; below 0 the first is better. */
  readonly difference: number
  readonly interval: readonly [number, number]
}

export interface CalibrationComparison {
  readonly name: string
  /** Distributions. */
  readonly count: number
  /** Of one state, intervals are points, which say nothing. */
  readonly states: number
  readonly logLoss: PairedLosses
  readonly brier: PairedLosses
  readonly calibrationError: { readonly first: CalibrationExcess; readonly second: CalibrationExcess }
}

const RESAMPLES = { resamples: 1000, seed: 1 } as const

/** Compares over all, named "all", then task by task. `first` and `second` are of the same evidence and pass mode. */
export function compare(first: readonly ScoredDistribution[], second: readonly ScoredDistribution[]): readonly CalibrationComparison[] {
  if (first.length === 0) return []
  const tasks = [...new Set(first.map(({ task }) => task))].sort()
  const positions = (task: string): number[] => first.flatMap((one, i) => (one.task === task ? [i] : []))
  const all = compareAt('all', first, second)
  if (tasks.length === 1) return [all]
  const at = (all: readonly ScoredDistribution[], where: readonly number[]): ScoredDistribution[] => where.map((i) => all[i]!)
  return [all, ...tasks.map((task) => compareAt(task, at(first, positions(task)), at(second, positions(task))))]
}

function compareAt(name: string, first: readonly ScoredDistribution[], second: readonly ScoredDistribution[]): CalibrationComparison {
  const groups = first.map(({ state }) => state)
  const weights = first.map(({ weight }) => weight)
  const differenceOf = (of: (scored: ScoredDistribution) => number): PairedLosses => {
    const [a, b] = [first.map(of), second.map(of)]
    const { mean, interval } = pairedDifference(a, b, groups, { ...RESAMPLES, weights })
    return { first: weightedMean(a, weights), second: weightedMean(b, weights), difference: mean, interval }
  }
  const errorOf = (scored: readonly ScoredDistribution[]): CalibrationExcess =>
    smoothCalibrationExcess(
      scored.map(({ probability }) => probability),
      scored.map(({ outcome }) => outcome),
      groups,
      { resamples: 200, seed: 1, weights },
    )
  return {
    name,
    count: first.length,
    states: new Set(groups).size,
    logLoss: differenceOf(({ logLoss }) => logLoss),
    brier: differenceOf(({ brier }) => brier),
    calibrationError: { first: errorOf(first), second: errorOf(second) },
  }
}

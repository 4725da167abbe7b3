// Two calibrations on the same evidence: what each says, scored side by side, by task and over all, with intervals by state.
import type { PassMode } from '../../questions/shared/decision.ts'
import type { ModelCalibrator } from '../calibration.ts'
import { type Evidence, samplesOf } from '../outcomes/evidence.ts'
import type { RecordedEvidence } from '../outcomes/outcomes.ts'
import { pairedDifference } from './resampling.ts'
import { crossEntropy, squaredError } from './scores.ts'
import { type CalibrationExcess, smoothCalibrationExcess } from './smooth-ece.ts'

/** One distribution as a judge sees it. */
export interface Judged {
  readonly task: string
  readonly state: string
  readonly weight: number
  readonly logLoss: number
  /** Squared error summed over candidates, halved: from 0 to 1, and (p - y)² for two candidates. */
  readonly brier: number
  /** An event and whether it came true: the first of two candidates, or that the leading one of more is the right one. */
  readonly probability: number
  readonly outcome: number
}

/** What a judge says of evidence under a regime; evidence without that regime is left out. */
export function judgedOf(
  evidence: readonly (Evidence & Partial<Pick<RecordedEvidence, 'hidden'>>)[],
  judge: ModelCalibrator,
  regime: PassMode,
): Judged[] {
  return evidence.flatMap((one) => {
    const rows = regime === 'single' ? one.single : one.deliberated
    if (rows === null) return []
    const key = { ...one, candidates: one.readout === 'independent' ? rows.length : rows[0]!.length }
    const { probabilities } = judge.calibrate(key, regime, rows, one.hidden ?? null)
    return samplesOf(one, regime).map(({ target, weight }, i): Judged => {
      const row = probabilities[i]!
      const event = row.length === 2 ? 0 : row.indexOf(Math.max(...row))
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

export interface Difference {
  readonly first: number
  readonly second: number
  /** first - second: below 0 the first is better. */
  readonly difference: number
  readonly interval: readonly [number, number]
}

export interface Comparison {
  readonly name: string
  readonly count: number
  readonly logLoss: Difference
  readonly brier: Difference
  readonly calibrationError: { readonly first: CalibrationExcess; readonly second: CalibrationExcess }
}

const RESAMPLES = { resamples: 1000, seed: 1 } as const

/** Compares over all (`name` is "all"), then task by task. `first` and `second`: of the same evidence and regime. */
export function compare(first: readonly Judged[], second: readonly Judged[]): readonly Comparison[] {
  if (first.length === 0) return []
  const tasks = [...new Set(first.map(({ task }) => task))].sort()
  const positions = (task: string): number[] => first.flatMap((one, i) => (one.task === task ? [i] : []))
  const all = compareAt('all', first, second)
  if (tasks.length === 1) return [all]
  const at = (all: readonly Judged[], where: readonly number[]): Judged[] => where.map((i) => all[i]!)
  return [all, ...tasks.map((task) => compareAt(task, at(first, positions(task)), at(second, positions(task))))]
}

function compareAt(name: string, first: readonly Judged[], second: readonly Judged[]): Comparison {
  const groups = first.map(({ state }) => state)
  const weights = first.map(({ weight }) => weight)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value, i) => sum + weights[i]! * value, 0) / total
  const differenceOf = (of: (judged: Judged) => number): Difference => {
    const [a, b] = [first.map(of), second.map(of)]
    const { mean, interval } = pairedDifference(a, b, groups, { ...RESAMPLES, weights })
    return { first: meanOf(a), second: meanOf(b), difference: mean, interval }
  }
  const errorOf = (judged: readonly Judged[]): CalibrationExcess =>
    smoothCalibrationExcess(
      judged.map(({ probability }) => probability),
      judged.map(({ outcome }) => outcome),
      groups,
      { resamples: 200, seed: 1, weights },
    )
  return {
    name,
    count: first.length,
    logLoss: differenceOf(({ logLoss }) => logLoss),
    brier: differenceOf(({ brier }) => brier),
    calibrationError: { first: errorOf(first), second: errorOf(second) },
  }
}

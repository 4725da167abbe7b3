// The numbers of a report as plain JSON: scores against three baselines, calibration error above its noise, what
// confidence is worth, times. Decisions on one state are not independent, so every interval is a bootstrap over states.

import { auroc } from '../calibration/metrics/discrimination.ts'
import { pairedDifference, quantile } from '../calibration/metrics/resampling.ts'
import { binnedCalibrationError, debiasedSquaredError, skill, spiegelhalter } from '../calibration/metrics/scores.ts'
import { type CalibrationExcess, smoothCalibrationExcess } from '../calibration/metrics/smooth-ece.ts'
import { weightedMean } from '../calibration/numerics/aligned.ts'
import { groupBy } from '../core/group-by.ts'
import { mean, sum } from '../core/math.ts'
import { findKind } from '../questions/index.ts'
import { type Confusion, confusionsOf } from './confusions.ts'
import { limitsOf, type NamedLimits } from './limits.ts'
import { riskAt, weightedRisk } from './risk.ts'
import type { RowResult } from './run.ts'
import { type ScoredAnswer, scoredAnswers, type Yardstick } from './scored-answers.ts'
import { type RunSummary, sumUp, sumUpBy, typeOf } from './summary.ts'

export interface Resampling {
  readonly resamples: number
  readonly seed: number
}

/** A mean with its 95 % interval. */
export interface Estimate {
  readonly value: number
  readonly interval: readonly [number, number]
}

/** A mean score beside that of each baseline. Skill is the share of the baseline's score that is saved. */
export interface Scored {
  readonly value: number
  readonly against: Readonly<
    Record<Exclude<Yardstick, 'answered'>, { readonly value: number; readonly skill: number; readonly difference: Estimate }>
  >
}

/** The numbers of distributions. The rows of one decision (the options of a `select`) share its weight. */
export interface ScoreNumbers {
  readonly decisions: number
  readonly distributions: number
  readonly states: number
  readonly logLoss: Scored
  readonly brier: Scored
  /** Of the leading candidate. */
  readonly accuracy: Estimate
  readonly calibrationError: CalibrationExcess
  readonly uncalibratedError: CalibrationExcess
  /** For comparison with numbers of others only; it is biased, see `binnedCalibrationError`. */
  readonly binnedError: number
  readonly debiasedSquaredError: number
  readonly spiegelhalter: { readonly z: number; readonly pValue: number }
  /** The ranking of right answers above wrong ones by confidence; null when all or none are right. */
  readonly auroc: number | null
  readonly risk: { readonly all: number; readonly at80: number; readonly area: number; readonly excessArea: number }
}

export interface GroupNumbers extends ScoreNumbers {
  readonly name: string
}

/** Reads have no distribution: how many are right, and whether their own confidence ranks them. */
export interface ReadNumbers {
  readonly name: string
  readonly count: number
  readonly right: number
  /** See `TypeSummary`. */
  readonly margin: number | null
  readonly auroc: number | null
  readonly overlap: number | null
}

export interface DeliberationNumbers {
  /** Share of decisions that were deliberated. */
  readonly share: number
  readonly decisions: number
  /**
   * Share of right leading candidates after the first pass and after all passes, uncalibrated, of deliberated
   * decisions.
   */
  readonly rightBefore: number | null
  readonly rightAfter: number | null
}

/** Milliseconds a row took, without failed rows. */
export interface Latency {
  readonly rows: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly questionsPerRow: number
}

export interface Evaluation {
  readonly summary: RunSummary
  /** Null when no answer has a distribution. */
  readonly all: ScoreNumbers | null
  /**
   * Means over tasks with equal weight, which show what pooling hides. Of the skill the median, since the base rate of
   * a small task may be nearly perfect.
   */
  readonly macro: Readonly<Record<'logLoss' | 'uncalibratedLogLoss' | 'medianBrierSkill' | 'accuracy', number>> | null
  readonly types: readonly GroupNumbers[]
  readonly tasks: readonly GroupNumbers[]
  readonly reads: readonly ReadNumbers[]
  /** What limits on the confidence would let through. */
  readonly limits: readonly NamedLimits[]
  readonly confusions: readonly Confusion[]
  readonly deliberation: DeliberationNumbers
  /** Number of answers by calibration: `applied, level`. */
  readonly calibrations: Readonly<Record<string, number>>
  readonly latency: Latency | null
}

/** The numbers of results. Deterministic for a seed. */
export function evaluationOf(
  rows: readonly RowResult[],
  resampling: Resampling,
): { evaluation: Evaluation; answers: readonly ScoredAnswer[] } {
  const answers = scoredAnswers(rows)
  const tasks = grouped(answers, ({ task }) => task, resampling)
  const evaluation: Evaluation = {
    summary: sumUp(rows),
    all: answers.length === 0 ? null : numbersOf(answers, resampling),
    macro: macroOf(tasks),
    types: grouped(answers, ({ type }) => type, resampling),
    tasks,
    reads: readsOf(rows),
    limits: limitsOf(rows),
    confusions: confusionsOf(rows),
    deliberation: deliberationOf(answers),
    calibrations: calibrationsOf(rows),
    latency: latencyOf(rows),
  }
  return { evaluation, answers }
}

function grouped(answers: readonly ScoredAnswer[], nameOf: (one: ScoredAnswer) => string, resampling: Resampling): GroupNumbers[] {
  return [...groupBy(answers, nameOf)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => ({ name, ...numbersOf(group, resampling) }))
}

/** `answers` must not be empty. */
export function numbersOf(answers: readonly ScoredAnswer[], resampling: Resampling): ScoreNumbers {
  const groups = answers.map(({ state }) => state)
  const weights = answers.map(({ weight }) => weight)
  const options = { ...resampling, weights }
  const estimateOf = (values: readonly number[]): Estimate => {
    const { mean, interval } = pairedDifference(
      values,
      values.map(() => 0),
      groups,
      options,
    )
    return { value: mean, interval }
  }
  const scored = (score: 'logLoss' | 'brier'): Scored => {
    const valuesOf = (yardstick: Yardstick): number[] => answers.map(({ scores }) => scores[yardstick][score])
    const answered = valuesOf('answered')
    const value = weightedMean(answered, weights)
    const standing = (yardstick: Yardstick) => {
      const values = valuesOf(yardstick)
      const { mean, interval } = pairedDifference(answered, values, groups, options)
      const baseline = weightedMean(values, weights)
      return { value: baseline, skill: skill(value, baseline), difference: { value: mean, interval } }
    }
    return { value, against: { uncalibrated: standing('uncalibrated'), baseRate: standing('baseRate'), uniform: standing('uniform') } }
  }
  const [p, y] = [answers.map(({ probability }) => probability), answers.map(({ outcome }) => outcome)]
  const uncalibrated = answers.map(({ uncalibratedEvent }) => uncalibratedEvent)
  const [confidences, right] = [answers.map(({ confidence }) => confidence), answers.map(({ isRight }) => isRight)]
  const rank = weightedRisk(answers)
  // Some measures need truths of 0 or 1; fractional truths are left out of them.
  const whole = p.flatMap((_, i) => (y[i] === 0 || y[i] === 1 ? [i] : []))
  const [pWhole, yWhole] = [whole.map((i) => p[i]!), whole.map((i) => y[i]!)]
  return {
    decisions: new Set(answers.map(({ question }) => question)).size,
    distributions: answers.length,
    states: new Set(groups).size,
    logLoss: scored('logLoss'),
    brier: scored('brier'),
    accuracy: estimateOf(right.map(Number)),
    calibrationError: smoothCalibrationExcess(p, y, groups, options),
    uncalibratedError: smoothCalibrationExcess(
      uncalibrated.map(({ probability }) => probability),
      uncalibrated.map(({ outcome }) => outcome),
      groups,
      options,
    ),
    binnedError: whole.length === 0 ? Number.NaN : binnedCalibrationError(pWhole, yWhole),
    debiasedSquaredError: whole.length === 0 ? Number.NaN : debiasedSquaredError(pWhole, yWhole),
    spiegelhalter: whole.length === 0 ? { z: Number.NaN, pValue: Number.NaN } : spiegelhalter(pWhole, yWhole),
    auroc: auroc(confidences, right.map(Number), weights),
    risk: { all: riskAt(rank, 1), at80: riskAt(rank, 0.8), area: rank.area, excessArea: rank.area - rank.oracle },
  }
}

function macroOf(tasks: readonly GroupNumbers[]): Evaluation['macro'] {
  if (tasks.length === 0) return null
  return {
    logLoss: mean(tasks.map(({ logLoss }) => logLoss.value)),
    uncalibratedLogLoss: mean(tasks.map(({ logLoss }) => logLoss.against.uncalibrated.value)),
    medianBrierSkill: quantile(
      tasks.map(({ brier }) => brier.against.baseRate.skill).sort((a, b) => a - b),
      0.5,
    ),
    accuracy: mean(tasks.map(({ accuracy }) => accuracy.value)),
  }
}

function readsOf(rows: readonly RowResult[]): ReadNumbers[] {
  const reads = rows.flatMap(({ questions }) => questions.filter(({ type }) => findKind(type)?.isRead === true))
  const byType = groupBy(reads, typeOf)
  return sumUpBy(reads.map((question) => ({ key: typeOf(question), question }))).map(({ type: name, count, right, margin, overlap }) => {
    const group = byType.get(name) ?? []
    const confidences = group.map(({ confidence }) => confidence)
    const isRight = group.map((question) => Number(question.right === 1))
    return { name, count, right, margin, overlap, auroc: auroc(confidences, isRight) }
  })
}

function deliberationOf(answers: readonly ScoredAnswer[]): DeliberationNumbers {
  const total = sum(answers.map(({ weight }) => weight))
  const again = answers.flatMap(({ isRightAfter, weight }) => (isRightAfter === null ? [] : [{ ...isRightAfter, weight }]))
  const weight = sum(again.map((one) => one.weight))
  const share = (when: 'single' | 'deliberated'): number | null =>
    weight === 0 ? null : sum(again.map((one) => one.weight * Number(one[when]))) / weight
  return {
    share: total === 0 ? 0 : weight / total,
    decisions: Math.round(weight),
    rightBefore: share('single'),
    rightAfter: share('deliberated'),
  }
}

function calibrationsOf(rows: readonly RowResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { questions } of rows)
    for (const { calibration, distribution } of questions) {
      if (distribution === null) continue
      const note = typeof calibration === 'object' && calibration !== null && !Array.isArray(calibration) ? (calibration as NoteLike) : null
      const name = note === null ? String(calibration) : [note.applied, note.level].filter((word) => word !== undefined).join(', ')
      counts[name] = (counts[name] ?? 0) + 1
    }
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a))
}

interface NoteLike {
  readonly applied?: string
  readonly level?: string
}

function latencyOf(rows: readonly RowResult[]): Latency | null {
  const answered = rows.filter(({ error }) => error === undefined)
  if (answered.length === 0) return null
  const times = answered.map(({ ms }) => ms).sort((a, b) => a - b)
  return {
    rows: times.length,
    mean: mean(times),
    p50: quantile(times, 0.5),
    p90: quantile(times, 0.9),
    p95: quantile(times, 0.95),
    p99: quantile(times, 0.99),
    questionsPerRow: mean(answered.map(({ questions }) => questions.length)),
  }
}

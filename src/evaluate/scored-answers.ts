// The distributions of results with their scores: as answered, and as three yardsticks would have answered. Every
// number of a report is made of them.
import { calibratorOf } from '../calibration/calibration.ts'
import { eventOf } from '../calibration/maps/mixture.ts'
import { crossEntropy, squaredError } from '../calibration/metrics/scores.ts'
import { argmax, sum } from '../core/math.ts'
import type { PassMode } from '../questions/shared/decision.ts'
import { type DecisionReadout, isCheck } from '../questions/shared/readouts.ts'
import { nearestCandidate, targetOf } from '../questions/shared/truth.ts'
import { rowName } from './dataset.ts'
import type { AnswerDistribution, GradedQuestion } from './graded-question.ts'
import type { RowResult } from './run.ts'

/** Log-loss in nats, and half the squared error over candidates. */
export interface AnswerScores {
  readonly logLoss: number
  readonly brier: number
}

/**
 * `answered`: calibrated. `uncalibrated`: the distribution of the model. `baseRate`: how often each candidate was true
 * of other states. `uniform`: all candidates alike.
 */
export type Yardstick = 'answered' | 'uncalibrated' | 'baseRate' | 'uniform'

/** One row of an answer's distribution. */
export interface ScoredAnswer {
  /** Its name across runs: task, row, question, index in the question. */
  readonly key: string
  readonly row: RowResult
  readonly question: GradedQuestion
  readonly task: string
  /** Question type; `check` for a self-check. */
  readonly type: string
  readonly state: string
  /** The rows of one decision share its weight. */
  readonly weight: number
  readonly scores: Readonly<Record<Yardstick, AnswerScores>>
  /**
   * The calibrated probability of an event: that the first of two candidates, or the leading one of more, is the true
   * one.
   */
  readonly probability: number
  /** The same before calibration, where another candidate may lead. */
  readonly uncalibratedEvent: { readonly probability: number; readonly outcome: number }
  /** Whether the event came true, from 0 to 1. */
  readonly outcome: number
  /** The largest probability. */
  readonly confidence: number
  /** Whether that candidate is the true one. */
  readonly isRight: boolean
  /**
   * Whether the leading candidate was right after the first pass and after all passes, uncalibrated; null for a single
   * pass.
   */
  readonly isRightAfter: { readonly single: boolean; readonly deliberated: boolean } | null
}

/** All distributions of the results, in order. */
export function scoredAnswers(rows: readonly RowResult[]): ScoredAnswer[] {
  const rates = new BaseRates(rows)
  const identity = calibratorOf(null, { revision: '', templateHash: '' })
  return rows.flatMap((row) =>
    row.questions.flatMap((question) => {
      const { distribution } = question
      if (distribution === null) return []
      const { readout, names, probabilities, truth, single, deliberated } = distribution
      const passMode: PassMode = deliberated === null ? 'single' : 'deliberated'
      const key = { ...distribution, candidates: readout === 'independent' ? probabilities.length : names.length }
      const raw = identity.calibrate(key, passMode, deliberated ?? single, null).probabilities
      return probabilities.map((answered, i): ScoredAnswer => {
        const target = targetOf(truth[i]!, answered.length)
        const right = nearestCandidate(truth[i]!)
        const event = eventOf(answered)
        const uncalibrated = raw[i]!
        const uncalibratedEvent = eventOf(uncalibrated)
        return {
          key: `${rowName(row)}\u0000${question.id}\u0000${i}`,
          row,
          question,
          task: row.task,
          type: isCheck(readout) ? 'check' : question.type,
          state: row.state,
          weight: 1 / probabilities.length,
          scores: {
            answered: scoresOf(answered, target),
            uncalibrated: scoresOf(uncalibrated, target),
            baseRate: scoresOf(rates.of(row, question, i), target),
            uniform: scoresOf(
              answered.map(() => 1 / answered.length),
              target,
            ),
          },
          probability: answered[event]!,
          outcome: target[event]!,
          uncalibratedEvent: { probability: uncalibrated[uncalibratedEvent]!, outcome: target[uncalibratedEvent]! },
          confidence: Math.max(...answered),
          isRight: isRight(answered, right),
          isRightAfter: deliberated === null ? null : { single: isRight(single[i]!, right), deliberated: isRight(deliberated[i]!, right) },
        }
      })
    }),
  )
}

function scoresOf(row: readonly number[], target: readonly number[]): AnswerScores {
  return { logLoss: crossEntropy(row, target), brier: squaredError(row, target) / 2 }
}

/** Whether the leading candidate is the right one. Of equal ones, the first leads. */
function isRight(row: readonly number[], right: number): boolean {
  return argmax(row) === right
}

/**
 * How often each candidate, by name, was true in answers to the question of the same task and id: over other states
 * only, so that a truth does not count for itself, and one added to each, so that nothing is impossible. Where options
 * differ from row to row this is near the uniform guess.
 */
class BaseRates {
  readonly #counts = new Map<string, Map<string, number>>()

  constructor(rows: readonly RowResult[]) {
    for (const row of rows)
      for (const question of row.questions)
        if (question.distribution !== null)
          eachTruth(question.distribution, (name, share) => {
            for (const key of [keyOf(row, question), `${keyOf(row, question)}\u0000${row.state}`]) {
              const names = this.#counts.get(key) ?? new Map<string, number>()
              names.set(name, (names.get(name) ?? 0) + share)
              this.#counts.set(key, names)
            }
          })
  }

  of(row: RowResult, question: GradedQuestion, index: number): number[] {
    const { readout, names } = question.distribution!
    const all = this.#counts.get(keyOf(row, question))
    const own = this.#counts.get(`${keyOf(row, question)}\u0000${row.state}`)
    const counts = candidatesOf(readout, names, index).map((name) => 1 + (all?.get(name) ?? 0) - (own?.get(name) ?? 0))
    const total = sum(counts)
    return counts.map((count) => count / total)
  }
}

function keyOf(row: RowResult, question: GradedQuestion): string {
  return `${row.task}\u0000${question.id}\u0000${question.distribution!.readout}`
}

/** The names under which the candidates of a row are counted. */
function candidatesOf(readout: DecisionReadout, names: readonly string[], index: number): readonly string[] {
  return readout === 'independent' ? [`yes ${names[index]}`, `no ${names[index]}`] : names
}

function eachTruth({ readout, names, truth, probabilities }: AnswerDistribution, count: (name: string, share: number) => void): void {
  truth.forEach((index, i) => {
    const candidates = candidatesOf(readout, names, i)
    targetOf(index, probabilities[i]!.length).forEach((share, k) => {
      if (share > 0) count(candidates[k]!, share)
    })
  })
}

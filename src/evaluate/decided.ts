// Results to single distributions with what they cost: as answered, and as three yardsticks would have answered. What every number of a report is made of.
import { calibratorOf } from '../calibration/calibration.ts'
import { crossEntropy, squaredError } from '../calibration/metrics/scores.ts'
import { type DecisionReadout, isCheck, type PassMode, targetOf } from '../questions/shared/decision.ts'
import type { Distribution, QuestionResult, RowResult } from './run.ts'

/** Nats, and squared error over candidates, halved. */
export interface Cost {
  readonly logLoss: number
  readonly brier: number
}

/** `answered`: calibrated. `uncalibrated`: the model's own distribution. `baseRate`: how often each candidate was true elsewhere. `uniform`: all alike. */
export type Yardstick = 'answered' | 'uncalibrated' | 'baseRate' | 'uniform'

/** One row of a distribution. */
export interface Decided {
  /** Names it across runs: row, question, place in the question. */
  readonly key: string
  readonly row: RowResult
  readonly question: QuestionResult
  readonly task: string
  /** Question type; `check` for a self-check. */
  readonly type: string
  readonly state: string
  /** Rows of one decision share its weight. */
  readonly weight: number
  readonly costs: Readonly<Record<Yardstick, Cost>>
  /** An event, its probability as answered and before calibration, and whether it came true: the first of two candidates, or that the leading one of more is right. */
  readonly probability: number
  readonly uncalibratedEvent: { readonly probability: number; readonly outcome: number }
  readonly outcome: number
  /** The largest probability, and whether that candidate was the true one. */
  readonly confidence: number
  readonly isRight: boolean
  /** How the leading candidate fared after the first pass, and after all of them; null when there was one pass. */
  readonly looks: { readonly single: boolean; readonly deliberated: boolean } | null
}

/** All distributions of the results, in their order. */
export function decidedOf(rows: readonly RowResult[]): Decided[] {
  const rates = new BaseRates(rows)
  const identity = calibratorOf(null, { revision: '', templateHash: '' })
  return rows.flatMap((row) =>
    row.questions.flatMap((question) => {
      const { distribution } = question
      if (distribution === null) return []
      const { readout, names, probabilities, truth, single, deliberated } = distribution
      const regime: PassMode = deliberated === null ? 'single' : 'deliberated'
      const key = { ...distribution, candidates: readout === 'independent' ? probabilities.length : names.length }
      const raw = identity.calibrate(key, regime, deliberated ?? single, null).probabilities
      return probabilities.map((answered, i): Decided => {
        const target = targetOf(truth[i]!, answered.length)
        const isTwo = answered.length === 2
        const event = isTwo ? 0 : topOf(answered)
        const uncalibrated = raw[i]!
        const uncalibratedEvent = isTwo ? 0 : topOf(uncalibrated)
        return {
          key: `${row.id}\u0000${question.id}\u0000${i}`,
          row,
          question,
          task: row.task,
          type: isCheck(readout) ? 'check' : question.type,
          state: row.state,
          weight: 1 / probabilities.length,
          costs: {
            answered: costOf(answered, target),
            uncalibrated: costOf(uncalibrated, target),
            baseRate: costOf(rates.of(row, question, i), target),
            uniform: costOf(
              answered.map(() => 1 / answered.length),
              target,
            ),
          },
          probability: answered[event]!,
          outcome: target[event]!,
          uncalibratedEvent: { probability: uncalibrated[uncalibratedEvent]!, outcome: target[uncalibratedEvent]! },
          confidence: Math.max(...answered),
          isRight: isTop(answered, target),
          looks: deliberated === null ? null : { single: isTop(single[i]!, target), deliberated: isTop(deliberated[i]!, target) },
        }
      })
    }),
  )
}

function costOf(row: readonly number[], target: readonly number[]): Cost {
  return { logLoss: crossEntropy(row, target), brier: squaredError(row, target) / 2 }
}

function topOf(row: readonly number[]): number {
  return row.indexOf(Math.max(...row))
}

/** Whether the leading candidate is the likeliest of the target; both may be tied, and the first counts. */
function isTop(row: readonly number[], target: readonly number[]): boolean {
  return topOf(row) === topOf(target)
}

/**
 * How often each candidate, by name, was true in answers to the question of the same task and id: over the other states only, so that a truth never
 * speaks for itself, and one added to each so that nothing is impossible. Where options differ from row to row this is near the uniform guess.
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

  of(row: RowResult, question: QuestionResult, index: number): number[] {
    const { readout, names } = question.distribution!
    const all = this.#counts.get(keyOf(row, question))
    const own = this.#counts.get(`${keyOf(row, question)}\u0000${row.state}`)
    const counts = candidatesOf(readout, names, index).map((name) => 1 + (all?.get(name) ?? 0) - (own?.get(name) ?? 0))
    const total = counts.reduce((sum, count) => sum + count, 0)
    return counts.map((count) => count / total)
  }
}

function keyOf(row: RowResult, question: QuestionResult): string {
  return `${row.task}\u0000${question.id}\u0000${question.distribution!.readout}`
}

/** What the candidates of a row are counted as. */
function candidatesOf(readout: DecisionReadout, names: readonly string[], index: number): readonly string[] {
  return readout === 'independent' ? [`yes ${names[index]}`, `no ${names[index]}`] : names
}

function eachTruth({ readout, names, truth, probabilities }: Distribution, count: (name: string, share: number) => void): void {
  truth.forEach((index, i) => {
    const candidates = candidatesOf(readout, names, i)
    targetOf(index, probabilities[i]!.length).forEach((share, k) => {
      if (share > 0) count(candidates[k]!, share)
    })
  })
}

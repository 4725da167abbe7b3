// The few numbers at the end of a run: how many rows failed, and how each type of question did.
import { groupBy } from '../core/group-by.ts'
import { mean } from '../core/math.ts'
import type { GradedQuestion } from './graded-question.ts'
import type { RowResult } from './run.ts'

export interface TypeSummary {
  /** Question type, with its kind and `many` where it has them. */
  readonly type: string
  readonly count: number
  /** Means over questions; see `GradedQuestion`. */
  readonly right: number
  /** Half of the 95 % interval of `right`, by the normal approximation; null for a single answer. */
  readonly margin: number | null
  readonly guess: number
  /** Nats; null where nothing has probabilities. */
  readonly logLoss: number | null
  /** Of the uniform guess. */
  readonly uniformLogLoss: number | null
  readonly brier: number | null
  /** Mean intersection over union; null where there is no single box. */
  readonly overlap: number | null
  /** Share that was deliberated. */
  readonly deliberated: number
}

export interface FailureReason {
  readonly code: string
  readonly message: string
  /** How many rows failed so, or truths were not graded so, and the id of the first row. */
  readonly rows: number
  readonly example: string
}

export interface RunSummary {
  readonly rows: number
  readonly failed: number
  /** Error code → rows. */
  readonly failures: Readonly<Record<string, number>>
  /** Messages of failed rows, the commonest first, at most five. */
  readonly reasons: readonly FailureReason[]
  readonly graded: number
  readonly ungraded: number
  /** Rows that were answered and say of no question what is true. */
  readonly unlabelled: number
  /** Why truths were not graded, likewise. */
  readonly ungradedReasons: readonly FailureReason[]
  readonly types: readonly TypeSummary[]
  /**
   * The same by question, `type` being its id and type. None where they are no more than the types, too many, or an id
   * is asked as several types.
   */
  readonly questions: readonly TypeSummary[]
}

/** With more questions the rows ask each its own. */
export const MOST_QUESTIONS = 40

export function typeOf({ type, kind, many }: GradedQuestion): string {
  return [type, ...(kind === undefined ? [] : [kind]), ...(many === undefined ? [] : ['many'])].join(' ')
}

/** Half of the 95 % interval of a mean, normal approximation. Null for fewer than two values, which show no spread. */
export function marginOf(values: readonly number[]): number | null {
  if (values.length < 2) return null
  const middle = mean(values)
  return (1.96 * Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))) / Math.sqrt(values.length)
}

function meanOrNull(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value): value is number => typeof value === 'number')
  return known.length === 0 ? null : mean(known)
}

export function sumUp(rows: readonly RowResult[]): RunSummary {
  const failed = failuresOf(rows)
  const failures: Record<string, number> = {}
  for (const { code } of failed) failures[code] = (failures[code] ?? 0) + 1
  const questions = rows.flatMap((row) => row.questions)
  const ungraded = ungradedOf(rows)
  const types = sumUpBy(questions.map((question) => ({ key: typeOf(question), question })))
  return {
    rows: rows.length,
    failed: failed.length,
    failures,
    reasons: commonest(failed),
    graded: questions.length,
    ungraded: ungraded.length,
    unlabelled: unlabelledIn(rows),
    ungradedReasons: commonest(ungraded),
    types,
    questions: sumUpByQuestion(questions, types.length),
  }
}

function sumUpByQuestion(questions: readonly GradedQuestion[], types: number): TypeSummary[] {
  const summaries = sumUpBy(questions.map((question) => ({ key: `${question.id} (${typeOf(question)})`, question })))
  const isOfOneTypeEach = new Set(questions.map(({ id }) => id)).size === summaries.length
  return isOfOneTypeEach && summaries.length > types && summaries.length <= MOST_QUESTIONS ? summaries : []
}

const MOST_REASONS = 5

/** Why something of a row, named by its id, came to nothing. */
export interface RowFault {
  readonly id: string
  readonly code: string
  readonly message: string
}

export function failuresOf(rows: readonly RowResult[]): RowFault[] {
  return rows.flatMap(({ id, error }) => (error === undefined ? [] : [{ id, code: error.code, message: error.message }]))
}

/** A fault for each truth that was not graded. */
export function ungradedOf(rows: readonly RowResult[]): RowFault[] {
  return rows.flatMap(({ id, ungraded }) => Object.values(ungraded ?? {}).map((message) => ({ id, code: 'not_graded', message })))
}

/** How many rows were answered and have no truth of any question: all were null, or there were none. */
export function unlabelledIn(rows: readonly RowResult[]): number {
  return rows.filter(({ questions, ungraded, error }) => questions.length === 0 && ungraded === undefined && error === undefined).length
}

/** The commonest faults, at most five. */
export function commonest(faults: readonly RowFault[]): FailureReason[] {
  return [...groupBy(faults, ({ code, message }) => `${code} ${message}`).values()]
    .map((alike) => ({ code: alike[0]!.code, message: alike[0]!.message, rows: alike.length, example: alike[0]!.id }))
    .sort((a, b) => b.rows - a.rows)
    .slice(0, MOST_REASONS)
}

/** One summary for each key, in alphabetical order. A question may come under several keys. */
export function sumUpBy(keyed: readonly { readonly key: string; readonly question: GradedQuestion }[]): TypeSummary[] {
  return [...groupBy(keyed, ({ key }) => key)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, group]) =>
      summaryOf(
        type,
        group.map(({ question }) => question),
      ),
    )
}

function uniformLossOf({ distribution }: GradedQuestion): number | null {
  return distribution === null ? null : mean(distribution.probabilities.map((row) => Math.log(row.length)))
}

function summaryOf(type: string, group: readonly GradedQuestion[]): TypeSummary {
  const right = group.map((question) => question.right)
  return {
    type,
    count: group.length,
    right: mean(right),
    margin: marginOf(right),
    guess: mean(group.map(({ guess }) => guess)),
    logLoss: meanOrNull(group.map(({ logLoss }) => logLoss)),
    uniformLogLoss: meanOrNull(group.map(uniformLossOf)),
    brier: meanOrNull(group.map(({ brier }) => brier)),
    overlap: meanOrNull(group.map(({ overlap }) => overlap)),
    deliberated: mean(group.map(({ deliberated }) => Number(deliberated))),
  }
}

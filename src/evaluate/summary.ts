// The few numbers at the end of a run: how many rows failed, and how each type of question did.
import { groupBy } from '../core/group-by.ts'
import type { GradedQuestion, RowResult } from './run.ts'

export interface TypeSummary {
  /** Question type, with its kind and `many` where it has them. */
  readonly type: string
  readonly count: number
  /** Means over questions; see `GradedQuestion`. */
  readonly right: number
  /** Half of the 95 % interval of `right`, by the normal approximation. */
  readonly margin: number
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
  /** How many rows failed so, and the id of the first. */
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
  readonly types: readonly TypeSummary[]
}

export function typeOf({ type, kind, many }: GradedQuestion): string {
  return [type, ...(kind === undefined ? [] : [kind]), ...(many === undefined ? [] : ['many'])].join(' ')
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Half of the 95 % interval of a mean, normal approximation. */
export function marginOf(values: readonly number[]): number {
  const mean = meanOf(values)
  return (1.96 * Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))) / Math.sqrt(values.length)
}

function meanOrNull(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value): value is number => typeof value === 'number')
  return known.length === 0 ? null : meanOf(known)
}

export function sumUp(rows: readonly RowResult[]): RunSummary {
  const failed = rows.filter(({ error }) => error !== undefined)
  const failures: Record<string, number> = {}
  for (const { error } of failed) failures[error!.code] = (failures[error!.code] ?? 0) + 1
  const questions = rows.flatMap((row) => row.questions)
  return {
    rows: rows.length,
    failed: failed.length,
    failures,
    reasons: reasonsOf(failed),
    graded: questions.length,
    ungraded: rows.reduce((sum, { ungraded }) => sum + Object.keys(ungraded ?? {}).length, 0),
    types: sumUpBy(questions.map((question) => ({ key: typeOf(question), question }))),
  }
}

const MOST_REASONS = 5

function reasonsOf(failed: readonly RowResult[]): FailureReason[] {
  const reasons = new Map<string, FailureReason>()
  for (const { id, error } of failed) {
    const { code, message } = error!
    const known = reasons.get(`${code} ${message}`)
    reasons.set(`${code} ${message}`, known === undefined ? { code, message, rows: 1, example: id } : { ...known, rows: known.rows + 1 })
  }
  return [...reasons.values()].sort((a, b) => b.rows - a.rows).slice(0, MOST_REASONS)
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
  return distribution === null ? null : meanOf(distribution.probabilities.map((row) => Math.log(row.length)))
}

function summaryOf(type: string, group: readonly GradedQuestion[]): TypeSummary {
  const right = group.map((question) => question.right)
  return {
    type,
    count: group.length,
    right: meanOf(right),
    margin: marginOf(right),
    guess: meanOf(group.map(({ guess }) => guess)),
    logLoss: meanOrNull(group.map(({ logLoss }) => logLoss)),
    uniformLogLoss: meanOrNull(group.map(uniformLossOf)),
    brier: meanOrNull(group.map(({ brier }) => brier)),
    overlap: meanOrNull(group.map(({ overlap }) => overlap)),
    deliberated: meanOf(group.map(({ deliberated }) => Number(deliberated))),
  }
}

// What a limit on the confidence would let through, for whoever acts above it and asks a person below: how much, and
// how often that is right. Of answers as they are given, so that a limit can be written into a program.
import { groupBy } from '../core/group-by.ts'
import { mean } from '../core/math.ts'
import type { GradedQuestion } from './graded-question.ts'
import type { RowResult } from './run.ts'
import { MOST_QUESTIONS } from './summary.ts'

export interface ConfidenceLimit {
  /** Answers of this confidence and above; of a `noul` the probability of the likelier side. */
  readonly from: number
  /** The share that these are of all. */
  readonly share: number
  /** How often these are right; null where there are none. */
  readonly right: number | null
}

export interface NamedLimits {
  /** The id of a question, or `all`. */
  readonly name: string
  readonly count: number
  readonly limits: readonly ConfidenceLimit[]
}

export const LIMITS: readonly number[] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]

/** For all answers, and for each question where there are several and not too many to be listed. */
export function limitsOf(rows: readonly RowResult[]): NamedLimits[] {
  const answers = rows.flatMap(({ questions }) => questions)
  if (answers.length === 0) return []
  const byId = [...groupBy(answers, ({ id }) => id)]
  const groups = byId.length > 1 && byId.length <= MOST_QUESTIONS ? byId : []
  return [['all', answers] as const, ...groups].map(([name, group]) => ({
    name,
    count: group.length,
    limits: LIMITS.map((from) => limitAt(from, group)),
  }))
}

function limitAt(from: number, answers: readonly GradedQuestion[]): ConfidenceLimit {
  const above = answers.filter(({ confidence }) => confidence >= from)
  return { from, share: above.length / answers.length, right: above.length === 0 ? null : mean(above.map(({ right }) => right)) }
}

// The worst answers, for a person to look at: the question, the answer, the truth, and the state where it is available.
import { groupBy } from '../core/group-by.ts'
import type { Json } from '../core/types.ts'
import { nearestCandidate } from '../questions/shared/truth.ts'
import { type Row, rowName } from './dataset.ts'
import type { GradedQuestion } from './graded-question.ts'
import type { RowResult } from './run.ts'

export interface WorstAnswer {
  readonly row: string
  readonly task: string
  readonly question: string
  readonly type: string
  /** The question as asked; null without the data set. */
  readonly asked: Json
  readonly said: Json
  readonly truth: Json
  readonly logLoss: number | null
  readonly confidence: number
  /** The most probable candidates and the true ones, by falling probability; null for reads. */
  readonly candidates: readonly { readonly name: string; readonly probability: number; readonly isTrue: boolean }[] | null
  readonly deliberated: boolean
}

export interface RowCases {
  readonly id: string
  readonly task: string
  /** Undefined without the data set, unless states were kept. */
  readonly state?: Json
  readonly cases: readonly WorstAnswer[]
}

export interface CaseOptions {
  /** How many answers with probabilities, worst log-loss first. */
  readonly decisions: number
  /** How many wrong reads, most confident first. */
  readonly reads: number
}

/** Candidates that are shown beside the true ones. */
const SHOWN_CANDIDATES = 5

interface AnsweredQuestion {
  readonly row: RowResult
  readonly question: GradedQuestion
}

/**
 * The worst answers. Of several tasks, at most one answer in five is of one, so that a task that is lost does not hide
 * the rest; places that are left over go to the worst of all the same.
 */
export function worstQuestions(rows: readonly RowResult[], options: CaseOptions): readonly AnsweredQuestion[] {
  const found = rows.flatMap((row) => row.questions.map((question) => ({ row, question })))
  const costly = found.filter(({ question }) => question.logLoss !== null).sort((a, b) => b.question.logLoss! - a.question.logLoss!)
  const wrong = found
    .filter(({ question }) => question.logLoss === null && question.right < 1)
    .sort((a, b) => b.question.confidence - a.question.confidence)
  return [...spreadOverTasks(costly, options.decisions), ...spreadOverTasks(wrong, options.reads)]
}

function spreadOverTasks(found: readonly AnsweredQuestion[], count: number): AnsweredQuestion[] {
  const most = Math.max(2, Math.ceil(count / 5))
  const taken = new Map<string, number>()
  const [spread, rest]: [AnsweredQuestion[], AnsweredQuestion[]] = [[], []]
  for (const one of found) {
    const before = taken.get(one.row.task) ?? 0
    taken.set(one.row.task, before + 1)
    if (before < most) spread.push(one)
    else rest.push(one)
  }
  const chosen = new Set([...spread, ...rest].slice(0, count))
  return found.filter((one) => chosen.has(one))
}

/** The answers of one row together, the worst row first. `dataset`: rows by `rowName`; may be empty. */
export function casesOf(found: readonly AnsweredQuestion[], dataset: ReadonlyMap<string, Row>): RowCases[] {
  return [...groupBy(found, ({ row }) => row)].map(([row, group]): RowCases => {
    const source = dataset.get(rowName(row))
    const state = source === undefined ? row.kept : (source.request.state as Json)
    const questions = (source?.request.questions ?? {}) as unknown as Readonly<Record<string, Json>>
    return {
      id: row.id,
      task: row.task,
      ...(state === undefined ? {} : { state }),
      cases: group.map(({ question }) => caseOf(row, question, questions[question.id] ?? null)),
    }
  })
}

function caseOf(row: RowResult, question: GradedQuestion, asked: Json): WorstAnswer {
  const { id, type, said, truth, logLoss, confidence, deliberated } = question
  return {
    row: row.id,
    task: row.task,
    question: id,
    type,
    asked,
    said,
    truth,
    logLoss,
    confidence,
    deliberated,
    candidates: candidatesOf(question),
  }
}

function candidatesOf({ distribution }: GradedQuestion): WorstAnswer['candidates'] {
  if (distribution === null) return null
  const { readout, names, probabilities, truth } = distribution
  const all =
    readout === 'independent'
      ? names.map((name, i) => ({ name, probability: probabilities[i]![0]!, isTrue: nearestCandidate(truth[i]!) === 0 }))
      : names.map((name, k) => ({ name, probability: probabilities[0]![k]!, isTrue: nearestCandidate(truth[0]!) === k }))
  const ranked = all.toSorted((a, b) => b.probability - a.probability)
  return ranked.filter(({ isTrue }, i) => isTrue || i < SHOWN_CANDIDATES)
}

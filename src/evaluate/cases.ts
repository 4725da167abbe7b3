// The answers that cost most, to something a person can look at: the question, what was said, what was true, and the state where it can be had.
import type { Json } from '../core/types.ts'
import type { Row } from './dataset.ts'
import { groupBy } from './numbers.ts'
import type { QuestionResult, RowResult } from './run.ts'

export interface Case {
  readonly row: string
  readonly task: string
  readonly question: string
  readonly type: string
  /** As it was asked; null when the data set is not at hand. */
  readonly asked: Json
  readonly said: Json
  readonly truth: Json
  readonly logLoss: number | null
  readonly confidence: number
  /** The likeliest candidates and the true ones, likeliest first; null for reads. */
  readonly candidates: readonly { readonly name: string; readonly probability: number; readonly isTrue: boolean }[] | null
  readonly deliberated: boolean
}

export interface RowCases {
  readonly id: string
  readonly task: string
  /** Undefined when the data set is not at hand and states were not kept. */
  readonly state?: Json
  readonly cases: readonly Case[]
}

export interface CaseOptions {
  /** How many answers with probabilities, by falling log-loss. */
  readonly decisions: number
  /** How many wrong reads, by falling confidence. */
  readonly reads: number
}

/** Candidates shown of one answer, beside the true ones. */
const SHOWN = 5

interface Place {
  readonly row: RowResult
  readonly question: QuestionResult
}

/** The worst answers, those on one row together, the worst row first. At most one in five of one task, so that a task that is lost does not hide the rest. */
export function worstPlaces(rows: readonly RowResult[], options: CaseOptions): readonly Place[] {
  const places = rows.flatMap((row) => row.questions.map((question) => ({ row, question })))
  const costly = places.filter(({ question }) => question.logLoss !== null).sort((a, b) => b.question.logLoss! - a.question.logLoss!)
  const wrong = places
    .filter(({ question }) => question.logLoss === null && question.right < 1)
    .sort((a, b) => b.question.confidence - a.question.confidence)
  return [...spread(costly, options.decisions), ...spread(wrong, options.reads)]
}

function spread(places: readonly Place[], count: number): Place[] {
  const most = Math.max(2, Math.ceil(count / 5))
  const taken = new Map<string, number>()
  const chosen: Place[] = []
  for (const place of places) {
    if (chosen.length >= count) break
    const before = taken.get(place.row.task) ?? 0
    if (before >= most) continue
    taken.set(place.row.task, before + 1)
    chosen.push(place)
  }
  return chosen
}

/** `found`: rows of the data set by id; may be empty. */
export function casesOf(places: readonly Place[], found: ReadonlyMap<string, Row>): RowCases[] {
  return [...groupBy(places, ({ row }) => row.id).values()].map((group): RowCases => {
    const { row } = group[0]!
    const source = found.get(row.id)
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

function caseOf(row: RowResult, question: QuestionResult, asked: Json): Case {
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

function candidatesOf({ distribution }: QuestionResult): Case['candidates'] {
  if (distribution === null) return null
  const { readout, names, probabilities, truth } = distribution
  const all =
    readout === 'independent'
      ? names.map((name, i) => ({ name, probability: probabilities[i]![0]!, isTrue: truth[i]! < 0.5 }))
      : names.map((name, k) => ({ name, probability: probabilities[0]![k]!, isTrue: Math.round(truth[0]!) === k }))
  const ranked = all.toSorted((a, b) => b.probability - a.probability)
  return ranked.filter(({ isTrue }, i) => isTrue || i < SHOWN)
}

// A kind of question: everything that the rest of the engine knows of it, in one object, and the registry of all kinds.
// A new kind is one file that calls `defineKind`, and two lines in kinds.ts. Nothing else lists the kinds but
// builders.ts, which has one function a kind: checking, types, OpenAPI, MCP, the command line, grading, `derive` and
// the console's form iterate over this registry.
import type { z } from 'zod'
import type { Scalar } from '../core/expression-values.ts'
import type { Json } from '../core/types.ts'
import type { Answer, QuestionAnswer } from '../wire/types.ts'
import type { CheckedQuestion, Checker } from './shared/checked-question.ts'
import type { Decision } from './shared/decision.ts'
import type { Grade } from './shared/grade.ts'

/** A flag of `assay ask` that asks a question of this kind. */
export interface QuestionFlag {
  /** Without the dashes: `noul`. */
  readonly name: string
  /** What stands behind the flag, for the help: `<statement>`. */
  readonly placeholder: string
  readonly description: string
  /**
   * `words`: the instructions alone. `options`: the instructions, an equals sign, and options between commas, which
   * become `criteria`.
   */
  readonly takes: 'words' | 'options'
  /** An example of what stands behind the flag. */
  readonly example: string
  /** Further fields of the question. */
  readonly fields?: Readonly<Record<string, Json>>
}

/** Fields of a form for people. `when`: shown only while another field has this value. `unless`: not shown then. */
export type FormField = {
  readonly field: string
  readonly when?: readonly [field: string, value: string]
  readonly unless?: readonly [field: string, value: string]
} & (
  | { readonly control: 'text' | 'number'; readonly label: string; readonly placeholder: string }
  | { readonly control: 'select'; readonly label: string; readonly values: readonly string[] }
  | { readonly control: 'tick'; readonly label: string }
  /** A list of names, each with a description unless `name` is null (then the list holds plain strings). */
  | { readonly control: 'entries'; readonly noun: string; readonly name: 'value' | 'label' | null; readonly isNumbered: boolean }
  /** An object of texts by these keys. */
  | { readonly control: 'texts'; readonly summary: string; readonly keys: readonly (readonly [key: string, label: string])[] }
  | { readonly control: 'json'; readonly summary: string; readonly label: string; readonly placeholder: string }
)

/**
 * How a person fills in a question of this kind. The console reads it from the served OpenAPI document
 * (`x-question-forms`).
 */
export interface QuestionForm {
  /** What stands in the empty field of the instructions. */
  readonly placeholder: string
  readonly fields: readonly FormField[]
}

/** One line of a bar chart. */
export interface AnswerBar {
  readonly label: string
  readonly probability: number
  readonly isChosen: boolean
}

/** An answer as a person reads it, whatever draws it. */
export interface AnswerView {
  readonly bars: readonly AnswerBar[]
  /** What was read, as texts; null for answers that are probabilities alone. */
  readonly values: readonly string[] | null
  /** Further facts, one line each. */
  readonly notes: readonly string[]
  /** Answers to the arguments, by name. */
  readonly args: Readonly<Record<string, Answer>>
}

export interface QuestionKind<A extends QuestionAnswer = QuestionAnswer> {
  readonly type: A['type']
  /** The question it asks, for people: `Is it true?` */
  readonly title: string
  /** What it asks, in one line, for agents and documents: `is the statement true?` */
  readonly summary: string
  /** The question as it is sent: a closed object, its metadata the name of its OpenAPI component. */
  readonly question: z.ZodObject
  /** The question where it is an argument of a choice; default: `question`. */
  readonly argument?: z.ZodObject
  /** Every form of the answer; the metadata of each names its OpenAPI component. */
  readonly answers: readonly z.ZodType<A>[]
  /** True when it reads a value from the state instead of deciding between candidates. */
  readonly isRead: boolean
  readonly flags: readonly QuestionFlag[]
  readonly form: QuestionForm
  /** Reports what is wrong to the checker, and then gives null. */
  check(input: unknown, checker: Checker): CheckedQuestion | null
  /** What a truth is, for the help of data sets and outcomes: `true or false`. */
  readonly truth: string
  /** The fields of an answer that a truth in a data set may be wrapped in, as in `{"choice": "x"}`. */
  readonly truthFields: readonly string[]
  /** A truth as a data set writes it to the truth of this question; undefined: nothing is known. */
  readTruth(truth: Json, question: Readonly<Record<string, Json>>): Json | undefined
  /**
   * Whether the answer was right, and what it claimed. Null when the truth does not fit the answer (an option that was
   * not offered). `decision` says the canonical order of the candidates, and of a read what was checked; without it the
   * order is by name.
   */
  grade(answer: A, truth: Json, accept: readonly Json[], decision: Decision | null): Grade | null
  /**
   * Its plain value in an expression; null when there is none. Throws `ExpressionError` where it has no plain value.
   */
  valueOf(answer: A, id: string): Scalar
  /** `p(id, option)` in an expression. Throws `ExpressionError`. */
  probabilityOf(answer: A, id: string, option: string | null): number
  /** What `count(id)` counts; null when the answer is one thing. */
  listOf(answer: A): readonly unknown[] | null
  /** `confidence(id)` in an expression: how sure the answer is of what it says, from 0 to 1. */
  confidenceOf(answer: A): number
  /** `has(id)` in an expression: whether there is something to use, as a value, a box, at least one item. */
  isThere(answer: A): boolean
  view(answer: A): AnswerView
  /** Whether a question, as sent, takes `self_check`. */
  takesSelfCheck(question: Readonly<Record<string, unknown>>): boolean
}

const kinds = new Map<string, QuestionKind>()

/** Adds a kind to the registry and returns it. Throws when there is one of this type already. */
export function defineKind<A extends QuestionAnswer>(kind: QuestionKind<A>): QuestionKind<A> {
  if (kinds.has(kind.type)) throw new TypeError(`There are two kinds of question of type ${kind.type}.`)
  // The registry hands each kind only answers of its own type (`kindOf(answer.type)`), so narrowing its methods is
  // sound.
  kinds.set(kind.type, kind as unknown as QuestionKind)
  return kind
}

/** All kinds, in the order they were defined. */
export function allKinds(): readonly QuestionKind[] {
  return [...kinds.values()]
}

/** The kind of this type; undefined when there is none. */
export function findKind(type: string): QuestionKind | undefined {
  return kinds.get(type)
}

/** The kind of an answer. */
export function kindOf({ type }: QuestionAnswer): QuestionKind {
  const kind = kinds.get(type)
  if (kind === undefined) throw new TypeError(`No kind of question has the type ${JSON.stringify(type)}.`)
  return kind
}

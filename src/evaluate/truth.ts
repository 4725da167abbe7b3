// A truth as a data set writes it to the truth of a question: data sets differ in how they say "yes", a level, or that nothing is known.
import type { Json } from '../core/types.ts'
import { isObject } from '../core/untrusted.ts'
import { findKind } from '../questions/index.ts'

/** The fields that a truth of any type may be wrapped in, as in `{"answer": "x"}`. */
const ANY_WRAPPING = ['answer', 'expected', 'truth', 'label']

type JsonObject = Readonly<Record<string, Json>>

const isJsonObject = (value: unknown): value is JsonObject => isObject(value)

/**
 * The truth of a question, read by its kind; undefined when nothing is known, so that the question is asked and not graded. A null says that
 * nothing is known, except for `extract`, where it says "not there".
 */
export function readTruth(question: unknown, given: Json | undefined): Json | undefined {
  if (given === undefined || !isJsonObject(question)) return undefined
  const kind = findKind(String(question.type))
  const truth = unwrap(kind?.truthFields ?? [], given)
  if (kind === undefined) return truth === null ? undefined : truth
  return kind.readTruth(truth, question)
}

function unwrap(fields: readonly string[], given: Json): Json {
  if (!isJsonObject(given)) return given
  for (const field of [...fields, ...ANY_WRAPPING]) if (Object.hasOwn(given, field)) return given[field] as Json
  return given
}

// The truth of a question as a data set writes it: data sets differ in how they write "yes", a level, or an unknown
// truth.
import type { Json } from '../core/types.ts'
import { isObject, ownField } from '../core/untrusted.ts'
import { findKind } from '../questions/index.ts'

/** The fields that a truth of any type may be wrapped in, as in `{"answer": "x"}`. */
const ANY_WRAPPING = ['answer', 'expected', 'truth', 'label']

/**
 * The truth of a question, read by its kind; undefined when it is unknown, so that the question is asked and not
 * graded. A null says that it is unknown, except for `extract`, where it says "not there". Of a question that is not
 * there it is as given: a run says so.
 */
export function readTruth(question: unknown, given: Json): Json | undefined {
  if (!isObject(question)) return given
  const kind = findKind(String(question.type))
  const truth = unwrap(kind?.truthFields ?? [], given)
  if (kind === undefined) return truth === null ? undefined : truth
  return kind.readTruth(truth, question as Readonly<Record<string, Json>>)
}

function unwrap(fields: readonly string[], given: Json): Json {
  for (const field of [...fields, ...ANY_WRAPPING]) {
    const wrapped = isObject(given) ? ownField(given, field) : undefined
    if (wrapped !== undefined) return wrapped as Json
  }
  return given
}

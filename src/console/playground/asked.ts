// Looks up in a request, as it was sent, what an answer does not say: the question, the order of its options, and its
// arguments. It is pure, and reads requests that may be anything.
import { isObject } from '../../core/untrusted.ts'

/** A question as sent, of any kind. */
export type AskedQuestion = Readonly<Record<string, unknown>>

function ownQuestion(questions: unknown, name: string): AskedQuestion | null {
  const found = isObject(questions) && Object.hasOwn(questions, name) ? questions[name] : null
  return isObject(found) ? found : null
}

/** The question of a request with this id; null when there is none. */
export function questionOf(request: unknown, id: string): AskedQuestion | null {
  return isObject(request) ? ownQuestion(request.questions, id) : null
}

/** The argument of a choice that was asked of `option`; null when there is none of this name. */
export function argumentOf(question: AskedQuestion | null, option: string, name: string): AskedQuestion | null {
  if (question === null) return null
  const chosen = listOf(question).find((entry) => nameOf(entry) === option)
  return ownQuestion(question.args, name) ?? (isObject(chosen) ? ownQuestion(chosen.args, name) : null)
}

/**
 * `names` in the order in which the question lists them. Objects in JavaScript move names that look like whole numbers
 * to the front, so answers alone do not say it. Names that the question does not list come last, as they stand.
 */
export function inAskedOrder(names: readonly string[], question: AskedQuestion | null): string[] {
  const listed = question === null ? [] : listOf(question).map(nameOf)
  const known = new Set(names)
  const ordered = new Set([...listed.filter((name): name is string => name !== null && known.has(name)), ...names])
  return [...ordered]
}

/** What options may come in. A map in `criteria` has lost its order already. */
function listOf({ options, criteria }: AskedQuestion): readonly unknown[] {
  return Array.isArray(options) ? options : Array.isArray(criteria) ? criteria : []
}

function nameOf(entry: unknown): string | null {
  const name = isObject(entry) ? entry.value : entry
  return typeof name === 'string' ? name : null
}

/** The probability from which an option of a select counts; 0.5 unless the question says otherwise. */
export function thresholdOf(question: AskedQuestion | null): number {
  return typeof question?.threshold === 'number' ? question.threshold : 0.5
}

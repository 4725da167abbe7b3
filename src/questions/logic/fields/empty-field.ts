// "When was the order shipped?" of { shipped: null }: a question for the value of a field that is there and empty.
import type { Json } from '../../../core/types.ts'
import { contentOf, fieldsIn, isNamedBy, wordSet, wordsOf } from './json-fields.ts'

/** UTF-16 units of a question that is looked at: what is longer says more than the name of a field. */
const LONGEST_QUESTION = 120
const ASKING = wordSet('what which who when where how much many please give write value number amount name date day in at')
const SUBJECT = /\b(?:the|this) (\p{L}+) (?=\p{L}+\b)|\b(?:the|this) (\p{L}+)['’]s\b/giu

/** Whether a question names nothing but fields of the state that are null or ''. */
export function asksEmptyField(question: string, values: readonly Json[]): boolean {
  if (question.length > LONGEST_QUESTION) return false
  const { fields, known } = fieldsIn(values)
  const named = (words: readonly string[]) => fields.filter((field) => isNamedBy(words, field))
  const words = contentOf(wordsOf(question))
  const said = words.filter((word) => !ASKING.has(word) || known.has(word))
  // "The order" of "When was the order shipped?", where the state does not say what is an order.
  const subjects = new Set(Array.from(question.matchAll(SUBJECT), ([, of, whose]) => wordsOf((of ?? whose) as string)[0]))
  const found = [said, said.filter((word) => known.has(word) || !subjects.has(word))].map(named).find(({ length }) => length > 0) ?? []
  return found.length > 0 && found.every(({ value }) => value === null || value === '')
}

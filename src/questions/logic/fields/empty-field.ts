// "When was the order shipped?" of { shipped: null }: a question for the value of a field that is there and empty.
import type { Json } from '../../../core/types.ts'
import { type FieldClaim, isNamed, LONGEST, readClaim } from './claim.ts'
import { fieldsIn, wordSet, wordsOf } from './json-fields.ts'

const ASKING = wordSet('what which who when where how much many please give write value number amount name date day in at')
/** "The order" of "When was the order shipped?" */
const SUBJECT = /\b(?:the|this) (\p{L}+) (?=\p{L}+\b)|\b(?:the|this) (\p{L}+)['’]s\b/giu

/** Whether a question names nothing but fields of the state that are null or ''. */
export function asksEmptyField(question: string, values: readonly Json[]): boolean {
  // How much is due is not said by an empty day.
  if (question.length > LONGEST || /\b(?:how much|amount)\b.*\bdue\b/i.test(question)) return false
  const state = fieldsIn(values)
  if (state.fields.length === 0) return false
  const strict = readClaim(question, state)
  const said = strict.content.filter((word) => !ASKING.has(word) || state.known.has(word))
  const subjects = Array.from(question.matchAll(SUBJECT), ([, of, whose]) => wordsOf((of ?? whose) as string)[0] as string)
  const named = (claim: FieldClaim) => state.fields.filter((field) => isNamed(said, field, claim))
  const found = [strict, { ...strict, subjects }].map(named).find(({ length }) => length > 0) ?? []
  return found.length > 0 && found.every(({ value }) => value === null || value === '')
}

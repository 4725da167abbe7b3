// "ids of the cancelled orders", "All SKUs", "Which sensors are in alarm?": a question for what one field says of each
// object of a list, or of each that words describe.
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { wordSet, wordsOf } from '../fields/json-fields.ts'
import { keyNamed } from '../fields/key-words.ts'
import { statedField } from '../fields/stated-field.ts'
import { heldOfOptions } from './asked-objects.ts'
import { areKinds, meantBy } from './meant.ts'
import { type ObjectList, objectLists } from './objects.ts'
import { heldOf } from './said-of-objects.ts'
import { wordsWithDays } from './said-texts.ts'
import { nameKeysOf } from './value-index.ts'

const ASKS =
  /^(?:please )?(?:(?:list|give(?: me)?|name|quote|extract|find|get|show(?: me)?|(?:what|which) (?:are|were))\b)?(?: ?(?:all(?: of)?|every|each(?: of)?)\b)?(?: ?the\b)?/iu
/** Words beside what is asked for. */
const BESIDE = wordSet('all every each list the of in that which who whose are is was were has have with for and')
/** What follows says which objects are meant. */
const NARROWS = / (?:whose|where|with|that|who|which)\b/i
/** What fields say of several objects. */
type Said = readonly (string | number)[]

/** The values in the order of the objects; null where the fields do not surely say them. */
export function everyAsked(question: string, values: readonly Json[]): Said | null {
  const text = questionText(question)
  const words = wordsWithDays(text.replace(ASKS, '')).filter((word) => !BESIDE.has(word))
  const lists = objectLists(values)
  const described = lists.map((list) => describedIn(list, words, NARROWS.test(text))).filter((found) => found !== null)
  const found = described.length > 0 ? described : lists.map((list) => namedIn(list, text, values)).filter((said) => said !== null)
  return found.length === 1 ? (found[0] as Said) : null
}

/** What the one field that words name says of the objects that the other words describe. */
function describedIn(list: ObjectList, words: readonly string[], isNarrowed: boolean): Said | null {
  const { places, said, rest } = meantBy(words, list)
  if (!areKinds(said)) return null
  const keys = Object.keys(list.objects[0] ?? {})
  const ofKeys = new Set(keys.flatMap(wordsOf))
  const key = keyNamed(
    rest.filter((word) => ofKeys.has(word) || ofKeys.has(word.replace(/s$/, ''))),
    keys,
  )
  if (key === null || said.some((one) => one.keys.includes(key))) return null
  const left = rest.filter((word) => keyNamed([word], keys) !== key && !wordsOf(key).includes(word))
  // "with count 3" says more than which field is meant.
  if (left.some((word) => /\d/.test(word)) || (said.length === 0 && left.length === 0 && isNarrowed)) return null
  const held = left.length === 0 ? null : heldOf('one', `is ${left.join(' ')}`, list, statedField)
  if (left.length > 0 && held === null) return null
  const meant = places.filter((place) => held === null || held[place])
  return saidBy(list, key, meant)
}

/** The names of the objects that a question is about, as of options that are all of them. */
function namedIn(list: ObjectList, question: string, values: readonly Json[]): Said | null {
  const [key] = nameKeysOf(list)
  const names = key === undefined ? [] : list.objects.map((object) => object[key])
  if (key === undefined || !names.every((name) => typeof name === 'string')) return null
  // "Which zones have …" asks for zones, not for what the objects are called.
  const [, what = ''] = wordsWithDays(question)
  const asked = keyNamed([what], Object.keys(list.objects[0] ?? {}))
  if (asked !== null && asked !== key) return null
  const held = heldOfOptions(question, names as readonly string[], values)
  const meant = held?.flatMap((isSo, place) => (isSo ? [place] : [])) ?? []
  return saidBy(list, key, meant)
}

/** Null where a field is empty or a flag, or none of the objects is meant: something else may be asked for. */
function saidBy({ objects }: ObjectList, key: string, places: readonly number[]): Said | null {
  const said = places.map((place) => objects[place]?.[key])
  const areSaid = said.every((value): value is string | number => typeof value === 'number' || (typeof value === 'string' && value !== ''))
  return said.length > 0 && areSaid ? (said as Said) : null
}

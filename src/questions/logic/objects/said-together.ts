// "Faro's status is reserved", "Lab 2 is booked by Ms. Tanaka", "R-312 is due on 9 June 2026": a claim that calls one
// object of a list and says what another of its fields says, with no word that neither of them accounts for.
import type { Json } from '../../../core/types.ts'
import { readClaim } from '../fields/claim.ts'
import { fieldsIn, wordsOf } from '../fields/json-fields.ts'
import { isOfKey, isOfNow } from '../fields/key-words.ts'
import { isStepBefore } from '../fields/opposites.ts'
import { areAccounted, meantBy, type SaidValue } from './meant.ts'
import { areRanges, type ListedObject, type ObjectList, OWN_KEY, objectLists } from './objects.ts'
import { hasWithin, textOf, wordsWithDays } from './said-texts.ts'

/** Null where the claim says anything else, or the object's field may mean the same in other words. */
export function saidTogether(claim: string, values: readonly Json[]): boolean | null {
  const lists = objectLists(values)
  if (lists.length === 0) return null
  const { text, isDenied } = readClaim(claim, fieldsIn(values))
  const words = wordsWithDays(text).filter((word) => !isDenied || word !== 'not')
  const found = lists.map((list) => saidIn(list, words)).filter((holds) => holds !== null)
  return found.length === 1 ? found[0] !== isDenied : null
}

function saidIn(list: ObjectList, words: readonly string[]): boolean | null {
  const { said, rest } = meantBy(words, list)
  const name = said.find(({ isName }) => isName)
  const others = said.filter((value) => value !== name)
  // A word of a longer text may be said of anything.
  if (name === undefined || name.isOfText || others.length === 0) return null
  if (!areAccounted(rest, others) || (/ (?:on|at) /.test(words.join(' ')) && areRanges(list.objects))) return null
  const object = list.objects[name.places[0] as number] as ListedObject
  const held = others.map((value) => isSaidOf(object, value, rest))
  const isSo = held.includes(null) ? null : held.every((one) => one)
  // A word of a longer text may be said of others, too.
  return isSo === false && said.some(({ isOfText }) => isOfText) ? null : isSo
}

/** Of the field that the words left over name, where they name one. */
function isSaidOf(object: ListedObject, { text, keys }: SaidValue, rest: readonly string[]): boolean | null {
  const named = keys.filter((key) => rest.some((word) => isOfKey(word, key)))
  const meant = named.length > 0 ? named : keys
  const own = meant.map((key) => textOf(object[key]))
  if (own.includes(text)) return named.length > 0 || meant.every((key) => isOfNow(wordsOf(key))) ? true : null
  if (own.some((other) => isStepBefore(text, other))) return null
  // The name of another object may be said of what is in it. "PDF, CSV" says PDF, too.
  if (meant.includes(OWN_KEY)) return null
  return meant.length === 1 && own[0] !== '' && !hasWithin(own[0] as string, text) ? false : null
}

// What is so of some objects of a list, and of the others not: by a claim about each, or by the one field whose text
// says just this of some, as a status does.
import type { Json } from '../../../core/types.ts'
import { contentText, fieldsIn, wordSet, wordsOf } from '../fields/json-fields.ts'
import { isOfNow, saysWhatItIs, stemOf } from '../fields/key-words.ts'
import { isSame, isStepBefore } from '../fields/opposites.ts'
import { alone, areRanges, type ListedObject, type ObjectList } from './objects.ts'
import { hasWithin, saidText, textsOf, wordsWithDays } from './said-texts.ts'
import { nameKeysOf } from './value-index.ts'

const BE_OR_HAVE = '(?:is|are|was|were|has|have|had)'
/** What a claim or a question says of objects, as a pattern: "is open", "failed". */
export const SAYS = `(?<says>(?:${BE_OR_HAVE}|runs?|uses?|costs?|speaks?|weighs?|takes?|took|lasts?|needs?|scored|got|starts?|begins?|ends?|leaves?|arrives?|opens?|closes?) .+|(?:not )?\\p{L}+ed)`
/** A word that does not begin it. */
export const WORD = `(?!${BE_OR_HAVE}\\b|not\\b)\\p{L}+`

/** "did not pass" as "not passed" */
export const asDenied = (text: string): string => text.replace(/\b(?:do|does|did) not (\p{L}+?)e?$/iu, 'not $1ed')

/** Whether a claim holds of a JSON value; null where that does not say. */
export type Holds = (claim: string, values: readonly Json[]) => boolean | null

/** Of each object whether something is so of it: "is open" of a "bill". Null where that is not known of all. */
export function heldOf(
  what: string,
  says: string,
  { objects, calls }: Pick<ObjectList, 'objects' | 'calls'>,
  holds: Holds,
): readonly boolean[] | null {
  // As many fields as a state may have that is looked at.
  if (fieldsIn(objects).fields.length === 0) return null
  // "Orders over 90" are not those whose number is.
  const called = contentText(what) === contentText(nameKeysOf({ objects })[0] ?? '') ? 'one' : what
  const found = objects.map((object, i) => holds(`The ${calls?.[i] ?? called} ${says}.`, alone(object)))
  return found.every((isSo) => isSo !== null) ? found : saidOfSome(says, objects)
}

/** By the one field whose text says just this of some objects, and of the others not: "open", "sent back". */
export function kindOfSome(says: string, objects: readonly ListedObject[]): readonly boolean[] | null {
  const [said, isDenied] = affirmed(wordsWithDays(says))
  return onlyField(objects, said, isDenied, (key, each) => saysWhatItIs(wordsOf(key)) || new Set(each).size < each.length)
}

/** What stands before a text that a field has: "is in us-east", "run Debian 12". */
const WHERE = wordSet('in at on for of with from by run use cost speak include support allow')
/** "has the status shipped": what is written there, whatever that implies. */
const IS_WRITTEN = /^(?:has|have|had) (?:a |the )?/i
/** In front of where something is, for no more than that it is: "is present in staging". */
const THERE = wordSet('present available listed used deployed included')
/** Keys of which "from" and "by" say which is meant. */
const WHOSE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['from', wordSet('from origin sender source customer country city region merchant vendor supplier shop store seller')],
  ['by', wordSet('by author creator writer owner sender')],
])

/** What is bound for a place is not in it. */
const [IN, OF_WAY] = [wordSet('in at'), wordSet('destination origin to from last')]

/** The same, and "is in us-east", "is by Lena", "has the address 10.0.20.40", which may be another text in each. */
export function saidOfSome(says: string, objects: readonly ListedObject[]): readonly boolean[] | null {
  const kinds = kindOfSome(says, objects)
  if (kinds !== null) return kinds
  const [content, isDenied] = affirmed(wordsWithDays(says))
  const [first = '', ...rest] = THERE.has(content[0] ?? '') ? content.slice(1) : content
  const keys = Object.keys(objects[0] ?? {}).filter((key) => wordsOf(key).length > 0)
  const value = WHERE.has(first) ? rest : [first, ...rest]
  for (const key of keys) {
    const name = wordsOf(key)
    // "has the address 10.0.20.40", "is on the free plan"
    if (name.every((word, i) => value[i] === word)) {
      return onlyField(objects, value.slice(name.length), isDenied, (own) => own === key, IS_WRITTEN.test(says))
    }
    if (name.every((word, i) => value[value.length - name.length + i] === word)) {
      return onlyField(objects, value.slice(0, -name.length), isDenied, (own) => own === key)
    }
  }
  if (!WHERE.has(first) || (/^(?:on|at)$/.test(first) && areRanges(objects))) return null
  const whose = WHOSE.get(first)
  const isMeant = (key: string) =>
    whose === undefined ? !(IN.has(first) && wordsOf(key).some((word) => OF_WAY.has(word))) : wordsOf(key).some((word) => whose.has(word))
  return onlyField(objects, rest, isDenied, isMeant) ?? onlyMembers(objects, rest, isDenied)
}

/** "is present in staging" of { envs: ["staging", "prod"] }: null where not one list alone holds it in some objects. */
function onlyMembers(objects: readonly ListedObject[], said: readonly string[], isDenied: boolean): readonly boolean[] | null {
  const wanted = said.join(' ')
  const keys = Object.keys(objects[0] ?? {}).filter((key) => isOfNow(wordsOf(key)))
  const found = keys.flatMap((key) => {
    const lists = objects.map((object) => object[key] ?? [])
    if (wanted === '' || !lists.every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string'))) return []
    const held = lists.map((list) => (list as readonly string[]).some((one) => saidText(one) === wanted))
    return held.includes(true) ? [held] : []
  })
  const [own, another] = found
  return own === undefined || another !== undefined ? null : own.map((isSo) => isSo !== isDenied)
}

function affirmed(content: readonly string[]): readonly [content: readonly string[], isDenied: boolean] {
  return content[0] === 'not' ? [content.slice(1), true] : [content, false]
}

/** Of each object whether its field says this; null where not one field alone says it of some. */
function onlyField(
  objects: readonly ListedObject[],
  said: readonly string[],
  isDenied: boolean,
  isMeant: (key: string, each: readonly (string | null)[]) => boolean,
  isWritten = false,
): readonly boolean[] | null {
  const wanted = said.join(' ')
  const fields = Object.keys(objects[0] ?? {}).flatMap((key) => {
    if (!isOfNow(wordsOf(key))) return []
    const each = objects.map((object) => saying(object, key))
    return wanted !== '' && each.some((text) => text !== null && isSameKind(text, wanted)) && !each.includes(null) && isMeant(key, each)
      ? [each]
      : []
  })
  const [own, another] = fields
  if (own === undefined || another !== undefined) return null
  // "adopted with changes" may be adopted, and what is delivered has been shipped.
  if (own.some((text) => hasWithin(text as string, wanted) || (!isWritten && isStepBefore(wanted, text as string)))) return null
  return own.map((text) => isSameKind(text as string, wanted) !== isDenied)
}

/** "failed" says the same as "fail". */
const isSameKind = (text: string, wanted: string): boolean =>
  text === wanted || isSame(text, wanted) || (stemOf(text) === stemOf(wanted) && stemOf(text).length >= SHORTEST_STEM)
const SHORTEST_STEM = 4

/** Words of a text that is one of several that a field may have. */
const MOST_OF_A_KIND = 5

/** The content of a short text; '' where there is none, null for anything else. */
function saying(object: ListedObject, key: string): string | null {
  if (!Object.hasOwn(object, key)) return ''
  const text = textsOf(object).get(key)
  return text === undefined || text.split(' ').length > MOST_OF_A_KIND ? null : text
}

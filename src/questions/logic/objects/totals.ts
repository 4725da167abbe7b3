// "How many seats are there in total?", "total amount of the orders from Fenwick", "How many chores does Lasse have?":
// sums over the objects of a list that words mean, and how many these are.
import type { Json } from '../../../core/types.ts'
import { unitOfName } from '../../../core/units.ts'
import { questionText } from '../fields/claim.ts'
import { contentOf, wordSet } from '../fields/json-fields.ts'
import { isOfKey, keyNamed } from '../fields/key-words.ts'
import { readValueOf } from '../read-numbers.ts'
import { areAccounted, areKinds, type Meant, meantBy } from './meant.ts'
import { areSingle, type ObjectList, objectLists } from './objects.ts'
import { textOf, wordsWithDays } from './said-texts.ts'
import { kindsOf, nameKeysOf } from './value-index.ts'
import { areOfSeveralUnits } from './worths.ts'

const TOTAL =
  /\b(?:of all (?:\p{L}+ )?(?=together|combined)|in (?:total|all|sum)|total|altogether|together|overall|combined|sum(?: of)?)\b/giu
const HOW_MANY = /^(?:how many|(?:the )?number of|count(?: of)?)\b/iu
const HOW_MUCH = /^(?:(?:what|how much) (?:is|are|was|were|did|do|does)|how much|the|what)\b/iu
/** "How many different customers are there?" */
const DISTINCT =
  /^how many (?:different|distinct|unique) (?<of>\p{L}+(?: \p{L}+)?)(?: (?:are|were) (?:there|listed|shown|given|named)| appear)?(?: (?:on|in) (?:the|this) \p{L}+)?$/iu
/** Of a list whose things the question calls by any word. */
const LISTED =
  /^how many (?!of )(?<of>\p{L}+) (?:are|were) (?:listed|(?:there )?(?:on|in) (?:the|this) (?:list|table|report|export|file|sheet))$/iu
/** Rows with such a number may stand for several people. */
const PEOPLE = /^(?:persons?|people|guests?|pax|seats?|adults?|children)$/i
/** Words beside what is counted and summed up. */
const BESIDE = wordSet(
  'all these those each every both everyone over across get got take took cost use make of and listed shown worked spent recorded logged',
)

/** Null where a question asks for something else, or the fields do not surely say it. */
export function totalAsked(question: string, values: readonly Json[]): number | null {
  const text = questionText(question)
  const { of } = DISTINCT.exec(text)?.groups ?? {}
  if (of !== undefined) return distinctOf(contentOf(of), values)
  const isTotal = text.search(TOTAL) >= 0
  const isCount = HOW_MANY.test(text)
  if (!isCount && !isTotal) return null
  const words = wordsWithDays(text.replace(TOTAL, ' ').replace(HOW_MANY, ' ').replace(HOW_MUCH, ' ')).filter((word) => !BESIDE.has(word))
  const lists = objectLists(values)
  const [only, another] = lists
  const listed = LISTED.exec(text)?.groups?.of
  if (only !== undefined && another === undefined && listed !== undefined) return areCalled(listed, only) ? only.objects.length : null
  const found = lists
    .map((list) => {
      const meant = meantBy(words, list)
      if (!areKinds(meant.said)) return null
      return (isTotal ? sumOf(list, meant, isCount) : null) ?? (isCount ? countOf(list, meant, words) : null)
    })
    .filter((total) => total !== null)
  return found.length === 1 ? (found[0] as number) : null
}

/** Whether a word may be for the objects of a list: no other than their first key has it, nor is it one for people. */
function areCalled(word: string, list: ObjectList): boolean {
  const [said = ''] = contentOf(word)
  const keys = Object.keys(list.objects[0] ?? {})
  if (!areSingle(list.objects) || keys.some((key) => PEOPLE.test(key))) return false
  if (kindsOf(list).includes(said)) return true
  return !keys.some((key) => isOfKey(said, key)) && (!/^(?:people|person)$/.test(said) || /name/i.test(keys[0] ?? ''))
}

/** How many values the one field has that words name, in a list alone. */
function distinctOf(words: readonly string[], values: readonly Json[]): number | null {
  const counts = objectLists(values).flatMap(({ objects }) => {
    const key = keyNamed(words, Object.keys(objects[0] ?? {}))
    const texts = key === null ? [] : objects.map((object) => textOf(object[key])).filter((text) => text !== '')
    return texts.length === 0 ? [] : [new Set(texts).size]
  })
  return counts.length === 1 ? (counts[0] as number) : null
}

/** Of the one field that is named, of all that are meant. "How many" asks for what a key calls several, or its unit. */
function sumOf({ objects }: ObjectList, { places, said, rest }: Meant, isOfSeveral: boolean): number | null {
  const nameKeys = nameKeysOf({ objects })
  const key = keyNamed(
    rest.filter((word) => !areAccounted([word], said)),
    Object.keys(objects[0] ?? {}).filter((one) => !nameKeys.includes(one)),
  )
  // A price of each is no price of all.
  if (!areSingle(objects) && !HAS_NUMBER.test(key ?? '')) return null
  if (areOfSeveralUnits(objects)) return null
  if (key === null || places.length === 0 || (isOfSeveral && !/s$/i.test(key) && unitOfName(key) === null)) return null
  const numbers = places.map((place) => readValueOf(objects[place]?.[key] ?? null))
  const units = new Set(numbers.map((one) => (one === null ? null : `${one.ahead}${one.behind}`.trim())))
  const isWhole = !numbers.includes(null) && units.size === 1
  return isWhole ? Number(numbers.reduce((sum, one) => sum + (one?.number ?? 0), 0).toPrecision(12)) : null
}

/** Of so many there are of each: these are added up as they stand. */
const HAS_NUMBER =
  /^(?:n|num|count|qty|quantity|units?|pcs|pieces|persons?|people|guests?|pax|seats?|adults?|children|copies|boxes|amount|sum|.*total.*)$/i

/** Of those that are meant, where the words say what they are. */
function countOf(list: ObjectList, { places, said, rest }: Meant, words: readonly string[]): number | null {
  const kinds = kindsOf(list)
  const isSaid = words.some((word) => kinds.includes(word))
  return isSaid && places.length > 0 && areSingle(list.objects) && areAccounted(rest, said) ? places.length : null
}

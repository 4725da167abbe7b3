// Which objects of a list words mean by what their fields say: "the open orders of Fenwick", "R-310", and which words
// are left over. What is asked of them, or said, is accounted for by the words that are left.
import { wordSet, wordsOf } from '../fields/json-fields.ts'
import { areAllOfKey, isOfKey, isOfNow, stemOf } from '../fields/key-words.ts'
import { isStepBefore } from '../fields/opposites.ts'
import type { ObjectList } from './objects.ts'
import { hasWithin, wordsWithDays } from './said-texts.ts'
import { type IndexedValue, inOrder, type ValueIndex, valueIndexOf } from './value-index.ts'

export interface Meant {
  /** Places of the objects that say all that is said; all of them where nothing is. */
  readonly places: readonly number[]
  /** Keys of what is said, the texts with them. */
  readonly said: readonly SaidValue[]
  /** Words that say no value and do not say what the objects are. */
  readonly rest: readonly string[]
}

export interface SaidValue {
  readonly text: string
  /** Keys that may be meant: under each some object says it. */
  readonly keys: readonly string[]
  /** Of the objects that say it under one of them. */
  readonly places: readonly number[]
  /** Whether it names an object: no other says it, and it is what objects are called by. */
  readonly isName: boolean
  /** Whether an object says it among other words under one of the keys, and may mean it, too. */
  readonly isPart: boolean
  /** Whether it is a word of a longer text. */
  readonly isOfText: boolean
}

/** Words for objects of any kind. */
const ANY_KIND = wordSet('entry row line record item thing')
export const PREPOSITIONS = wordSet('in at on for of with from by to as per')
/** In front of a number or a day that is a limit, and not said by itself. */
const LIMITS = wordSet('by under over above below within until till after before since between')

/** What words mean in a list: longest values first. */
export function meantBy(words: readonly string[], list: ObjectList): Meant {
  const index = valueIndexOf(list)
  const values: IndexedValue[] = []
  const left: string[] = []
  for (let at = 0; at < words.length; ) {
    const value = valueAt(words, at, index)
    const isLimit = value !== null && LIMITS.has(words[at - 1] ?? '') && /\d|day$/.test(value.value.text)
    const found = isLimit ? null : value
    if (found === null) left.push(words[at++] as string)
    else {
      values.push(found.value)
      at += found.length
    }
  }
  const said = values.map((value) => saidValue(value, left, index))
  const places = list.objects.flatMap((_, place) => (said.every((value) => value.places.includes(place)) ? [place] : []))
  const saysNothing = (word: string) =>
    index.kinds.has(word) || index.kinds.has(stemOf(word)) || ANY_KIND.has(word) || (PREPOSITIONS.has(word) && !index.keyWords.has(word))
  return { places, said, rest: left.filter((word) => !saysNothing(word)) }
}

/** Whether values are said as they stand, of any objects: none is a name, and none a part of another value. */
export const areKinds = (said: readonly SaidValue[]): boolean => !said.some(({ isPart, isName }) => isPart || isName)

/** The places of the objects that a text describes; null where it says nothing of them, or more than they say. */
export function placesDescribed(text: string, list: ObjectList, mostLeft = 0): readonly number[] | null {
  const { places, said, rest } = meantBy(wordsWithDays(text), list)
  return said.length > 0 && places.length > 0 && rest.length <= mostLeft && areKinds(said) ? places : null
}

/** The place of the only object that a text calls by name, and says no more of; null for none. */
export function placeCalled(text: string, list: ObjectList): number | null {
  const { places, said, rest } = meantBy(wordsWithDays(text), list)
  const [name, another] = said
  return name?.isName && another === undefined && rest.length === 0 && places.length === 1 ? (places[0] as number) : null
}

/** Under the keys that other words name, where they name some: "night" of "the night shift is Hugo's". */
function saidValue({ text, at, isName, isOfText }: IndexedValue, words: readonly string[], { texts }: ValueIndex): SaidValue {
  const all = [...at.keys()]
  const named = all.filter((key) => areAllOfKey(words, key))
  const keys = named.length > 0 ? named : all
  const places = [...new Set(keys.flatMap((key) => [...(at.get(key) as ReadonlySet<number>)]))]
  // Of who paid and who was paid, and of what was so before, words have to say which is meant.
  const isUnclear = named.length === 0 && (all.length > 1 || !all.every((key) => isOfNow(wordsOf(key))))
  const isPart = isUnclear || keys.some((key) => texts.get(key)?.some((own) => hasWithin(own, text) || isStepBefore(text, own)))
  return { text, keys, places, isName: isName && places.length === 1, isPart, isOfText }
}

/** Whether words are of the keys of what is said. */
export function areAccounted(words: readonly string[], said: readonly SaidValue[]): boolean {
  return words.every((word) => said.some(({ keys }) => keys.some((key) => isOfKey(word, key))))
}

const SHORTEST_NUMBER = 3
const YEAR = /^(?:19|20)\d\d$/

/** The longest value that begins with a word, and how many words say it; null for none. */
function valueAt(words: readonly string[], at: number, { values, unordered, longest, kinds }: ValueIndex) {
  for (let length = Math.min(longest, words.length - at); length > 0; length--) {
    const said = words.slice(at, at + length)
    const text = said.join(' ')
    const value = values.get(text) ?? (length > 1 ? unordered.get(inOrder(said)) : undefined)
    if (value === undefined || (length === 1 && kinds.has(text))) continue
    // A number is a name behind what is called by it: "order 2".
    const isNumber = /^[\d ]+$/.test(text)
    const isNamed = kinds.has(words[at - 1] ?? '') || (text.length >= SHORTEST_NUMBER && !YEAR.test(text))
    if (!isNumber || isNamed) return { value, length }
  }
  return null
}

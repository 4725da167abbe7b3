// Which objects of a list words mean by what their fields say: "the open orders of Fenwick", "R-310", and which words
// are left over. What is asked of them, or said, is accounted for by the words that are left.
import { dateOf, datesIn, isoDay } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { contentOf, wordSet, wordsOf } from './json-fields.ts'
import { areAllOfKey, isOfKey, saysWhatItIs, stemOf } from './key-words.ts'
import { IN_BRACKETS, type ListedObject, type ObjectList } from './objects.ts'

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
}

interface IndexedValue {
  readonly text: string
  /** Places of the objects that say it, by key. */
  readonly at: ReadonlyMap<string, ReadonlySet<number>>
  readonly isName: boolean
}

interface Index {
  /** Content words of a value, joined. */
  readonly values: ReadonlyMap<string, IndexedValue>
  readonly longest: number
  /** What the objects are, as their list and the keys of their names say. */
  readonly kinds: ReadonlySet<string>
  /** The words of all keys. */
  readonly keyWords: ReadonlySet<string>
}

/** Longer texts are said in other words. */
const MOST_WORDS = 6
const SHORTEST_PART = 3
/** What has more is a text, and may say one of its words of anything. */
const MOST_WORDS_OF_NAME = 3
/** Words for objects of any kind. */
const ANY_KIND = wordSet('entry row line record item thing')
export const PREPOSITIONS = wordSet('in at on for of with from by to under as per')

const INDEXES = new WeakMap<readonly ListedObject[], Index>()

/** A text with its days as JSON writes them, and its content words. */
export function wordsWithDays(text: string): string[] {
  let written = text
  for (const { start, end, ...date } of datesIn(text).toSorted((a, b) => b.start - a.start)) {
    if (date.year !== null) written = `${written.slice(0, start)}${isoDay(date)}${written.slice(end)}`
  }
  return contentOf(written)
}

/** What words mean in a list: longest values first. */
export function meantBy(words: readonly string[], list: ObjectList): Meant {
  const index = indexOf(list)
  const values: IndexedValue[] = []
  const left: string[] = []
  for (let at = 0; at < words.length; ) {
    const length = lengthOfValue(words, at, index)
    if (length === 0) left.push(words[at++] as string)
    else {
      values.push(index.values.get(words.slice(at, at + length).join(' ')) as IndexedValue)
      at += length
    }
  }
  const said = values.map((value) => saidValue(value, left, list.objects))
  const places = list.objects.flatMap((_, place) => (said.every((value) => value.places.includes(place)) ? [place] : []))
  const saysNothing = (word: string) =>
    index.kinds.has(word) || index.kinds.has(stemOf(word)) || ANY_KIND.has(word) || (PREPOSITIONS.has(word) && !index.keyWords.has(word))
  return { places, said, rest: left.filter((word) => !saysNothing(word)) }
}

/** The place of the only object that a text calls by name, and says no more of; null for none. */
export function placeCalled(text: string, list: ObjectList): number | null {
  const { places, said, rest } = meantBy(wordsWithDays(text), list)
  const [name, another] = said
  return name?.isName && another === undefined && rest.length === 0 && places.length === 1 ? (places[0] as number) : null
}

/** Under the keys that other words name, where they name some: "night" of "the night shift is Hugo's". */
function saidValue({ text, at, isName }: IndexedValue, words: readonly string[], objects: readonly ListedObject[]): SaidValue {
  const all = [...at.keys()]
  const named = all.filter((key) => areAllOfKey(words, key))
  const keys = named.length > 0 ? named : all
  const places = [...new Set(keys.flatMap((key) => [...(at.get(key) as ReadonlySet<number>)]))]
  const isPart = objects.some((object) => keys.some((key) => hasWithin(textOf(object[key]), text)))
  return { text, keys, places, isName: isName && places.length === 1, isPart }
}

/** Whether words are of the keys of what is said. */
export function areAccounted(words: readonly string[], said: readonly SaidValue[]): boolean {
  return words.every((word) => said.some(({ keys }) => keys.some((key) => isOfKey(word, key))))
}

/** Whether a text has others among more words. */
export const hasWithin = (text: string, words: string): boolean => text !== words && ` ${text} `.includes(` ${words} `)

const SHORTEST_NUMBER = 3
const YEAR = /^(?:19|20)\d\d$/

function lengthOfValue(words: readonly string[], at: number, { values, longest, kinds }: Index): number {
  for (let length = Math.min(longest, words.length - at); length > 0; length--) {
    const text = words.slice(at, at + length).join(' ')
    if (!values.has(text) || (length === 1 && kinds.has(text))) continue
    // A number is a name behind what is called by it: "order 2".
    const isNumber = /^[\d ]+$/.test(text)
    const isNamed = kinds.has(words[at - 1] ?? '') || (text.length >= SHORTEST_NUMBER && !YEAR.test(text))
    if (!isNumber || isNamed) return length
  }
  return 0
}

/** Keys whose values call the objects, of which no two are alike: the first key, and texts that are no days. */
export function nameKeysOf({ objects }: Pick<ObjectList, 'objects'>): readonly string[] {
  const before = NAME_KEYS.get(objects)
  if (before !== undefined) return before
  const found = Object.keys(objects[0] ?? {}).filter((key, i) => {
    const texts = objects.map((object) => textOf(object[key]))
    const isText = objects.some((object) => typeof object[key] === 'string' && !isDay(object[key]))
    return (i === 0 || (isText && !saysWhatItIs(wordsOf(key)))) && !texts.includes('') && new Set(texts).size === texts.length
  })
  NAME_KEYS.set(objects, found)
  return found
}

const NAME_KEYS = new WeakMap<readonly ListedObject[], readonly string[]>()

const isDay = (text: string): boolean => /\d/.test(text) && dateOf(text) !== null

function indexOf(list: ObjectList): Index {
  const before = INDEXES.get(list.objects)
  if (before !== undefined) return before
  const { objects, name } = list
  const nameKeys = nameKeysOf(list)
  const values = new Map<string, Omit<IndexedValue, 'at'> & { readonly at: Map<string, Set<number>> }>()
  const add = (text: string, key: string, place: number, isName: boolean): void => {
    const value = values.get(text) ?? { text, at: new Map<string, Set<number>>(), isName }
    value.at.set(key, (value.at.get(key) ?? new Set()).add(place))
    values.set(text, value)
  }
  for (const [place, object] of objects.entries()) {
    for (const [key, value] of Object.entries(object)) {
      // A number may be a count of anything, unless it is what the object is called by.
      if (typeof value === 'number' && !nameKeys.includes(key)) continue
      const short = typeof value === 'string' ? textOf(value.replace(IN_BRACKETS, '')) : ''
      if (short !== '' && short !== textOf(value)) add(short, key, place, nameKeys.includes(key))
      const text = textOf(value)
      if (text !== '' && text.split(' ').length <= MOST_WORDS) add(text, key, place, nameKeys.includes(key))
    }
  }
  const keyWords = new Set(objects.flatMap((object) => Object.keys(object)).flatMap(wordsOf))
  for (const key of nameKeys) addParts(objects, key, keyWords, values, add)
  const longest = Math.max(0, ...[...values.keys()].map((text) => text.split(' ').length))
  const kinds = new Set([...name, ...wordsOf(nameKeys[0] ?? '').filter((word) => !GENERAL.has(word))])
  const index = { values, longest, kinds, keyWords }
  INDEXES.set(objects, index)
  return index
}

/** Of what any object may be called by. */
const GENERAL = wordSet('name id title label key no number code')

/** "Selin" of "Selin Kaya", where no other value and no key has that word. */
function addParts(
  objects: readonly ListedObject[],
  nameKey: string,
  keyWords: ReadonlySet<string>,
  values: ReadonlyMap<string, unknown>,
  add: (text: string, key: string, place: number, isName: boolean) => void,
): void {
  const texts = objects.map((object) => Object.values(object).map(textOf).join(' ').split(' '))
  const names = objects.map((object) => textOf(object[nameKey]).split(' '))
  if (names.some((words) => words.length > MOST_WORDS_OF_NAME)) return
  const parts = names.flatMap((words, place) => (words.length < 2 ? [] : words.map((word) => ({ word, place }))))
  for (const { word, place } of parts) {
    const isWord = word.length >= SHORTEST_PART && /^\p{L}+$/u.test(word)
    const isItsOwn = texts.every((other, at) => at === place || !other.includes(word))
    if (isWord && isItsOwn && !keyWords.has(word) && !values.has(word)) add(word, nameKey, place, true)
  }
}

/** The content of a text or a number, days as JSON writes them; '' of anything else. */
export function textOf(value: Json | undefined): string {
  if (typeof value === 'number') return contentOf(String(value)).join(' ')
  if (typeof value !== 'string') return ''
  const date = /\d/.test(value) ? dateOf(value) : null
  return contentOf(date === null || date.year === null ? value : isoDay(date)).join(' ')
}

/** The only key under which all options stand. */
export function keyOfAll(options: readonly string[], { objects }: ObjectList): string | null {
  const keys = Object.keys(objects[0] ?? {}).filter((key) => {
    const texts = new Set(objects.map((object) => textOf(object[key])))
    return options.every((option) => texts.has(contentOf(option).join(' ')))
  })
  return keys.length === 1 ? (keys[0] as string) : null
}

// The values of the objects of a list by what they say, and which of them objects are called by.
import { contentOf, wordSet, wordsOf } from '../fields/json-fields.ts'
import { saysWhatItIs } from '../fields/key-words.ts'
import { IN_BRACKETS, type ListedObject, type ObjectList } from './objects.ts'
import { isDay, textOf } from './said-texts.ts'

export interface IndexedValue {
  readonly text: string
  /** Places of the objects that say it, by key. */
  readonly at: ReadonlyMap<string, ReadonlySet<number>>
  readonly isName: boolean
}

export interface ValueIndex {
  /** Content words of a value, joined. */
  readonly values: ReadonlyMap<string, IndexedValue>
  /** By key, of each object, '' for none; of more than are looked through, no keys. */
  readonly texts: ReadonlyMap<string, readonly string[]>
  readonly longest: number
  /** What the objects are, as their list and the keys of their names say. */
  readonly kinds: ReadonlySet<string>
  /** The words of all keys. */
  readonly keyWords: ReadonlySet<string>
}

/** Longer texts are said in other words. */
const MOST_WORDS = 6
const SHORTEST_PART = 3
const MOST_VALUES = 4_000
/** What has more is a text, and may say one of its words of anything. */
const MOST_WORDS_OF_NAME = 3

const INDEXES = new WeakMap<readonly ListedObject[], ValueIndex>()

/** Keys whose values call the objects, of which no two are alike: the first key, and texts that are no days. */
export function nameKeysOf({ objects }: Pick<ObjectList, 'objects'>): readonly string[] {
  const before = NAME_KEYS.get(objects)
  if (before !== undefined) return before
  const keys = Object.keys(objects[0] ?? {})
  const found = (keys.length * objects.length > MOST_VALUES ? [] : keys).filter((key, i) => {
    const texts = objects.map((object) => textOf(object[key]))
    const isText = objects.some((object) => typeof object[key] === 'string' && !isDay(object[key]))
    return (i === 0 || (isText && !saysWhatItIs(wordsOf(key)))) && !texts.includes('') && new Set(texts).size === texts.length
  })
  NAME_KEYS.set(objects, found)
  return found
}

/** What the objects of a list are called, by its name and the first key of theirs: "order" of `order_id`. */
export function kindsOf(list: ObjectList): readonly string[] {
  return [...list.name, ...contentOf(nameKeysOf(list)[0] ?? '')]
}

const NAME_KEYS = new WeakMap<readonly ListedObject[], readonly string[]>()

/** By the objects of a list, which do not change. */
export function valueIndexOf(list: ObjectList): ValueIndex {
  const before = INDEXES.get(list.objects)
  if (before !== undefined) return before
  const { objects, name } = list
  const nameKeys = nameKeysOf(list)
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))]
  const keyWords = new Set(keys.flatMap(wordsOf))
  const isSmall = keys.length * objects.length <= MOST_VALUES
  const texts = new Map(isSmall ? keys.map((key) => [key, objects.map((object) => textOf(object[key]))]) : [])
  const values = new Map<string, FoundValue>()
  const add = (text: string, key: string, place: number): void => {
    const value = values.get(text) ?? { text, at: new Map<string, Set<number>>(), isName: nameKeys.includes(key) }
    value.at.set(key, (value.at.get(key) ?? new Set()).add(place))
    values.set(text, value)
  }
  for (const [key, said] of texts) {
    for (const [place, text] of said.entries()) {
      const value = objects[place]?.[key]
      // A number may be a count of anything, unless it is what the object is called by.
      if (text === '' || (typeof value === 'number' && !nameKeys.includes(key))) continue
      if (text.split(' ').length <= MOST_WORDS) add(text, key, place)
      const short = typeof value === 'string' && IN_BRACKETS.test(value) ? textOf(value.replace(IN_BRACKETS, '')) : ''
      if (short !== '') add(short, key, place)
    }
  }
  for (const { word, key, place } of partsOf(texts, nameKeys)) if (!keyWords.has(word) && !values.has(word)) add(word, key, place)
  const longest = Math.max(0, ...[...values.keys()].map((text) => text.split(' ').length))
  const kinds = new Set([...name, ...wordsOf(nameKeys[0] ?? '').filter((word) => !GENERAL.has(word))])
  const index = { values, texts, longest, kinds, keyWords }
  INDEXES.set(objects, index)
  return index
}

type FoundValue = Omit<IndexedValue, 'at'> & { readonly at: Map<string, Set<number>> }

/** Of what any object may be called by. */
const GENERAL = wordSet('name id title label key no number code')

/** "Selin" of "Selin Kaya", where no other object has that word. */
function* partsOf(texts: ValueIndex['texts'], nameKeys: readonly string[]) {
  const owners = ownersOf(texts)
  for (const key of nameKeys) {
    const names = (texts.get(key) ?? []).map((text) => text.split(' '))
    if (names.some((words) => words.length > MOST_WORDS_OF_NAME)) continue
    for (const [place, words] of names.entries()) {
      const parts = words.length < 2 ? [] : words.filter((word) => word.length >= SHORTEST_PART && /^\p{L}+$/u.test(word))
      for (const word of parts) if (owners.get(word) === place) yield { word, key, place }
    }
  }
}

/** The only object that has a word in one of its texts; null for several. */
function ownersOf(texts: ValueIndex['texts']): ReadonlyMap<string, number | null> {
  const owners = new Map<string, number | null>()
  for (const said of texts.values()) {
    for (const [place, text] of said.entries()) {
      for (const word of text.split(' '))
        owners.set(word, (owners.get(word) ?? place) === place && owners.get(word) !== null ? place : null)
    }
  }
  return owners
}

// The values of the objects of a list by what they say, and which of them objects are called by.
import { contentOf, wordSet, wordsOf } from '../fields/json-fields.ts'
import { saysWhatItIs } from '../fields/key-words.ts'
import { IN_BRACKETS, type ListedObject, type ObjectList } from './objects.ts'
import { isDay, saidText, textOf } from './said-texts.ts'

export interface IndexedValue {
  readonly text: string
  /** Places of the objects that say it, by key. */
  readonly at: ReadonlyMap<string, ReadonlySet<number>>
  readonly isName: boolean
  /** A word of a longer text, which may say more of others than of this object. */
  readonly isOfText: boolean
}

export interface ValueIndex {
  /** Content words of a value, joined. */
  readonly values: ReadonlyMap<string, IndexedValue>
  /** The same by their words in the order of the alphabet: "large cartons" are "Carton, large". */
  readonly unordered: ReadonlyMap<string, IndexedValue>
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
const [MOST_WORDS_OF_NAME, MOST_WORDS_OF_PERSON] = [8, 3]
/** A name of two or three words. */
const IS_PERSON = /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,2}$/u

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
  const add = (text: string, key: string, place: number, isOfText = false): void => {
    const value = values.get(text) ?? { text, at: new Map<string, Set<number>>(), isName: nameKeys.includes(key), isOfText }
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
  for (const { word, key, place, isOfText } of partsOf(texts, nameKeys, objects)) {
    if (!keyWords.has(word) && !values.has(word)) add(word, key, place, isOfText)
  }
  const longest = Math.max(0, ...[...values.keys()].map((text) => text.split(' ').length))
  const kinds = new Set([...name, ...wordsOf(nameKeys[0] ?? '').filter((word) => !GENERAL.has(word))])
  const unordered = new Map([...values].filter(([text]) => text.includes(' ')).map(([text, value]) => [inOrder(text.split(' ')), value]))
  const index = { values, unordered, texts, longest, kinds, keyWords }
  INDEXES.set(objects, index)
  return index
}

/** The only key under which all options stand. */
export function keyOfAll(options: readonly string[], list: ObjectList): string | null {
  const said = options.map(saidText)
  const keys = [...valueIndexOf(list).texts].filter(([, texts]) => said.every((text) => texts.includes(text)))
  return keys.length === 1 ? (keys[0] as readonly [string, unknown])[0] : null
}

/** Words in the order of the alphabet. */
export const inOrder = (words: readonly string[]): string => words.toSorted().join(' ')

type FoundValue = Omit<IndexedValue, 'at'> & { readonly at: Map<string, Set<number>> }

/** Of what any object may be called by. */
const GENERAL = wordSet('name id title label key no number code')

/** "Selin" of "Selin Kaya", where no other value has that word: of what objects are called by, and of other names. */
function* partsOf(texts: ValueIndex['texts'], nameKeys: readonly string[], objects: readonly ListedObject[]) {
  const owners = ownersOf(texts)
  for (const [key, said] of texts) {
    const isName = nameKeys.includes(key)
    const most = isName ? MOST_WORDS_OF_NAME : MOST_WORDS_OF_PERSON
    if (said.some((text) => text.split(' ').length > most)) continue
    for (const [place, text] of said.entries()) {
      const words = text.split(' ')
      const isPerson = IS_PERSON.test(String(objects[place]?.[key]))
      if (words.length < 2 || !(isName || isPerson)) continue
      for (const word of words) {
        const isWord = word.length >= SHORTEST_PART && /^\p{L}+$/u.test(word)
        if (isWord && owners.get(word) === ownerOf(key, text)) yield { word, key, place, isOfText: !isPerson }
      }
    }
  }
}

const ownerOf = (key: string, text: string): string => `${key}\n${text}`

/** The only value that has a word, with its key; null for several. */
function ownersOf(texts: ValueIndex['texts']): ReadonlyMap<string, string | null> {
  const owners = new Map<string, string | null>()
  for (const [key, said] of texts) {
    for (const text of said) {
      const own = ownerOf(key, text)
      for (const word of text.split(' ')) owners.set(word, (owners.get(word) ?? own) === own && owners.get(word) !== null ? own : null)
    }
  }
  return owners
}

// The fields of a JSON value, and which of them words name: "the customer's e-mail", `customer.email`, "email".
import type { Json } from '../../../core/types.ts'
import { spokenBeside } from '../records/spoken.ts'

export interface JsonField {
  readonly key: string
  /** All keys from the outside, its own the last. */
  readonly path: readonly string[]
  /** The words of its key, in lower case. */
  readonly name: readonly string[]
  /** Those of the keys around it. */
  readonly around: ReadonlySet<string>
  readonly value: Json
  /** All fields of its object, itself among them. */
  readonly beside: readonly JsonField[]
}

/** More fields than a question can be meant to name one of; each is looked at for every question. */
const MOST_FIELDS = 500

export interface JsonFields {
  readonly fields: readonly JsonField[]
  /** The words of all keys, and the fields that have them in their names. */
  readonly known: ReadonlyMap<string, readonly JsonField[]>
  /** Whether sentences beside the fields speak of something by itself. */
  readonly isSpokenOf: (word: string) => boolean
}

/** By the list of values of one state, which does not change. */
const FOUND = new WeakMap<readonly Json[], JsonFields>()

/** The fields of the JSON values of a state; none where there are too many. */
export function fieldsIn(values: readonly Json[]): JsonFields {
  const before = FOUND.get(values)
  if (before !== undefined) return before
  const all = values.flatMap((value) => [...fieldsOf(value)])
  const fields = all.length > MOST_FIELDS ? [] : all
  const known = new Map<string, JsonField[]>()
  for (const field of fields) {
    for (const word of field.name) known.set(word, [...(known.get(word) ?? []), field])
  }
  const spoken = values.flatMap((value) => spokenBeside(value) ?? [])
  const found = { fields, known, isSpokenOf: (word: string) => spoken.some((words) => words.has(word)) }
  FOUND.set(values, found)
  return found
}

/** The values of an object and of those inside it; objects in a list are several of a kind, and none is named. */
function* fieldsOf(value: Json, outer: readonly string[] = [], around: readonly string[] = []): Generator<JsonField> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return
  const beside: JsonField[] = []
  for (const [key, inner] of Object.entries(value)) {
    const name = wordsOf(key).filter((word) => !BE.has(word))
    beside.push({ key, path: [...outer, key], name, around: new Set(around), value: inner, beside })
  }
  for (const field of beside) {
    if (field.name.length > 0) yield field
    yield* fieldsOf(field.value, field.path, [...around, ...field.name])
  }
}

/** `isPaid`, `is_paid` and "Is paid" are the same words; of one thing and of several, too. */
export function wordsOf(text: string): readonly string[] {
  const before = WORDS.get(text)
  if (before !== undefined) return before
  const words = writtenWords(text).map((word) => (EMPTY.has(word) ? word : word.replace(/(?<=..[^s])s$/, '')))
  if (WORDS.size >= MOST_KEPT) WORDS.clear()
  if (text.length <= LONGEST_KEPT) WORDS.set(text, words)
  return words
}

/** Keys and short texts come again with each question. */
const WORDS = new Map<string, readonly string[]>()
const [MOST_KEPT, LONGEST_KEPT] = [2_000, 60]

/** The same as they are written, "pH" and "A-1" one word each: "slot" and "slots" are two words. */
export function writtenWords(text: string): string[] {
  return text
    .replace(/['’]s\b/g, '')
    .replace(/(?<![\p{L}\d])(\p{L})-(?=\d)/gu, '$1')
    .replace(/(\p{Ll}{2}|\d)(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
}

export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

const BE = wordSet('is are was were has have had been being be')
const EMPTY = new Set([
  ...BE,
  ...wordSet('the a an this that these those it its of there any some does do did currently already yet still'),
])

/** The words of a text, but for those that say nothing by themselves. */
export function contentOf(text: string): string[] {
  return wordsOf(text).filter((word) => !EMPTY.has(word))
}

/** The same as a text: what two texts say alike. */
export const contentText = (text: string): string => contentOf(text).join(' ')

/** Whether a key is for several things, so that its number says how many there are: "seats", not "seat". */
export const isCount = (key: string): boolean =>
  writtenWords(key).some((word) => (word.length > 3 && !BE.has(word) && /[^su]s$/.test(word)) || SEVERAL.has(word))

const SEVERAL = wordSet('people children staff men women fish sheep pcs pts')

/** Whether a value has nothing inside it. */
export function isScalar(value: Json): boolean {
  return value === null || typeof value !== 'object'
}

/** The same text, however it is written: "in_progress", "In progress". */
export function plain(text: string): string {
  return wordsOf(text).join(' ')
}

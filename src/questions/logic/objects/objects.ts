// The objects of a list, or of an object whose members are all objects, and which of them a name is meant for.
import type { Json } from '../../../core/types.ts'
import { isObject } from '../../../core/untrusted.ts'
import { plain, wordSet, wordsOf } from '../fields/json-fields.ts'
import { spelledOut } from '../fields/key-words.ts'
import { readValueOf } from '../read-numbers.ts'
import { saidText, textsOf } from './said-texts.ts'

export type ListedObject = Readonly<Record<string, Json>>

export interface ObjectList {
  /** The words of its key; none for a list that is the state. */
  readonly name: readonly string[]
  readonly objects: readonly ListedObject[]
  /** What each is called in claims; null for what its list says they are. */
  readonly calls: readonly string[] | null
}

/** More objects than are looked at one by one. */
const MOST_OBJECTS = 200
/** The key that an object of an object has; no key is so written. */
export const OWN_KEY = '\u0000'
/** The key of what stands under it, where that is no object. */
export const OWN_VALUE = '\u0000 value'
const FEWEST_VALUES = 3
const MOST_WORDS_OF_VALUE = 5

/** By the list of values of one state, which does not change. */
const FOUND = new WeakMap<readonly Json[], readonly ObjectList[]>()

/** Lists of one name, as each department has its employees, are one list. */
export function objectLists(values: readonly Json[]): readonly ObjectList[] {
  const before = FOUND.get(values)
  if (before !== undefined) return before
  const found = new Map<string, Collected>()
  for (const value of values) collect(value, '', found)
  const lists = [...found.values()].filter(({ objects }) => objects.length > 1 && objects.length <= MOST_OBJECTS)
  FOUND.set(values, lists)
  return lists
}

interface Collected extends ObjectList {
  readonly objects: ListedObject[]
  readonly calls: string[] | null
}

/** `isRow`: one of several objects, whose members say different things of it. */
function collect(value: Json, key: string, found: Map<string, Collected>, isRow = false): void {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    const areRows = value.every(isListed)
    if (areRows) add(value, null, key, found)
    for (const member of value) collect(member, key, found, areRows)
    return
  }
  const members = Object.entries(value)
  const areRows = members.every(([, one]) => isListed(one))
  if (areRows) {
    add(
      members.map(([own, one]) => ({ [OWN_KEY]: own, ...(one as ListedObject) })),
      null,
      key,
      found,
    )
  } else if (members.every(([, one]) => typeof one === 'boolean')) {
    const calls = members.map(([own]) => plain(own))
    add(
      members.map(([own, one]) => ({ [OWN_KEY]: own, [own]: one })),
      calls,
      key,
      found,
    )
  }
  if (!isRow && areAlike(members.map(([, one]) => one))) {
    add(
      members.map(([own, one]) => ({ [OWN_KEY]: own, [OWN_VALUE]: one })),
      null,
      key,
      found,
    )
  }
  for (const [own, member] of members) collect(member, own, found, areRows)
}

/** Numbers, or short texts of which some are the same: members that say the same of several things. */
function areAlike(values: readonly Json[]): boolean {
  if (values.length < FEWEST_VALUES) return false
  if (values.every((value) => readValueOf(value) !== null)) return true
  const areTexts = values.every((value) => typeof value === 'string' && wordsOf(value).length <= MOST_WORDS_OF_VALUE)
  return areTexts && new Set(values).size < values.length
}

const SUM = /^(?:(?:grand |sub)?totals?|sums?|total amount|average|mean|overall)$/i

/** Whether what an object is called by says that it sums up the others. */
export const sumsUp = (object: ListedObject): boolean => {
  const [name] = Object.values(object)
  return typeof name === 'string' && SUM.test(name.trim())
}

/** "machineList", "open_items_list": a list of machines, of open items. */
const OF_LIST = /(?:(?<=\p{Ll})L|_l)ist$/u

/** More than are looked at are not kept. */
function add(all: readonly ListedObject[], calls: readonly string[] | null, key: string, found: Map<string, Collected>): void {
  const objects = calls === null ? all.filter((object) => !sumsUp(object)) : all
  const id = `${calls === null ? 'objects' : 'flags'} ${key}`
  const list = found.get(id) ?? { name: wordsOf(key.replace(OF_LIST, '')), objects: [], calls: calls && [] }
  const room = MOST_OBJECTS + 1 - list.objects.length
  list.objects.push(...objects.slice(0, room))
  list.calls?.push(...(calls ?? []).slice(0, room))
  found.set(id, list)
}

/** The lists that words name; of a state that is a list, and has no other, any words may say what is in it. */
export function listsNamed(words: readonly string[], values: readonly Json[]): readonly ObjectList[] {
  const lists = objectLists(values)
  const [only] = lists
  const isOnly = lists.length === 1 && only !== undefined && !only.objects.some((object) => isCalled(words.join(' '), object))
  if (words.length === 1 && words[0] === 'one') return isOnly ? lists : []
  return lists.filter(({ name }) => (name.length === 0 ? isOnly : name.map(spelledOut).join(' ') === words.join(' ')))
}

/** Keys for how many things an object stands for, and for how many of a thing it is about. */
const [COUNTS, AMOUNTS] = [/^(?:n|num|no_of|count)$/i, /^(?:qty|quantity|units?|pcs|pieces|copies|boxes)$/i]
/** First keys of what is one, however much it is about: an order of four pieces. */
const IS_ONE = wordSet('order invoice booking shipment delivery purchase payment transaction visit line ref id')

/** Whether each stands for one thing: no key says how many there are of it, but one that numbers them. */
export function areSingle(objects: readonly ListedObject[]): boolean {
  const keys = Object.keys(objects[0] ?? {})
  const isOne = wordsOf(keys[0] ?? '').some((word) => IS_ONE.has(word))
  return keys.every((key) => {
    if (!COUNTS.test(key) && (isOne || !AMOUNTS.test(key))) return true
    const counts = objects.map((object) => object[key])
    return counts.every((count) => typeof count !== 'number' || count === 1) || counts.every((count, i) => count === i + 1)
  })
}

/** Whether objects say from when and until when: a day between both is said by neither. */
export function areRanges(objects: readonly ListedObject[]): boolean {
  const words = Object.keys(objects[0] ?? {}).flatMap(wordsOf)
  return (
    ['from', 'start', 'begin'].some((word) => words.includes(word)) && ['to', 'until', 'end', 'till'].some((word) => words.includes(word))
  )
}

/** By object, which does not change. */
const ALONE = new WeakMap<ListedObject, readonly Json[]>()

/** An object as all that a state holds: the same list each time, so that what is found in it once is kept. */
export function alone(object: ListedObject): readonly Json[] {
  const before = ALONE.get(object)
  if (before !== undefined) return before
  const values = [object as Json]
  ALONE.set(object, values)
  return values
}

/** An object of JSON holds JSON. */
export const isListed = (value: Json): value is ListedObject => isObject(value)

/** Of each option the place of the only object that it names; null where one names none or several. */
export function placesOf(options: readonly string[], objects: readonly ListedObject[]): readonly number[] | null {
  const places = options.map((option) => objects.flatMap((object, at) => (isCalled(option, object) ? at : [])))
  return places.every(({ length }) => length === 1) ? places.flat() : null
}

/** The place of the only option that an object is called by, of options that all call some; null for none. */
export function optionCalling(object: ListedObject, options: readonly string[], objects: readonly ListedObject[]): number | null {
  const calling = options.flatMap((option, at) => (isCalled(option, object) ? [at] : []))
  const areNames = options.every((option) => objects.some((one) => isCalled(option, one)))
  return areNames && calling.length === 1 ? (calling[0] as number) : null
}

/** Whether one of its texts or numbers is just this. */
export function isCalled(name: string, object: ListedObject): boolean {
  const said = saidText(name)
  return said !== '' && callsOf(object).has(said)
}

const CALLS = new WeakMap<ListedObject, ReadonlySet<string>>()

/** What an object may be called by: each of its texts and numbers. */
export function callsOf(object: ListedObject): ReadonlySet<string> {
  const before = CALLS.get(object)
  if (before !== undefined) return before
  const calls = new Set([...textsOf(object).values(), ...shortNames(object)].filter((text) => text !== ''))
  CALLS.set(object, calls)
  return calls
}

export const IN_BRACKETS = / \([^)]*\)$/

/** "S-118" of "S-118 (river water)" */
function shortNames(object: ListedObject): string[] {
  const texts = Object.values(object).filter((value): value is string => typeof value === 'string' && IN_BRACKETS.test(value))
  return texts.map((text) => saidText(text.replace(IN_BRACKETS, '')))
}

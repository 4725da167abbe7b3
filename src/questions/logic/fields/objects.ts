// The objects of a list, or of an object whose members are all objects, and which of them a name is meant for.
import type { Json } from '../../../core/types.ts'
import { contentOf, isScalar, wordsOf } from './json-fields.ts'

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
const OWN_KEY = '\u0000'

/** By the list of values of one state, which does not change. */
const FOUND = new WeakMap<readonly Json[], readonly ObjectList[]>()

/** Lists of one name, as each department has its employees, are one list. */
export function objectLists(values: readonly Json[]): readonly ObjectList[] {
  const before = FOUND.get(values)
  if (before !== undefined) return before
  const found = new Map<string, ObjectList>()
  for (const list of values.flatMap((value) => [...listsIn(value, '')])) {
    const key = JSON.stringify([list.name, list.calls !== null])
    const other = found.get(key)
    found.set(key, {
      ...list,
      objects: [...(other?.objects ?? []), ...list.objects],
      calls: list.calls && [...(other?.calls ?? []), ...list.calls],
    })
  }
  const lists = [...found.values()].filter(({ objects }) => objects.length > 1 && objects.length <= MOST_OBJECTS)
  FOUND.set(values, lists)
  return lists
}

function* listsIn(value: Json, key: string): Generator<ObjectList> {
  if (value === null || typeof value !== 'object') return
  const [name, members] = [wordsOf(key), Object.entries(value)]
  if (Array.isArray(value)) {
    if (value.every(isObject)) yield { name, objects: value, calls: null }
  } else if (members.every(([, one]) => isObject(one))) {
    yield { name, objects: members.map(([own, one]) => ({ [OWN_KEY]: own, ...(one as ListedObject) })), calls: null }
  } else if (members.every(([, one]) => typeof one === 'boolean')) {
    const objects = members.map(([own, one]) => ({ [OWN_KEY]: own, [own]: one }))
    yield { name, objects, calls: members.map(([own]) => wordsOf(own).join(' ')) }
  }
  for (const [own, member] of members) yield* listsIn(member, Array.isArray(value) ? key : own)
}

/** The lists that words name; of a state that is a list, and has no other, any words may say what is in it. */
export function listsNamed(words: readonly string[], values: readonly Json[]): readonly ObjectList[] {
  const lists = objectLists(values)
  const isOnly = lists.length === 1
  return lists.filter(({ name }) => (name.length === 0 ? isOnly : name.join(' ') === words.join(' ')))
}

export const isObject = (value: Json): value is ListedObject => !isScalar(value) && !Array.isArray(value)

/** Whether one of its texts or numbers is just this. */
export function isCalled(name: string, object: ListedObject): boolean {
  const said = contentOf(name).join(' ')
  return said !== '' && callsOf(object).includes(said)
}

/** The content of its texts and numbers. */
export function callsOf(object: ListedObject): string[] {
  return Object.values(object)
    .filter(isName)
    .map((value) => contentOf(String(value)).join(' '))
    .filter((call) => call !== '')
}

export const isName = (value: Json): boolean => typeof value === 'string' || typeof value === 'number'

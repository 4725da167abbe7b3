// Copies a JSON value of the caller's process, and checks it on the way: what is read from then on is what was checked,
// whatever the caller does with the original, and plain, so that it can be sent to a worker.
import { LONGEST_STATE, MAX_JSON_DEPTH } from '../../core/limits.ts'
import { memberOf, whyNotJson } from '../../core/plain-json.ts'
import { pointer } from '../../core/pointer.ts'
import type { Json } from '../../core/types.ts'
import type { Fault } from '../../questions/shared/checked-question.ts'
import { tooLong } from './json.ts'

/** Values (leaves and containers) of one JSON state. */
export const MAX_JSON_VALUES = 100_000
/** Faults of one value that are told. */
const MOST_FAULTS_OF_VALUE = 20

/**
 * The value as it is now. Members that are undefined are left out, as JSON does. What is no JSON, too deep or too much
 * is added to `faults`, with `base` and its pointer as the param, and stands as null in the copy.
 */
export function plainJson(value: unknown, base: string, faults: Fault[]): Json {
  const above = new Set<object>()
  let values = 0
  let found = 0

  const refuse = (path: string, message: string): null => {
    found++
    faults.push({ code: 'invalid_request', param: base + path, message })
    return null
  }
  const isOver = (): boolean => found >= MOST_FAULTS_OF_VALUE || values > MAX_JSON_VALUES

  const copy = (one: unknown, path: string): Json => {
    if (++values > MAX_JSON_VALUES)
      return refuse(path, `The JSON state has more than ${MAX_JSON_VALUES} values; send only what the questions need.`)
    const why = whyNotJson(one)
    if (why !== null) return refuse(path, why)
    if (typeof one === 'string' && one.length > LONGEST_STATE) {
      found = MOST_FAULTS_OF_VALUE
      faults.push({ code: 'request_too_large', param: base, message: tooLong(base).message })
      return null
    }
    if (typeof one !== 'object' || one === null) return one as Json
    if (above.has(one)) return refuse(path, 'This object holds itself, and JSON has no circles; leave it out here.')
    if (above.size >= MAX_JSON_DEPTH)
      return refuse(path, `The JSON state is nested deeper than ${MAX_JSON_DEPTH} levels; flatten it or send it as text.`)
    above.add(one)
    const copied = Array.isArray(one) ? copyList(one, path) : copyObject(one, path)
    above.delete(one)
    return copied
  }

  const copyList = (list: readonly unknown[], path: string): Json[] => {
    const items: Json[] = []
    // By index: a hole is undefined, which has no place in a list.
    for (let i = 0; i < list.length && !isOver(); i++) items.push(copy(list[i], pointer(path, i)))
    return items
  }

  const copyObject = (object: object, path: string): Json => {
    const members: [string, Json][] = []
    for (const key of Object.keys(object)) {
      if (isOver()) break
      const at = pointer(path, key)
      const member = memberOf(object, key)
      if ('why' in member) refuse(at, member.why)
      else if (member.value !== undefined) members.push([key, copy(member.value, at)])
    }
    // Defines what it is given, so that `__proto__` is a plain key.
    return Object.fromEntries(members)
  }

  return copy(value, '')
}

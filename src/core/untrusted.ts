// Checks of values that come from outside: request bodies, files, other people's JSON. Nothing here trusts a prototype.

/** An object of unknown origin. Its fields are read with `ownField`, since a name may be inherited. */
export type UntrustedObject = Readonly<Record<string, unknown>>

/** Whether the value is an object with fields: neither null nor an array. */
export function isObject(value: unknown): value is UntrustedObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The value of a field of the object itself, never an inherited one. Undefined when the field is absent or the value is
 * not an object; null stays null. An array is an object here, so `ownField([1], '0')` is 1.
 */
export function ownField(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field) ? (value as UntrustedObject)[field] : undefined
}

/** The entry of a table under a name that comes from outside; undefined when the table has none of its own. */
export function ownEntry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** An object for names that come from outside. It has no prototype, so that `__proto__` is a plain key. */
export function plainRecord<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  const made: Record<string, T> = Object.create(null)
  for (const [name, value] of entries) made[name] = value
  return made
}

/** What kind of JSON value it is, with its article, to follow "received" in a message. */
export function jsonTypeOf(value: unknown): string {
  if (value === null || value === undefined) return value === null ? 'null' : 'nothing'
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** The text, or so many characters of its beginning and `…`: what a message repeats of it. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`
}

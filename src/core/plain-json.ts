// Why a value of the caller's process is no JSON, and what to send in its place: said alike by the engine and a client.

/**
 * Why JSON cannot say a value, with the next step, as a sentence; null when it can. Looks at the value, not into it.
 * Undefined is refused: whoever reads an object leaves such members out, as `JSON.stringify` does.
 */
export function whyNotJson(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null
    case 'number':
      return Number.isFinite(value) ? null : `${value} is not a JSON value; send null or a string instead.`
    case 'bigint':
      return 'A bigint is not a JSON value; send it as a string: String(value).'
    case 'undefined':
      return 'undefined is not a JSON value; send null instead, or leave it out.'
    case 'object':
      return value === null || Array.isArray(value) || isPlain(value) ? null : whyNotPlain(value)
    default:
      return `A ${typeof value} is not a JSON value; leave it out, or send what it stands for.`
  }
}

/** A member of an object, or why it cannot be read: a getter may throw. */
export function memberOf(object: object, key: string): { readonly value: unknown } | { readonly why: string } {
  try {
    return { value: (object as Readonly<Record<string, unknown>>)[key] }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    return { why: `Reading this member failed (${said}); send a plain copy.` }
  }
}

/** From another realm, too, as in a test runner. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function whyNotPlain(value: object): string {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return 'Bytes are read as a picture only; send [{ type: "image", source: { type: "bytes", bytes } }].'
  if (value instanceof Date) return 'A Date is not a JSON value; send date.toISOString().'
  if (value instanceof Map) return 'A Map is not a JSON value; send Object.fromEntries(map).'
  if (value instanceof Set) return 'A Set is not a JSON value; send [...set].'
  // Of these JSON.stringify says {} without a word.
  if (value instanceof Error) return 'An Error is not a JSON value; send error.stack, or { name: error.name, message: error.message }.'
  if (value instanceof Promise) return 'A Promise is not a JSON value; await it first.'
  if (Object.keys(value).length === 0 && !('toJSON' in value))
    return 'Only plain objects and arrays are JSON values, and this one has no fields that JSON could say; send a plain object with what it stands for.'
  return 'Only plain objects and arrays are JSON values; convert it first: JSON.parse(JSON.stringify(value)).'
}

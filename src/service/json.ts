// Parses JSON from bytes that are checked first: strict UTF-8, bounded depth, counts and text. Errors say the position.
// Long base64 is taken out before the parser runs and put back behind it, so that what the parser gets is short.
// `__proto__` is a key like any other here: `JSON.parse` makes it an own property, and nobody downstream assigns keys
// to plain objects.
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { ServiceRefusal } from './errors.ts'
import { type Base64Stretch, type JsonLimits, JsonScanner } from './json-scanner.ts'

/** With these, the parser works for some 20 ms at most. */
export const JSON_LIMITS: JsonLimits = { depth: 256, values: 50_000, textBytes: 2 ** 20 }

/** Bytes that are worked on before others get a turn: a few milliseconds. */
export const BYTES_AT_A_TIME = 2 ** 20

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a short text, in one go. Throws `invalid_json` with where it broke off, or `request_too_large` for more
 * depth, values or text than is taken. `what` names the text.
 */
export function parseJson(bytes: Uint8Array, what = 'The body', limits = JSON_LIMITS): unknown {
  const scanner = new JsonScanner(what, limits)
  scanner.push(bytes)
  scanner.end()
  return parsed(bytes, what)
}

function parsed(bytes: Uint8Array, what: string): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw new ServiceRefusal('invalid_json', `${what} is not UTF-8; encode the JSON as UTF-8 without exception.`, { cause })
  }
  return JSON.parse(text)
}

/** Reads a JSON text of any length, chunk by chunk. */
export interface JsonReader {
  /** Takes the next bytes. Throws as `parseJson` does, at the first fault. */
  push(chunk: Uint8Array): void
  /** Values and keys so far. */
  readonly values: number
  /** The chunks that came. */
  readonly chunks: readonly Uint8Array[]
  /** The value, once all has come. It is made in steps, between which others get a turn. */
  finish(): Promise<unknown>
}

export function createJsonReader(what: string, limits: JsonLimits): JsonReader {
  const scanner = new JsonScanner(what, limits)
  const chunks: Uint8Array[] = []
  return {
    push(chunk) {
      scanner.push(chunk)
      chunks.push(chunk)
    },
    get values() {
      return scanner.values
    },
    chunks,
    async finish() {
      scanner.end()
      const stretches = scanner.base64
      if (stretches.length === 0) return parsed(concat(chunks), what)
      // Nobody can write this name into a body.
      const name = randomBytes(16).toString('hex')
      const short: Uint8Array[] = []
      const strings: string[] = []
      let last = 0
      for (const [i, stretch] of stretches.entries()) {
        short.push(...between(chunks, last, stretch.from), Buffer.from(`${name}${i}`))
        strings.push(await stringOf(chunks, stretch))
        last = stretch.to
        await setImmediate()
      }
      short.push(...between(chunks, last, Number.POSITIVE_INFINITY))
      const value = parsed(concat(short), what)
      await setImmediate()
      return putBack(value, name, strings)
    },
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** The bytes from `from` to `to` of all chunks together, without a copy. */
function between(chunks: readonly Uint8Array[], from: number, to: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let start = 0
  for (const chunk of chunks) {
    if (start >= to) break
    if (start + chunk.length > from) found.push(chunk.subarray(Math.max(0, from - start), to - start))
    start += chunk.length
  }
  return found
}

async function stringOf(chunks: readonly Uint8Array[], { from, to, hasEscapes }: Base64Stretch): Promise<string> {
  const bytes = Buffer.allocUnsafe(to - from)
  let copied = 0
  let since = 0
  for (const piece of between(chunks, from, to)) {
    bytes.set(piece, copied)
    copied += piece.length
    since += piece.length
    if (since < BYTES_AT_A_TIME) continue
    since = 0
    await setImmediate()
  }
  const text = bytes.toString('latin1')
  return hasEscapes ? (JSON.parse(`"${text}"`) as string) : text
}

/** Puts the strings in the place of their names, wherever these stand. */
function putBack(value: unknown, name: string, strings: readonly string[]): unknown {
  const stringAt = (given: unknown): string | undefined => {
    if (typeof given !== 'string' || !given.startsWith(name)) return undefined
    return strings[Number(given.slice(name.length))]
  }
  const whole = stringAt(value)
  if (whole !== undefined) return whole
  const open: unknown[] = [value]
  let left = strings.length
  while (left > 0 && open.length > 0) {
    const container = open.pop() as Record<string, unknown>
    if (typeof container !== 'object' || container === null) continue
    for (const key of Object.keys(container)) {
      const inner = container[key]
      const string = stringAt(inner)
      if (string === undefined) {
        if (typeof inner === 'object') open.push(inner)
      } else {
        left -= 1
        container[key] = string
      }
    }
  }
  return value
}

// Parses JSON from bytes that are checked first: strict UTF-8, bounded depth, bounded count of values. Errors say the
// position. `__proto__` is a key like any other here: `JSON.parse` makes it an own property, and nobody downstream
// assigns keys to plain objects.
import { ServiceRefusal } from './errors.ts'

export interface JsonLimits {
  readonly depth: number
  /** Values and keys together. Ten bytes of JSON can become two hundred of memory. */
  readonly values: number
}

export const JSON_LIMITS: JsonLimits = { depth: 256, values: 500_000 }

const utf8 = new TextDecoder('utf-8', { fatal: true })

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

/**
 * The value. Throws `invalid_json` with where it broke off, or `request_too_large` for more depth or values than are
 * taken. `what` names the text. `onValues` is called with the count of values before memory is taken for them, and may
 * throw.
 */
export function parseJson(
  bytes: Uint8Array,
  what = 'The body',
  limits = JSON_LIMITS,
  onValues: (count: number) => void = () => {},
): unknown {
  if (bytes.length === 0) throw new ServiceRefusal('invalid_json', `${what} is empty; send a JSON object.`)
  onValues(requireJsonLimits(bytes, what, limits))
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw new ServiceRefusal('invalid_json', `${what} is not UTF-8; encode the JSON as UTF-8 without exception.`, { cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ServiceRefusal('invalid_json', `${what} is not JSON: ${whereBroken(text)}.`, { cause })
  }
}

/**
 * Counts brackets, commas and colons outside strings. On text that is no JSON the counts mean little, and the parser
 * says so.
 */
function requireJsonLimits(bytes: Uint8Array, what: string, limits: JsonLimits): number {
  let depth = 0
  let values = 1
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte === QUOTE) i = endOfString(bytes, i)
    else if (byte === COMMA || byte === COLON) values += 1
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      values += 1
      if (depth > limits.depth) {
        throw new ServiceRefusal('request_too_large', `${what} is nested more than ${limits.depth} deep; send it flatter.`)
      }
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1
    if (values > limits.values) {
      throw new ServiceRefusal('request_too_large', `${what} has more than ${limits.values} values; send less at once.`)
    }
  }
  return values
}

/** The index of the closing quote of a string that opens at `start`; the last index when it is never closed. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let from = start + 1; ; ) {
    const end = bytes.indexOf(QUOTE, from)
    if (end === -1) return bytes.length - 1
    let backslashes = 0
    while (bytes[end - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
    from = end + 1
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what may not stand in a string of JSON
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const TOKEN = /[ \t\n\r]*(?:([[\]{},:"])|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y

/**
 * The index after the string that opens at `start`; null when it is none. By steps: one expression for all of it
 * overflows on a million escapes.
 */
function afterString(text: string, start: number): number | null {
  for (let at = start + 1; ; at = ESCAPE.lastIndex) {
    PLAIN.lastIndex = at
    PLAIN.test(text)
    if (text[PLAIN.lastIndex] === '"') return PLAIN.lastIndex + 1
    ESCAPE.lastIndex = PLAIN.lastIndex
    if (!ESCAPE.test(text)) return null
  }
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end'

/**
 * Where a text stops being JSON, in words. The engine's own messages name a position only sometimes, and quote the
 * text.
 */
function whereBroken(text: string): string {
  const open: ('[' | '{')[] = []
  let expected: Expected = 'value'
  let at = 0
  const afterValue = (): Expected => (open.length === 0 ? 'end' : open.at(-1) === '[' ? ', or ]' : ', or }')
  for (;;) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)
    if (token === null) break
    const [, mark] = token
    const isString = mark === '"'
    const end = isString ? afterString(text, TOKEN.lastIndex - 1) : TOKEN.lastIndex
    if (end === null) break
    const isValue = expected === 'value' || expected === 'value or ]'
    if ((mark === undefined || isString) && isValue) expected = afterValue()
    else if (isString && (expected === 'key' || expected === 'key or }')) expected = ':'
    else if (isValue && (mark === '[' || mark === '{')) {
      open.push(mark)
      expected = mark === '[' ? 'value or ]' : 'key or }'
    } else if (
      (mark === ']' && (expected === 'value or ]' || expected === ', or ]')) ||
      (mark === '}' && (expected === 'key or }' || expected === ', or }'))
    ) {
      open.pop()
      expected = afterValue()
    } else if (mark === ',' && expected === ', or ]') expected = 'value'
    else if (mark === ',' && expected === ', or }') expected = 'key'
    else if (mark === ':' && expected === ':') expected = 'value'
    else break
    at = end
  }
  while (at < text.length && ' \t\n\r'.includes(text[at]!)) at += 1
  let line = 1
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line += 1
  const column = at - text.lastIndexOf('\n', at - 1)
  const found = at >= text.length ? 'the text ends' : `${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))} stands`
  const missing = expected === 'end' ? 'nothing more was expected' : `${WORDS[expected]} was expected`
  return `${found} at position ${at} (line ${line}, column ${column}), where ${missing}`
}

const WORDS: Readonly<Record<Exclude<Expected, 'end'>, string>> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  key: 'a key in double quotes',
  'key or }': 'a key in double quotes or }',
  ':': 'a colon',
  ', or ]': 'a comma or ]',
  ', or }': 'a comma or }',
}

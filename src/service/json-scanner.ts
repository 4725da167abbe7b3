// Checks the bytes of a JSON text as they come in: its syntax, its depth, its counts. What is wrong or too much is
// refused at the first byte of it, so that no body is kept, decoded or parsed in vain. Says where long base64 stands,
// which need not be parsed.
import { ServiceRefusal } from './errors.ts'

export interface JsonLimits {
  readonly depth: number
  /** Values and keys together. Ten bytes of JSON can become two hundred of memory. */
  readonly values: number
  /** Bytes of everything but long base64. */
  readonly textBytes: number
}

/** A long string of base64 (or a data: URL): the bytes between its quotes. */
export interface Base64Stretch {
  readonly from: number
  readonly to: number
  /** Whether line breaks or slashes are escaped in it. */
  readonly hasEscapes: boolean
}

/** Strings of base64 that are shorter count as text. */
const LONG_BYTES = 4096

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d

// Classes of bytes inside a string. A quote, a backslash and control characters end a stretch of plain bytes.
const STOP = 0
const OF_BASE64 = 1
const OTHER = 2
const BEYOND_ASCII = 4
const CLASS_OF = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return STOP
  if (byte >= 0x80) return BEYOND_ASCII
  return /[A-Za-z0-9+/=:;,._-]/.test(String.fromCharCode(byte)) ? OF_BASE64 : OTHER
})

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end'

const WORDS: Readonly<Record<Exclude<Expected, 'end'>, string>> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  key: 'a key in double quotes',
  'key or }': 'a key in double quotes or }',
  ':': 'a colon',
  ', or ]': 'a comma or ]',
  ', or }': 'a comma or }',
}

const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }

/** What may follow in a number, by what has come of it. `isEnd`: it may also end there. */
type NumberState = 'sign' | 'zero' | 'integer' | 'point' | 'fraction' | 'e' | 'e sign' | 'exponent'
const ENDS_OF_NUMBER: readonly NumberState[] = ['zero', 'integer', 'fraction', 'exponent']

export class JsonScanner {
  readonly #what: string
  readonly #limits: JsonLimits
  readonly #open: ('[' | '{')[] = []
  #expected: Expected = 'value'
  #inside: 'nothing' | 'string' | 'escape' | 'unicode' | 'number' | 'literal' = 'nothing'
  #values = 1
  /** Bytes before the chunk. */
  #before = 0
  /** How many bytes more than UTF-16 units have come. */
  #skew = 0
  #line = 1
  /** UTF-16 units before the line. */
  #lineStart = 0
  /** Where the token began that is being read: in UTF-16 units, and its first character. */
  #tokenAt = 0
  #tokenIs = ''
  #stringFrom = 0
  #classes = 0
  #hasEscapes = false
  #unicodeLeft = 0
  #number: NumberState = 'sign'
  #literalLeft = ''
  readonly #base64: Base64Stretch[] = []
  #base64Bytes = 0

  /** `what` names the text in errors: "The body". */
  constructor(what: string, limits: JsonLimits) {
    this.#what = what
    this.#limits = limits
  }

  /** Values and keys so far. */
  get values(): number {
    return this.#values
  }

  /** Stretches of long base64, in order. */
  get base64(): readonly Base64Stretch[] {
    return this.#base64
  }

  /**
   * Takes the next bytes. Throws `invalid_json` with the place where it broke off, or `request_too_large`. Works for
   * some ten nanoseconds a byte.
   */
  push(chunk: Uint8Array): void {
    let at = this.#before === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0
    // A byte order mark is no part of the text.
    if (at === 3) this.#skew = 3
    while (at < chunk.length) {
      if (this.#inside === 'nothing') at = this.#structure(chunk, at)
      else if (this.#inside === 'string') at = this.#string(chunk, at)
      else if (this.#inside === 'number') at = this.#digits(chunk, at)
      else if (this.#inside === 'literal') at = this.#letters(chunk, at)
      else at = this.#escape(chunk, at)
    }
    this.#before += chunk.length
    const mayBeBase64 = this.#inside !== 'nothing' && this.#stringFrom > 0 && this.#isBase64() ? this.#before - this.#stringFrom : 0
    if (this.#before - this.#base64Bytes - mayBeBase64 <= this.#limits.textBytes) return
    const message = `${this.#what} has more than ${this.#limits.textBytes} bytes of text (everything but pictures in base64); send less at once.`
    throw new ServiceRefusal('request_too_large', message)
  }

  /** Throws `invalid_json` when the text is not over yet. */
  end(): void {
    if (this.#before === 0) throw new ServiceRefusal('invalid_json', `${this.#what} is empty; send a JSON object.`)
    if (this.#inside === 'number' && ENDS_OF_NUMBER.includes(this.#number)) this.#valueEnds()
    if (this.#inside !== 'nothing') this.#refuseToken()
    if (this.#expected !== 'end') this.#refuse('the text ends', this.#before - this.#skew)
  }

  #isBase64(): boolean {
    return this.#classes === OF_BASE64 && this.#expected !== 'key' && this.#expected !== 'key or }'
  }

  #valueEnds(): void {
    this.#inside = 'nothing'
    const last = this.#open.at(-1)
    this.#expected = last === undefined ? 'end' : last === '[' ? ', or ]' : ', or }'
  }

  #count(more: number): void {
    this.#values += more
    if (this.#values <= this.#limits.values) return
    throw new ServiceRefusal('request_too_large', `${this.#what} has more than ${this.#limits.values} values; send less at once.`)
  }

  /** One byte between tokens. */
  #structure(chunk: Uint8Array, at: number): number {
    const byte = chunk[at]!
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      if (byte === 0x0a) {
        this.#line += 1
        this.#lineStart = this.#before + at + 1 - this.#skew
      }
      return at + 1
    }
    const expected = this.#expected
    const isValue = expected === 'value' || expected === 'value or ]'
    const isKey = expected === 'key' || expected === 'key or }'
    const mark = String.fromCharCode(byte)
    this.#tokenAt = this.#before + at - this.#skew
    this.#tokenIs = mark
    if (mark === '"' && (isValue || isKey)) {
      this.#inside = 'string'
      this.#stringFrom = this.#before + at + 1
      this.#classes = 0
      this.#hasEscapes = false
    } else if (isValue && (mark === '[' || mark === '{')) {
      if (this.#open.length === this.#limits.depth) {
        throw new ServiceRefusal('request_too_large', `${this.#what} is nested more than ${this.#limits.depth} deep; send it flatter.`)
      }
      this.#count(1)
      this.#open.push(mark)
      this.#expected = mark === '[' ? 'value or ]' : 'key or }'
    } else if (
      (mark === ']' && (expected === 'value or ]' || expected === ', or ]')) ||
      (mark === '}' && (expected === 'key or }' || expected === ', or }'))
    ) {
      this.#open.pop()
      this.#valueEnds()
    } else if (mark === ',' && (expected === ', or ]' || expected === ', or }')) {
      this.#count(1)
      this.#expected = expected === ', or ]' ? 'value' : 'key'
    } else if (mark === ':' && expected === ':') {
      this.#count(1)
      this.#expected = 'value'
    } else if (isValue && LITERALS[mark] !== undefined) {
      this.#inside = 'literal'
      this.#literalLeft = LITERALS[mark].slice(1)
    } else if (isValue && (byte === MINUS || isDigit(byte))) {
      this.#inside = 'number'
      this.#number = byte === MINUS ? 'sign' : byte === 0x30 ? 'zero' : 'integer'
    } else {
      const [character = ''] = new TextDecoder().decode(chunk.subarray(at, at + 4))
      this.#refuse(`${JSON.stringify(character)} stands`, this.#tokenAt)
    }
    return at + 1
  }

  #string(chunk: Uint8Array, from: number): number {
    let at = from
    let classes = this.#classes
    let kind = STOP
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!
      kind = CLASS_OF[byte]!
      if (kind === STOP) break
      classes |= kind
      // Four bytes are two units, three or two are one.
      if (kind === BEYOND_ASCII) this.#skew += byte < 0xc0 ? 1 : byte >= 0xf0 ? -1 : 0
    }
    this.#classes = classes
    if (at === chunk.length) return at
    const byte = chunk[at]!
    if (byte === BACKSLASH) this.#inside = 'escape'
    else if (byte === QUOTE) this.#stringEnds(this.#before + at)
    else this.#refuseToken()
    return at + 1
  }

  #stringEnds(to: number): void {
    const from = this.#stringFrom
    if (this.#isBase64() && to - from >= LONG_BYTES) {
      this.#base64.push({ from, to, hasEscapes: this.#hasEscapes })
      this.#base64Bytes += to - from
    }
    this.#stringFrom = 0
    const isKey = this.#expected === 'key' || this.#expected === 'key or }'
    this.#valueEnds()
    if (isKey) this.#expected = ':'
  }

  #escape(chunk: Uint8Array, at: number): number {
    const character = String.fromCharCode(chunk[at]!)
    if (this.#inside === 'unicode') {
      if (!/[0-9a-fA-F]/.test(character)) this.#refuseToken()
      this.#unicodeLeft -= 1
      if (this.#unicodeLeft === 0) this.#inside = 'string'
      return at + 1
    }
    if (!'"\\/bfnrtu'.includes(character)) this.#refuseToken()
    this.#hasEscapes = true
    // Base64 may have line breaks.
    if (!'nr/'.includes(character)) this.#classes |= OTHER
    this.#inside = character === 'u' ? 'unicode' : 'string'
    this.#unicodeLeft = 4
    return at + 1
  }

  #digits(chunk: Uint8Array, at: number): number {
    const byte = chunk[at]!
    const next = afterInNumber(this.#number, byte)
    if (next !== null) {
      this.#number = next
      return at + 1
    }
    if (!ENDS_OF_NUMBER.includes(this.#number)) this.#refuseToken()
    this.#valueEnds()
    return at
  }

  #letters(chunk: Uint8Array, at: number): number {
    if (String.fromCharCode(chunk[at]!) !== this.#literalLeft[0]) this.#refuseToken()
    this.#literalLeft = this.#literalLeft.slice(1)
    if (this.#literalLeft === '') this.#valueEnds()
    return at + 1
  }

  /** A token that is none is refused where it begins. */
  #refuseToken(): never {
    return this.#refuse(`${JSON.stringify(this.#tokenIs)} stands`, this.#tokenAt)
  }

  #refuse(found: string, at: number): never {
    const expected = this.#expected
    const missing = expected === 'end' ? 'nothing more was expected' : `${WORDS[expected]} was expected`
    const place = `position ${at} (line ${this.#line}, column ${at - this.#lineStart + 1})`
    throw new ServiceRefusal('invalid_json', `${this.#what} is not JSON: ${found} at ${place}, where ${missing}.`)
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** Null when the byte is no part of the number. */
function afterInNumber(state: NumberState, byte: number): NumberState | null {
  const isE = byte === 0x65 || byte === 0x45
  switch (state) {
    case 'sign':
      return byte === 0x30 ? 'zero' : isDigit(byte) ? 'integer' : null
    case 'zero':
    case 'integer':
      if (isDigit(byte)) return state === 'zero' ? null : 'integer'
      return byte === 0x2e ? 'point' : isE ? 'e' : null
    case 'point':
    case 'fraction':
      return isDigit(byte) ? 'fraction' : state === 'fraction' && isE ? 'e' : null
    case 'e':
      if (byte === 0x2b || byte === MINUS) return 'e sign'
      return isDigit(byte) ? 'exponent' : null
    case 'e sign':
    case 'exponent':
      return isDigit(byte) ? 'exponent' : null
  }
}

// Writes a JSON value as readable lines, YAML-like: `key: value`, `- item`, two spaces a level. Keys, dashes and
// indentation are scaffold; every string and number is a piece of its own that knows its JSON Pointer, so that what is
// quoted can be found again.
import { EngineError } from '../../core/errors.ts'
import { LONGEST_STATE } from '../../core/limits.ts'
import { pointer } from '../../core/pointer.ts'
import type { Json, Piece } from '../../core/types.ts'

/** Characters of the pointers to all strings and numbers of one JSON state: each carries the keys that lead to it. */
const MOST_PATH_CHARACTERS = 4 * 2 ** 20
/** An object in an array goes on one line when it has at most this many keys and only scalars without newlines. */
const ONE_LINE_KEYS = 8

const LINE_BREAK = /[\n\r\u2028\u2029]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a key with control characters is what is looked for
const NEEDS_QUOTES = /^$|[\u0000-\u001f\u007f\u2028\u2029]|^\s|\s$/

type Container = readonly Json[] | { readonly [key: string]: Json }

function isContainer(value: Json): value is Container {
  return typeof value === 'object' && value !== null
}

function isEmpty(value: Container): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
}

/** A key as it reads: bare, or JSON-quoted when it is empty, has outer spaces or control characters. */
function keyText(key: string): string {
  return NEEDS_QUOTES.test(key) ? JSON.stringify(key) : key
}

/** Collects pieces; runs of scaffold become one piece. */
class Lines {
  readonly pieces: Piece[] = []
  #scaffoldText = ''
  #characters = 0
  #pathCharacters = 0
  readonly #part: number
  readonly #base: string

  constructor(part: number, base: string) {
    this.#part = part
    this.#base = base
  }

  scaffold(text: string): void {
    this.#spend(text.length)
    this.#scaffoldText += text
  }

  /** Refuses what no model reads before it is searched or copied. */
  #spend(characters: number): void {
    this.#characters += characters
    if (this.#characters > LONGEST_STATE) throw tooLong(this.#base)
  }

  quotable(text: string, path: string): void {
    this.#spend(text.length)
    this.flush()
    this.#pathCharacters += path.length
    if (this.#pathCharacters > MOST_PATH_CHARACTERS) {
      const message = `The keys that lead to the values of the JSON state have more than ${MOST_PATH_CHARACTERS} characters together; shorten them, or nest less.`
      throw new EngineError('invalid_request', message, { param: this.#base })
    }
    this.pieces.push({ type: 'text', text, source: { part: this.#part, path } })
  }

  flush(): void {
    if (this.#scaffoldText !== '') this.pieces.push({ type: 'text', text: this.#scaffoldText, source: null })
    this.#scaffoldText = ''
  }

  /** A string, number, true, false, null or empty container, on the current line. */
  scalar(value: Json, path: string): void {
    if (typeof value === 'string' && value !== '') this.quotable(value, path)
    else if (typeof value === 'number') this.quotable(String(value), path)
    else if (isContainer(value)) this.scaffold(Array.isArray(value) ? '[]' : '{}')
    else this.scaffold(value === '' ? '""' : String(value))
  }

  /**
   * The lines of a container with something in it. The first line starts where the cursor is; the others are indented.
   */
  container(value: Container, path: string, indent: string): void {
    const newLine = `\n${indent}`
    let isFirst = true
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        this.scaffold(isFirst ? '-' : `${newLine}-`)
        isFirst = false
        this.#item(value[i], pointer(path, i), indent)
      }
    } else {
      for (const [key, member] of Object.entries(value)) {
        this.scaffold(`${isFirst ? '' : newLine}${keyText(key)}:`)
        isFirst = false
        this.#member(member, pointer(path, key), indent)
      }
    }
  }

  #item(value: Json, path: string, indent: string): void {
    this.scaffold(' ')
    if (!isContainer(value) || isEmpty(value)) this.scalar(value, path)
    else if (!Array.isArray(value) && isOneLine(value)) this.#oneLine(value, path)
    else this.container(value, path, `${indent}  `)
  }

  #member(value: Json, path: string, indent: string): void {
    if (!isContainer(value) || isEmpty(value)) {
      // A text of several lines starts on its own line: its lines are verbatim, so they cannot be indented.
      this.scaffold(typeof value === 'string' && LINE_BREAK.test(value) ? '\n' : ' ')
      this.scalar(value, path)
    } else {
      this.scaffold(`\n${indent}  `)
      this.container(value, path, `${indent}  `)
    }
  }

  #oneLine(value: Container, path: string): void {
    Object.entries(value).forEach(([key, member], i) => {
      this.scaffold(`${i === 0 ? '' : ', '}${keyText(key)}: `)
      this.scalar(member, pointer(path, key))
    })
  }
}

/** The error for a state, or a part of it, of more characters than any model reads. */
export function tooLong(param: string): EngineError {
  const message = `The state has more than ${LONGEST_STATE} characters, which no model reads; send only what the questions need.`
  return new EngineError('request_too_large', message, { param })
}

function isOneLine(value: Container): boolean {
  const members: readonly Json[] = Object.values(value)
  if (members.length > ONE_LINE_KEYS) return false
  return members.every((member) => (typeof member === 'string' ? !LINE_BREAK.test(member) : !isContainer(member) || isEmpty(member)))
}

/**
 * A JSON value that `plainJson` made, as readable lines; deterministic, keys in the order given, no newline at the end.
 * `part` is the index of the state part the value came from; sources carry it with the pointer into `value` ('' is the
 * value itself). Numbers read as `String(number)`; offsets count in that. true, false, null, `""`, `{}` and `[]` are
 * scaffold. Throws `request_too_large` or `invalid_request` (param: `base`) where it is too long.
 */
export function jsonPieces(value: Json, part: number, base = '/state'): Piece[] {
  const lines = new Lines(part, base)
  if (!isContainer(value) || isEmpty(value)) lines.scalar(value, '')
  else lines.container(value, '', '')
  lines.flush()
  return lines.pieces
}

// A prompt to the one text that passages are cut from. JSON becomes lines, one a leaf, each with the words of its path,
// so that a passage cut anywhere still says what its values are of. Training writes the same
// (models/service-1-pro/training/text/states.py).
import { pointer } from '../../../../core/errors.ts'
import type { Json, Prompt, TextSource } from '../../../../core/types.ts'

/** A stretch of the text that stands in one of the caller's strings. */
export interface SourceStretch {
  /** Offset in the text, and behind its last unit. */
  readonly start: number
  readonly end: number
  readonly source: TextSource
  /** The caller's whole string: the stretch is all of it. */
  readonly string: string
}

/** The lines of one element of a JSON list. */
export interface ListElement {
  /** Words of the list's path: "customer orders". */
  readonly list: string
  /** What tells it from the others: a member such as `id`, or its place, from 1. */
  readonly id: string
  /** Offset in the text, and behind its last unit. */
  readonly start: number
  readonly end: number
}

export interface StateText {
  readonly text: string
  /** In reading order, without overlaps. */
  readonly stretches: readonly SourceStretch[]
  /** An inner one before the one around it. */
  readonly elements: readonly ListElement[]
}

type Fields = { readonly [key: string]: Json }

/** Members that say who speaks, and what is said: an object of one of each is a turn of a conversation. */
const WHO = ['role', 'speaker', 'from', 'author', 'sender', 'name']
const WHAT = ['text', 'content', 'message', 'body']
/** Members by which an element of a list is known, in place of where it stands. */
const ID = ['id', 'number', 'no', 'nr', 'key', 'code']

export function stateText({ pieces, parts }: Prompt): StateText {
  const writer = new Writer()
  if (parts === undefined) {
    for (const piece of pieces) {
      if (piece.type !== 'text') continue
      if (piece.source === null) writer.add(piece.text)
      else writer.string(piece.text, piece.source)
    }
    return writer
  }
  parts.forEach((part, index) => {
    if (index > 0) writer.add('\n')
    if (part.type === 'text') writer.string(part.text, { part: part.index, path: null })
    else if (part.type === 'json') new JsonLines(writer, part.index).value(part.value, '', '')
  })
  return writer
}

class Writer implements StateText {
  text = ''
  readonly stretches: SourceStretch[] = []
  readonly elements: ListElement[] = []

  add(text: string): void {
    this.text += text
  }

  string(string: string, source: TextSource): void {
    const start = this.text.length
    this.text += string
    if (string !== '') this.stretches.push({ start, end: this.text.length, source, string })
  }
}

/** Writes one JSON value. `words` is the path as it is read, `at` its pointer. */
class JsonLines {
  readonly #writer: Writer
  readonly #part: number

  constructor(writer: Writer, part: number) {
    this.#writer = writer
    this.#part = part
  }

  value(value: Json, words: string, at: string): void {
    if (isFields(value)) this.#object(value, words, at)
    else if (isList(value)) this.#list(value, words, at)
    else {
      if (words !== '') this.#writer.add(`${words}: `)
      this.#leaf(value, at)
    }
  }

  #object(value: Fields, words: string, at: string): void {
    if (turnOf(value) !== null) {
      this.#turn(value, at)
      return
    }
    const members = Object.entries(value)
    if (members.length === 0) this.#writer.add(words === '' ? ': none' : `${words} : none`)
    members.forEach(([key, member], i) => {
      if (i > 0) this.#writer.add('\n')
      this.value(member, lead(words) + key, pointer(at, key))
    })
  }

  #list(value: readonly Json[], words: string, at: string): void {
    if (!value.some(isContainer)) {
      if (words !== '') this.#writer.add(`${words}: `)
      if (value.length === 0) this.#writer.add('none')
      value.forEach((one, i) => {
        if (i > 0) this.#writer.add(', ')
        this.#leaf(one, pointer(at, i))
      })
      return
    }
    const areTurns = value.every((one) => isFields(one) && turnOf(one) !== null)
    value.forEach((one, i) => {
      if (i > 0) this.#writer.add('\n')
      if (areTurns) this.#turn(one as Fields, pointer(at, i))
      else this.#element(one, words, i, at)
    })
  }

  #element(value: Json, list: string, index: number, at: string): void {
    const start = this.#writer.text.length
    this.value(value, `${lead(list)}${index + 1}`, pointer(at, index))
    this.#writer.elements.push({ list, id: idOf(value) ?? String(index + 1), start, end: this.#writer.text.length })
  }

  #turn(value: Fields, at: string): void {
    const [who, what] = turnOf(value) as [string, string]
    this.#leaf(value[who] as Json, pointer(at, who))
    this.#writer.add(': ')
    this.#leaf(value[what] as Json, pointer(at, what))
  }

  #leaf(value: Json, at: string): void {
    if (typeof value === 'string' || typeof value === 'number') this.#writer.string(String(value), { part: this.#part, path: at })
    else this.#writer.add(value === null ? 'none' : JSON.stringify(value))
  }
}

const lead = (words: string): string => (words === '' ? '' : `${words} `)

const isContainer = (value: Json): boolean => isList(value) || isFields(value)
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !isList(value)

function idOf(value: Json): string | null {
  if (!isFields(value)) return null
  const id = ID.map((key) => (Object.hasOwn(value, key) ? value[key] : null)).find(
    (one) => typeof one === 'string' || typeof one === 'number',
  )
  return id === undefined ? null : String(id)
}

/** The members that say who and what; null for an object that is no turn. */
function turnOf(value: Fields): readonly [who: string, what: string] | null {
  if (Object.keys(value).length !== 2) return null
  const who = WHO.find((key) => Object.hasOwn(value, key))
  const what = WHAT.find((key) => Object.hasOwn(value, key))
  if (who === undefined || what === undefined || typeof value[what] !== 'string' || isContainer(value[who] as Json)) return null
  return [who, what]
}

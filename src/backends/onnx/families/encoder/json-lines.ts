// JSON to lines, one a leaf, each with the words of its path, so that a passage cut anywhere still says what its values
// are of. Training writes the same (models/service-1-pro/training/text/states.py).
import { pointer } from '../../../../core/pointer.ts'
import type { Json } from '../../../../core/types.ts'
import type { StateWriter } from './state-writer.ts'

export type Fields = { readonly [key: string]: Json }

/** Members that say who speaks, and what is said: an object of one of each is a turn of a conversation. */
const WHO = ['role', 'speaker', 'from', 'author', 'sender', 'name']
const WHAT = ['text', 'content', 'message', 'body']
/** Members by which an element of a list is known, in place of where it stands. */
export const IDS = ['id', 'number', 'no', 'nr', 'key', 'code']

/** The keys or indices that are shown of the list or object at a pointer; undefined: all of them. */
export type ShownOf = (at: string) => ReadonlySet<string> | undefined

/** Writes one JSON value. `words` is the path as it is read, `at` its pointer. */
export class JsonLines {
  readonly #writer: StateWriter
  readonly #part: number
  readonly #shownOf: ShownOf

  constructor(writer: StateWriter, part: number, shownOf: ShownOf) {
    this.#writer = writer
    this.#part = part
    this.#shownOf = shownOf
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
    const shown = this.#shownOf(at)
    const members = Object.entries(value).filter(([key]) => shown?.has(key) ?? true)
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
    const areTurns = value.every(isTurn)
    const shown = this.#shownOf(at)
    const elements = [...value.entries()].filter(([i]) => shown?.has(String(i)) ?? true)
    elements.forEach(([index, one], i) => {
      if (i > 0) this.#writer.add('\n')
      if (areTurns) this.#turn(one as Fields, pointer(at, index))
      else this.#element(one, { list: words, place: i + 1, index, at })
    })
  }

  /** `place`: among those that are shown, from 1. */
  #element(value: Json, { list, place, index, at }: { list: string; place: number; index: number; at: string }): void {
    const start = this.#writer.text.length
    this.value(value, `${lead(list)}${place}`, pointer(at, index))
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
export const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
export const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !isList(value)
export const isTurn = (value: Json): boolean => isFields(value) && turnOf(value) !== null

function idOf(value: Json): string | null {
  if (!isFields(value)) return null
  const id = IDS.map((key) => (Object.hasOwn(value, key) ? value[key] : null)).find(
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

// "Which orders cost more than 100 EUR?" as a claim about the row that an option names, and whether what was read for
// the options stands in one field of their rows.
import { pointer, pointerTokens } from '../../core/pointer.ts'
import type { Json, TextSource } from '../../core/types.ts'

/** Behind what a question calls its options, and without more said of them: "Which open orders cost …" is no form. */
const ASKED_OF_ROWS =
  /^(?:who|(?:which|what)(?: of (?:the|these|those|them))?(?: \p{L}+)?) (?=(?:is|are|was|were|has|have|had|costs?|weighs?|takes?|took|lasts?|lasted|needs?|earns?|contains?|holds?|measures?|exceeds?)\b)/iu

/** What a question says of each option that it is true of; null where it is none that plainly does. */
export function claimOfRow(question: string, option: string): string | null {
  const said = question.trim()
  return ASKED_OF_ROWS.test(said) ? said.replace(ASKED_OF_ROWS, `${option} `).replace(/\?$/, '.') : null
}

/** Where a value was read: the string that a source names, and its UTF-16 offsets there. */
export interface ReadPlace {
  readonly source: TextSource
  readonly start: number
  readonly end: number
}

/** The field that a value stands in, and the row that it is a field of; both are the same for the same. */
export interface RowField {
  readonly row: string
  readonly field: string
}

/** What parts the cells of a line, the surest first. */
const SEPARATORS = [/\|/, /\t/, /;/, / {2,}/, /,/]

/** The texts and JSON values of a state. */
export interface RowSource {
  readonly jsonValues: readonly Json[]
  textOf(source: TextSource): string | null
}

/** Null where the value does not stand in the one row that the option, and none of the others, names. */
export function fieldOfRow(place: ReadPlace, option: string, others: readonly string[], state: RowSource): RowField | null {
  const { source, start } = place
  if (source.path !== null) return fieldOfObject(source.part, pointerTokens(source.path), option, state.jsonValues)
  const whole = state.textOf(source) ?? ''
  const from = whole.lastIndexOf('\n', start - 1) + 1
  const line = lineAt(whole, from)
  const separator = separatorOf(line)
  const called = whole.split('\n').filter((other) => separatorOf(other) === separator && says(other, option))
  if (called.length !== 1 || called[0] !== line || others.some((other) => says(line, other))) return null
  const column = line.slice(0, start - from).split(SEPARATORS[separator] ?? '\n').length
  return { row: String(from), field: JSON.stringify([source.part, separator, column]) }
}

/** An object is called by its key, or by a member that none beside it has. */
function fieldOfObject(part: number, keys: readonly string[], option: string, values: readonly Json[]): RowField | null {
  const isNamed = (key: string, i: number): boolean =>
    i < keys.length - 1 &&
    (key === option ||
      values.some((value) => {
        const called = Object.entries(membersOf(valueAt(value, keys.slice(0, i)))).filter(([, row]) => hasMember(row, option))
        return called.length === 1 && called[0]?.[0] === key
      }))
  const at = keys.findLastIndex(isNamed)
  if (at < 0) return null
  return { row: pointer('', ...keys.slice(0, at + 1)), field: JSON.stringify([part, keys.slice(0, at), keys.slice(at + 1)]) }
}

type Members = Readonly<Record<string, Json>>

/** Elements of a list by their indices. */
function membersOf(value: Json | undefined): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

function valueAt(value: Json, keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>((inner, key) => {
    const members = membersOf(inner)
    return Object.hasOwn(members, key) ? members[key] : undefined
  }, value)
}

function hasMember(row: Json, text: string): boolean {
  return Object.values(membersOf(row)).some((member) => typeof member !== 'object' && String(member).trim() === text)
}

function lineAt(text: string, from: number): string {
  const to = text.indexOf('\n', from)
  return text.slice(from, to < 0 ? text.length : to)
}

const separatorOf = (line: string): number => SEPARATORS.findIndex((separator) => separator.test(line))

/** Whether a text has a name as words of its own. */
function says(text: string, name: string): boolean {
  const isOfWord = /[\p{L}\p{N}]/u
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isOfWord.test(text.charAt(at - 1)) && !isOfWord.test(text.charAt(at + name.length))) return true
  }
  return false
}

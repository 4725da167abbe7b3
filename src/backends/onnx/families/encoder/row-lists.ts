// The lists of a state whose elements a question may call by name: tables in its texts, lists of JSON objects, and
// members of a JSON object that are objects alike. Training finds the same
// (models/service-1-pro/training/text/narrowing.py).
import { pointer } from '../../../../core/pointer.ts'
import { type TableCell, type TableRow, type TextTable, textTables } from '../../../../core/text-tables.ts'
import type { Json, Prompt } from '../../../../core/types.ts'
import { type Fields, IDS, isFields, isList, isTurn } from './json-lines.ts'
import { labelOf, lastWord } from './numbered-parts.ts'
import { MOST_WORDS_OF_NAME, nameOf, wordsOfKey } from './row-names.ts'

/** Name of a row, as `nameOf` makes it -> the row: its index, or its key in an object. */
export type RowNames = ReadonlyMap<string, string>

export interface RowList {
  /** The part of the prompt that it stands in. */
  readonly part: number
  /** A table in a text, or the pointer of a list or an object of JSON. */
  readonly where: TextTable | string
  readonly rows: number
  /** Keys of what is no row, and is always read. */
  readonly others: readonly string[]
  /** One for each column that tells every row from the others, the first one first. */
  readonly columns: readonly RowNames[]
}

/** A column as it was found. Its values are looked up one by one: of many columns most end at the first row. */
interface Column {
  readonly head: string
  /** undefined where a row has none. */
  readonly cellOf: (row: number) => Json | undefined
}

/** Heads of columns whose words name rows, as those of the first one do; in others words have to look like names. */
const NAMES = ['name', 'title', 'label', 'item', 'product', 'person', 'user', 'customer', 'service', 'city']
/** What somebody said leans on what others said, and goes by its id alone: who said it is no name of it. */
const SPEAKERS = ['role', 'speaker', 'from', 'author', 'sender', 'user', 'who']
const SAID = ['text', 'content', 'message', 'body']
/** Columns behind the first one name rows where the rows are so many: of two, some column differs by chance. */
const FEWEST_ROWS = 3
/** Keys that members have in common where they are rows beside others that are none. */
const FEWEST_IN_COMMON = 2
const NUMBER = /^[\d.,]+$/
const SHORTEST_NUMBER = 3
/** What a word that any question may use lacks: a capital, a digit, a mark within, another word beside it. */
const IS_NAME = /[\p{Lu}\d@._:/-]|\S\s\S/u

export function rowLists({ parts }: Prompt): RowList[] {
  return (parts ?? []).flatMap((part, index) => {
    if (part.type === 'text') return textTables(part.text).map((table) => ofTable(table, part.text, index))
    return part.type === 'json' ? ofJson(part.value, '', index) : []
  })
}

function ofTable(table: TextTable, text: string, part: number): RowList {
  const { rows } = table
  const heads = table.heads ?? (rows[0] as TableRow).cells.map(() => '')
  const columns = heads.map((head, i): Column => {
    const cellOf = (row: number): string => {
      const { start, end } = (rows[row] as TableRow).cells[i] as TableCell
      return text.slice(start, end)
    }
    return { head, cellOf }
  })
  return { part, where: table, rows: rows.length, others: [], columns: naming(columns, places(rows.length)) }
}

const places = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i))

/** The lists in a value, an outer one before those in it. */
function ofJson(value: Json, at: string, part: number): RowList[] {
  if (isList(value)) {
    const within = value.flatMap((one, i) => ofJson(one, pointer(at, i), part))
    if (value.length < 2 || !value.every(isFields) || value.every(isTurn)) return within
    const elements: readonly Fields[] = value
    const all = [...new Set(elements.flatMap((one) => Object.keys(one)))]
    const areSaid = SAID.some((head) => all.includes(head)) && SPEAKERS.some((head) => all.includes(head))
    const heads = areSaid ? all.filter((head) => IDS.includes(head.toLowerCase())) : all
    const columns = heads.map((head): Column => ({ head, cellOf: (row) => ownValue(elements[row] as Fields, head) }))
    const list = { part, where: at, rows: value.length, others: [], columns: naming(columns, places(value.length), lastKey(at)) }
    return [list, ...within]
  }
  if (!isFields(value)) return []
  const members = Object.entries(value)
  const within = members.flatMap(([key, member]) => ofJson(member, pointer(at, key), part))
  const rows = members.filter((member): member is [string, Fields] => isFields(member[1]) && !isTurn(member[1]))
  if (!areAlike(rows, members.length)) return within
  const keys = rows.map(([key]) => key)
  const areRows = new Set(keys)
  const others = Object.keys(value).filter((key) => !areRows.has(key))
  const columns = naming([{ head: 'key', cellOf: (row) => wordsOfKey(keys[row] as string) }], keys)
  return [{ part, where: at, rows: keys.length, others, columns }, ...within]
}

const ownValue = (fields: Fields, key: string): Json | undefined => (Object.hasOwn(fields, key) ? fields[key] : undefined)

/** Whether some members of an object are one kind of thing: they have the same in common, or are all there is. */
function areAlike(rows: readonly (readonly [string, Fields])[], members: number): boolean {
  if (rows.length === members && rows.length >= FEWEST_ROWS) return true
  const [first, ...rest] = rows.map(([, row]) => row)
  if (first === undefined || rest.length === 0) return false
  const common = Object.keys(first).filter((key) => rest.every((row) => Object.hasOwn(row, key))).length
  const fewest = rows.reduce((least, [, row]) => Math.min(least, Object.keys(row).length), Number.POSITIVE_INFINITY)
  return common >= FEWEST_IN_COMMON && 2 * common >= fewest
}

/** The key that a list stands under; '' for the outermost one. */
const lastKey = (at: string): string => at.slice(at.lastIndexOf('/') + 1)

/** What each column that can calls the rows. `list`: what they are called together. */
function naming(columns: readonly Column[], rows: readonly string[], list = ''): RowNames[] {
  return columns.flatMap(({ head, cellOf }, i) => {
    const isId = i === 0 || IDS.includes(head.toLowerCase())
    const isName = isId || NAMES.includes(head.toLowerCase())
    if (!isName && rows.length < FEWEST_ROWS) return []
    // Numbers name rows in columns of ids alone.
    const kinds = isId ? kindsOf(head, list) : []
    const names = new Map<string, string>()
    for (const [place, row] of rows.entries()) {
      const value = cellOf(place)
      if (typeof value !== 'string' && typeof value !== 'number') return []
      const name = nameOf(String(value))
      if (name === '' || names.has(name) || name.split(' ').length > MOST_WORDS_OF_NAME) return []
      const isNumber = NUMBER.test(name)
      if ((isNumber && !isId) || !(isName || IS_NAME.test(String(value)))) return []
      if (!isNumber || name.length >= SHORTEST_NUMBER) names.set(name, row)
      if (isNumber) for (const kind of kinds) names.set(labelOf(kind, name), row)
    }
    return [names]
  })
}

/** What a row with a number is called: by the list ("orders"), and by the head of its number ("order_id", "id"). */
function kindsOf(head: string, list: string): string[] {
  const words = wordsOfKey(head).split(' ')
  while (words.length > 1 && IDS.includes((words.at(-1) as string).toLowerCase())) words.pop()
  return [lastWord(list), lastWord(words.join(' '))].filter((word) => word !== null)
}

// The lists of a state whose elements a question may call by name: tables in its texts, lists of JSON objects, and JSON
// objects of objects. Training finds the same (models/service-1-pro/training/text/rows.py).
import { pointer } from '../../../../core/errors.ts'
import type { Json, Prompt } from '../../../../core/types.ts'
import { type Fields, IDS, isFields, isList, isTurn } from './json-lines.ts'
import { nameOf } from './row-names.ts'
import { type TableRow, type TextTable, textTables } from './text-tables.ts'

/** Name of a row, as `nameOf` makes it -> the row: its index, or its key in an object. */
export type RowNames = ReadonlyMap<string, string>

export interface RowList {
  /** The part of the prompt that it stands in. */
  readonly part: number
  /** A table in a text, or the pointer of a list or an object of JSON. */
  readonly where: TextTable | string
  readonly rows: number
  /** One for each column that tells every row from the others, the first one first. */
  readonly columns: readonly RowNames[]
}

/** A column as it was found: its values by row, undefined where a row has none. */
interface Column {
  readonly head: string
  readonly values: readonly (Json | undefined)[]
}

/** Heads of columns whose words name rows, as those of the first one do; in others words have to look like names. */
const NAMES = ['name', 'title', 'label', 'item', 'product', 'person', 'user', 'customer', 'service', 'city']
/** Who said it is no name of what was said. */
const SPEAKERS = new Set(['role', 'speaker', 'from', 'author', 'sender'])
/** Columns behind the first one name rows where the rows are so many: of two, some column differs by chance. */
const FEWEST_ROWS = 3
const MOST_WORDS = 5
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
  const columns = heads.map((head, i) => ({ head, values: rows.map(({ cells }) => text.slice(cells[i]?.start, cells[i]?.end)) }))
  return {
    part,
    where: table,
    rows: rows.length,
    columns: naming(
      columns,
      rows.map((_, i) => String(i)),
    ),
  }
}

/** The lists in a value, an outer one before those in it. */
function ofJson(value: Json, at: string, part: number): RowList[] {
  if (isList(value)) {
    const within = value.flatMap((one, i) => ofJson(one, pointer(at, i), part))
    if (value.length < 2 || !value.every(isFields) || value.every(isTurn)) return within
    const elements: readonly Fields[] = value
    const heads = [...new Set(elements.flatMap((one) => Object.keys(one)))].filter((head) => !SPEAKERS.has(head))
    const columns = heads.map((head) => ({ head, values: elements.map((one) => (Object.hasOwn(one, head) ? one[head] : undefined)) }))
    return [
      {
        part,
        where: at,
        rows: value.length,
        columns: naming(
          columns,
          elements.map((_, i) => String(i)),
        ),
      },
      ...within,
    ]
  }
  if (!isFields(value)) return []
  const members = Object.entries(value)
  const within = members.flatMap(([key, member]) => ofJson(member, pointer(at, key), part))
  if (members.length < FEWEST_ROWS || !members.every(([, member]) => isFields(member))) return within
  const keys = Object.keys(value)
  return [{ part, where: at, rows: keys.length, columns: naming([{ head: 'key', values: keys }], keys) }, ...within]
}

/** What each column that can calls the rows. */
function naming(columns: readonly Column[], rows: readonly string[]): RowNames[] {
  return columns.flatMap(({ head, values }, i) => {
    const isId = i === 0 || IDS.includes(head.toLowerCase())
    const isName = isId || NAMES.includes(head.toLowerCase())
    if (!isName && rows.length < FEWEST_ROWS) return []
    const names = new Map<string, string>()
    for (const [row, value] of values.entries()) {
      if (typeof value !== 'string' && typeof value !== 'number') return []
      const name = nameOf(String(value))
      if (name === '' || names.has(name) || name.split(' ').length > MOST_WORDS) return []
      const isNumber = NUMBER.test(name)
      if ((isNumber && !isId) || !(isName || IS_NAME.test(String(value)))) return []
      if (!isNumber || name.length >= SHORTEST_NUMBER) names.set(name, rows[row] as string)
    }
    return [names]
  })
}

// The tables of a text as lists of objects, one a row, with what heads each column as its keys.
import { type TextTable, textTables } from '../../../core/text-tables.ts'
import type { Json } from '../../../core/types.ts'
import { typed } from './typed.ts'

/** A row that sums up those above it. */
const SUMS_UP =
  /^(?:(?:(?:grand |sub)?totals?|sums?|average|mean)\b|(?:amount due|balance|all|overall|net|gross|vat|tax|tip|avg|Ø)(?: [\d.,]+ ?%)?$)/iu
const UNNAMED = 'name'

/** Tables without a line of headings say nothing by names, and are left out. */
export function tableRows(text: string): { readonly rows: readonly Json[]; readonly start: number; readonly end: number }[] {
  return textTables(text).flatMap((table) => {
    const rows = rowsOf(text, table)
    return rows.length === 0 ? [] : [{ rows, start: table.start, end: table.end }]
  })
}

function rowsOf(text: string, { heads, rows }: TextTable): Json[] {
  if (heads === null) return []
  const said = rows.map(({ cells }) => cells.map(({ start, end }) => text.slice(start, end)))
  const values = said.filter((cells) => !SUMS_UP.test((cells.find((cell) => cell !== '') ?? '').trim())).map((cells) => cells.map(typed))
  // A column of marks alone: what has none is not so.
  const areMarks = heads.map(
    (_, i) => values.some((cells) => cells[i] === true) && values.every((cells) => [true, null].includes(cells[i] as null)),
  )
  const key = (i: number): string => (heads[i] === '' ? UNNAMED : (heads[i] as string))
  return values.map((cells) => Object.fromEntries(cells.map((cell, i) => [key(i), areMarks[i] === true && cell === null ? false : cell])))
}

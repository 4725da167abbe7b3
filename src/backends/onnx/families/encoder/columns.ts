// Columns: cells under one head in a table, members of one name in a list of JSON, elements of an array. Where one of
// them answers a question for every answer, so do others of its column, and hardly those of another.
import { textTables } from '../../../../core/text-tables.ts'
import type { Stretch } from './enumerations.ts'
import type { SourceStretch } from './state-writer.ts'

/** A cell of a table that stands in a text. */
export interface ColumnCell extends Stretch {
  /** Which of the text's columns it is in. */
  readonly column: string
  /** What heads it, '' for nothing. */
  readonly head: string
}

/** By stretch, which does not change. */
const CELLS = new WeakMap<SourceStretch, readonly ColumnCell[]>()

/** The cells of the tables in a text, in reading order; none in a value of JSON or what is a cell itself. */
export function cellsOf(stretch: SourceStretch): readonly ColumnCell[] {
  const before = CELLS.get(stretch)
  if (before !== undefined) return before
  const tables = stretch.source.path === null && stretch.head === null ? textTables(stretch.string) : []
  const cells = tables.flatMap(({ rows, heads }, table) =>
    rows.flatMap((row) => row.cells.map(({ start, end }, at) => ({ start, end, column: `table ${table} ${at}`, head: heads?.[at] ?? '' }))),
  )
  CELLS.set(stretch, cells)
  return cells
}

/** The cell that a place in a text is within; null where it is within none. */
export function cellOf(stretch: SourceStretch, { start, end }: Stretch): ColumnCell | null {
  const cells = cellsOf(stretch)
  let [low, high] = [0, cells.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cells[middle] as ColumnCell).start <= start) low = middle + 1
    else high = middle
  }
  const cell = cells[low - 1]
  return cell !== undefined && end <= cell.end ? cell : null
}

const PLACE_IN_LIST = /\/\d+(?=\/|$)/g

/** What the strings of one list of JSON, or of a column whose cells stand apart, have in common; null for others. */
export function listOf({ head, source: { part, path } }: SourceStretch): string | null {
  if (head !== null) return `${part} ${head}`
  return path === null || path.search(PLACE_IN_LIST) < 0 ? null : `${part} ${path.replaceAll(PLACE_IN_LIST, '/*')}`
}

/** Whether the strings of a list are an array: there is nothing beside them that a question could ask for. */
export const areElements = (list: string): boolean => list.endsWith('/*')

/** The column that a stretch of a string stands in; null where it stands in none. */
export function columnOf(stretch: SourceStretch, place: Stretch): string | null {
  return listOf(stretch) ?? cellOf(stretch, place)?.column ?? null
}

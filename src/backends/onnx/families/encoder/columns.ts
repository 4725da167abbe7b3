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
  const cell = lastFrom(cellsOf(stretch), start)
  return cell !== undefined && end <= cell.end ? cell : null
}

/** Whether a place in a text has units in common with a cell. */
export function touchesCell(stretch: SourceStretch, { start, end }: Stretch): boolean {
  const cell = lastFrom(cellsOf(stretch), end - 1)
  return cell !== undefined && start < cell.end
}

/** The last cell that begins at an offset or in front of it. */
function lastFrom(cells: readonly ColumnCell[], offset: number): ColumnCell | undefined {
  let [low, high] = [0, cells.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cells[middle] as ColumnCell).start <= offset) low = middle + 1
    else high = middle
  }
  return cells[low - 1]
}

const PLACE_IN_LIST = /\/\d+(?=\/|$)/g

/** By stretch, of which each has many spans. */
const LISTS = new WeakMap<SourceStretch, string | null>()

/** What the strings of one list of JSON, or of a column whose cells stand apart, have in common; null for others. */
export function listOf(stretch: SourceStretch): string | null {
  const before = LISTS.get(stretch)
  if (before !== undefined) return before
  const { head, source } = stretch
  const open = source.path?.replaceAll(PLACE_IN_LIST, '/*') ?? null
  const list = head !== null ? `${source.part} ${head}` : open === source.path ? null : `${source.part} ${open}`
  LISTS.set(stretch, list)
  return list
}

/** Whether the strings of a list are an array: there is nothing beside them that a question could ask for. */
export const areElements = (list: string): boolean => list.endsWith('/*')

/** The column that a stretch of a string stands in; null where it stands in none. */
export function columnOf(stretch: SourceStretch, place: Stretch): string | null {
  return listOf(stretch) ?? cellOf(stretch, place)?.column ?? null
}

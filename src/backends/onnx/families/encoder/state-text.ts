// A prompt to the one text that passages are cut from: texts as they are, JSON as lines (json-lines.ts), and of tables
// and lists whose rows are not all shown those that are.

import type { TableRow, TextTable } from '../../../../core/text-tables.ts'
import type { Prompt, TextSource } from '../../../../core/types.ts'
import { JsonLines } from './json-lines.ts'
import type { ShownRows } from './named-rows.ts'
import { type StateText, StateWriter } from './state-writer.ts'

const ALL_ROWS: ShownRows = new Map()

/** `shown`: the rows of the prompt's lists that are read, of those that are not read whole. */
export function stateText({ pieces, parts }: Prompt, shown = ALL_ROWS): StateText {
  const writer = new StateWriter()
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
    const inPart = [...shown].filter(([list]) => list.part === index)
    if (part.type === 'text') {
      const tables = inPart.flatMap(([{ where }, rows]) => (typeof where === 'string' ? [] : [{ table: where, rows }]))
      writeText(writer, part.text, { part: part.index, path: null }, tables)
    } else if (part.type === 'json') {
      const lists = new Map(inPart.map(([{ where }, rows]) => [where, rows]))
      new JsonLines(writer, part.index, (at) => lists.get(at)).value(part.value, '', '')
    }
  })
  return writer
}

/** The rows that are shown of a table stand apart from the text around it. */
function writeText(
  writer: StateWriter,
  text: string,
  source: TextSource,
  tables: readonly { readonly table: TextTable; readonly rows: ReadonlySet<string> }[],
): void {
  if (tables.length === 0) {
    writer.string(text, source)
    return
  }
  const begin = writer.text.length
  const apart = (): void => {
    if (writer.text.length > begin) writer.add('\n\n')
  }
  const around = (from: number, to: number): void => {
    const string = text.slice(from, to)
    const start = from + string.length - string.trimStart().length
    if (string.trim() === '') return
    apart()
    writer.string(string.trim(), source, start)
  }
  let at = 0
  for (const { table, rows } of tables) {
    around(at, table.start)
    const shown = table.rows.filter((_, row) => rows.has(String(row)))
    shown.forEach((row, place) => {
      if (place === 0 || table.heads !== null) apart()
      else writer.add('\n')
      writeRow(writer, text, source, row, table.heads)
    })
    at = table.end
  }
  around(at, text.length)
}

/** A line a cell with what heads its column, or the line as it stands. */
function writeRow(writer: StateWriter, text: string, source: TextSource, row: TableRow, heads: readonly string[] | null): void {
  if (heads === null) {
    writer.string(text.slice(row.start, row.end), source, row.start)
    return
  }
  row.cells.forEach(({ start, end }, i) => {
    const head = heads[i] as string
    writer.add(`${i === 0 ? '' : '\n'}${head === '' ? '' : `${head}: `}`)
    writer.string(text.slice(start, end), source, start, head === '' ? null : head)
  })
}

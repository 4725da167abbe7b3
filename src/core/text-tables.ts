// Tables that stand in a text: Markdown, values between tabs, commas or semicolons, columns kept apart by spaces, and
// lines of "name: value; name: value"; with a line of headings or without. Training finds the same
// (models/service-1-pro/training/text/tables.py).

/** What stands in a cell, marks around it not counted; UTF-16 offsets in the text. */
export interface TableCell {
  readonly start: number
  readonly end: number
}

export interface TextTable {
  /** Offset of its first line, headings included, and behind its last one, without the line's end. */
  readonly start: number
  readonly end: number
  /** What heads each column, '' for nothing; null where no line heads them. */
  readonly heads: readonly string[] | null
  readonly rows: readonly TableRow[]
}

/** Its line without spaces around it, and its cells. */
export interface TableRow extends TableCell {
  readonly cells: readonly TableCell[]
}

interface Line {
  readonly text: string
  readonly start: number
}

/** `name`: what stands before its value in the line itself. */
interface NamedCell extends TableCell {
  readonly name?: string
}

interface Form {
  /** The cells of one line; null for a line of another form. */
  readonly cells: (line: Line) => readonly NamedCell[] | null
  /** Whether lines that nothing heads are a table: their form is rare in other texts. */
  readonly needsNoHeads: boolean
}

interface BlockLine {
  readonly line: Line
  readonly cells: readonly NamedCell[]
}

/** Rows of a table, at least, with a line of headings and without. */
const FEWEST_ROWS = 2
const FEWEST_LINES = 3
const LONGEST_HEAD = 32
const MOST_WORDS_OF_HEAD = 5
const FEWEST_WORDS_OF_SENTENCE = 3
/** Longer lines, and those of more cells, are no rows. */
const LONGEST_LINE = 2000
const MOST_CELLS = 64

const RULE = /^[\s|:+-]+$/
const PAIR = /^\s*(?:[-*]\s+)?([^:;]{1,32}):\s(.*)$/s
const YEAR = /^(?:1[89]|20)\d\d$/

const FORMS: readonly Form[] = [
  { cells: betweenPipes, needsNoHeads: true },
  { cells: between('\t', 2), needsNoHeads: true },
  { cells: between(',', 3), needsNoHeads: false },
  { cells: between(';', 3), needsNoHeads: false },
  { cells: pairs, needsNoHeads: false },
  { cells: betweenSpaces, needsNoHeads: true },
]

/** In reading order, without overlaps; of forms that a line could have, the one with most rows counts. */
export function textTables(text: string): TextTable[] {
  const lines = linesOf(text)
  const found = FORMS.flatMap((form) => tablesOfForm(text, lines, form)).sort((a, b) => b.rows.length - a.rows.length || a.start - b.start)
  const taken: TextTable[] = []
  for (const table of found) if (taken.every(({ start, end }) => table.end <= start || end <= table.start)) taken.push(table)
  return taken.sort((a, b) => a.start - b.start)
}

function linesOf(text: string): Line[] {
  let start = 0
  return text.split('\n').map((line) => {
    const at = start
    start += line.length + 1
    return { text: line.endsWith('\r') ? line.slice(0, -1) : line, start: at }
  })
}

function tablesOfForm(text: string, lines: readonly Line[], form: Form): TextTable[] {
  const tables: TextTable[] = []
  let block: BlockLine[] = []
  const end = (): void => {
    const table = tableOf(text, block, form)
    if (table !== null) tables.push(table)
    block = []
  }
  for (const line of lines) {
    const cells = line.text.length > LONGEST_LINE ? null : form.cells(line)
    if (cells === null || cells.length > MOST_CELLS) {
      end()
      continue
    }
    if (block.length > 0 && !isLike(cells, (block[0] as BlockLine).cells)) end()
    block.push({ line, cells })
  }
  end()
  return tables
}

function isLike(cells: readonly NamedCell[], first: readonly NamedCell[]): boolean {
  return cells.length === first.length && cells.every(({ name }, i) => name === first[i]?.name)
}

/** What a block of lines of one form is a table of; null where it is none. */
function tableOf(text: string, block: readonly BlockLine[], { needsNoHeads }: Form): TextTable | null {
  const said = ({ start, end }: TableCell): string => text.slice(start, end)
  const [first, last] = [block[0], block.at(-1)]
  if (first === undefined || last === undefined) return null
  const lines = block.filter(({ line }) => !RULE.test(line.text))
  const names = first.cells.flatMap(({ name }) => name ?? [])
  const heads = names.length > 0 ? names : first.cells.map(said)
  const below = names.length > 0 ? lines : lines.slice(1)
  const areHeads =
    new Set(heads).size === heads.length && isHead(heads[0] as string, true) && heads.slice(1).every((head) => isHead(head, false))
  // What stands below itself is a value.
  const head = areHeads && (names.length > 0 || below.every(({ cells }) => cells.every((cell, i) => said(cell) !== heads[i])))
  const rows = head ? below : lines
  if (head ? rows.length < FEWEST_ROWS : !needsNoHeads || rows.length < FEWEST_LINES) return null
  return {
    start: first.line.start,
    end: last.line.start + last.line.text.length,
    heads: head ? heads : null,
    rows: rows.map(({ line, cells }) => ({ ...trimmed(line, 0, line.text.length), cells })),
  }
}

/** Short, and neither a sentence nor a number, years aside; nothing at all over the first column. */
function isHead(head: string, isFirst: boolean): boolean {
  if (head === '') return isFirst
  const words = head.split(/\s+/).length
  const isSentence = words >= FEWEST_WORDS_OF_SENTENCE && /[.!?]$/.test(head)
  const isWord = /[^\s\d.,:/-]/u.test(head) || (!isFirst && YEAR.test(head))
  return head.length <= LONGEST_HEAD && words <= MOST_WORDS_OF_HEAD && !isSentence && isWord
}

/** The stretch of a line without spaces and marks of emphasis at its ends. */
function trimmed(line: Line, from: number, to: number): TableCell {
  const cell = line.text.slice(from, to)
  const lead = (/^[\s`*]*/.exec(cell) as RegExpExecArray)[0].length
  const body = cell.slice(lead).replace(/[\s`*]+$/, '').length
  return { start: line.start + from + lead, end: line.start + from + lead + body }
}

function betweenPipes(line: Line): TableCell[] | null {
  if (!line.text.includes('|')) return null
  const bars = Array.from(line.text.matchAll(/\|/g), ({ index }) => index)
  const isBlank = (from: number, to: number): boolean => line.text.slice(from, to).trim() === ''
  const edges = [-1, ...bars, line.text.length]
  if (isBlank(0, bars[0] as number)) edges.shift()
  if (edges.length > 1 && isBlank((bars.at(-1) as number) + 1, line.text.length)) edges.pop()
  return edges.length < 3 ? null : edges.slice(1).map((edge, i) => trimmed(line, (edges[i] as number) + 1, edge))
}

/** Cells between marks, `fewest` at least; a cell in quotation marks may hold marks. */
function between(mark: string, fewest: number): Form['cells'] {
  return (line) => {
    if (!line.text.includes(mark)) return null
    const cells: TableCell[] = []
    let at = 0
    while (at <= line.text.length) {
      const quoted = quotedAt(line.text, at, mark)
      const end = quoted === null ? endAt(line.text, at, mark) : quoted.end
      cells.push(quoted === null ? trimmed(line, at, end) : { start: line.start + quoted.from, end: line.start + quoted.to })
      at = end + 1
    }
    return cells.length < fewest ? null : cells
  }
}

const endAt = (line: string, at: number, mark: string): number => {
  const end = line.indexOf(mark, at)
  return end < 0 ? line.length : end
}

/** What stands between quotation marks from `at` on, if a mark or the line's end follows. Two of them stand for one. */
function quotedAt(line: string, at: number, mark: string): { readonly from: number; readonly to: number; readonly end: number } | null {
  const quoted = /[ ]*"((?:[^"]|"")*)"[ ]*/y
  quoted.lastIndex = at
  const found = quoted.exec(line)
  if (found === null || (quoted.lastIndex < line.length && line[quoted.lastIndex] !== mark)) return null
  const from = line.indexOf('"', at) + 1
  return { from, to: from + (found[1] as string).length, end: quoted.lastIndex }
}

function pairs(line: Line): NamedCell[] | null {
  if (!line.text.includes(';')) return null
  let at = 0
  const cells: NamedCell[] = []
  for (const part of line.text.split(';')) {
    const [, name, value] = PAIR.exec(part) ?? []
    if (name === undefined || value === undefined) return null
    cells.push({ ...trimmed(line, at + part.length - value.length, at + part.length), name: name.trim() })
    at += part.length + 1
  }
  return cells.length < 2 ? null : cells
}

/** A line that begins with spaces has nothing in its first column. */
function betweenSpaces(line: Line): TableCell[] | null {
  const cells = Array.from(line.text.matchAll(/\S+(?: \S+)*/g), (found) => trimmed(line, found.index, found.index + found[0].length))
  if (/^\s{2}/.test(line.text) && cells.length > 0) cells.unshift({ start: line.start, end: line.start })
  return cells.length < 3 ? null : cells
}

// The streams a command reads and writes, and how texts are laid out on a terminal.

/** The streams and surroundings of a command, handed in so that tests can hold them. */
export interface Terminal {
  /** Text to standard output. */
  print(text: string): void
  /** Text to standard error: errors and progress. */
  warn(text: string): void
  /** All of standard input. */
  read(): Promise<string>
  /** True when a person reads standard output. */
  readonly isInteractive: boolean
  /** True when a person reads standard error. */
  readonly isErrorInteractive: boolean
  /** Columns of a line. */
  readonly columns: number
  readonly hasColor: boolean
  /** False where only ASCII can be shown. */
  readonly hasUnicode: boolean
  /** Folder that relative paths on the command line start from. */
  readonly folder: string
  /** Folder where pulled models, and which of them is the default, are kept. */
  readonly home: string
}

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan'
export type Paint = (style: Style, text: string) => string

const STYLES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

/** Goes back to the start of the line and erases it. */
export const CLEAR_LINE = '\r\u001b[2K'

/** Colours, or the text as it is. */
export function painter(hasColor: boolean): Paint {
  return (style, text) => {
    const [on, off] = STYLES[style]
    return hasColor && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text
  }
}

/**
 * Control characters made visible: what a model read must never steer the terminal. Newlines and tabs become spaces.
 */
export function plain(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ').replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
  })
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const WIDE =
  /\p{Extended_Pictographic}(?!\uFE0E)|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u
const NARROW = /^[\u00A9\u00AE\u203C-\u3299]$/u

function widthOf(grapheme: string): number {
  return WIDE.test(grapheme) && !(NARROW.test(grapheme) && /\p{Extended_Pictographic}/u.test(grapheme)) ? 2 : 1
}

/** Columns a text takes, wide scripts and emoji as two. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += widthOf(segment)
  return columns
}

/** At most `columns` wide, the rest as "…". */
export function shorten(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let [short, used] = ['', 0]
  for (const { segment } of graphemes.segment(text)) {
    const width = widthOf(segment)
    if (used + width > columns - 1) break
    short += segment
    used += width
  }
  return `${short}…`
}

/** Exactly `columns` wide: shortened, or filled with spaces. */
export function padColumns(text: string, columns: number): string {
  const short = shorten(text, columns)
  return short + ' '.repeat(Math.max(0, columns - columnsOf(short)))
}

/** Columns aligned: the first to the left, others to the right. The first row is its heading. */
export function tableOf(rows: readonly (readonly string[])[], { hasColor }: Pick<Terminal, 'hasColor'>): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => columnsOf(row[column]!))))
  return rows
    .map((row, i) => {
      const spaces = row.map((cell, column) => ' '.repeat(widths[column]! - columnsOf(cell)))
      const line = row.map((cell, column) => (column === 0 ? cell + spaces[0] : spaces[column] + cell)).join('  ')
      return i === 0 ? painter(hasColor)('dim', line) : line
    })
    .join('\n')
}

/** UTC to the second, as in `2030-01-31 09:05:00`. */
export function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

// Lists of which each line is one thing, in forms that say by themselves what stands where: "[x] book the hall",
// "2 x Coffee  5.80", "2026-11-03 10:02 ERROR mail refused".
import type { Json } from '../../../core/types.ts'
import { typed } from './typed.ts'

type Fields = Readonly<Record<string, Json>>

/** A line of one of the forms is no list. */
const FEWEST_LINES = 2
const LONGEST_LINE = 400

const TICKED = /^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:\[(?<mark>[ xX✓✔])\]|(?<sign>[✓✔✅☑☒✗✘❌☐]))\s+(?<item>\S.*)$/u
const IS_DONE = /^[xX✓✔✅☑☒]$/u
const BOUGHT =
  /^\s*(?:[-*•]\s+)?(?<quantity>\d{1,4})\s*[x×]\s+(?<item>\p{L}.*?)(?:\s{2,}|\s*\.{3,}\s*|\t+)(?<price>\p{Sc}?\s?[\d.,]*\d(?:\s?(?:\p{Sc}|[A-Z]{3}))?)\s*$/u
const LOGGED =
  /^\s*\[?(?<time>(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)\]?\s+\[?(?<level>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|CRITICAL|CRIT|FATAL)\]?:?\s+(?:(?<source>[a-z][\w.]*-[\w.-]*|\[[\w .-]+\]|[\w.-]+(?=: |\s{2,})):?\s+)?(?<message>\S.*)$/iu
/** Words of a log for one level. */
const LEVELS: Readonly<Record<string, string>> = { warn: 'warning', err: 'error', crit: 'critical' }

const FORMS: readonly { readonly line: RegExp; readonly fields: (said: Readonly<Record<string, string | undefined>>) => Fields }[] = [
  {
    line: TICKED,
    fields: ({ mark, sign, item = '' }) => {
      const isDone = IS_DONE.test(mark ?? sign ?? '')
      return { item, done: isDone, completed: isDone, finished: isDone, checked: isDone, ticked: isDone, open: !isDone }
    },
  },
  { line: BOUGHT, fields: ({ quantity = '', item = '', price = '' }) => ({ item, quantity: typed(quantity), amount: typed(price) }) },
  {
    line: LOGGED,
    fields: ({ time = '', level = '', source, message = '' }) => {
      const said = level.toLowerCase()
      return { time, level: LEVELS[said] ?? said, ...(source === undefined ? {} : { source }), message }
    },
  },
]

const HEADS_TASKS =
  /\b(?:to-?dos?|to do|tasks?|check\p{L}*|steps?|lists?|open|plan|prepar\p{L}*|before|pack\p{L}*|done|remain\p{L}*|next|must|needs?)\b/iu

/** The place of a name above boxes that are no tasks: of "Diet:" above "[ ] vegetarian", "[x] vegan"; -1 for none. */
function questionAbove(lines: readonly string[], found: readonly unknown[]): number {
  const at = found.findIndex((groups) => groups !== undefined) - 1
  const above = lines[at]?.trim() ?? ''
  return /:$/.test(above) && !HEADS_TASKS.test(above) ? at : -1
}

/** The lists of a text, and the text without their lines. */
export function lineLists(text: string): { readonly lists: readonly Json[]; readonly rest: string } {
  let lines = text.split(/\r?\n/)
  const lists: Json[] = []
  for (const { line, fields } of FORMS) {
    const found = lines.map((one) => (one.length > LONGEST_LINE ? undefined : line.exec(one)?.groups))
    const things = found.filter((groups) => groups !== undefined)
    if (things.length < FEWEST_LINES) continue
    const head = line === TICKED ? questionAbove(lines, found) : -1
    if (head < 0) lists.push(things.map(fields))
    lines = lines.filter((_, i) => found[i] === undefined && i !== head)
  }
  return { lists, rest: lines.join('\n') }
}

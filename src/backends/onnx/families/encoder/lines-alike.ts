// Lines of one form, as lists in mails and on receipts are: "Emma by Jane Austen (due 12 May 2026)", "Bread  3.20".
// Where something in one of them answers, so does what stands at its place in the others.
import type { ItemPlace, Stretch } from './enumerations.ts'
import type { SourceStretch } from './state-writer.ts'

const LINE = /[^\n]+/g
const MARK = /\d+(?:[.,:]\d+)*|[^\s\p{L}\d'’"“”]/gu
const BULLET = /^\s*(?:(?:[-*•]|\d{1,3}[.)]|\[[ xX]?\])\s+)?/
const HAS_SENTENCES = /[.!?]\s+\p{L}/u
/** They say what the others come to. */
const SUMS_UP = /^\W*(?:(?:grand |sub)?totals?|sum|cash|change|vat|tax|balance|paid|amount due)\b/i
/** Lines on a side that are looked at, and lines that are alike without a mark in them, at least. */
const [MOST_LINES, FEWEST_BARE_LINES] = [60, 3]

interface Line extends Stretch {
  readonly text: string
  /** Its marks, numbers as one. */
  readonly form: string
}

/** By stretch, which does not change. */
const LINES = new WeakMap<SourceStretch, readonly Line[]>()

/** The lines of a text that are not empty. */
function linesOf(stretch: SourceStretch): readonly Line[] {
  const before = LINES.get(stretch)
  if (before !== undefined) return before
  const lines = Array.from(stretch.string.matchAll(LINE), ({ 0: text, index }) => {
    const form = Array.from(text.matchAll(MARK), ([mark]) => (/\d/.test(mark) ? '#' : mark)).join('')
    return { text, start: index, end: index + text.length, form }
  })
  LINES.set(stretch, lines)
  return lines
}

/** The lines above and below that of a place, next to each other, which have the same marks in the same order. */
export function linesAlike(stretch: SourceStretch, { start, end }: Stretch): Stretch[] {
  const lines = linesOf(stretch)
  const own = lines.findLastIndex((line) => line.start <= start)
  const line = lines[own]
  if (line === undefined || end > line.end || SUMS_UP.test(line.text) || HAS_SENTENCES.test(line.text.replace(BULLET, ''))) return []
  const found = [...linesOn(1), ...linesOn(-1)]
  return line.form === '' && found.length + 1 < FEWEST_BARE_LINES ? [] : found

  function linesOn(step: number): Line[] {
    const alike: Line[] = []
    for (let at = own + step; Math.abs(at - own) <= MOST_LINES; at += step) {
      const [other, near] = [lines[at], lines[at - step] as Line]
      const isNext = other !== undefined && Math.max(other.start, near.start) === Math.min(other.end, near.end) + 1
      if (!isNext || other.form !== (line as Line).form) break
      if (!SUMS_UP.test(other.text)) alike.push(other)
    }
    return alike
  }
}

/** Where items stand in lines like that of an item: between the same marks as it. */
export function itemsInLines(stretch: SourceStretch, item: Stretch): ItemPlace[] {
  const { string: text } = stretch
  const lines = linesAlike(stretch, item)
  if (lines.length === 0) return []
  const before = text.slice(text.lastIndexOf('\n', item.start - 1) + 1, item.start)
  const behind = /^[^\n]*/.exec(text.slice(item.end))?.[0] as string
  const [marksBefore, marksBehind] = [before, behind].map((side) => Array.from(side.matchAll(MARK)).length) as [number, number]
  const isStart = /^\W*$/u.test(before.replace(BULLET, ''))
  const isEnd = /^\s*(?:$|[^\s\p{L}])/u.test(behind)
  return lines.map(({ start, end }) => {
    const line = text.slice(start, end)
    const marks = Array.from(line.matchAll(MARK), ({ 0: mark, index }) => ({ start: index, end: index + mark.length }))
    const from = marks[marksBefore - 1]?.end ?? 0
    const to = marks[marks.length - marksBehind]?.start ?? line.length
    const between = line.slice(from, to)
    const blank = between.length - between.trimStart().length
    return { start: start + from + blank, end: start + from + between.trimEnd().length, isStart, isEnd }
  })
}

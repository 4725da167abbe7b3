// What a text says in a form that leaves nothing to read: JSON, tables, lines of "name: value". Statements and
// questions are held against it as they are against JSON.
import type { Json } from '../../../core/types.ts'
import { wordsOf } from '../fields/json-fields.ts'
import { jsonInText } from './json-in-text.ts'
import { lineLists } from './line-lists.ts'
import { pairRecords } from './pairs.ts'
import { speakBeside } from './spoken.ts'
import { tableRows } from './tables.ts'

/** UTF-16 units of a text that is looked through. */
const LONGEST_TEXT = 50_000
/** More lines are no record, and no list that a question looks through. */
const MOST_LINES = 2_000

/** Lines that part the rows of a table: "-----+----". */
const RULED = /^[ \t]*[-+=|]*[-=]\+[-+=|]*[ \t]*(?:\n|$)/gm

/** Texts that were looked through last, and what they say: states are asked about more than once. */
const KEPT = new Map<string, readonly Json[]>()
const MOST_KEPT = 16

/** Objects and lists, in reading order of each form, the same list each time; none of a text that is all sentences. */
export function recordsInText(text: string): readonly Json[] {
  if (text.length > LONGEST_TEXT) return []
  const before = KEPT.get(text)
  if (before !== undefined) return before
  const records = lookedThrough(text)
  if (KEPT.size >= MOST_KEPT) KEPT.delete(KEPT.keys().next().value as string)
  KEPT.set(text, records)
  return records
}

function lookedThrough(text: string): readonly Json[] {
  const values = jsonInText(text)
  if (values.length > 0 || text.split('\n', MOST_LINES + 1).length > MOST_LINES) return values
  const { lists, rest } = lineLists(text.replace(RULED, ''))
  const tables = tableRows(rest)
  const around = tables.reduceRight((whole, { start, end }) => `${whole.slice(0, start)}\n${whole.slice(end)}`, rest)
  const prose = around.split('\n').filter((line) => IS_SENTENCE.test(line.trim()) && !IS_NAMED.test(line))
  const pairs = CORRECTS.test(prose.join('\n')) ? [] : pairRecords(around)
  const rows = HAS_LEGEND.test(text) ? [] : tables.map((table) => [...table.rows])
  const records = [...lists, ...rows, ...pairs]
  const words = new Set(prose.flatMap((line) => wordsOf(line)))
  if (words.size > 0) speakBeside(records, words)
  return records
}

/** Where a legend gives marks another meaning, cells say nothing by themselves. */
const HAS_LEGEND = /(?:^|[\s(])[xX✓-]\s*(?:=|means)\s/u
/** At least five words and an end mark. */
const IS_SENTENCE = /^\S+(?:\s+\S+){4,}[.!?]["'”)]?$/u
const IS_NAMED = /^\s*(?!(?:update|correction|edit)\b)[^:.!?]{1,40}:\s/i
/** What takes back what a form says. */
const CORRECTS =
  /(?:^|\n)\s*(?:update|correction|edit)\b|\b(?:had to move|moved to|instead|no longer|postponed|rescheduled|cancelled)\b|\bnow (?:starts?|begins?|takes place|costs?|is|are)\b/i

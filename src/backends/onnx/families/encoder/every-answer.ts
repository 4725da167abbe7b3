// Every answer that a text holds, where many are asked for. Pointers share their chances among the answers, so an
// answer is likely beside the likeliest one, not by itself; and what stands in one list with an answer needs less.
import { logSumExp } from '../../../../core/math.ts'
import type { Span, SpanFormat } from '../../../backend.ts'
import type { NumberReading } from './asked-numbers.ts'
import { areElements, cellOf, cellsOf, columnOf, listOf } from './columns.ts'
import { type ItemPlace, itemsBeside, itemsOf } from './enumerations.ts'
import { itemsInLines, linesAlike } from './lines-alike.ts'
import type { PossibleSpan } from './possible-spans.ts'
import {
  NOTHING_OF_VALUES,
  normalised,
  nothingOf,
  type QuotedSpans,
  type ScoredSpan,
  type SpanLogits,
  scoreOf,
  spanOf,
  spansOf,
  valuesOf,
} from './quotes.ts'
import type { SourceStretch } from './state-writer.ts'
import type { ValueKind } from './written-values.ts'

// Log-probabilities, and how many nats less than the likeliest answer's another one's may be.
/** Of a text by itself: either likely, or as likely as the likeliest but for so much, and no less than the least. */
const [LIKELY, LESS_LIKELY, LEAST] = [Math.log(0.1), 1.2, Math.log(0.007)]
/** Of a text in one list with an answer: in an enumeration, an array, a column, a line of the same form. */
const LESS_IN = { enumeration: 6, array: 8, column: 5, line: 5 }
/** Of a number or a day: anywhere, in an enumeration, of days that share a month, in a column. */
const VALUE_LESS_IN = { text: 3, enumeration: 6, days: 12, column: 4 }
/** What a text is the less likely for going over the end of a line, or of a part of one. */
const [OVER_LINE, OVER_PART] = [4, 1]
const [LINE_END, PART_END] = [/[\n\t]/, / [-–—] |: |;/]

/**
 * Every answer, in reading order and without overlaps; enumerations item by item. `isOfAll`: what looks like the format
 * is asked for, so that each span of it counts, and "nothing there" does not.
 */
export function everyQuote(pointers: SpanLogits, format: SpanFormat, isOfAll: boolean): QuotedSpans {
  const { scored, logNothing } = normalised(pointers, spansOf(pointers, format))
  if (scored.length === 0 || (!isOfAll && logNothing >= Math.log(0.5))) return { spans: [], logProbability: logNothing }
  const taken = isOfAll ? apart(scored) : format === 'text' ? likelyTexts(scored) : likelyValues(scored, format === 'date', leastOfTexts)
  taken.sort((a, b) => a.what.first - b.what.first)
  return {
    spans: taken.flatMap((one) => (format === 'text' ? itemSpans(one) : spanOf(one))),
    logProbability: Math.min(0, logSumExp(taken.map(({ logProbability }) => logProbability))),
  }
}

/** The values of `everyQuote`, each quantity once. `reading`: of numbers. */
export function everyValue(
  pointers: SpanLogits,
  kind: ValueKind,
  isOfAll: boolean,
  reading: NumberReading,
): { readonly values: readonly string[]; readonly logProbability: number } {
  // What is whole in the unit that is asked for may be written with decimals.
  const found = valuesOf(pointers, kind === 'int' && reading.unit !== null ? 'number' : kind, reading)
  const scores = found.map(({ span, offset }) => scoreOf(pointers, span, offset))
  const nothing = nothingOf(pointers) - NOTHING_OF_VALUES
  const total = logSumExp([nothing, ...scores])
  const scored = found.map(({ span, ...one }, i) => ({ ...one, what: span, logProbability: (scores[i] as number) - total }))
  if (found.length === 0 || (!isOfAll && nothing - total >= Math.log(0.5))) return { values: [], logProbability: nothing - total }
  const taken = isOfAll ? scored : likelyValues(scored, kind === 'date', (best) => best - VALUE_LESS_IN.text)
  const inOrder = [...taken].sort((a, b) => a.what.first - b.what.first)
  const once = new Map(inOrder.map(({ what, quantity, value }) => [`${what.stretch.start} ${quantity}`, value]))
  return { values: [...once.values()], logProbability: Math.min(0, logSumExp(taken.map(({ logProbability }) => logProbability))) }
}

// ── Texts: where they begin and end is open ──

function likelyTexts(all: readonly ScoredSpan[]): ScoredSpan[] {
  const scored = all.map(({ what, logProbability }) => ({ what, logProbability: logProbability - overEnds(what) }))
  const sorted = likeliestColumn(
    scored.sort((a, b) => b.logProbability - a.logProbability),
    ({ what }) => columnOf(what.stretch, what),
  )
  const best = (sorted[0] as ScoredSpan).logProbability
  const taken = apart(sorted.filter(({ logProbability }, i) => i === 0 || logProbability >= leastOfTexts(best)))
  for (const { what } of [...taken]) {
    for (const { stretch, place, less } of placesBeside(what, sorted)) {
      const mate = sorted.find((one) => one.what.stretch === stretch && standsAt(one.what, place))
      if (mate !== undefined && mate.logProbability >= best - less && isApart(mate, taken)) taken.push(mate)
    }
  }
  return taken
}

/** How likely a text has to be that stands in no list with an answer. */
function leastOfTexts(best: number): number {
  return Math.min(LIKELY, Math.max(LEAST, best - LESS_LIKELY))
}

function overEnds({ stretch, start, end }: PossibleSpan): number {
  const text = stretch.string.slice(start, end)
  return LINE_END.test(text) ? OVER_LINE : PART_END.test(text) ? OVER_PART : 0
}

function standsAt(span: PossibleSpan, { start, end, isStart, isEnd }: ItemPlace): boolean {
  return (isStart ? span.start === start : span.start >= start) && (isEnd ? span.end === end : span.end <= end)
}

/** Where others of the list may stand that a text stands in, and how many nats less likely they may be. */
function placesBeside(span: PossibleSpan, all: readonly ScoredSpan[]) {
  const { stretch } = span
  const inSentence = itemsBeside(stretch.string, span).map((place) => ({ stretch, place, less: LESS_IN.enumeration }))
  return [...inSentence, ...placesInColumn(span, all)]
}

function placesInColumn(span: PossibleSpan, all: readonly ScoredSpan[]) {
  const { stretch, start, end } = span
  const cell = cellOf(stretch, span)
  if (cell !== null) {
    const isWhole = start === cell.start && end === cell.end
    const others = cellsOf(stretch).filter((other) => other !== cell && other.column === cell.column)
    return others.map((other) => ({ stretch, place: { ...other, isStart: isWhole, isEnd: isWhole }, less: LESS_IN.column }))
  }
  const list = listOf(stretch)
  if (list === null) return itemsInLines(stretch, span).map((place) => ({ stretch, place, less: LESS_IN.line }))
  const isWhole = start === 0 && end === stretch.string.length
  const less = areElements(list) ? LESS_IN.array : LESS_IN.column
  const others = new Set<SourceStretch>(all.map(({ what }) => what.stretch).filter((one) => one !== stretch && listOf(one) === list))
  return Array.from(others, (other) => {
    return { stretch: other, place: { start: 0, end: other.string.length, isStart: isWhole, isEnd: isWhole }, less }
  })
}

/** What an enumeration lists, each as sure as the whole. A whole value of JSON, or cell, is one thing. */
function itemSpans(scored: ScoredSpan): Span[] {
  const span = spanOf(scored)
  const { stretch, start, end } = scored.what
  const isValue = (stretch.source.path !== null || stretch.head !== null) && start === 0 && end === stretch.string.length
  return (isValue ? [{ start: 0, end: span.text.length }] : itemsOf(span.text)).map(({ start, end }) => ({
    ...span,
    text: span.text.slice(start, end),
    start: span.start + start,
    end: span.start + end,
  }))
}

/** The likeliest ones first, without those that overlap them. */
function apart<S extends ScoredSpan>(scored: readonly S[]): S[] {
  const taken: S[] = []
  for (const one of [...scored].sort((a, b) => b.logProbability - a.logProbability)) if (isApart(one, taken)) taken.push(one)
  return taken
}

function isApart({ what }: ScoredSpan, taken: readonly ScoredSpan[]): boolean {
  return taken.every((one) => one.what.last < what.first || what.last < one.what.first)
}

// ── Numbers, days, addresses: what there is to choose from is known ──

/** `leastOf`: how likely one has to be that stands in no list with the likeliest one, by how likely that one is. */
function likelyValues<S extends ScoredSpan>(found: readonly S[], areDays: boolean, leastOf: (best: number) => number): S[] {
  const inColumn = likeliestColumn(found, ({ what }) => columnOf(what.stretch, what) ?? placeInLines(what, found))
  const best = Math.max(...inColumn.map(({ logProbability }) => logProbability))
  if (inColumn.length < found.length) return inColumn.filter(({ logProbability }) => logProbability >= best - VALUE_LESS_IN.column)
  const taken = new Set(found.filter(({ logProbability }) => logProbability === best || logProbability >= leastOf(best)))
  const least = best - (areDays ? VALUE_LESS_IN.days : VALUE_LESS_IN.enumeration)
  for (const run of enumerationsOf(found)) {
    if (!run.some((one) => taken.has(one))) continue
    for (const one of run) if (one.logProbability >= least) taken.add(one)
  }
  return [...taken]
}

/** Lines of one form are columns, too: which of its numbers a line's number is. */
function placeInLines({ stretch, start, end }: PossibleSpan, found: readonly ScoredSpan[]): string | null {
  const lines = linesAlike(stretch, { start, end })
  if (lines.length === 0) return null
  const lineStart = stretch.string.lastIndexOf('\n', start - 1) + 1
  const before = found.filter(({ what }) => what.stretch === stretch && what.start >= lineStart && what.start < start).length
  return `${stretch.start} line ${Math.min(lineStart, ...lines.map((line) => line.start))} ${before}`
}

/** Between two values of an enumeration: what the first is of, and what the second begins with. */
const BETWEEN_VALUES =
  /^(?: ?[\p{L}%°\p{Sc}²³]+\.?){0,3}(?:,? (?:and|or|as well as|plus|&) |[,;] | ?\/ ?)(?:(?:the|an?|for|on|in|at|of) )?(?:[\p{L}\p{Sc}]+ ?){0,2}$/u

/** The values that stand in one enumeration, of each; a value that stands in none is alone. */
function enumerationsOf<S extends ScoredSpan>(found: readonly S[]): S[][] {
  const inOrder = [...found].sort((a, b) => a.what.stretch.start - b.what.stretch.start || a.what.start - b.what.start)
  const runs: S[][] = []
  for (const one of inOrder) {
    const run = runs.at(-1)
    const before = run?.at(-1)?.what
    const { stretch, start } = one.what
    const isNext = before?.stretch === stretch && BETWEEN_VALUES.test(stretch.string.slice(before.end, start))
    if (isNext) (run as S[]).push(one)
    else runs.push([one])
  }
  return runs
}

// ── Columns ──

/** All where the likeliest stands in no column; else those of the column that has most of the chances together. */
function likeliestColumn<S extends ScoredSpan>(all: readonly S[], columnOf: (one: S) => string | null): readonly S[] {
  const placed = all.map((one) => ({ one, column: columnOf(one) }))
  const best = placed.reduce((best, other) => (other.one.logProbability > best.one.logProbability ? other : best))
  if (best.column === null) return all
  const chances = new Map<string, number>()
  for (const { one, column } of placed) {
    if (column !== null) chances.set(column, (chances.get(column) ?? 0) + Math.exp(one.logProbability - best.one.logProbability))
  }
  const [likeliest] = [...chances].sort((a, b) => b[1] - a[1])
  return placed.filter(({ column }) => column === likeliest?.[0]).map(({ one }) => one)
}

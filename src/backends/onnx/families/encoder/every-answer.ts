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
  const found = scored.map(({ what, logProbability }) => ({ what, span: what, score: logProbability, logProbability }))
  const taken = isOfAll ? apart(found) : format === 'text' ? likelyTexts(scored) : likelyValues(found, format === 'date', leastOfTexts)
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
  const scored = found.map((one) => ({ ...one, score: scoreOf(pointers, one.span, one.offset) }))
  const nothing = nothingOf(pointers) - NOTHING_OF_VALUES
  const total = logSumExp([nothing, ...scored.map(({ score }) => score)])
  if (found.length === 0 || (!isOfAll && nothing - total >= Math.log(0.5))) return { values: [], logProbability: nothing - total }
  const taken = isOfAll ? scored : likelyValues(scored, kind === 'date', (best) => best - VALUE_LESS_IN.text)
  const inOrder = [...taken].sort((a, b) => a.span.first - b.span.first)
  const once = new Map(inOrder.map(({ span, quantity, value }) => [`${span.stretch.start} ${quantity}`, value]))
  return { values: [...once.values()], logProbability: Math.min(0, logSumExp(taken.map(({ score }) => score - total))) }
}

// ── Texts: where they begin and end is open ──

function likelyTexts(all: readonly ScoredSpan[]): ScoredSpan[] {
  const scored = all.map(({ what, logProbability }) => ({ what, logProbability: logProbability - overEnds(what) }))
  const sorted = likeliestColumn(
    scored.sort((a, b) => b.logProbability - a.logProbability),
    ({ what }) => columnOf(what.stretch, what),
    ({ logProbability }) => logProbability,
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

interface Found {
  readonly span: PossibleSpan
  readonly score: number
}

/** `leastOf`: the score that one needs which stands in no list with the likeliest one, by that one's. */
function likelyValues<F extends Found>(found: readonly F[], areDays: boolean, leastOf: (best: number) => number): F[] {
  const inColumn = likeliestColumn(
    found,
    ({ span }) => columnOf(span.stretch, span) ?? placeInLines(span, found),
    ({ score }) => score,
  )
  const best = Math.max(...inColumn.map(({ score }) => score))
  if (inColumn.length < found.length) return inColumn.filter(({ score }) => score >= best - VALUE_LESS_IN.column)
  const taken = new Set(found.filter(({ score }) => score === best || score >= leastOf(best)))
  const least = best - (areDays ? VALUE_LESS_IN.days : VALUE_LESS_IN.enumeration)
  for (const one of [...taken]) for (const other of enumeratedWith(one, found)) if (other.score >= least) taken.add(other)
  return [...taken]
}

/** Lines of one form are columns, too: which of its numbers a line's number is. */
function placeInLines({ stretch, start, end }: PossibleSpan, found: readonly Found[]): string | null {
  const lines = linesAlike(stretch, { start, end })
  if (lines.length === 0) return null
  const lineStart = stretch.string.lastIndexOf('\n', start - 1) + 1
  const before = found.filter(({ span }) => span.stretch === stretch && span.start >= lineStart && span.start < start).length
  return `${stretch.start} line ${Math.min(lineStart, ...lines.map((line) => line.start))} ${before}`
}

/** Between two values of an enumeration: what the first is of, and what the second begins with. */
const BETWEEN_VALUES =
  /^(?: ?[\p{L}%°\p{Sc}²³]+\.?){0,3}(?:,? (?:and|or|as well as|plus|&) |[,;] | ?\/ ?)(?:(?:the|an?|for|on|in|at|of) )?(?:[\p{L}\p{Sc}]+ ?){0,2}$/u

function enumeratedWith<F extends Found>(one: F, found: readonly F[]): F[] {
  const { stretch } = one.span
  const inOrder = found.filter(({ span }) => span.stretch === stretch).sort((a, b) => a.span.start - b.span.start)
  const isNext = (at: number): boolean => {
    const [before, behind] = [inOrder[at - 1], inOrder[at]]
    return before !== undefined && behind !== undefined && BETWEEN_VALUES.test(stretch.string.slice(before.span.end, behind.span.start))
  }
  const own = inOrder.indexOf(one)
  let [from, to] = [own, own + 1]
  while (isNext(from)) from--
  while (isNext(to)) to++
  return inOrder.slice(from, to)
}

// ── Columns ──

/** All where the likeliest stands in no column; else those of the column that has most of the chances together. */
function likeliestColumn<T>(all: readonly T[], columnOf: (one: T) => string | null, scoreOf: (one: T) => number): readonly T[] {
  const placed = all.map((one) => ({ one, column: columnOf(one), score: scoreOf(one) }))
  const best = placed.reduce((best, other) => (other.score > best.score ? other : best))
  if (best.column === null) return all
  const chances = new Map<string, number>()
  for (const { column, score } of placed) {
    if (column !== null) chances.set(column, (chances.get(column) ?? 0) + Math.exp(score - best.score))
  }
  const [likeliest] = [...chances].sort((a, b) => b[1] - a[1])
  return placed.filter(({ column }) => column === likeliest?.[0]).map(({ one }) => one)
}

// Pointer logits over the pieces that were read to quotes: verbatim spans, or values that stand in the text. "Nothing
// there" competes with all of them.
import { findFormat } from '../../../../constraint/formats.ts'
import { logSumExp } from '../../../../core/math.ts'
import type { Span, SpanFormat } from '../../../backend.ts'
import { AS_WRITTEN, type NumberReading } from './asked-numbers.ts'
import { logStands } from './asked-to-work-out.ts'
import { cellsOf, touchesCell } from './columns.ts'
import type { QuoteLogits } from './graphs.ts'
import { memberName } from './member-names.ts'
import type { Passage } from './passages.ts'
import type { PossibleSpan, PossibleSpans } from './possible-spans.ts'
import { rowClues } from './row-clues.ts'
import type { SourceStretch } from './state-writer.ts'
import { whyUnread } from './unread-dates.ts'
import { likeliestOf, type ValueKind, type WrittenValue, writtenValues } from './written-values.ts'

/** Words of a value of JSON that is mostly quoted as a whole; of one that is no sentence and lists nothing. */
const [SHORT_WORDS, SHORT_PHRASE] = [6, 14]
const IS_NO_PHRASE = /[,;\n]|[.!?](?:\s|$)/
/** What a part of such a value is the less likely than the pointers say, in nats; of a value of one word. */
const [PART_OF_VALUE, PART_OF_WORD] = [2, 5]
/** Hardly ever quoted in part, as web and mail addresses are. */
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g
/**
 * What a span is the less likely for each further piece, in nats. Its ends are pointed at each by itself, so the first
 * piece of one answer and the last of another make a span, too, which is long.
 */
const FURTHER_PIECE = 0.05
/** What "nothing there" is the less likely than the pointers say for a value, in nats: most are there. */
export const NOTHING_OF_VALUES = 3
/** The log-probability of an answer that could not be given. */
export const NO_VALUE = Math.log(1e-6)

/** Pointers of one read, over the pieces of the passages in their order. */
export interface SpanLogits {
  readonly logits: QuoteLogits
  readonly passages: readonly Passage[]
  readonly spans: PossibleSpans
  /** Name of a member of JSON -> nats that its values are the likelier. */
  readonly priors: ReadonlyMap<string, number>
}

export interface ScoredSpan {
  readonly what: PossibleSpan
  readonly logProbability: number
}

export interface QuotedSpans {
  readonly spans: Span[]
  readonly logProbability: number
}

/** The most probable span; none where "nothing there" is likelier than all spans together. */
export function oneQuote(pointers: SpanLogits, format: SpanFormat): QuotedSpans {
  const { scored, logNothing } = normalised(pointers, spansOf(pointers, format))
  const best = likeliest(scored)
  if (best === null || logNothing >= Math.log(0.5)) return { spans: [], logProbability: logNothing }
  return { spans: [spanOf(best)], logProbability: best.logProbability }
}

/** A value that was chosen; `reason`: why there is none, where something stands in its place. */
export interface QuotedValue {
  readonly value: string | null
  readonly logProbability: number
  readonly reason?: string
}

/** What a value is read by: the question, how numbers are taken, and whether "nothing there" takes its share, too. */
export interface ValueReading {
  readonly question: string
  readonly numbers: NumberReading
  readonly weighsNothing: boolean
}

/** The likeliest of the values that stand in the text; null where there is none. Equal values share their chances. */
export function oneValue(pointers: SpanLogits, kind: ValueKind, { question, numbers, weighsNothing }: ValueReading): QuotedValue {
  const found = valuesOf(pointers, kind, numbers)
  const clues = rowClues(
    question,
    found.map(({ span }) => span),
    pointers.spans.stretches,
  )
  const scores = found.map(({ span, offset }, i) => scoreOf(pointers, span, offset) + (clues[i] as number))
  const total = logSumExp(weighsNothing ? [nothingOf(pointers) - NOTHING_OF_VALUES, ...scores] : scores)
  const best = likeliestOf(found.map(({ value }, i) => [value, Math.exp((scores[i] as number) - total)]))
  const logRight = kind === 'date' ? 0 : logStands(question)
  if (best !== undefined) return { value: best[0], logProbability: Math.min(0, Math.log(best[1])) + logRight }
  const unread = kind === 'date' ? likeliestUnread(pointers) : null
  return { value: null, logProbability: NO_VALUE, ...(unread === null ? {} : { reason: whyUnread(textOf(unread)) }) }
}

/** Of what looks like a date and is no day of the calendar. */
function likeliestUnread(pointers: SpanLogits): PossibleSpan | null {
  const { scored } = normalised(pointers, spansOf(pointers, 'date'))
  return likeliest(scored)?.what ?? null
}

/** The numbers that stand in the text, in reading order, in the unit of the reading and without scales. */
export function numbersOf(pointers: SpanLogits, kind: 'int' | 'number', { unit }: NumberReading): number[] {
  const found = valuesOf(pointers, kind, { ...AS_WRITTEN, unit }).sort((a, b) => a.span.first + a.offset - (b.span.first + b.offset))
  return found.map(({ value }) => Number(value))
}

export function valuesOf(pointers: SpanLogits, kind: ValueKind, reading: NumberReading) {
  const { spans } = pointers
  return everyPassage(pointers, (from, to) =>
    spans
      .stretchesWithin(from, to)
      .flatMap((number) =>
        valuesIn(spans.stretch(number), kind, reading).flatMap((written) =>
          spans.covering(number, [written], from, to).map((span) => ({ span, value: written.value, quantity: written.quantity })),
        ),
      ),
  )
}

/** The values of a stretch. A cell of a table ends its numbers, as its commas do those of "5.9,655". */
function valuesIn(stretch: SourceStretch, kind: ValueKind, reading: NumberReading): WrittenValue[] {
  const { string } = stretch
  const all = writtenValues(kind, string, reading, memberName(stretch) ?? '')
  const cells = cellsOf(stretch)
  if (cells.length === 0) return all
  const inCells = cells.flatMap(({ start, end, head }) =>
    writtenValues(kind, string.slice(start, end), reading, head).map((one) => ({
      ...one,
      start: start + one.start,
      end: start + one.end,
      quantity: start + one.quantity,
    })),
  )
  return [...inCells, ...all.filter((one) => !touchesCell(stretch, one))].sort((a, b) => a.start - b.start)
}

type PlacedIn<T> = T & { readonly offset: number }

/** What `find` gives for each passage, with what is added to the number of a piece to have its place in the logits. */
function everyPassage<T extends object>({ passages }: SpanLogits, find: (from: number, to: number) => readonly T[]): PlacedIn<T>[] {
  let before = 0
  return passages.flatMap(({ from, to }) => {
    const offset = before - from
    before += to - from
    return find(from, to).map((one) => ({ ...one, offset }))
  })
}

export function spansOf(pointers: SpanLogits, format: SpanFormat): PlacedIn<PossibleSpan>[] {
  return everyPassage(pointers, (from, to) => pointers.spans.within(from, to, format))
}

export function scoreOf({ logits, priors }: SpanLogits, span: PossibleSpan, offset: number): number {
  const pointed = (logits.first[1 + span.first + offset] as number) + (logits.last[1 + span.last + offset] as number)
  const name = priors.size === 0 ? null : memberName(span.stretch)
  return pointed + (name === null ? 0 : (priors.get(name) ?? 0))
}

/** The logit of "nothing there". */
export function nothingOf({ logits: { first, last } }: SpanLogits): number {
  return (first[0] as number) + (last[0] as number)
}

export function normalised(pointers: SpanLogits, spans: readonly PlacedIn<PossibleSpan>[]) {
  const nothing = nothingOf(pointers)
  const scores = spans.map((span) => scoreOf(pointers, span, span.offset) - asAPart(span) - FURTHER_PIECE * (span.last - span.first))
  const total = logSumExp([nothing, ...scores])
  const scored = spans.map((what, i): ScoredSpan => ({ what, logProbability: (scores[i] as number) - total }))
  return { scored, logNothing: nothing - total }
}

/** What a span is the less likely, in nats, for being less than the short value, the cell or the address it is in. */
function asAPart({ stretch, start, end }: PossibleSpan): number {
  const { inside, ofPart } = wholesOf(stretch)
  if (inside[start] === 1 || inside[end] === 1) return PART_OF_WORD
  return start === 0 && end === stretch.string.length ? 0 : ofPart
}

/** What is mostly quoted as a whole in a stretch. */
interface Wholes {
  /** 1 at the offsets that are inside an address or a moment. */
  readonly inside: Uint8Array
  /** What any part of the stretch is the less likely, in nats. */
  readonly ofPart: number
}

/** Asked for each span of a stretch, which does not change. */
const WHOLES = new WeakMap<SourceStretch, Wholes>()

function wholesOf(stretch: SourceStretch): Wholes {
  const before = WHOLES.get(stretch)
  if (before !== undefined) return before
  const wholes = { inside: insidesOf(stretch.string), ofPart: partOf(stretch) }
  WHOLES.set(stretch, wholes)
  return wholes
}

function insidesOf(string: string): Uint8Array {
  const moments = Array.from(string.matchAll(MOMENT), ({ index, 0: { length } }) => ({ start: index, end: index + length }))
  // "from=ana@mail.example": an address may begin so, but hardly does.
  const mails = findFormat('email', string).map(({ start, end }) => ({ start: Math.max(start, string.lastIndexOf('=', end - 1) + 1), end }))
  const inside = new Uint8Array(string.length + 1)
  for (const { start, end } of [...mails, ...findFormat('url', string), ...moments]) inside.fill(1, start + 1, end)
  return inside
}

/** Of a value of JSON or a cell that is short. */
function partOf({ string, source, head }: SourceStretch): number {
  if (source.path === null && head === null) return 0
  const words = string.split(/\s/, SHORT_PHRASE + 1).length
  if (words === 1) return PART_OF_WORD
  return words <= SHORT_WORDS || (words <= SHORT_PHRASE && !IS_NO_PHRASE.test(string)) ? PART_OF_VALUE : 0
}

function likeliest(scored: readonly ScoredSpan[]): ScoredSpan | null {
  return scored.reduce<ScoredSpan | null>((best, one) => (best === null || one.logProbability > best.logProbability ? one : best), null)
}

function textOf({ stretch, start, end }: PossibleSpan): string {
  return stretch.string.slice(start, end)
}

export function spanOf({ what, logProbability }: ScoredSpan): Span {
  const { stretch, start, end } = what
  const { source, offset } = stretch
  return { text: textOf(what), source, start: offset + start, end: offset + end, logProbability: Math.min(0, logProbability) }
}

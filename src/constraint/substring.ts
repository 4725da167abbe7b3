// The quotable text of a prompt to an automaton that can only quote it: whatever is decoded is a substring of one string of the state,
// from a word boundary to a word boundary, and its place is known. States are paths, each with the places where the path still fits.
import type { Span, SpanFormat } from '../backends/backend.ts'
import type { Prompt, TextSource } from '../core/types.ts'
import type { Automaton, State } from './automaton.ts'
import type { Decoded } from './decode.ts'
import { findFormat } from './formats.ts'
import { wordBoundaries } from './words.ts'

/** Between spans, when there may be several: a newline, which no span has then. */
export const SPAN_SEPARATOR = '\n'

export interface SpanOptions {
  readonly format: SpanFormat
  /** Several spans, each on one line, with a newline between; no two overlap. */
  readonly many: boolean
  /** What is written when there is nothing to quote, e.g. `none`; '' means to end at once. It wins where the state has the same words. */
  readonly nothing: string
  /** Most spans of one read; 32 unless told. */
  readonly maxSpans?: number
  /** Allow one space in front, as many tokenizers write the first word. */
  readonly leadingSpace?: boolean
}

/** A verbatim span and its place: UTF-16 offsets into the string of `source`. `at` is where it stands among all quotable text, for reading order. */
export interface Quote extends Omit<Span, 'logProbability'> {
  readonly at: number
}

export interface SpanAutomaton extends Automaton {
  /** The spans said so far, in the order they were said; the last one only if it may end here. Repeated text is found at its first free place. */
  quotes(state: State): readonly Quote[]
  /** How many spans are finished, that is, followed by a separator. */
  finished(state: State): number
}

/** A place as byte offsets into all text. The span may go on up to `limit`; with a format it must. */
interface Place {
  readonly start: number
  readonly limit: number
}

interface Node {
  /** Live places; the next byte is at start + length. */
  readonly places: readonly Place[]
  readonly length: number
  /** Bytes of the `nothing` literal said so far, −1 when the path has left it. */
  readonly nothing: number
  readonly done: readonly Place[]
  readonly moves: Map<number, State>
  /** The live places by their next byte; made at the first step. */
  byByte: Map<number, Place[]> | null
}

const NEWLINE = 0x0a
const SPACE = 0x20

/** All quotable strings as bytes, one behind the other, with what is needed to find the way back. */
class QuotableText {
  readonly bytes: Uint8Array
  readonly places: Place[] = []
  private readonly strings: { readonly text: string; readonly source: TextSource; readonly from: number; readonly units: Int32Array }[] = []
  /** [byte] -> the greatest offset at or before it where a span may end. */
  private readonly endAtOrBefore: Int32Array
  private readonly isEnd: Uint8Array

  constructor(prompt: Prompt, format: SpanFormat, isOneLine: boolean) {
    const quotable = prompt.pieces.flatMap((piece) =>
      piece.type === 'text' && piece.source !== null ? [{ text: piece.text, source: piece.source }] : [],
    )
    const encoded = quotable.map(({ text }) => new TextEncoder().encode(text))
    // One byte between strings, so that the end of one is not the start of the next.
    const total = encoded.reduce((sum, bytes) => sum + bytes.length + 1, 0)
    this.bytes = new Uint8Array(total)
    this.isEnd = new Uint8Array(total + 1)
    this.endAtOrBefore = new Int32Array(total + 1)
    let from = 0
    quotable.forEach(({ text, source }, i) => {
      const bytes = encoded[i] as Uint8Array
      this.bytes.set(bytes, from)
      const offsets = byteOffsets(text) // [UTF-16 unit] -> byte
      const units = new Int32Array(bytes.length + 1).fill(-1)
      for (let unit = 0; unit < offsets.length; unit++) if (offsets[unit] !== -1) units[offsets[unit] as number] = unit
      this.strings.push({ text, source, from, units })
      this.addPlaces(text, offsets, from, format, isOneLine)
      from += bytes.length + 1
    })
    for (let at = 1, last = 0; at <= total; at++) {
      if (this.isEnd[at]) last = at
      this.endAtOrBefore[at] = last
    }
  }

  private addPlaces(text: string, offsets: Int32Array, from: number, format: SpanFormat, isOneLine: boolean): void {
    const byte = (unit: number): number => from + (offsets[unit] as number)
    if (format !== 'text') {
      for (const { start, end } of findFormat(format, text)) {
        if (isOneLine && /[\n\r]/.test(text.slice(start, end))) continue
        this.isEnd[byte(end)] = 1
        this.places.push({ start: byte(start), limit: byte(end) })
      }
      return
    }
    const { starts, ends } = wordBoundaries(text)
    for (let unit = 0; unit <= text.length; unit++) if (ends[unit]) this.isEnd[byte(unit)] = 1
    let stop = -1 // end of the stretch a span may not leave: the line or the whole string
    let limit = 0
    for (let unit = 0; unit < text.length; unit++) {
      if (unit > stop) {
        stop = isOneLine ? lineEnd(text, unit) : text.length
        limit = stop
        while (limit > unit && !ends[limit]) limit--
      }
      if (starts[unit] && unit < limit) this.places.push({ start: byte(unit), limit: byte(limit) })
    }
  }

  mayEndAt(byte: number): boolean {
    return this.isEnd[byte] === 1
  }

  /** The places that keep clear of the taken ones; with a format whole ones only, else cut short before the next taken one. */
  free(taken: readonly Place[], isExact: boolean): Place[] {
    return this.places.flatMap((place) => {
      let limit = place.limit
      for (const { start, limit: end } of taken) {
        if (place.start >= start && place.start < end) return []
        if (start > place.start && start < limit) limit = isExact ? -1 : (this.endAtOrBefore[start] as number)
      }
      if (limit <= place.start) return []
      return [limit === place.limit ? place : { start: place.start, limit }]
    })
  }

  quote({ start, limit }: Place): Quote {
    let low = 0
    let high = this.strings.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.strings[middle] as { from: number }).from <= start) low = middle
      else high = middle - 1
    }
    const { text, source, from, units } = this.strings[low] as (typeof this.strings)[number]
    const first = units[start - from] as number
    const last = units[limit - from] as number
    return { text: text.slice(first, last), source, start: first, end: last, at: start }
  }
}

function lineEnd(text: string, from: number): number {
  for (let unit = from; unit < text.length; unit++) if (text[unit] === '\n' || text[unit] === '\r') return unit
  return text.length
}

/** [UTF-16 unit] -> byte offset in UTF-8, −1 at the second half of a pair. A lone half is U+FFFD: three bytes. */
function byteOffsets(text: string): Int32Array {
  const offsets = new Int32Array(text.length + 1)
  let byte = 0
  let unit = 0
  for (const character of text) {
    offsets[unit] = byte
    const code = character.codePointAt(0) as number
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (character.length === 2) offsets[unit + 1] = -1
    unit += character.length
  }
  offsets[unit] = byte
  return offsets
}

/**
 * An automaton over UTF-8 bytes that quotes the text pieces of the prompt that have a source. Made once for a prompt and its options; states grow
 * with what is explored. Throws RangeError when `nothing` starts with a space (with `leadingSpace`) or has a newline (with `many`).
 */
export function compileSpans(prompt: Prompt, options: SpanOptions): SpanAutomaton {
  const { format, many, maxSpans = 32 } = options
  const nothing = new TextEncoder().encode(options.nothing)
  if (options.leadingSpace && nothing[0] === SPACE)
    throw new RangeError('with leadingSpace the literal for nothing cannot start with a space')
  if (many && nothing.includes(NEWLINE)) throw new RangeError('with many the literal for nothing cannot have a newline')
  const isExact = format !== 'text'
  const text = new QuotableText(prompt, format, many)
  const nodes: Node[] = []
  const add = (node: Omit<Node, 'moves' | 'byByte'>): State => nodes.push({ ...node, moves: new Map(), byByte: null }) - 1

  /** The first place where the path of a node is a whole span. */
  const wholePlace = ({ places, length }: Node): Place | null => {
    if (length === 0) return null
    for (const { start, limit } of places) {
      const end = start + length
      if (isExact ? end === limit : text.mayEndAt(end)) return { start, limit: end }
    }
    return null
  }

  const step = (node: Node, byte: number): State | null => {
    if (byte === SPACE && node === nodes[START] && options.leadingSpace) return add({ ...node })
    if (byte === NEWLINE && many) {
      const place = node.nothing === nothing.length ? null : wholePlace(node)
      if (place === null || node.done.length + 1 >= maxSpans) return null
      const done = [...node.done, place]
      const places = text.free(done, isExact)
      return places.length === 0 ? null : add({ places, length: 0, nothing: -1, done })
    }
    if (node.byByte === null) {
      node.byByte = new Map()
      for (const place of node.places) {
        const at = place.start + node.length
        if (at >= place.limit) continue
        const next = text.bytes[at] as number
        const bucket = node.byByte.get(next)
        if (bucket === undefined) node.byByte.set(next, [place])
        else bucket.push(place)
      }
    }
    const places = node.byByte.get(byte) ?? []
    const literal = node.nothing >= 0 && nothing[node.nothing] === byte ? node.nothing + 1 : -1
    return places.length === 0 && literal === -1 ? null : add({ places, length: node.length + 1, nothing: literal, done: node.done })
  }

  const START = add({ places: text.places, length: 0, nothing: 0, done: [] })
  const nodeOf = (state: State): Node => nodes[state] as Node
  return {
    start: START,
    step(state, byte) {
      const node = nodeOf(state)
      let next = node.moves.get(byte) ?? null
      if (next === null) {
        next = step(node, byte)
        if (next !== null) node.moves.set(byte, next)
      }
      return next
    },
    accepts: (state) => nodeOf(state).nothing === nothing.length || wholePlace(nodeOf(state)) !== null,
    quotes(state) {
      const node = nodeOf(state)
      const last = node.nothing === nothing.length ? null : wholePlace(node)
      return [...node.done, ...(last === null ? [] : [last])].map((place) => text.quote(place))
    },
    finished: (state) => nodeOf(state).done.length,
  }
}

/**
 * What a decoded read quotes, in reading order (the order of the state's strings, then of offsets). Each span carries the constrained log-probability
 * of its own tokens, its separator or end included. When the budget ran out inside a span, the longest start of it that is whole words is kept.
 */
export function readSpans(automaton: SpanAutomaton, decoded: Decoded): Span[] {
  const last = decoded.states.findLast((state) => automaton.accepts(state)) ?? automaton.start
  const quotes = automaton.quotes(last)
  const logProbabilities = new Array<number>(quotes.length).fill(0)
  decoded.steps.forEach((step, i) => {
    const span = automaton.finished(decoded.states[i] as State)
    if (span < quotes.length) logProbabilities[span] = (logProbabilities[span] as number) + step.constrainedLogProbability
  })
  return quotes
    .map((quote, i) => ({ ...quote, logProbability: logProbabilities[i] as number }))
    .sort((a, b) => a.at - b.at)
    .map(({ at: _, ...span }) => span)
}

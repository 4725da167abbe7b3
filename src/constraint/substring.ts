// The quotable text of a prompt to an automaton that can only quote it: whatever is decoded is a substring of one
// string of the state, from a word boundary to a word boundary, with known offsets. A state is a path of bytes, with
// all ranges of the text that begin with this path.
import type { Span, SpanFormat } from '../backends/backend.ts'
import type { Prompt, TextSource } from '../core/types.ts'
import type { Automaton, AutomatonState } from './automaton.ts'
import type { Decoded } from './decode.ts'
import { findFormat } from './formats.ts'
import { wordBoundaries } from './words.ts'

export interface SpanOptions {
  readonly format: SpanFormat
  /** Several spans, each on one line, with a newline between; no two overlap. */
  readonly many: boolean
  /**
   * The text for "nothing to quote", e.g. `none`; '' means to end at once. It wins where the state has the same words.
   */
  readonly nothing: string
  /** Most spans of one read; 32 unless told. */
  readonly maxSpans?: number
  /** Allow one space in front, as many tokenizers write the first word. */
  readonly leadingSpace?: boolean
}

/**
 * A verbatim span, with UTF-16 offsets into the string of `source`. `at` is its position in all quotable text, for
 * reading order.
 */
export interface QuotedSpan extends Omit<Span, 'logProbability'> {
  readonly at: number
}

export interface SpanAutomaton extends Automaton {
  /**
   * The spans so far, in the order they were written; the last one only if it may end here. Repeated text is found at
   * its first free position.
   */
  quotes(state: AutomatonState): readonly QuotedSpan[]
  /** How many spans are finished, that is, followed by a separator. */
  finished(state: AutomatonState): number
}

/**
 * A range as byte offsets into all text. A span that starts there may end at `limit` or before; with a format it ends
 * at `limit`.
 */
interface ByteRange {
  readonly start: number
  readonly limit: number
}

interface PathNode {
  /** Ranges that begin with the path; the next byte is at start + length. */
  readonly ranges: readonly ByteRange[]
  readonly length: number
  /** Bytes of the `nothing` literal written so far, −1 when the path has left it. */
  readonly nothing: number
  readonly done: readonly ByteRange[]
  readonly moves: Map<number, AutomatonState>
  /** The ranges by their next byte; made at the first step. */
  byByte: Map<number, ByteRange[]> | null
}

const NEWLINE_BYTE = 0x0a
const SPACE_BYTE = 0x20

/** All quotable strings as bytes, one behind the other, and the way back from byte offsets to strings. */
class QuotableText {
  readonly bytes: Uint8Array
  readonly ranges: ByteRange[] = []
  readonly #strings: { readonly text: string; readonly source: TextSource; readonly from: number; readonly units: Int32Array }[] = []
  /** [byte] -> the greatest offset at or before it where a span may end. */
  readonly #endAtOrBefore: Int32Array
  readonly #isEnd: Uint8Array

  constructor(prompt: Prompt, format: SpanFormat, isOneLine: boolean) {
    const quotable = prompt.pieces.flatMap((piece) =>
      piece.type === 'text' && piece.source !== null ? [{ text: piece.text, source: piece.source }] : [],
    )
    const encoded = quotable.map(({ text }) => new TextEncoder().encode(text))
    // One byte between strings, so that the end of one is not the start of the next.
    const total = encoded.reduce((sum, bytes) => sum + bytes.length + 1, 0)
    this.bytes = new Uint8Array(total)
    this.#isEnd = new Uint8Array(total + 1)
    this.#endAtOrBefore = new Int32Array(total + 1)
    let from = 0
    quotable.forEach(({ text, source }, i) => {
      const bytes = encoded[i] as Uint8Array
      this.bytes.set(bytes, from)
      const offsets = byteOffsets(text) // [UTF-16 unit] -> byte
      const units = new Int32Array(bytes.length + 1).fill(-1)
      for (let unit = 0; unit < offsets.length; unit++) if (offsets[unit] !== -1) units[offsets[unit] as number] = unit
      this.#strings.push({ text, source, from, units })
      this.#addRanges(text, offsets, from, format, isOneLine)
      from += bytes.length + 1
    })
    for (let at = 1, last = 0; at <= total; at++) {
      if (this.#isEnd[at]) last = at
      this.#endAtOrBefore[at] = last
    }
  }

  #addRanges(text: string, offsets: Int32Array, from: number, format: SpanFormat, isOneLine: boolean): void {
    const byte = (unit: number): number => from + (offsets[unit] as number)
    if (format !== 'text') {
      for (const { start, end } of findFormat(format, text)) {
        if (isOneLine && /[\n\r]/.test(text.slice(start, end))) continue
        this.#isEnd[byte(end)] = 1
        this.ranges.push({ start: byte(start), limit: byte(end) })
      }
      return
    }
    const { starts, ends } = wordBoundaries(text)
    for (let unit = 0; unit <= text.length; unit++) if (ends[unit]) this.#isEnd[byte(unit)] = 1
    let stop = -1 // the end of what a span may not leave: the line or the whole string
    let limit = 0
    for (let unit = 0; unit < text.length; unit++) {
      if (unit > stop) {
        stop = isOneLine ? lineEnd(text, unit) : text.length
        limit = stop
        while (limit > unit && !ends[limit]) limit--
      }
      if (starts[unit] && unit < limit) this.ranges.push({ start: byte(unit), limit: byte(limit) })
    }
  }

  mayEndAt(byte: number): boolean {
    return this.#isEnd[byte] === 1
  }

  /**
   * The ranges that do not overlap the taken ones: with a format whole ones only, else cut short before the next taken
   * one.
   */
  free(taken: readonly ByteRange[], isExact: boolean): ByteRange[] {
    return this.ranges.flatMap((range) => {
      let limit = range.limit
      for (const { start, limit: end } of taken) {
        if (range.start >= start && range.start < end) return []
        if (start > range.start && start < limit) limit = isExact ? -1 : (this.#endAtOrBefore[start] as number)
      }
      if (limit <= range.start) return []
      return [limit === range.limit ? range : { start: range.start, limit }]
    })
  }

  quote({ start, limit }: ByteRange): QuotedSpan {
    let low = 0
    let high = this.#strings.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#strings[middle] as { from: number }).from <= start) low = middle
      else high = middle - 1
    }
    const { text, source, from, units } = this.#strings[low]!
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
 * An automaton over UTF-8 bytes that quotes the text pieces of the prompt that have a source. Make it once for a prompt
 * and its options; its states grow with what is explored. Throws RangeError when `nothing` starts with a space (with
 * `leadingSpace`) or has a newline (with `many`).
 */
export function compileSpans(prompt: Prompt, options: SpanOptions): SpanAutomaton {
  const { format, many, maxSpans = 32 } = options
  const nothing = new TextEncoder().encode(options.nothing)
  if (options.leadingSpace && nothing[0] === SPACE_BYTE)
    throw new RangeError('with leadingSpace the literal for nothing cannot start with a space')
  if (many && nothing.includes(NEWLINE_BYTE)) throw new RangeError('with many the literal for nothing cannot have a newline')
  const isExact = format !== 'text'
  const text = new QuotableText(prompt, format, many)
  const nodes: PathNode[] = []
  const add = (node: Omit<PathNode, 'moves' | 'byByte'>): AutomatonState => nodes.push({ ...node, moves: new Map(), byByte: null }) - 1

  /** The first range of which the path of a node is a whole span. */
  const wholeRange = ({ ranges, length }: PathNode): ByteRange | null => {
    if (length === 0) return null
    for (const { start, limit } of ranges) {
      const end = start + length
      if (isExact ? end === limit : text.mayEndAt(end)) return { start, limit: end }
    }
    return null
  }

  const step = (node: PathNode, byte: number): AutomatonState | null => {
    if (byte === SPACE_BYTE && node === nodes[START] && options.leadingSpace) return add({ ...node })
    if (byte === NEWLINE_BYTE && many) {
      const range = node.nothing === nothing.length ? null : wholeRange(node)
      if (range === null || node.done.length + 1 >= maxSpans) return null
      const done = [...node.done, range]
      const ranges = text.free(done, isExact)
      return ranges.length === 0 ? null : add({ ranges, length: 0, nothing: -1, done })
    }
    if (node.byByte === null) {
      node.byByte = new Map()
      for (const range of node.ranges) {
        const at = range.start + node.length
        if (at >= range.limit) continue
        const next = text.bytes[at] as number
        const bucket = node.byByte.get(next)
        if (bucket === undefined) node.byByte.set(next, [range])
        else bucket.push(range)
      }
    }
    const ranges = node.byByte.get(byte) ?? []
    const literal = node.nothing >= 0 && nothing[node.nothing] === byte ? node.nothing + 1 : -1
    return ranges.length === 0 && literal === -1 ? null : add({ ranges, length: node.length + 1, nothing: literal, done: node.done })
  }

  const START = add({ ranges: text.ranges, length: 0, nothing: 0, done: [] })
  const nodeOf = (state: AutomatonState): PathNode => nodes[state] as PathNode
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
    accepts: (state) => nodeOf(state).nothing === nothing.length || wholeRange(nodeOf(state)) !== null,
    quotes(state) {
      const node = nodeOf(state)
      const last = node.nothing === nothing.length ? null : wholeRange(node)
      return [...node.done, ...(last === null ? [] : [last])].map((range) => text.quote(range))
    },
    finished: (state) => nodeOf(state).done.length,
  }
}

/**
 * The spans of a decoded read, in reading order (the order of the state's strings, then of offsets). Each has the
 * constrained log-probability of its own tokens, its separator or end included. When the token budget ran out inside a
 * span, its longest beginning of whole words is kept.
 */
export function readSpans(automaton: SpanAutomaton, decoded: Decoded): Span[] {
  const last = decoded.states.findLast((state) => automaton.accepts(state)) ?? automaton.start
  const quotes = automaton.quotes(last)
  const logProbabilities = new Array<number>(quotes.length).fill(0)
  decoded.steps.forEach((step, i) => {
    const span = automaton.finished(decoded.states[i] as AutomatonState)
    if (span < quotes.length) logProbabilities[span] = (logProbabilities[span] as number) + step.constrainedLogProbability
  })
  return quotes
    .map((quote, i) => ({ ...quote, logProbability: logProbabilities[i] as number }))
    .sort((a, b) => a.at - b.at)
    .map(({ at: _, ...span }) => span)
}

// The stretches of a state that may be quoted: they begin and end at word boundaries of one of the caller's strings, so
// an answer stands there by construction.
import { findFormat } from '../../../../constraint/formats.ts'
import { type WordBoundaries, wordBoundaries } from '../../../../constraint/words.ts'
import type { SpanFormat } from '../../../backend.ts'
import type { SourceStretch, StateText } from './state-writer.ts'
import type { PiecedText } from './word-pieces.ts'

/** A span: its first and last piece of the state, and UTF-16 offsets in the string of its stretch. */
export interface PossibleSpan {
  readonly first: number
  readonly last: number
  readonly stretch: SourceStretch
  readonly start: number
  readonly end: number
}

/** Most pieces of a quote. */
const LONGEST_PIECES = 40

export class PossibleSpans {
  readonly #pieces: PiecedText
  readonly #stretches: readonly SourceStretch[]
  /** [pieces] the stretch that a piece stands in, −1 for none. */
  readonly #stretchOf: Int32Array
  /** Stretch -> its first piece. */
  readonly #firstOf = new Map<number, number>()
  readonly #boundaries = new Map<SourceStretch, WordBoundaries>()

  constructor({ stretches }: Pick<StateText, 'stretches'>, pieces: PiecedText) {
    this.#pieces = pieces
    this.#stretches = stretches
    this.#stretchOf = new Int32Array(pieces.ids.length).fill(-1)
    let at = 0
    pieces.ids.forEach((_, piece) => {
      const [start, end] = [pieces.starts[piece] as number, pieces.ends[piece] as number]
      while (at < stretches.length && (stretches[at] as SourceStretch).end <= start) at++
      const stretch = stretches[at]
      if (stretch === undefined || start < stretch.start || end > stretch.end) return
      this.#stretchOf[piece] = at
      if (!this.#firstOf.has(at)) this.#firstOf.set(at, piece)
    })
  }

  /** Spans within the pieces from `from` to before `to`, in reading order. */
  within(from: number, to: number, format: SpanFormat): PossibleSpan[] {
    if (format === 'text') return this.#words(from, to)
    const found = (stretch: SourceStretch) => findFormat(format, stretch.string)
    return this.stretchesWithin(from, to).flatMap((number) =>
      found(this.#stretches[number] as SourceStretch).flatMap(({ start, end }) => this.#covering(number, start, end, from, to)),
    )
  }

  /** The span of some units of a stretch; none where its pieces are not all within `from` and `to`. */
  #covering(number: number, start: number, end: number, from: number, to: number): PossibleSpan[] {
    const stretch = this.#stretches[number] as SourceStretch
    const isIn = (piece: number): boolean =>
      (this.#pieces.ends[piece] as number) > stretch.start + start && (this.#pieces.starts[piece] as number) < stretch.start + end
    let first = this.#firstOf.get(number) ?? to
    while (first < this.#pieces.ids.length && this.#stretchOf[first] === number && !isIn(first)) first++
    if (first < from || first >= to || this.#stretchOf[first] !== number || !isIn(first)) return []
    let last = first
    while (last + 1 < to && this.#stretchOf[last + 1] === number && isIn(last + 1)) last++
    return [{ first, last, stretch, start, end }]
  }

  /** The spans of given units of one stretch, as `within` gives them. */
  covering(number: number, places: readonly { readonly start: number; readonly end: number }[], from: number, to: number): PossibleSpan[] {
    return places.flatMap(({ start, end }) => this.#covering(number, start, end, from, to))
  }

  /** Numbers of the stretches that have pieces within. */
  stretchesWithin(from: number, to: number): number[] {
    return [...new Set(this.#stretchOf.subarray(from, to))].filter((number) => number >= 0)
  }

  /** All strings of the state, in reading order. */
  get stretches(): readonly SourceStretch[] {
    return this.#stretches
  }

  stretch(number: number): SourceStretch {
    return this.#stretches[number] as SourceStretch
  }

  #words(from: number, to: number): PossibleSpan[] {
    const { starts, ends } = this.#pieces
    const spans: PossibleSpan[] = []
    for (let first = from; first < to; first++) {
      const number = this.#stretchOf[first] as number
      if (number < 0) continue
      const stretch = this.#stretches[number] as SourceStretch
      const bounds = this.#bounds(stretch)
      const start = (starts[first] as number) - stretch.start
      if (bounds.starts[start] !== 1) continue
      for (let last = first; last < Math.min(first + LONGEST_PIECES, to) && this.#stretchOf[last] === number; last++) {
        const end = (ends[last] as number) - stretch.start
        if (bounds.ends[end] === 1) spans.push({ first, last, stretch, start, end })
      }
    }
    return spans
  }

  #bounds(stretch: SourceStretch): WordBoundaries {
    const known = this.#boundaries.get(stretch)
    if (known !== undefined) return known
    const bounds = wordBoundaries(stretch.string)
    this.#boundaries.set(stretch, bounds)
    return bounds
  }
}

// Which passages of a state a question is asked about: those that fit it best, or those of the part that it names.
import type { Branch } from '../../../backend.ts'
import { type NamedParts, type NumberedParts, namedParts, numberedParts } from './numbered-parts.ts'
import { cosine, type EncodedPassage } from './passage-view.ts'
import { type Passage, passagesOf } from './passages.ts'
import type { StateText } from './state-text.ts'
import type { PiecedText } from './word-pieces.ts'

/** Passages that a question attends to; of more, those that fit it best. */
export const MOST_PASSAGES = 8

/** Reads passages of a state, or takes what was read of their pieces before. */
export type ReadPassages = (passages: readonly Passage[], signal: AbortSignal | undefined) => Promise<EncodedPassage[]>

export class AskedPassages {
  readonly #text: string
  readonly #pieces: PiecedText
  readonly #mostPieces: number
  readonly #passages: readonly EncodedPassage[]
  readonly #parts: NumberedParts
  readonly #read: ReadPassages

  /** `mostPieces`: of a passage. */
  constructor(state: StateText, pieces: PiecedText, mostPieces: number, passages: readonly EncodedPassage[], read: ReadPassages) {
    this.#text = state.text
    this.#pieces = pieces
    this.#mostPieces = mostPieces
    this.#passages = passages
    this.#parts = passages.length > 1 ? numberedParts(state) : new Map()
    this.#read = read
  }

  /** Whether a question can be about passages that others are not about. */
  get areMany(): boolean {
    return this.#passages.length > MOST_PASSAGES || this.#parts.size > 0
  }

  namedBy({ instructions, readout }: Branch): NamedParts {
    return namedParts(instructions, this.#parts, readout === 'read')
  }

  /** Of a question that names some parts, whose texts are `told`, [texts][W]; the best first. */
  async of({ parts, areAll }: NamedParts, told: readonly Float32Array[], signal: AbortSignal | undefined): Promise<EncodedPassage[]> {
    const byFit = (passages: readonly EncodedPassage[]): EncodedPassage[] => {
      const fits = new Map(passages.map((passage) => [passage, Math.max(...told.map((one) => cosine(one, passage.mean)))]))
      return [...passages].sort((a, b) => (fits.get(b) as number) - (fits.get(a) as number) || a.from - b.from)
    }
    if (areAll) {
      // One part is read as if it had been sent by itself; of several, which is which matters.
      const cut = parts.flatMap(({ start, content, end }) => this.#cut(parts.length > 1 ? start : content, end))
      return byFit(await this.#read(cut, signal)).slice(0, MOST_PASSAGES)
    }
    const ranges = parts.map(({ start, end }) => this.#piecesOf(start, end))
    const isNamed = (passage: Passage): boolean => ranges.some(({ from, to }) => passage.from < to && from < passage.to)
    const all = byFit(this.#passages)
    return [...all.filter(isNamed), ...all.filter((passage) => !isNamed(passage))].slice(0, MOST_PASSAGES)
  }

  /** Passages of some of the text alone, cut as a state is. */
  #cut(start: number, end: number): Passage[] {
    const { from, to } = this.#piecesOf(start, end)
    const { ids, starts } = this.#pieces
    const pieces = { ids: ids.slice(from, to), starts: starts.slice(from, to).map((at) => at - start) }
    const passages = passagesOf(this.#text.slice(start, end), pieces, this.#mostPieces)
    return passages.map((passage) => ({ from: from + passage.from, to: from + passage.to }))
  }

  #piecesOf(start: number, end: number): Passage {
    const { starts } = this.#pieces
    const firstFrom = (unit: number): number => {
      const found = starts.findIndex((at) => at >= unit)
      return found < 0 ? starts.length : found
    }
    return { from: firstFrom(start), to: firstFrom(end) }
  }
}

// Which passages of a state a question is asked about: those that fit it best, or those of the part that it names.
import type { Branch } from '../../../backend.ts'
import { type NamedParts, type NumberedParts, namedParts, numberedParts } from './numbered-parts.ts'
import { cosine, type EncodedPassage } from './passage-view.ts'
import { type Passage, passagesOf } from './passages.ts'
import type { StateText } from './state-text.ts'
import type { PiecedText } from './word-pieces.ts'

/** Passages of the parts that a question names; of more, those that fit it best. */
export const MOST_PASSAGES = 8
/**
 * Of a state of at most so many passages a question attends to all. Of more it attends to the best two, as many as it
 * was trained with: among eight, other passages drown what the right one says.
 */
const ALL_PASSAGES = 4
const BEST_PASSAGES = 2
/**
 * How much words that question and passage share count beside their cosine, which knows what a passage is about and
 * little of names and numbers.
 */
const SHARED_WORDS = 0.5

/** Reads passages of a state, or takes what was read of their pieces before. */
export type ReadPassages = (passages: readonly Passage[], signal: AbortSignal | undefined) => Promise<EncodedPassage[]>

/** The question and its options: their pieces, and their vectors, [texts][W]. */
export interface AskedTexts {
  readonly ids: readonly (readonly number[])[]
  readonly told: readonly Float32Array[]
}

export class AskedPassages {
  readonly #text: string
  readonly #pieces: PiecedText
  readonly #mostPieces: number
  readonly #passages: readonly EncodedPassage[]
  readonly #parts: NumberedParts
  readonly #read: ReadPassages
  /** What pieces a passage holds, and how rare each of them is; made as questions need it. */
  readonly #held = new Map<Passage, ReadonlySet<number>>()
  #rarity: ((id: number) => number) | undefined

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
    return this.#passages.length > ALL_PASSAGES || this.#parts.size > 0
  }

  namedBy({ instructions, readout }: Branch): NamedParts {
    return namedParts(instructions, this.#parts, readout === 'read')
  }

  /** Of a question that names some parts; the best first. */
  async of({ parts, areAll }: NamedParts, { ids, told }: AskedTexts, signal: AbortSignal | undefined): Promise<EncodedPassage[]> {
    const rarity = this.#rarityOf()
    const words = [...new Set(ids.flat())].flatMap((id): [number, number][] => (rarity(id) > 0 ? [[id, rarity(id)]] : []))
    const byFit = (passages: readonly EncodedPassage[]): EncodedPassage[] => {
      const fits = new Map(passages.map((passage) => [passage, this.#fit(passage, told, words)]))
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
    const most = parts.length > 0 ? MOST_PASSAGES : all.length > ALL_PASSAGES ? BEST_PASSAGES : ALL_PASSAGES
    return [...all.filter(isNamed), ...all.filter((passage) => !isNamed(passage))].slice(0, most)
  }

  /** The cosine of the nearest text, and the share of the words asked for that it holds, rare ones counting more. */
  #fit(passage: EncodedPassage, told: readonly Float32Array[], words: readonly (readonly [id: number, rarity: number])[]): number {
    const near = Math.max(...told.map((one) => cosine(one, passage.mean)))
    if (words.length === 0) return near
    const held = this.#heldBy(passage)
    let [shared, all] = [0, 0]
    for (const [id, rarity] of words) {
      all += rarity
      if (held.has(id)) shared += rarity
    }
    return near + (SHARED_WORDS * shared) / all
  }

  /** How rare a piece is among the passages: log(1 + passages / those that hold it), and 0 for one that none holds. */
  #rarityOf(): (id: number) => number {
    if (this.#rarity !== undefined) return this.#rarity
    const counts = new Map<number, number>()
    for (const passage of this.#passages) for (const id of this.#heldBy(passage)) counts.set(id, (counts.get(id) ?? 0) + 1)
    const rarity = (id: number): number => {
      const count = counts.get(id)
      return count === undefined ? 0 : Math.log(1 + this.#passages.length / count)
    }
    this.#rarity = rarity
    return rarity
  }

  #heldBy(passage: Passage): ReadonlySet<number> {
    const known = this.#held.get(passage)
    if (known !== undefined) return known
    const held = new Set(this.#pieces.ids.slice(passage.from, passage.to))
    this.#held.set(passage, held)
    return held
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

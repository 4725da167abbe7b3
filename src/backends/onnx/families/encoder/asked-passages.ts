// Which passages of a state a question is asked about: those that fit it best, or those of the part that it names.
import type { Branch } from '../../../backend.ts'
import { type NamedParts, type NumberedParts, namedParts, numberedParts } from './numbered-parts.ts'
import { cosine, type EncodedPassage } from './passage-view.ts'
import { type Passage, passagesOf } from './passages.ts'
import type { StateText } from './state-writer.ts'
import type { PiecedText } from './word-pieces.ts'

/** Passages of the parts that a question names; of more, those that fit it best. */
export const MOST_PASSAGES = 8
/** Of a state of at most so many passages a question attends to all: training rows have no more. */
const ALL_PASSAGES = 2
/**
 * Of more it attends to the one that fits it best and to those that fit it nearly as well: other passages drown what
 * the right one says. Among many there are always some that come near by chance. A second look reads all of a few.
 */
const FEW = { most: 4, near: 0.2 } as const
const MANY = { taken: 2, near: 0.05 } as const
/**
 * How much words that a question and a passage share count beside their cosine, which knows what a passage is about and
 * little of names and numbers.
 */
const SHARED_WORDS = 0.5
/** How much the option that fits best counts beside the question: wrong ones stand in other passages. */
const OPTION = 0.3

/** Reads passages of a state, or takes what was read of their pieces before. */
export type ReadPassages = (passages: readonly Passage[], signal: AbortSignal | undefined) => Promise<EncodedPassage[]>

/** The question, then its options: their pieces, and their vectors, [texts][W]. */
export interface AskedTexts {
  readonly ids: readonly (readonly number[])[]
  readonly told: readonly Float32Array[]
  /** Whether several options may be true, each for what another passage says. */
  readonly areApart: boolean
}

/** A text beside the passages: its vector, [W], and its pieces that some of them hold, rare ones counting more. */
interface SoughtText {
  readonly vector: Float32Array
  readonly words: readonly (readonly [id: number, rarity: number])[]
}

/** The passages of a question, the best first. */
export interface ChosenPassages {
  readonly firstLook: readonly EncodedPassage[]
  /** More may be given than have room. */
  readonly secondLook: readonly EncodedPassage[]
}

interface FittingPassage {
  readonly passage: EncodedPassage
  readonly fit: number
}

export class AskedPassages {
  readonly #text: string
  readonly #pieces: PiecedText
  readonly #mostPieces: number
  readonly #passages: readonly EncodedPassage[]
  readonly #parts: NumberedParts
  readonly #read: ReadPassages
  /** What pieces a passage holds; made as questions need it, and kept as long as the passage: those of parts go. */
  readonly #held = new WeakMap<Passage, ReadonlySet<number>>()
  /** How rare each piece is; made with the first question. */
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

  /** @throws EngineError as `read` does. */
  async of({ parts, areAll }: NamedParts, { ids, told, areApart }: AskedTexts, signal: AbortSignal | undefined): Promise<ChosenPassages> {
    const texts = ids.map((one, i) => this.#sought(one, told[i] as Float32Array))
    const byFit = (passages: readonly EncodedPassage[]): FittingPassage[] =>
      passages
        .map((passage) => ({ passage, fit: this.#fit(passage, texts) }))
        .sort((a, b) => b.fit - a.fit || a.passage.from - b.passage.from)
    if (areAll) {
      // One part is read as if it had been sent by itself; of several, which is which matters.
      const cut = parts.flatMap(({ start, content, end }) => this.#cut(parts.length > 1 ? start : content, end))
      return bothLooks(byFit(await this.#read(cut, signal)))
    }
    const all = byFit(this.#passages)
    if (parts.length === 0) return nearBest(all, areApart)
    const ranges = parts.map(({ start, end }) => this.#piecesOf(start, end))
    const isNamed = ({ passage }: FittingPassage): boolean => ranges.some(({ from, to }) => passage.from < to && from < passage.to)
    return bothLooks([...all.filter(isNamed), ...all.filter((one) => !isNamed(one))])
  }

  #sought(ids: readonly number[], vector: Float32Array): SoughtText {
    const rarity = this.#rarityOf()
    const words = [...new Set(ids)].map((id) => [id, rarity(id)] as const)
    return { vector, words: words.filter(([, rare]) => rare > 0) }
  }

  #fit(passage: EncodedPassage, [question, ...options]: readonly SoughtText[]): number {
    const ofText = (text: SoughtText): number => cosine(text.vector, passage.mean) + SHARED_WORDS * this.#shared(passage, text.words)
    return ofText(question as SoughtText) + (options.length === 0 ? 0 : OPTION * Math.max(...options.map(ofText)))
  }

  /** The share of the words that a passage holds, rare ones counting more; 0 where there are none. */
  #shared(passage: Passage, words: SoughtText['words']): number {
    const held = this.#heldBy(passage)
    let [shared, all] = [0, 0]
    for (const [id, rarity] of words) {
      all += rarity
      if (held.has(id)) shared += rarity
    }
    return all === 0 ? 0 : shared / all
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

/** Of the parts that a question names, and what fits it best beside them. */
function bothLooks(sorted: readonly FittingPassage[]): ChosenPassages {
  const passages = sorted.slice(0, MOST_PASSAGES).map(({ passage }) => passage)
  return { firstLook: passages, secondLook: passages }
}

/**
 * The best, and those that fit nearly as well, or that others of the options may be true for; for the second look all
 * of a few, and the best of many.
 */
function nearBest(sorted: readonly FittingPassage[], areApart: boolean): ChosenPassages {
  const isFew = sorted.length <= FEW.most
  const takesAll = areApart || sorted.length <= ALL_PASSAGES
  const near = takesAll ? Number.POSITIVE_INFINITY : (isFew ? FEW : MANY).near
  const [best] = sorted as readonly [FittingPassage, ...FittingPassage[]]
  const firstLook = (isFew ? sorted : sorted.slice(0, MANY.taken)).filter(({ fit }) => fit >= best.fit - near)
  const secondLook = isFew ? sorted : [best]
  return { firstLook: firstLook.map(({ passage }) => passage), secondLook: secondLook.map(({ passage }) => passage) }
}

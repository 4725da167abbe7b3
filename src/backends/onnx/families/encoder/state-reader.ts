// The passes over one encoded state. Statements, choices, scales and selections are read in the first look, many in a
// pass; reads, and what asks for it, in the second look, one in a pass.
import { type Batcher, makeBatcher } from '../../scheduling/batcher.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import type { ChosenPassages } from './asked-passages.ts'
import { startsOf } from './blocks.ts'
import type { EncoderConfig } from './configuration.ts'
import { decide, type Reading } from './decide.ts'
import type { EncoderGraphs, QuoteLogits } from './graphs.ts'
import type { LoneVectors } from './lone-vectors.ts'
import { blockMeans, firstLook, meanRow, type QuestionSlots, type SlotPlaces, secondLook } from './looks.ts'
import { cosine, type EncodedPassage, type PassageView, passageView } from './passage-view.ts'
import type { Passage } from './passages.ts'
import { behindQuestion, type EncoderQuestion, tokensOf } from './questions.ts'
import type { PiecedText, WordPieces } from './word-pieces.ts'

/** Pieces of a pass: more are hardly faster, and others wait longer. */
const PASS_PIECES = 512
/** Combinations of passages whose keys and values are kept together; each takes as much as its passages again. */
export const MOST_VIEWS = 2

/** A loaded model, which its states share. */
export interface EncoderModel {
  readonly id: string
  readonly config: EncoderConfig
  readonly pieces: WordPieces
  readonly graphs: EncoderGraphs
  readonly scheduler: FairScheduler
  readonly lone: LoneVectors
}

/** A question with the passages it is asked about. */
export interface PlacedQuestion {
  readonly question: EncoderQuestion
  /** [texts][W] what its options, or itself, are compared with the state by. */
  readonly told: readonly Float32Array[]
  readonly passages: ChosenPassages
}

/** Where a read points, over the pieces of the passages that it was asked about. */
export interface PiecePointers {
  readonly logits: QuoteLogits
  readonly passages: readonly Passage[]
}

export class StateReader {
  readonly #model: EncoderModel
  readonly #pieces: PiecedText
  readonly #firstLooks: Batcher<PlacedQuestion, Reading>
  /** By where their passages stand; the last one used last. */
  readonly #views = new Map<string, PassageView>()

  constructor(model: EncoderModel, pieces: PiecedText) {
    this.#model = model
    this.#pieces = pieces
    this.#firstLooks = makeBatcher({
      scheduler: model.scheduler,
      mostTokens: PASS_PIECES,
      tokensOf: ({ question }) => tokensOf(question),
      groupOf: ({ passages }) => viewKey(passages.firstLook),
      pass: (asked) => this.#passOfFirstLooks(asked),
    })
  }

  /** Questions that are asked at once share passes. */
  firstLooks(asked: readonly PlacedQuestion[], signal: AbortSignal | undefined): Promise<Reading[]> {
    return this.#firstLooks.run(asked, signal)
  }

  secondLook(asked: PlacedQuestion, signal: AbortSignal | undefined): Promise<Reading> {
    return this.#model.scheduler.run(async () => {
      const { question } = asked
      const { places, vectors, means, memory, memoryMean } = await this.#readAgain(asked)
      const own = this.#slotsAt(places, vectors, means)
      const slots: QuestionSlots = { question, ...own, told: own.means, like: own.means.map(() => 0) }
      const [reading] = await decide(this.#model.graphs, [slots], 'second', { memory, means: [memoryMean] })
      return reading as Reading
    }, signal)
  }

  /** What `use` makes of where the read points, in the same turn. */
  point<Made>(asked: PlacedQuestion, use: (pointed: PiecePointers) => Promise<Made>, signal: AbortSignal | undefined): Promise<Made> {
    return this.#model.scheduler.run(async () => {
      const { places, passages, vectors, memory } = await this.#readAgain(asked)
      const mark = rowAt(vectors, places.pieces[0] as number, this.#model.config.shape.width)
      return use({ logits: await this.#model.graphs.quote(memory, mark), passages })
    }, signal)
  }

  async #passOfFirstLooks(asked: readonly PlacedQuestion[]): Promise<Reading[]> {
    const { graphs, pieces } = this.#model
    const view = this.#view((asked[0] as PlacedQuestion).passages.firstLook)
    const { blocks, places } = firstLook(
      asked.map(({ question }) => question),
      pieces,
    )
    const vectors = await graphs.read(blocks, view.kept)
    const means = blockMeans(blocks, vectors)
    const slots = asked.map(({ question, told }, i): QuestionSlots => {
      const own = this.#slotsAt(places[i] as SlotPlaces, vectors, means)
      return { question, ...own, told, like: told.map((text) => Math.max(...view.means.map((passage) => cosine(text, passage)))) }
    })
    return decide(graphs, slots, 'first', view)
  }

  /** The pass of a second look: its vectors, and the tokens of the passages it read. */
  async #readAgain({ question, passages: { secondLook: best } }: PlacedQuestion) {
    const { graphs, pieces, config } = this.#model
    const most = question.named.parts.length > 1 ? 2 : 1
    const passages = fitting(best, most, config.places - behindQuestion(question) - 1)
    const ids = passages.flatMap(({ from, to }) => this.#pieces.ids.slice(from, to))
    const { blocks, places } = secondLook(question, ids, pieces)
    const vectors = await graphs.read(blocks, null)
    const { width } = config.shape
    const start = startsOf(blocks).at(-1) as number
    const tokens = vectors.subarray(start * width, (start + ids.length) * width)
    return {
      places,
      passages,
      vectors,
      means: blockMeans(blocks, vectors),
      memory: graphs.memory(tokens, await graphs.evidence(tokens)),
      memoryMean: meanRow(vectors, width, start, ids.length),
    }
  }

  #slotsAt({ pieces, blocks }: SlotPlaces, vectors: Float32Array, means: readonly Float32Array[]) {
    const { width } = this.#model.config.shape
    return {
      vectors: pieces.map((piece) => rowAt(vectors, piece, width)),
      means: blocks.map((block) => means[block] as Float32Array),
    }
  }

  #view(passages: readonly EncodedPassage[]): PassageView {
    const { graphs } = this.#model
    const key = viewKey(passages)
    const view = this.#views.get(key) ?? passageView(graphs, inReadingOrder(passages))
    this.#views.delete(key)
    this.#views.set(key, view)
    for (const oldest of this.#views.keys()) {
      if (this.#views.size <= MOST_VIEWS) break
      this.#views.delete(oldest)
    }
    return view
  }
}

const inReadingOrder = <P extends Passage>(passages: readonly P[]): P[] => [...passages].sort((a, b) => a.from - b.from)

/** The same for the same passages, whichever of them fits best. */
const viewKey = (passages: readonly Passage[]): string =>
  inReadingOrder(passages)
    .map(({ from, to }) => `${from}-${to}`)
    .join()

/**
 * The passages of a second look, in reading order: all where they fit, or the best `most`, the last cut where places
 * end. One is best where the question names no parts: beside others the right words are found less often.
 */
function fitting(best: readonly Passage[], most: number, room: number): Passage[] {
  const isRoomy = best.reduce((sum, { from, to }) => sum + to - from, 0) <= room
  let left = room
  return inReadingOrder(isRoomy ? best : best.slice(0, most)).flatMap(({ from, to }) => {
    const taken = Math.min(to - from, left)
    left -= taken
    return taken > 0 || to === from ? [{ from, to: from + taken }] : []
  })
}

function rowAt(rows: Float32Array, row: number, width: number): Float32Array {
  return rows.subarray(row * width, (row + 1) * width)
}

// Everything that can be asked about one encoded state. All requests about the state share three batchers, for scored
// questions, pointers and tokens to be written: what waits in one when its turn comes goes into one pass.
import { EngineError } from '../../../../core/errors.ts'
import type { Branch, Constraint, Generated, Scores } from '../../../backend.ts'
import { dataOf } from '../../runtime/tensors.ts'
import { type Batcher, makeBatcher } from '../../scheduling/batcher.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import { rowsOfLogits } from '../../scored-rows.ts'
import type { AnswerCache } from './answer-cache.ts'
import { everyBox, oneBox } from './boxes.ts'
import { type PackedQuestion, tokensOf } from './branch-inputs.ts'
import type { DecisionConfig } from './configuration.ts'
import { type GrammarCache, write } from './constrained-writing.ts'
import { kindOf } from './control-tokens.ts'
import { featuresOf, type StateDirections, stateDirections } from './features.ts'
import type { DecisionGraphs, NextTokenReading, PointerLogits, ReadoutLogits } from './graphs.ts'
import { type EncodedState, hiddenFrom, type ImageViews, type StateView, spreadLogits, wholeView } from './image-views.ts'
import type { PackedState } from './pack.ts'
import { packBranch } from './pack-branch.ts'
import type { EncodedPicture } from './picture-encoder.ts'
import type { PieceTokenizer } from './piece-tokenizer.ts'
import { type QuotePointers, quotePointersOf } from './quote-guidance.ts'
import { SpanFinder, type SpanPointers } from './span-finder.ts'
import { lineBox } from './text-lines.ts'
import type { TokenLimits } from './token-limits.ts'

/** Tokens of a pass: more are hardly faster, and others wait longer. Measured at 128 to 4,000 tokens of state. */
const MOST_TOKENS = 512
/**
 * Cached tokens that count as one token of a pass: they cost little time, but are copied, 6 KB each, and padded to the
 * longest of the pass.
 */
const CACHED_TOKENS_PER_TOKEN = 32

export interface StateImage extends EncodedPicture {
  readonly id: string
}

/** A loaded model, which its states share. */
export interface DecisionModel {
  readonly config: DecisionConfig
  readonly limits: TokenLimits
  readonly tokenizer: PieceTokenizer
  readonly grammars: GrammarCache
  readonly graphs: DecisionGraphs
  readonly scheduler: FairScheduler
  readonly views: ImageViews
}

export class OpenState {
  readonly #model: DecisionModel
  readonly #packed: PackedState
  readonly #encoded: EncodedState
  readonly #images: readonly StateImage[]
  readonly #finder: SpanFinder
  readonly #whole: StateView
  /** By image; null for the whole state. */
  readonly #directions = new Map<string | null, StateDirections>()
  readonly #readouts: Batcher<PackedQuestion, ReadoutLogits>
  readonly #pointers: Batcher<PackedQuestion, PointerLogits>
  readonly #next: Batcher<PackedQuestion, NextTokenReading>

  constructor(model: DecisionModel, packed: PackedState, encoded: EncodedState, images: readonly StateImage[]) {
    const { graphs, config } = model
    this.#model = model
    this.#packed = packed
    this.#encoded = encoded
    this.#images = images
    this.#finder = new SpanFinder(packed, config.spanTokens)
    this.#whole = wholeView(graphs.ort, packed, encoded)
    const length = packed.ids.length
    this.#readouts = this.#batcher((view, questions) => graphs.readouts(view, questions))
    this.#pointers = this.#batcher(async (view, questions) => {
      const readings = await graphs.pointers(view, questions)
      return readings.map(({ start, end, absent }) => ({
        start: spreadLogits(start, view, length),
        end: spreadLogits(end, view, length),
        absent,
      }))
    })
    this.#next = this.#batcher(async (view, questions) => {
      const readings = await graphs.next(view, questions)
      return readings.map((reading) => ({ ...reading, copy: spreadLogits(reading.copy, view, length) }))
    })
  }

  get tokens(): number {
    return this.#packed.ids.length
  }

  get bytes(): number {
    return this.#encoded.bytes
  }

  /** Packs all branches, and refuses them if need be, before the first is run. */
  async score(branches: readonly Branch[], signal: AbortSignal | undefined): Promise<Scores[]> {
    const questions = branches.map((branch) => this.#question({ ...branch, readout: this.#readoutOf(branch) }, null))
    const readings = await this.#readouts.run(questions, signal)
    return branches.map((branch, index) => {
      const { packed, image } = questions[index] as PackedQuestion
      const { logits, tensors } = readings[index] as ReadoutLogits
      const features = featuresOf(this.#directionsOf(image), tensors)
      return { rows: rowsOfLogits(branch.readout, logitsOf(branch, logits, packed.readoutOf)), inputTokens: packed.ids.length, features }
    })
  }

  async generate(branch: Branch, constraint: Constraint, signal: AbortSignal | undefined): Promise<Generated> {
    const { config, grammars, limits } = this.#model
    const question = this.#question(branch, constraint)
    const inputTokens = question.packed.ids.length
    if (constraint.type === 'grammar') {
      // Beyond the length of its training answers the model only repeats itself.
      const maxTokens = Math.min(constraint.maxTokens, config.writeTokens)
      limits.checkLength(this.tokens, inputTokens, maxTokens)
      let cache: AnswerCache | null = null
      const logitsOf = async (written: readonly number[]) => {
        const reading: NextTokenReading = one(await this.#next.run([{ ...question, written: [...written], cache }], signal))
        cache = reading.cache
        return reading
      }
      // The items of a list are quoted from several places.
      const quote = constraint.grammar.type === 'list' ? null : await this.#quote(branch, signal)
      const { text, complete, tokens, logProbability } = await write(logitsOf, { ...constraint, maxTokens }, grammars, this.#packed, quote)
      return { type: 'text', text, complete, inputTokens, outputTokens: tokens, logProbability }
    }
    if (constraint.type === 'box') return { ...(await this.#boxes(branch, question, constraint.many, signal)), inputTokens }
    const pointers = await this.#pointersOf(question, signal)
    const found = constraint.many ? this.#finder.every(pointers, constraint.format) : this.#finder.one(pointers, constraint.format)
    return { type: 'spans', ...found, inputTokens, outputTokens: found.spans.length }
  }

  async #pointersOf(question: PackedQuestion, signal: AbortSignal | undefined): Promise<SpanPointers> {
    const { start, end, absent } = one(await this.#pointers.run([question], signal))
    return { start, end, absent, endsGiven: (first, last) => endsGiven(this.#encoded, first, last) }
  }

  /** The pointers of the question as if it asked for a quote; null where there is no text to quote. */
  async #quote(branch: Branch, signal: AbortSignal | undefined): Promise<QuotePointers | null> {
    if (this.#packed.origins.every((origin) => origin === null)) return null
    const question = this.#question(branch, { type: 'span', many: false, format: 'text' })
    return quotePointersOf(await this.#pointersOf(question, signal), this.#model.config.spanTokens)
  }

  #batcher<Reading>(
    pass: (view: StateView, questions: readonly PackedQuestion[]) => Promise<readonly Reading[]>,
  ): Batcher<PackedQuestion, Reading> {
    return makeBatcher({
      scheduler: this.#model.scheduler,
      mostTokens: MOST_TOKENS,
      tokensOf: (question) => tokensOf(question) + Math.ceil((question.cache?.tokens ?? 0) / CACHED_TOKENS_PER_TOKEN),
      // The first pass of a text runs on the whole question, the others on one token: padded to the same length they
      // would cost the same.
      groupOf: ({ image, cache }) => JSON.stringify([image, cache !== null]),
      pass: (questions) => pass(this.#view(one(questions).image), questions),
    })
  }

  #view(image: string | null): StateView {
    const { views, graphs } = this.#model
    return image === null ? this.#whole : views.of(graphs.ort, this.#packed, this.#encoded, image)
  }

  #directionsOf(image: string | null): StateDirections {
    const known = this.#directions.get(image)
    if (known !== undefined) return known
    const { words, memory } = this.#encoded.feeds
    const { control } = this.#model.tokenizer
    const directions = stateDirections(this.#packed, control, dataOf(words), dataOf(memory), hiddenFrom(this.#packed, image))
    this.#directions.set(image, directions)
    return directions
  }

  #question(branch: Branch, constraint: Constraint | null): PackedQuestion {
    const { limits, tokenizer } = this.#model
    const kind = kindOf(branch, constraint)
    if (tokenizer.control.indexOf(kind) < 0) {
      const known = tokenizer.control.kinds.join(', ')
      throw new EngineError('capability_not_supported', `this model answers no questions of kind ${kind}; its kinds are ${known}`)
    }
    const options = branch.candidates.flatMap(({ name, description }) => [name, description ?? ''])
    limits.checkSize([branch.instructions, ...options], 'question')
    const packed = packBranch(branch, constraint, this.#packed.nextPosition, tokenizer)
    limits.checkLength(this.tokens, packed.ids.length)
    // A question about one image does not attend to the others.
    const isOfWholeState = branch.image === null || this.#packed.images.every(({ id }) => id === branch.image)
    return { packed, kind, image: isOfWholeState ? null : branch.image, written: [], cache: null }
  }

  /** The readout that answers a branch. The rows of the result stay those of the branch. */
  #readoutOf({ readout, instructions }: Branch): Branch['readout'] {
    if (readout !== 'exclusive') return readout
    const { text, images, bare } = this.#model.config.choices
    return instructions === '' ? bare : this.#images.length > 0 ? images : text
  }

  async #boxes(branch: Branch, question: PackedQuestion, isMany: boolean, signal: AbortSignal | undefined) {
    const index = branch.image === null ? 0 : this.#images.findIndex(({ id }) => id === branch.image)
    const image = this.#images[index]
    const range = this.#packed.images[index]
    if (image === undefined || range === undefined) throw new EngineError('invalid_question', 'a box needs an image; add one to the state')
    const { start, absent } = one(await this.#pointers.run([question], signal))
    const { cells, offsets } = image
    const lines = this.#packed.origins
      .slice(range.wordsFrom, range.to)
      .flatMap((origin) => (origin?.inImage ? [lineBox(origin.inImage.line)] : []))
    const scores = { image: image.id, cells, lines, logits: start.subarray(range.from, range.to), offsets, absent }
    const found = isMany ? everyBox(scores) : oneBox(scores)
    return { type: 'boxes' as const, ...found, outputTokens: found.boxes.length }
  }
}

/** The logits of the candidates in the branch's order; `logits` are those of its readout tokens. */
function logitsOf({ readout }: Branch, logits: Float32Array, readoutOf: readonly number[]): number[] {
  return readout === 'binary' ? [logits[0] as number] : readoutOf.map((i) => logits[i] as number)
}

/** What a first token adds to the end logits of the tokens from it to `last`. */
function endsGiven({ endQueries, endKeys, endWidth }: EncodedState, first: number, last: number): number[] {
  const query = endQueries.subarray(first * endWidth, (first + 1) * endWidth)
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const key = (first + i) * endWidth
    let dot = 0
    for (let j = 0; j < endWidth; j++) dot += (query[j] as number) * (endKeys[key + j] as number)
    return dot / Math.sqrt(endWidth)
  })
}

function one<T>(items: readonly T[]): T {
  return items[0] as T
}

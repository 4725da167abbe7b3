// Everything that can be asked of one encoded state. Questions wait in batches, which all requests about the state share: what is waiting when the
// model has a turn goes into one pass, scored questions, pointers and tokens to be written each with their like.
import { EngineError } from '../../../../core/errors.ts'
import { logSigmoid, logSoftmax } from '../../../../core/math.ts'
import type { Branch, Constraint, Generated, ScoreRow, Scores } from '../../../backend.ts'
import { dataOf } from '../../runtime/tensors.ts'
import { type Batcher, makeBatcher } from '../../scheduling/batcher.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import { type Question, tokensOf } from './batch.ts'
import { everyBox, oneBox } from './boxes.ts'
import { kindOf } from './control.ts'
import { type AboutState, aboutState, featuresOf } from './features.ts'
import type { Limits } from './limits.ts'
import { lineBox } from './lines.ts'
import { type PackedState, packBranch } from './pack.ts'
import type { Past } from './past.ts'
import type { SeenPicture } from './pictures.ts'
import { type Quote, quoteOf } from './quoting.ts'
import type { MarkReading, NextReading, PointerReading, Runner } from './runner.ts'
import type { Settings } from './settings.ts'
import { type Pointers, SpanFinder } from './spans.ts'
import type { PieceTokenizer } from './text.ts'
import { type EncodedState, hiddenFrom, type PartViews, spread, type View, wholeView } from './views.ts'
import { type Languages, write } from './write.ts'

/** Tokens of a pass: more are hardly faster, and what waits for its turn waits longer. Measured at 128 to 4,000 tokens of state. */
const MOST_TOKENS = 512
/** Tokens of the past that take the room of one in a pass: they cost little time, but are copied, 6 KB each, and filled up to the longest of the pass. */
const PAST_A_TOKEN = 32

export interface SeenImage extends SeenPicture {
  readonly id: string
}

/** What the states of one model share. */
export interface Reader {
  readonly settings: Settings
  readonly limits: Limits
  readonly tokenizer: PieceTokenizer
  readonly languages: Languages
  readonly runner: Runner
  readonly scheduler: FairScheduler
  readonly parts: PartViews
}

export class OpenState {
  readonly #reader: Reader
  readonly #packed: PackedState
  readonly #encoded: EncodedState
  readonly #images: readonly SeenImage[]
  readonly #finder: SpanFinder
  readonly #whole: View
  /** By image; null for the whole state. */
  readonly #about = new Map<string | null, AboutState>()
  readonly #marks: Batcher<Question, MarkReading>
  readonly #pointers: Batcher<Question, PointerReading>
  readonly #next: Batcher<Question, NextReading>

  constructor(reader: Reader, packed: PackedState, encoded: EncodedState, images: readonly SeenImage[]) {
    const { runner, settings } = reader
    this.#reader = reader
    this.#packed = packed
    this.#encoded = encoded
    this.#images = images
    this.#finder = new SpanFinder(packed, settings.spanTokens)
    this.#whole = wholeView(runner.ort, packed, encoded)
    const length = packed.ids.length
    this.#marks = this.#batches((view, questions) => runner.marks(view, questions))
    this.#pointers = this.#batches(async (view, questions) => {
      const readings = await runner.pointers(view, questions)
      return readings.map(({ start, end, absent }) => ({ start: spread(start, view, length), end: spread(end, view, length), absent }))
    })
    this.#next = this.#batches(async (view, questions) => {
      const readings = await runner.next(view, questions)
      return readings.map((reading) => ({ ...reading, copy: spread(reading.copy, view, length) }))
    })
  }

  get tokens(): number {
    return this.#packed.ids.length
  }

  get bytes(): number {
    return this.#encoded.bytes
  }

  /** All branches are packed, and refused if need be, before the first is run. */
  async score(branches: readonly Branch[], signal: AbortSignal | undefined): Promise<Scores[]> {
    const questions = branches.map((branch) => this.#question({ ...branch, readout: this.#readAs(branch) }, null))
    const readings = await this.#marks.run(questions, signal)
    return branches.map((branch, index) => {
      const { packed, image } = questions[index] as Question
      const { logits, inner } = readings[index] as MarkReading
      const features = featuresOf(this.#aboutOf(image), inner)
      return { rows: rowsOf(branch, logits, packed.rowOf), inputTokens: packed.ids.length, features }
    })
  }

  async generate(branch: Branch, constraint: Constraint, signal: AbortSignal | undefined): Promise<Generated> {
    const { settings, languages, limits } = this.#reader
    const question = this.#question(branch, constraint)
    const inputTokens = question.packed.ids.length
    if (constraint.type === 'grammar') {
      // Beyond the length of its training answers the model only repeats itself: what is not done by then is not valid.
      const maxTokens = Math.min(constraint.maxTokens, settings.writeTokens)
      limits.checkLength(this.tokens, inputTokens, maxTokens)
      let past: Past | null = null
      const logitsOf = async (written: readonly number[]) => {
        const reading: NextReading = one(await this.#next.run([{ ...question, written: [...written], past }], signal))
        past = reading.past
        return reading
      }
      // The items of a list are quoted from several places.
      const quote = constraint.grammar.type === 'list' ? null : await this.#quote(branch, signal)
      const { text, complete, tokens, logProbability } = await write(logitsOf, { ...constraint, maxTokens }, languages, this.#packed, quote)
      return { type: 'text', text, complete, inputTokens, outputTokens: tokens, logProbability }
    }
    if (constraint.type === 'box') return { ...(await this.#boxes(branch, question, constraint.many, signal)), inputTokens }
    const pointers = await this.#pointersOf(question, signal)
    const found = constraint.many ? this.#finder.every(pointers, constraint.format) : this.#finder.one(pointers, constraint.format)
    return { type: 'spans', ...found, inputTokens, outputTokens: found.spans.length }
  }

  async #pointersOf(question: Question, signal: AbortSignal | undefined): Promise<Pointers> {
    const { start, end, absent } = one(await this.#pointers.run([question], signal))
    return { start, end, absent, endsGiven: (first, last) => endsGiven(this.#encoded, first, last) }
  }

  /** What the pointers would quote, did the question ask for that; null where there is no text to quote. */
  async #quote(branch: Branch, signal: AbortSignal | undefined): Promise<Quote | null> {
    if (this.#packed.origins.every((origin) => origin === null)) return null
    const question = this.#question(branch, { type: 'span', many: false, format: 'text' })
    return quoteOf(await this.#pointersOf(question, signal), this.#reader.settings.spanTokens)
  }

  #batches<Reading>(pass: (view: View, questions: readonly Question[]) => Promise<readonly Reading[]>): Batcher<Question, Reading> {
    return makeBatcher({
      scheduler: this.#reader.scheduler,
      mostTokens: MOST_TOKENS,
      tokensOf: (question) => tokensOf(question) + Math.ceil((question.past?.tokens ?? 0) / PAST_A_TOKEN),
      // The first pass of a text runs on the whole question, the others on a token: filled up to each other's length they would cost the same.
      groupOf: ({ image, past }) => JSON.stringify([image, past !== null]),
      pass: (questions) => pass(this.#view(one(questions).image), questions),
    })
  }

  #view(image: string | null): View {
    const { parts, runner } = this.#reader
    return image === null ? this.#whole : parts.of(runner.ort, this.#packed, this.#encoded, image)
  }

  #aboutOf(image: string | null): AboutState {
    const known = this.#about.get(image)
    if (known !== undefined) return known
    const { words, memory } = this.#encoded.feeds
    const about = aboutState(this.#packed, dataOf(words), dataOf(memory), hiddenFrom(this.#packed, image))
    this.#about.set(image, about)
    return about
  }

  #question(branch: Branch, constraint: Constraint | null): Question {
    const { limits, tokenizer } = this.#reader
    const options = branch.candidates.flatMap(({ name, description }) => [name, description ?? ''])
    limits.checkSize([branch.instructions, ...options], 'question')
    const packed = packBranch(branch, constraint, this.#packed.nextPosition, tokenizer)
    limits.checkLength(this.tokens, packed.ids.length)
    // A question about one image does not see the others.
    const seesAll = branch.image === null || this.#packed.images.every(({ id }) => id === branch.image)
    return { packed, kind: kindOf(branch, constraint), image: seesAll ? null : branch.image, written: [], past: null }
  }

  /** The read-out that answers a branch. The rows it is asked for stay those of the branch. */
  #readAs({ readout, instructions }: Branch): Branch['readout'] {
    if (readout !== 'exclusive') return readout
    const { text, images, bare } = this.#reader.settings.choices
    return instructions === '' ? bare : this.#images.length > 0 ? images : text
  }

  async #boxes(branch: Branch, question: Question, isMany: boolean, signal: AbortSignal | undefined) {
    const index = branch.image === null ? 0 : this.#images.findIndex(({ id }) => id === branch.image)
    const image = this.#images[index]
    const range = this.#packed.images[index]
    if (image === undefined || range === undefined) throw new EngineError('invalid_question', 'a box needs an image; add one to the state')
    const { start, absent } = one(await this.#pointers.run([question], signal))
    const { cells, offsets } = image
    const lines = this.#packed.origins.slice(range.read, range.to).flatMap((origin) => (origin?.seen ? [lineBox(origin.seen.line)] : []))
    const scores = { image: image.id, cells, lines, logits: start.subarray(range.from, range.to), offsets, absent }
    const found = isMany ? everyBox(scores) : oneBox(scores)
    return { type: 'boxes' as const, ...found, outputTokens: found.boxes.length }
  }
}

/** Every option is a branch of its own, so nothing but the options is ever weighed: their mass is one. */
function rowsOf({ readout }: Branch, marks: Float32Array, rowOf: readonly number[]): ScoreRow[] {
  const logits = rowOf.map((row) => marks[row] as number)
  const yesNo = (logit: number): ScoreRow => ({ logProbabilities: [logSigmoid(logit), logSigmoid(-logit)], mass: 1 })
  if (readout === 'binary') return [yesNo(marks[0] as number)]
  return readout === 'independent' ? logits.map(yesNo) : [{ logProbabilities: logSoftmax(logits), mass: 1 }]
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

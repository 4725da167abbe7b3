// Everything that can be asked about one encoded state. Statements, choices, scales and selections are read in the
// first look, many in a pass; reads, and what asks for it, in the second look, one in a pass.
import { LIST_SEPARATOR, parse } from '../../../../constraint/grammar.ts'
import { EngineError } from '../../../../core/errors.ts'
import type { Branch, Candidate, Constraint, Generated, Grammar, Scores } from '../../../backend.ts'
import { type Batcher, makeBatcher } from '../../scheduling/batcher.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import { rowsOfLogits } from '../../scored-rows.ts'
import { AskedPassages, type ChosenPassages, MOST_PASSAGES, type ReadPassages } from './asked-passages.ts'
import { startsOf } from './blocks.ts'
import type { EncoderConfig } from './configuration.ts'
import { decide, type Reading } from './decide.ts'
import type { EncoderGraphs } from './graphs.ts'
import type { LoneVectors } from './lone-vectors.ts'
import { blockMeans, firstLook, meanRow, type QuestionSlots, type SlotPlaces, secondLook } from './looks.ts'
import { namePriors, namesOf } from './member-names.ts'
import { bytesOf, cosine, type EncodedPassage, type PassageView, passageView } from './passage-view.ts'
import type { Passage } from './passages.ts'
import { PossibleSpans } from './possible-spans.ts'
import { behindQuestion, type EncoderQuestion, packQuestion, placesOf, sharedLogits, tokensOf } from './questions.ts'
import { everyQuote, NO_VALUE, numbersOf, oneQuote, oneValue, type SpanLogits } from './quotes.ts'
import type { StateText } from './state-text.ts'
import type { PiecedText, WordPieces } from './word-pieces.ts'
import { likeliestSum, STANDS, sumsOf } from './worked-out.ts'
import { writtenValues } from './written-values.ts'

/** Pieces of a pass: more are hardly faster, and others wait longer. */
const PASS_PIECES = 512
/** Combinations of passages whose keys and values are kept together; each takes as much as its passages again. */
const MOST_VIEWS = 2
/** Places that a question leaves for the state in a second look. */
const LEAST_STATE_PIECES = 64
/** Its id, where it stands, and its stretch of the text. */
const BYTES_PER_PIECE = 64
/** No text has so many characters for each piece. */
const MOST_UNITS_PER_PIECE = 64

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
interface AskedQuestion {
  readonly question: EncoderQuestion
  /** [texts][W] what its options, or itself, are compared with the state by. */
  readonly told: readonly Float32Array[]
  readonly passages: ChosenPassages
}

/** A written answer before its grammar has seen it; null where nothing was found. */
interface WrittenAnswer {
  readonly text: string | null
  readonly logProbability: number
}
export class PassageState {
  readonly #model: EncoderModel
  readonly #pieces: PiecedText
  readonly #passages: readonly EncodedPassage[]
  readonly #asked: AskedPassages
  readonly #spans: PossibleSpans
  readonly #firstLooks: Batcher<AskedQuestion, Reading>
  /** By where their passages stand; the last one used last. */
  readonly #views = new Map<string, PassageView>()

  constructor(model: EncoderModel, text: StateText, pieces: PiecedText, passages: readonly EncodedPassage[], read: ReadPassages) {
    this.#model = model
    this.#pieces = pieces
    this.#passages = passages
    this.#asked = new AskedPassages(text, pieces, model.config.passagePieces, passages, read)
    this.#spans = new PossibleSpans(text, pieces)
    this.#firstLooks = makeBatcher({
      scheduler: model.scheduler,
      mostTokens: PASS_PIECES,
      tokensOf: ({ question }) => tokensOf(question),
      groupOf: ({ passages }) => viewKey(passages.firstLook),
      pass: (asked) => this.#firstLook(asked),
    })
  }

  /** Pieces of the state with the marks of its passages. */
  get tokens(): number {
    return this.#pieces.ids.length + 2 * this.#passages.length
  }

  /** Bytes, at most, of its pieces and of the views of its passages; the passages are kept elsewhere. */
  get bytes(): number {
    const sizes = this.#passages.map(bytesOf).sort((a, b) => b - a)
    const view = sizes.slice(0, MOST_PASSAGES).reduce((sum, size) => sum + size, 0)
    return (this.#asked.areMany ? MOST_VIEWS : 1) * view + this.#pieces.ids.length * BYTES_PER_PIECE
  }

  /** Packs all branches, and refuses them if need be, before the first is run. */
  async score(branches: readonly Branch[], signal: AbortSignal | undefined): Promise<Scores[]> {
    const questions = branches.map((branch) => this.#question(branch))
    const asked = await this.#withPassages(questions, signal)
    const readings = await this.#read(branches, asked, signal)
    return branches.map(({ readout }, i) => {
      const question = questions[i] as EncoderQuestion
      const { logits, features } = readings[i] as Reading
      const shared = readout === 'exclusive' ? sharedLogits(question, logits) : logits
      const inOrder = readout === 'binary' ? logits : question.rowOf.map((row) => shared[row] as number)
      return { rows: rowsOfLogits(readout, inOrder), inputTokens: tokensOf(question), features }
    })
  }

  async generate(branch: Branch, constraint: Constraint, signal: AbortSignal | undefined): Promise<Generated> {
    if (constraint.type === 'box') {
      throw new EngineError('capability_not_supported', `the model ${this.#model.id} gives no boxes; choose one that does`)
    }
    const question = this.#question({ ...branch, readout: 'read', candidates: [] })
    const inputTokens = tokensOf(question)
    if (constraint.type === 'span') {
      const pointers = await this.#pointers(question, signal)
      const found = constraint.many ? everyQuote(pointers, constraint.format) : oneQuote(pointers, constraint.format)
      return { type: 'spans', ...found, inputTokens, outputTokens: found.spans.length }
    }
    const written = await this.#write(branch, question, constraint.grammar, signal)
    // What the grammar cannot hold (a quote of several lines, a number of too many digits) is no answer.
    const isValid = written.text !== null && parse(constraint.grammar, written.text) !== null
    return {
      type: 'text',
      text: isValid ? (written.text as string) : '',
      complete: isValid,
      logProbability: isValid ? written.logProbability : NO_VALUE,
      inputTokens,
      outputTokens: isValid ? 1 : 0,
    }
  }

  async #write(branch: Branch, question: EncoderQuestion, grammar: Grammar, signal: AbortSignal | undefined): Promise<WrittenAnswer> {
    if (grammar.type === 'enum') return this.#chooseValue(branch, grammar.values, signal)
    if (grammar.type === 'list' && grammar.item.type === 'enum')
      return this.#chooseValues(branch, grammar.item.values, grammar.maxItems, signal)
    const pointers = await this.#pointers(question, signal)
    if (grammar.type === 'list') return listOf(pointers, grammar.item, grammar.maxItems)
    if (grammar.type === 'text') {
      const { spans, logProbability } = oneQuote(pointers, 'text')
      return { text: spans[0] === undefined ? null : onOneLine(spans[0].text), logProbability }
    }
    const { type } = grammar
    if (type !== 'date' && this.#model.config.worksOut) {
      const made = await this.#workOut(branch, type, numbersOf(pointers, type), signal)
      if (made !== null) return made
    }
    const { value, logProbability } = oneValue(pointers, type)
    return { text: value, logProbability }
  }

  /** What some of the numbers come to, read in both looks; null where the answer is likelier to stand in the text. */
  async #workOut(
    branch: Branch,
    kind: 'int' | 'number',
    numbers: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<WrittenAnswer | null> {
    const sums = sumsOf(numbers)
    if (sums === null) return null
    const asked: Branch = { ...branch, readout: 'exclusive', candidates: [STANDS, ...sums.keys()].map(named) }
    const looks = await this.score([asked, { ...asked, look: 'second' }], signal)
    return likeliestSum(
      sums,
      looks.map(({ rows }) => (rows[0] as Scores['rows'][number]).logProbabilities),
      kind,
    )
  }

  async #chooseValue(branch: Branch, values: readonly string[], signal: AbortSignal | undefined): Promise<WrittenAnswer> {
    const [scores] = await this.score([{ ...branch, readout: 'exclusive', candidates: values.map(named) }], signal)
    const { logProbabilities } = (scores as Scores).rows[0] as Scores['rows'][number]
    const best = logProbabilities.indexOf(Math.max(...logProbabilities))
    return { text: values[best] as string, logProbability: logProbabilities[best] as number }
  }

  async #chooseValues(branch: Branch, values: readonly string[], most: number, signal: AbortSignal | undefined): Promise<WrittenAnswer> {
    const [scores] = await this.score([{ ...branch, readout: 'independent', candidates: values.map(named) }], signal)
    const rows = (scores as Scores).rows.map(({ logProbabilities }) => logProbabilities as readonly [number, number])
    const taken = values.filter((_, i) => (rows[i] as readonly [number, number])[0] > Math.log(0.5)).slice(0, most)
    return { text: taken.join(LIST_SEPARATOR), logProbability: rows.reduce((sum, [yes, no]) => sum + Math.max(yes, no), 0) }
  }

  async #pointers(question: EncoderQuestion, signal: AbortSignal | undefined): Promise<SpanLogits> {
    const [asked] = (await this.#withPassages([question], signal)) as [AskedQuestion]
    return this.#model.scheduler.run(async () => {
      const { graphs } = this.#model
      const { places, passages, vectors, memory } = await this.#readAgain(asked)
      const mark = rowAt(vectors, places.pieces[0] as number, this.#model.config.shape.width)
      return { logits: await graphs.quote(memory, mark), passages, spans: this.#spans, priors: await this.#priors(asked, passages) }
    }, signal)
  }

  /** By the names of the members that the passages hold. */
  async #priors({ question, told: [text] }: AskedQuestion, passages: readonly Passage[]): Promise<ReadonlyMap<string, number>> {
    const { lone, pieces } = this.#model
    const stretches = passages.flatMap(({ from, to }) => this.#spans.stretchesWithin(from, to).map((number) => this.#spans.stretch(number)))
    const names = namesOf(stretches)
    const ids = names.map((name) => pieces.encode(name).ids)
    const vectors = await lone.of(ids)
    const asked = new Set(question.ids)
    return namePriors(
      names.map((name, i) => {
        const own = ids[i] as readonly number[]
        const shared = own.filter((id) => asked.has(id)).length
        return { name, cosine: cosine(vectors[i] as Float32Array, text as Float32Array), overlap: shared / Math.max(own.length, 1) }
      }),
    )
  }

  /** First looks share passes; second looks have one each. */
  async #read(branches: readonly Branch[], asked: readonly AskedQuestion[], signal: AbortSignal | undefined): Promise<Reading[]> {
    const isSecond = (i: number): boolean => (branches[i] as Branch).look === 'second'
    const readings = new Array<Reading>(asked.length)
    const firsts = [...asked.keys()].filter((i) => !isSecond(i))
    const found = await this.#firstLooks.run(
      firsts.map((i) => asked[i] as AskedQuestion),
      signal,
    )
    found.forEach((reading, i) => {
      readings[firsts[i] as number] = reading
    })
    for (const i of [...asked.keys()].filter(isSecond)) {
      readings[i] = await this.#model.scheduler.run(() => this.#secondLook(asked[i] as AskedQuestion), signal)
    }
    return readings
  }

  async #firstLook(asked: readonly AskedQuestion[]): Promise<Reading[]> {
    const { graphs, pieces } = this.#model
    const view = await this.#view((asked[0] as AskedQuestion).passages.firstLook)
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

  async #secondLook(asked: AskedQuestion): Promise<Reading> {
    const { question } = asked
    const { places, vectors, means, memory, memoryMean } = await this.#readAgain(asked)
    const own = this.#slotsAt(places, vectors, means)
    const slots: QuestionSlots = { question, ...own, told: own.means, like: own.means.map(() => 0) }
    const [reading] = await decide(this.#model.graphs, [slots], 'second', { memory, means: [memoryMean] })
    return reading as Reading
  }

  /** The pass of a second look: its vectors, and the tokens of the passages it read. */
  async #readAgain({ question, passages: { secondLook: best } }: AskedQuestion) {
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
      memory: await graphs.memory(tokens),
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

  /** The questions with what they are compared by and the passages they are asked about. */
  async #withPassages(questions: readonly EncoderQuestion[], signal: AbortSignal | undefined): Promise<AskedQuestion[]> {
    const { lone, scheduler } = this.#model
    if (questions.length === 0) return []
    const texts = questions.map((question) => [question.ids, ...question.options])
    const vectors = await scheduler.run(() => lone.of(texts.flat()), signal)
    const asked: AskedQuestion[] = []
    let at = 0
    for (const [i, question] of questions.entries()) {
      const own = vectors.slice(at, at + (texts[i] as unknown[]).length)
      at += own.length
      const asking = { ids: texts[i] as (readonly number[])[], told: own, areApart: question.kind === 'independent' }
      const passages = await this.#asked.of(question.named, asking, signal)
      asked.push({ question, told: question.options.length === 0 ? own : own.slice(1), passages })
    }
    return asked
  }

  async #view(passages: readonly EncodedPassage[]): Promise<PassageView> {
    const { graphs } = this.#model
    const key = viewKey(passages)
    const view = this.#views.get(key) ?? (await passageView(graphs, inReadingOrder(passages)))
    this.#views.delete(key)
    this.#views.set(key, view)
    for (const oldest of this.#views.keys()) {
      if (this.#views.size <= MOST_VIEWS) break
      this.#views.delete(oldest)
    }
    return view
  }

  #question(branch: Branch): EncoderQuestion {
    const { id, pieces, config } = this.#model
    const units = branch.candidates.reduce(
      (sum, { name, description }) => sum + name.length + (description?.length ?? 0),
      branch.instructions.length,
    )
    refuseLong(id, units, config.contextLength, 'question')
    const question = packQuestion(branch, pieces, this.#asked.namedBy(branch))
    // Some of the state has to fit beside it in a second look.
    const [needed, most] = [placesOf(question), config.places - LEAST_STATE_PIECES]
    if (needed <= most) return question
    throw new EngineError(
      'context_length_exceeded',
      `the question takes ${needed} tokens with its longest option, the model ${id} takes ${most}; shorten the question or the option`,
    )
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

/** Refuses texts that cannot fit without tokenising them: a megabyte takes seconds. */
export function refuseLong(model: string, units: number, contextLength: number, what: 'state' | 'question'): void {
  const most = contextLength * MOST_UNITS_PER_PIECE
  if (units <= most) return
  throw new EngineError(
    'context_length_exceeded',
    `the ${what} has ${units} characters, the model ${model} takes at most ${most} (${contextLength} tokens); shorten the ${what}`,
  )
}

function listOf(pointers: SpanLogits, item: Grammar, most: number): WrittenAnswer {
  const kind = item.type
  if (kind === 'enum' || kind === 'list') throw new TypeError(`${kind} is not quoted`)
  const { spans, logProbability } = everyQuote(pointers, kind)
  const items = spans.flatMap(({ text }) =>
    kind === 'text'
      ? [onOneLine(text)]
      : writtenValues(kind, text)
          .map(({ value }) => value)
          .slice(0, 1),
  )
  const taken = items.filter((text) => !text.includes(';')).slice(0, most)
  return { text: taken.join(LIST_SEPARATOR), logProbability }
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
const named = (name: string): Candidate => ({ name, description: null })

function rowAt(rows: Float32Array, row: number, width: number): Float32Array {
  return rows.subarray(row * width, (row + 1) * width)
}

// Everything that can be asked about one encoded state.
import { parse } from '../../../../constraint/grammar.ts'
import { EngineError } from '../../../../core/errors.ts'
import { sum } from '../../../../core/math.ts'
import type { Branch, Constraint, Generated, Grammar, Scores } from '../../../backend.ts'
import { rowsOfLogits } from '../../scored-rows.ts'
import { asksForAll } from './all-of-a-kind.ts'
import { AskedPassages, MOST_PASSAGES, type ReadPassages } from './asked-passages.ts'
import type { Reading } from './decide.ts'
import { everyQuote } from './every-answer.ts'
import { namePriors, namesOf } from './member-names.ts'
import type { NamedRows, ShownRows } from './named-rows.ts'
import { bytesOf, cosine, type EncodedPassage } from './passage-view.ts'
import type { Passage } from './passages.ts'
import { PossibleSpans } from './possible-spans.ts'
import { type EncoderQuestion, packQuestion, placesOf, sharedLogits, tokensOf } from './questions.ts'
import { NO_VALUE, oneQuote, type SpanLogits } from './quotes.ts'
import { bySameRows, type RowBranch, rowBranches, together } from './row-branches.ts'
import { type EncoderModel, MOST_VIEWS, type PiecePointers, type PlacedQuestion, StateReader } from './state-reader.ts'
import type { StateText } from './state-writer.ts'
import type { PiecedText } from './word-pieces.ts'
import { writeValue } from './write-value.ts'

/** Places that a question leaves for the state in a second look. */
const LEAST_STATE_PIECES = 64
/** Its id, where it stands, and its stretch of the text. */
const BYTES_PER_PIECE = 64
/** The text as it came, as it is read and as it is quoted from. */
const BYTES_PER_UNIT = 8
/**
 * More UTF-16 units a piece than texts that people write; blanks and invisible characters take no piece, so others may
 * have more, and are refused.
 */
const MOST_UNITS_PER_PIECE = 64

/** A text in pieces, and the passages of it that were read. */
export interface ReadText {
  readonly text: StateText
  readonly pieces: PiecedText
  readonly passages: readonly EncodedPassage[]
}

/** The rows of a state that questions name, and the state without the others. */
export interface Narrowing {
  readonly rows: NamedRows
  readonly read: (shown: ShownRows, signal: AbortSignal | undefined) => Promise<PassageState>
}

export class PassageState {
  readonly #model: EncoderModel
  readonly #units: number
  readonly #pieces: PiecedText
  readonly #passages: readonly EncodedPassage[]
  readonly #asked: AskedPassages
  readonly #spans: PossibleSpans
  readonly #reader: StateReader
  readonly #narrowing: Narrowing | null

  /** `narrowing`: null for a state that no question narrows. */
  constructor(model: EncoderModel, { text, pieces, passages }: ReadText, read: ReadPassages, narrowing: Narrowing | null) {
    this.#model = model
    this.#narrowing = narrowing
    this.#units = text.text.length
    this.#pieces = pieces
    this.#passages = passages
    this.#asked = new AskedPassages(text, pieces, model.config.passagePieces, passages, read)
    this.#spans = new PossibleSpans(text, pieces)
    this.#reader = new StateReader(model, pieces)
  }

  /** Pieces of the state with the marks of its passages. */
  get tokens(): number {
    return this.#pieces.ids.length + 2 * this.#passages.length
  }

  /** Bytes, at most, of its text, its pieces and the views of its passages; the passages are kept elsewhere. */
  get bytes(): number {
    const sizes = this.#passages.map(bytesOf).sort((a, b) => b - a)
    const view = sum(sizes.slice(0, MOST_PASSAGES))
    const views = (this.#asked.areMany ? MOST_VIEWS : 1) * view
    return views + this.#pieces.ids.length * BYTES_PER_PIECE + this.#units * BYTES_PER_UNIT
  }

  /** Packs all branches, and refuses them if need be, before the first is run. */
  async score(branches: readonly Branch[], signal: AbortSignal | undefined): Promise<Scores[]> {
    const packed = new Map(branches.map((branch) => [branch, this.#question(branch)]))
    const asked = branches.map((branch) => rowBranches(branch, this.#narrowing?.rows ?? null))
    const found = new Map<RowBranch, Scores>()
    for (const group of bySameRows(asked.flat())) {
      const state = await this.#narrowedTo((group[0] as RowBranch).shown, signal)
      const own = group.map(({ branch }) => branch)
      const scores = await (state === this ? this.#scoreAll(own, signal, packed) : state.#scoreAll(own, signal))
      group.forEach((one, i) => {
        found.set(one, scores[i] as Scores)
      })
    }
    return branches.map((branch, i) => {
      const scores = (asked[i] as RowBranch[]).map((one) => found.get(one) as Scores)
      return together(scores, tokensOf(packed.get(branch) as EncoderQuestion))
    })
  }

  async #narrowedTo(shown: ShownRows | null, signal: AbortSignal | undefined): Promise<PassageState> {
    return shown === null ? this : (this.#narrowing as Narrowing).read(shown, signal)
  }

  /** `packed`: those of the branches that were packed before. */
  async #scoreAll(
    branches: readonly Branch[],
    signal: AbortSignal | undefined,
    packed?: ReadonlyMap<Branch, EncoderQuestion>,
  ): Promise<Scores[]> {
    const questions = branches.map((branch) => packed?.get(branch) ?? this.#question(branch))
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
    const shown = this.#narrowing?.rows.of(branch.instructions) ?? null
    const state = await this.#narrowedTo(shown, signal)
    return state.#generate(branch, constraint, signal)
  }

  async #generate(branch: Branch, constraint: Constraint, signal: AbortSignal | undefined): Promise<Generated> {
    const { id, config } = this.#model
    if (constraint.type === 'box') {
      throw new EngineError('capability_not_supported', `the model ${id} gives no boxes; choose one that does`)
    }
    const question = this.#question({ ...branch, readout: 'read', candidates: [] })
    const inputTokens = tokensOf(question)
    const pointers = (): Promise<SpanLogits> => this.#pointers(question, signal)
    if (constraint.type === 'span') {
      const { many, format } = constraint
      const found = many
        ? everyQuote(await pointers(), format, asksForAll(branch.instructions, format))
        : oneQuote(await pointers(), format)
      return { type: 'spans', ...found, inputTokens, outputTokens: found.spans.length }
    }
    const { worksOut, weighsNothing } = config
    const source = { worksOut, weighsNothing, score: (parts: readonly Branch[]) => this.#scoreAll(parts, signal), pointers }
    const written = await writeValue(source, branch, constraint.grammar)
    // What the grammar cannot hold (a quote of several lines, a number of too many digits) is no answer.
    const isValid = written.text !== null && parse(constraint.grammar, written.text) !== null
    return {
      type: 'text',
      text: isValid ? (written.text as string) : '',
      complete: isValid,
      ...(isValid ? {} : { reason: written.reason ?? whyNot(written.text, constraint.grammar) }),
      logProbability: isValid ? written.logProbability : NO_VALUE,
      inputTokens,
      outputTokens: isValid ? 1 : 0,
    }
  }

  async #pointers(question: EncoderQuestion, signal: AbortSignal | undefined): Promise<SpanLogits> {
    const [asked] = (await this.#withPassages([question], signal)) as [PlacedQuestion]
    const withPriors = async (pointed: PiecePointers): Promise<SpanLogits> => {
      return { ...pointed, spans: this.#spans, priors: await this.#priors(asked, pointed.passages) }
    }
    return this.#reader.point(asked, withPriors, signal)
  }

  /** By the names of the members that the passages hold. Runs passes: call it where it is the caller's turn. */
  async #priors({ question, told: [text] }: PlacedQuestion, passages: readonly Passage[]): Promise<ReadonlyMap<string, number>> {
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
  async #read(branches: readonly Branch[], asked: readonly PlacedQuestion[], signal: AbortSignal | undefined): Promise<Reading[]> {
    const isSecond = (i: number): boolean => (branches[i] as Branch).look === 'second'
    const readings = new Array<Reading>(asked.length)
    const firsts = [...asked.keys()].filter((i) => !isSecond(i))
    const found = await this.#reader.firstLooks(
      firsts.map((i) => asked[i] as PlacedQuestion),
      signal,
    )
    found.forEach((reading, i) => {
      readings[firsts[i] as number] = reading
    })
    for (const i of [...asked.keys()].filter(isSecond)) {
      readings[i] = await this.#reader.secondLook(asked[i] as PlacedQuestion, signal)
    }
    return readings
  }

  /** The questions with what they are compared by and the passages they are asked about. */
  async #withPassages(questions: readonly EncoderQuestion[], signal: AbortSignal | undefined): Promise<PlacedQuestion[]> {
    const { lone, scheduler } = this.#model
    if (questions.length === 0) return []
    const texts = questions.map((question) => [question.ids, ...question.options])
    const vectors = await scheduler.run(() => lone.of(texts.flat()), signal)
    const asked: PlacedQuestion[] = []
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

/** Refuses texts that cannot fit without tokenising them: a megabyte takes seconds. */
export function refuseLong(model: string, units: number, contextLength: number, what: 'state' | 'question'): void {
  const most = contextLength * MOST_UNITS_PER_PIECE
  if (units <= most) return
  throw new EngineError(
    'context_length_exceeded',
    `the ${what} has ${units} characters, the model ${model} takes at most ${most} (${contextLength} tokens); shorten the ${what}`,
  )
}

function whyNot(text: string | null, { type }: Grammar): string {
  return text === null
    ? `no ${type === 'text' ? 'answer' : type} was found in the state`
    : `${JSON.stringify(text)} is no value of kind ${type}`
}

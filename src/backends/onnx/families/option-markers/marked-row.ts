// A question about a state as a row of tokens with a marker before each option, as `MarkerFormat` says. Published code
// cuts what is too long; here it is refused, with both numbers.
import { EngineError } from '../../../../core/errors.ts'
import type { Branch, Candidate } from '../../../backend.ts'
import { oneAnswerIs, theAnswerIs } from '../../../statements.ts'
import type { TextTokenizer } from '../../runtime/tokenizer.ts'
import { encodeWithin } from '../../text-model.ts'
import { type MarkedType, type MarkerFormat, OPTION_TOKENS } from './format.ts'

export interface ControlIds {
  readonly start: number
  readonly separator: number
  readonly marker: number
  /** The name of the marker: text that spells it gets a space in its place, as in training. */
  readonly markerName: string
}

export interface RowWriter {
  /** The name of the model. */
  readonly id: string
  readonly tokenizer: Pick<TextTokenizer, 'encode'>
  readonly controls: ControlIds
  readonly format: MarkerFormat
}

/** Control tokens of a row beside its markers. */
export const ROW_CONTROLS = 4
/** Published code leaves so many tokens to the instructions, whatever the options take. */
const INSTRUCTION_TOKENS = 16

/** A question of the model's own types. */
interface MarkedQuestion {
  readonly type: MarkedType
  readonly instructions: string
  /** In the order of the branch. */
  readonly candidates: readonly Candidate[]
}

const TRUE_FALSE: readonly Candidate[] = ['true', 'false'].map((name) => ({ name, description: null }))
const claim = (instructions: string): MarkedQuestion => ({ type: 'noul', instructions, candidates: TRUE_FALSE })

export const withoutMarker = (text: string, { markerName }: ControlIds): string => text.replaceAll(markerName, ' ')

/** The question of a row: all but the state. */
export interface EncodedQuestion {
  readonly type: MarkedType
  readonly head: readonly number[]
  /** For each candidate of the branch. Their order in the row is `order`. */
  readonly options: readonly (readonly number[])[]
  readonly order: readonly number[]
  readonly tokens: number
  /** Of the tokens that a question may have. */
  readonly needed: number
}

/** What a branch asks. `isByClaims`: candidates that exclude each other are each a claim of their own all the same. */
export interface EncodedBranch {
  readonly questions: readonly EncodedQuestion[]
  readonly isByClaims: boolean
}

/**
 * The questions of a branch. No type of the model takes several options at once, so each is a claim; and so is each of
 * a list that is too long for one row. `taken`: tokens of the state, and the control tokens. Throws
 * `context_length_exceeded`.
 */
export function encodeBranch(writer: RowWriter, { readout, instructions, candidates }: Branch, taken: number): EncodedBranch {
  const { id, format } = writer
  const { questionTokens, rowTokens } = format
  const requireRoom = (question: EncodedQuestion): EncodedQuestion => {
    const { needed, tokens } = question
    const refuse = (what: string, most: number, has: number): EngineError =>
      new EngineError('context_length_exceeded', `${what} would take ${has} tokens, the model ${id} takes ${most}; shorten it`)
    if (needed > questionTokens) throw refuse('the question with its options', questionTokens, needed)
    if (taken + tokens > rowTokens) throw refuse('the state with this question', rowTokens, taken + tokens)
    return question
  }
  const asked = (question: MarkedQuestion): EncodedQuestion => requireRoom(encodeQuestion(writer, question))
  if (readout === 'binary') {
    const described = TRUE_FALSE.map(({ name }, i) => ({ name, description: candidates[i]?.description ?? null }))
    return { questions: [asked({ ...claim(instructions), candidates: described })], isByClaims: false }
  }
  if (readout === 'independent')
    return { questions: candidates.map((one) => asked(claim(oneAnswerIs(instructions, one)))), isByClaims: false }
  const list = encodeQuestion(writer, { type: readout === 'ordinal' ? 'score' : 'choice', instructions, candidates })
  if (list.needed <= questionTokens) return { questions: [requireRoom(list)], isByClaims: false }
  return { questions: candidates.map((one) => asked(claim(theAnswerIs(instructions, one)))), isByClaims: true }
}

function encodeQuestion(
  { id, tokenizer, controls, format }: RowWriter,
  { type, instructions, candidates }: MarkedQuestion,
): EncodedQuestion {
  const ids = (text: string, most: number, what: string): number[] =>
    encodeWithin(tokenizer, withoutMarker(text, controls), { most, taken: 0, what, id })
  const head = ids(`${type} question: ${instructions}`, format.questionTokens, 'the instructions')
  const options = candidates.map((one, place) =>
    ids(` ${format.optionText(type, one, place)}`, OPTION_TOKENS, `the option ${JSON.stringify(one.name.slice(0, 40))}`),
  )
  const optionTokens = options.reduce((sum, option) => sum + 1 + option.length, 0)
  const order = candidates.map((_, place) => place)
  return {
    type,
    head,
    options,
    order: type === 'noul' && format.isFalseFirst ? order.reverse() : order,
    tokens: head.length + optionTokens,
    needed: Math.max(INSTRUCTION_TOKENS, head.length) + optionTokens,
  }
}

export interface MarkedRow {
  readonly type: MarkedType
  readonly ids: readonly number[]
  /** Where the markers stand, in the order of the row. */
  readonly markers: readonly number[]
}

export function rowOf({ controls }: RowWriter, { type, head, options, order }: EncodedQuestion, state: readonly number[]): MarkedRow {
  const { start, separator, marker } = controls
  const ids = [start, ...head, separator]
  const markers: number[] = []
  for (const place of order) {
    markers.push(ids.length)
    ids.push(marker, ...(options[place] as readonly number[]))
  }
  ids.push(separator, ...state, separator)
  return { type, ids, markers }
}

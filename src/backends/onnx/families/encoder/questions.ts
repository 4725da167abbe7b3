// A branch to the pieces that the encoder reads: the question, and each option by itself. Options are sorted, and read
// once where they say the same, so that the order in which a caller gives them changes nothing, to the last bit.
import type { Branch, Candidate } from '../../../backend.ts'
import type { NamedParts } from './numbered-parts.ts'
import type { WordPieces } from './word-pieces.ts'

/** The kinds that the model was trained on, in its order. */
export const ENCODER_KINDS = ['binary', 'exclusive', 'ordinal', 'independent', 'read'] as const

export interface EncoderQuestion {
  readonly kind: Branch['readout']
  readonly named: NamedParts
  readonly ids: readonly number[]
  /** None for statements and reads; what several candidates say is one of them. */
  readonly options: readonly (readonly number[])[]
  /** Place of each candidate among `options`. */
  readonly rowOf: readonly number[]
}

/** `named`: the parts of the state that its instructions name, which begin without them. */
export function packQuestion(branch: Branch, pieces: WordPieces, named: NamedParts): EncoderQuestion {
  const { readout, candidates } = branch
  const { ids } = pieces.encode(questionText({ ...branch, instructions: named.rest }))
  if (readout === 'binary' || readout === 'read') return { kind: readout, named, ids, options: [], rowOf: [] }
  const texts = candidates.map(optionText)
  const encoded = (text: string): readonly number[] => pieces.encode(text).ids
  // Levels of a scale are told apart by where they stand.
  if (readout === 'ordinal') return { kind: readout, named, ids, options: texts.map(encoded), rowOf: texts.map((_, level) => level) }
  const options = new Map([...texts].sort().map((text) => [encoded(text).join(), encoded(text)]))
  const rows = [...options.keys()]
  return { kind: readout, named, ids, options: [...options.values()], rowOf: texts.map((text) => rows.indexOf(encoded(text).join())) }
}

/** Pieces of the question and its options with their marks. */
export function tokensOf({ ids, options }: EncoderQuestion): number {
  return ids.length + 2 + options.reduce((sum, option) => sum + option.length + 1, 0)
}

/** The first place behind the question: of each of its options and, in a second look, of the state. */
export function behindQuestion({ ids }: EncoderQuestion): number {
  return ids.length + 2
}

/** Places that the question takes with its longest option. */
export function placesOf(question: EncoderQuestion): number {
  return question.options.reduce((most, option) => Math.max(most, behindQuestion(question) + option.length + 1), behindQuestion(question))
}

/**
 * Logits of the options of a choice, by row, [option]. Options that read alike are one thing under several names: each
 * gets its share of what one of them would get.
 */
export function sharedLogits({ rowOf }: EncoderQuestion, logits: readonly number[]): number[] {
  return logits.map((logit, row) => logit - Math.log(rowOf.filter((one) => one === row).length))
}

function questionText({ readout, instructions, candidates }: Branch): string {
  const meanings =
    readout === 'binary' ? candidates.flatMap((one) => (one.description === null ? [] : [`${one.name}: ${one.description}`])) : []
  return [instructions, ...meanings].join('\n')
}

/** A described option is read by its description alone, whatever it is called. */
function optionText({ name, description }: Candidate): string {
  return description === null || description === '' ? name : description
}

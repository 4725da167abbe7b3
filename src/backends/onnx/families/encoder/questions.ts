// A branch to the pieces that the encoder reads: the question, and each option by itself. Options are sorted, so that
// the order in which a caller gives them changes nothing, to the last bit.
import type { Branch, Candidate } from '../../../backend.ts'
import type { NamedParts } from './numbered-parts.ts'
import type { WordPieces } from './word-pieces.ts'

/** The kinds that the model was trained on, in its order. */
export const ENCODER_KINDS = ['binary', 'exclusive', 'ordinal', 'independent', 'read'] as const

export interface EncoderQuestion {
  readonly kind: Branch['readout']
  readonly named: NamedParts
  readonly ids: readonly number[]
  /** None for statements and reads. */
  readonly options: readonly (readonly number[])[]
  /** Place of each candidate among `options`. */
  readonly rowOf: readonly number[]
}

/** `named`: the parts of the state that its instructions name, which begin without them. */
export function packQuestion(branch: Branch, pieces: WordPieces, named: NamedParts): EncoderQuestion {
  const { readout, candidates } = branch
  const { ids } = pieces.encode(questionText({ ...branch, instructions: named.rest }))
  if (readout === 'binary' || readout === 'read') return { kind: readout, named, ids, options: [], rowOf: [] }
  const sorted = candidates.map((candidate, index) => ({ option: optionText(candidate), index }))
  if (readout !== 'ordinal') sorted.sort((a, b) => (a.option < b.option ? -1 : a.option > b.option ? 1 : 0))
  const rowOf = new Array<number>(candidates.length)
  sorted.forEach(({ index }, row) => {
    rowOf[index] = row
  })
  return { kind: readout, named, ids, options: sorted.map(({ option }) => pieces.encode(option).ids), rowOf }
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
export function sharedLogits({ options }: EncoderQuestion, logits: readonly number[]): number[] {
  const texts = options.map((ids) => ids.join())
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return logits.map((logit, row) => logit - Math.log(counts.get(texts[row] as string) as number))
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

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

/** Places that the question takes with its longest option. */
export function placesOf({ ids, options }: EncoderQuestion): number {
  return ids.length + 2 + options.reduce((most, option) => Math.max(most, option.length + 1), 0)
}

function questionText({ readout, instructions, candidates }: Branch): string {
  const meanings =
    readout === 'binary' ? candidates.flatMap((one) => (one.description === null ? [] : [`${one.name}: ${one.description}`])) : []
  return [instructions, ...meanings].join('\n')
}

function optionText({ name, description }: Candidate): string {
  return description === null || description === '' ? name : `${name}: ${description}`
}

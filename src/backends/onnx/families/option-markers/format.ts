// What two published lines of decision encoders have in common. A row of tokens is
//
//   [CLS] {type} question: {instructions} [SEP] [MASK] {option} [MASK] {option} … [SEP] {state} [SEP]
//
// and the graph gives one logit at each [MASK]; the logits over a temperature are shared out by a softmax. What differs
// between the lines (the words of options, limits, temperatures) is a `MarkerFormat`.
import { EngineError } from '../../../../core/errors.ts'
import type { Candidate } from '../../../backend.ts'
import type { JsonObject, ModelFolder } from '../../runtime/layout.ts'

/** The types that the graphs know, and their numbers in them. */
export const QUESTION_TYPES = { choice: 0, score: 1, noul: 2 } as const
export type MarkedType = keyof typeof QUESTION_TYPES

export interface MarkerFormat {
  /** Tokens of a whole row. */
  readonly rowTokens: number
  /** Tokens of instructions and options; the control tokens around them, but for the markers, do not count. */
  readonly questionTokens: number
  /** What the graph takes, in any order. */
  readonly inputs: readonly string[]
  /** The option as it stands behind its marker. `place`: among the candidates, from 0. */
  optionText(type: MarkedType, candidate: Candidate, place: number): string
  /** Whether the option `false` stands in front of `true`. */
  readonly isFalseFirst: boolean
  temperature(type: MarkedType, options: number): number
}

/** Tokens of one option, its marker not among them. */
export const OPTION_TOKENS = 48

/** Both lines fit one temperature for each type and number of options. */
export function bucketOf(type: MarkedType, options: number): string {
  const size = options <= 2 ? '2' : options <= 5 ? '3-5' : options <= 10 ? '6-10' : '11+'
  return `${type}:${size}`
}

/** A configuration that is not one that is known. */
export function strange({ name }: Pick<ModelFolder, 'name'>, file: string, what: string): EngineError {
  return new EngineError('model_not_available', `${file} of '${name}' ${what}; take the folder as it was published, or another export`)
}

/**
 * Throws for a field that is set and not among `known`: it may say that the graph was trained on other rows than those
 * that are written here.
 */
export function requireKnown(folder: ModelFolder, file: string, fields: JsonObject, known: readonly string[]): void {
  const other = Object.entries(fields).find(([name, value]) => !known.includes(name) && value !== false && value !== null && value !== 0)
  if (other === undefined) return
  throw strange(folder, file, `sets ${other[0]} to ${JSON.stringify(other[1]).slice(0, 60)}, which this engine does not know`)
}

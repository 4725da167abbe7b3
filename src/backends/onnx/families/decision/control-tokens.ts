// The control tokens of the decision model. Their ids lie behind those of the text pieces, so no text can become one.
// training/decision/constants.py has the same order.
import type { Branch, Constraint } from '../../../backend.ts'

/** The kinds of branches that this engine can ask, in the order of the shipped model. */
export const BRANCH_KINDS = [
  'binary',
  'exclusive',
  'ordinal',
  'independent',
  'span',
  'spans',
  'box',
  'boxes',
  'text',
  'int',
  'number',
  'date',
  'list',
] as const

export type BranchKind = (typeof BRANCH_KINDS)[number]

/**
 * Ids of the control tokens behind a vocabulary of text pieces. A branch names its kind by a control token of its own.
 */
export class ControlTokens {
  readonly state: number
  readonly question: number
  readonly option: number
  /** A token whose last hidden state is read: one behind each option, or one at the end of the question. */
  readonly readout: number
  readonly image: number
  readonly imageStart: number
  readonly imageEnd: number
  /** Ends a written answer. */
  readonly end: number
  /** The id of the first control token; ids below it are text pieces. */
  readonly from: number
  readonly kinds: readonly BranchKind[]
  readonly #firstKind: number

  /** `kinds`: those the model knows, in its order. */
  constructor(from: number, kinds: readonly BranchKind[] = BRANCH_KINDS) {
    this.from = from
    this.kinds = kinds
    this.state = from
    this.question = from + 1
    this.option = from + 2
    this.readout = from + 3
    this.image = from + 4
    this.imageStart = from + 5
    this.imageEnd = from + 6
    this.end = from + 7
    this.#firstKind = from + 8
  }

  /** The number by which the graphs know a kind; -1 for one the model does not know. */
  indexOf(kind: BranchKind): number {
    return this.kinds.indexOf(kind)
  }

  kindId(kind: BranchKind): number {
    return this.#firstKind + this.indexOf(kind)
  }
}

/** The kind of a branch; `constraint` is null for scored ones. */
export function kindOf(branch: Branch, constraint: Constraint | null): BranchKind {
  if (branch.readout !== 'read') return branch.readout
  if (constraint === null) throw new Error('a read needs a constraint')
  if (constraint.type === 'span') return constraint.many ? 'spans' : 'span'
  if (constraint.type === 'box') return constraint.many ? 'boxes' : 'box'
  const { grammar } = constraint
  return grammar.type === 'enum' ? 'text' : grammar.type
}

// The control ids of our own model. They lie behind the text vocabulary, so no text becomes one; training/model.py has the same table.
import type { Branch, Constraint } from '../../../backend.ts'

export const VOCABULARY = 8128

export const CONTROL = {
  state: 8128,
  question: 8129,
  option: 8130,
  mark: 8131,
  image: 8132,
  imageStart: 8133,
  imageEnd: 8134,
  end: 8135,
} as const

/** The kinds of read-out, each told to the model by a control id of its own behind the question mark. */
export const KINDS = [
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

export type Kind = (typeof KINDS)[number]

export function kindId(kind: Kind): number {
  return 8136 + KINDS.indexOf(kind)
}

/** Which read-out a branch asks for. */
export function kindOf(branch: Branch, constraint: Constraint | null): Kind {
  if (branch.readout !== 'read') return branch.readout
  if (constraint === null) throw new Error('a read needs a constraint')
  if (constraint.type === 'span') return constraint.many ? 'spans' : 'span'
  if (constraint.type === 'box') return constraint.many ? 'boxes' : 'box'
  const { grammar } = constraint
  return grammar.type === 'enum' ? 'text' : grammar.type
}

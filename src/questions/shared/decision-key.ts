// What a decision is called across requests: the same question about other things has the same name.
import { createHash } from 'node:crypto'
import type { Branch } from '../../backends/backend.ts'
import type { Json } from '../../core/types.ts'
import type { DecisionKey } from './decision.ts'
import type { DecisionReadout } from './readouts.ts'

/** The order in which candidates are kept: positions in `candidates`. */
export function canonicalOrder({ readout, candidates }: Pick<Branch, 'readout' | 'candidates'>): number[] {
  const order = candidates.map((_, i) => i)
  if (readout === 'ordinal' || readout === 'binary') return order
  const nameOf = (i: number): string => candidates[i]!.name
  return order.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/**
 * Names a branch. `readout` differs from the branch's own for checks, reads (`quote`, `written`, `not_there`) and
 * statements that were worked out (`composed`, `compared`). `asked` differs only for checks: the instructions without
 * the value that is checked.
 */
export function decisionKey(branch: Branch, readout: DecisionReadout, hasImage: boolean, asked = branch.instructions): DecisionKey {
  const instructions = normalise(asked)
  const candidates = canonicalOrder(branch).map((i) => [branch.candidates[i]!.name, branch.candidates[i]!.description])
  return {
    readout,
    hasImage,
    candidates: branch.candidates.length,
    wording: hashOf([readout, masked(instructions)]),
    question: hashOf([readout, instructions, candidates]),
  }
}

function normalise(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ')
}

/** Quoted words and numbers are what changes when a question is asked of many things. */
function masked(instructions: string): string {
  return instructions
    .replace(/"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`/g, '"…"')
    .replace(/\d+(?:[.,]\d+)*/g, '0')
    .toLowerCase()
}

function hashOf(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}

/** Names a value that was read, without case and outer space. */
export function valueHash(value: string | null): string {
  return hashOf(value === null ? null : normalise(value).toLowerCase())
}

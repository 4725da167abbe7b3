// What was true, as an index into the candidates of a decision.
import type { Json } from '../../core/types.ts'
import type { Decision } from './decision.ts'
import { valueHash } from './decision-key.ts'
import { isOfValue, isStatement } from './readouts.ts'

/** Whether what was kept of a checked value (`Decision.value`) is of this one. */
export type HoldsValue = (kept: string | null, value: string | null) => boolean

/**
 * A truth to the index of the true candidate in each row of a decision (canonical order); a fraction lies between two
 * candidates, as when annotators were averaged. Statements: a boolean, the probability that it is true, or a name.
 * `exclusive`: a name. `ordinal`: a 0-based level, fractions allowed, or the label of one. `holds`: for what is kept of
 * checked values in another way. `independent`: the names that hold. Checks and reads: a boolean ("the value was
 * right"), or the right value. Null when the truth does not fit the decision.
 */
export function truthOf(
  decision: Pick<Decision, 'readout' | 'names' | 'value'>,
  truth: Json,
  holds: HoldsValue = (kept, value) => kept === valueHash(value),
): readonly number[] | null {
  const { readout, names } = decision
  if (isStatement(readout) || (isOfValue(readout) && typeof truth === 'boolean')) {
    if (typeof truth === 'boolean') return [truth ? 0 : 1]
    if (typeof truth === 'string') return names.includes(truth) ? [names.indexOf(truth)] : null
    return typeof truth === 'number' && truth >= 0 && truth <= 1 ? [1 - truth] : null
  }
  if (isOfValue(readout)) {
    const isNull = truth === null
    if (!isNull && typeof truth !== 'string' && typeof truth !== 'number') return null
    return [holds(decision.value, isNull ? null : String(truth)) ? 0 : 1]
  }
  if (readout === 'ordinal') {
    if (typeof truth === 'string') return names.includes(truth) ? [names.indexOf(truth)] : null
    return typeof truth === 'number' && truth >= 0 && truth <= names.length - 1 ? [truth] : null
  }
  if (readout === 'exclusive') {
    const index = names.indexOf(String(truth))
    return index < 0 ? null : [index]
  }
  if (!Array.isArray(truth) || !truth.every((name) => typeof name === 'string' && names.includes(name))) return null
  return names.map((name) => (truth.includes(name) ? 0 : 1))
}

/** The candidate that is right by the index of a truth: the nearer of two, and halfway between them the later. */
export function nearestCandidate(truth: number): number {
  return Math.round(truth)
}

/** The index of a truth to a target distribution over `length` candidates. */
export function targetOf(truth: number, length: number): number[] {
  const low = Math.min(Math.floor(truth), length - 1)
  const share = truth - low
  return Array.from({ length }, (_, i) => (i === low ? 1 - share : i === low + 1 ? share : 0))
}

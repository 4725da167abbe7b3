// How a decision is read, and which of these ways are alike.

/** That a read is right, by its own probability: of words that were quoted, a value that was written, nothing found. */
export const READ_READOUTS = ['quote', 'written', 'not_there'] as const
export type ReadReadout = (typeof READ_READOUTS)[number]
/** That a read is right, by asking; `check_…` where how probable the read was counts as well. */
export const CHECK_READOUTS = ['check', 'absence', 'check_quote', 'check_written', 'check_not_there'] as const
export type CheckReadout = (typeof CHECK_READOUTS)[number]

/**
 * How a decision is read: the read-outs of a branch, and further ones that are yes-or-no decisions too but err
 * differently, so they are calibrated apart: `composed`, a statement put together from others, which alone are read;
 * `compared`, one that compares a number, which is read as well; `check` that a value is right, `absence` that nothing
 * is there to be read; and the read itself.
 */
export const DECISION_READOUTS = [
  'binary',
  'composed',
  'compared',
  'exclusive',
  'ordinal',
  'independent',
  ...CHECK_READOUTS,
  ...READ_READOUTS,
] as const
export type DecisionReadout = (typeof DECISION_READOUTS)[number]

/** Whether it is about a statement of the caller: true or false. */
export function isStatement(readout: DecisionReadout): readout is 'binary' | 'composed' | 'compared' {
  return readout === 'binary' || readout === 'composed' || readout === 'compared'
}

/** Whether two read-outs are of the same event: a statement is true, a read is right. */
export function isSameEvent(one: DecisionReadout, other: DecisionReadout): boolean {
  return one === other || (isStatement(one) && isStatement(other)) || (isCheck(one) && isCheck(other))
}

/** Whether it confirms a read. */
export function isCheck(readout: DecisionReadout): readout is CheckReadout {
  return (CHECK_READOUTS as readonly string[]).includes(readout)
}

/** Whether it is about a value that was read, another one each time: that it is right, or not. */
export function isOfValue(readout: DecisionReadout): readout is CheckReadout | ReadReadout {
  return isCheck(readout) || (READ_READOUTS as readonly string[]).includes(readout)
}

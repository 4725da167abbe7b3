// Logits of candidates that were each read on their own, as the rows of an answer. Nothing else is scored, so the mass
// of a row is one.
import { logSigmoid, logSoftmax } from '../../core/math.ts'
import type { Branch, ScoreRow } from '../backend.ts'

/** `logits`: that of the statement for `binary`, else one per candidate in the branch's order. */
export function rowsOfLogits(readout: Branch['readout'], logits: readonly number[]): ScoreRow[] {
  const yesNo = (logit: number): ScoreRow => ({ logProbabilities: [logSigmoid(logit), logSigmoid(-logit)], mass: 1 })
  if (readout === 'binary') return [yesNo(logits[0] as number)]
  return readout === 'independent' ? logits.map(yesNo) : [{ logProbabilities: logSoftmax(logits), mass: 1 }]
}

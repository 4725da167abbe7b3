// What was read is a decision as well: that it is right. Its probability before calibration is the model's own of what
// it read, so it takes no further pass.
import type { Branch } from '../../backends/backend.ts'
import { entropyBits, readConfidence } from '../../core/math.ts'
import type { DecisionReport, QuestionContext } from './checked-question.ts'
import type { Decision } from './decision.ts'
import { decisionKey, valueHash } from './decision-key.ts'
import type { ReadReadout } from './readouts.ts'

export interface ReadDecision {
  /** The calibrated probability that the value is right. */
  readonly confidence: number
  readonly decision: Decision
  readonly report: DecisionReport
}

/** The log-probabilities that what was read is right, and that it is wrong. `logProbability`: natural, of all of it. */
export function rightOrWrong(logProbability: number): readonly number[] {
  const right = readConfidence(logProbability)
  return [Math.log(right), Math.log1p(-right)]
}

/**
 * Decides a read. `value`: what was read, several joined by `; `; null for nothing. `logProbability`: natural, of all
 * that was read.
 */
export function decideRead(
  branch: Branch,
  readout: ReadReadout,
  value: string | null,
  logProbability: number,
  { calibrator, hasImages, decided }: Pick<QuestionContext, 'calibrator' | 'hasImages' | 'decided'>,
): ReadDecision {
  const key = { ...decisionKey(branch, readout, hasImages), candidates: 2 }
  const single = [rightOrWrong(logProbability)]
  const { probabilities, note } = calibrator.calibrate(key, 'single', single, null)
  const row = probabilities[0]!
  // What a model says of its own reads without labels of them is no reason to ask another one.
  if (note.level !== 'none') decided?.({ readout, probabilities, mass: 1, isLearned: false })
  return {
    confidence: row[0]!,
    decision: {
      ...key,
      names: ['true', 'false'],
      single,
      deliberated: null,
      mass: 1,
      tokens: null,
      features: null,
      value: valueHash(value),
    },
    report: { entropyBits: entropyBits(row), mass: 1, isDeliberated: false, calibration: note },
  }
}

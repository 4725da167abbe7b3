// A branch to the statements that are held against the state: the claim itself, or one for each candidate.
import type { Branch } from '../../../backend.ts'
import { answerIs, ended, oneAnswerIs, theAnswerIs } from '../../../statements.ts'

/** Raise it when the words change: calibration is bound to them. */
export const HYPOTHESES_VERSION = 1

/** One statement for `binary`, one for each candidate otherwise. */
export function hypothesesOf({ readout, instructions, candidates }: Branch): readonly string[] {
  const asked = instructions.trim()
  if (readout === 'binary') return [asked.endsWith('?') ? answerIs(asked, 'yes') : ended(asked)]
  return candidates.map((one) => (readout === 'independent' ? oneAnswerIs : theAnswerIs)(asked, one))
}

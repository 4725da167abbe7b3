// self_check: states that a proposed value is right, and asks for the probability of that. Training rows use the same
// words. A model that judges its reads is taken at its word, and the question counts beside it.
import type { Branch } from '../../backends/backend.ts'
import type { QuestionContext } from './checked-question.ts'
import type { QuestionCoroutine } from './coroutine.ts'
import { decide } from './decide.ts'
import type { DecideResult } from './decide-branch.ts'
import { valueHash } from './decision-key.ts'
import type { ReadReadout } from './readouts.ts'

/**
 * What the model is asked to confirm. `value`: the proposed text, several joined by `; `; null for "nothing is given".
 */
export function checkStatement(instructions: string, value: string | null): string {
  const asked = instructions.trim()
  return value === null ? `${asked} Proposed answer: nothing is given.` : `${asked} Proposed answer: ${value}`
}

/**
 * How much the answer counts beside how probable the read was, where a model judges its reads. Of 964 values that the
 * shipped model read, of which .53 are right, its answer alone ranks .59 rightly (area under the curve), the read .82,
 * both .83; shares from .1 to 1 do much the same.
 */
const SHARE = 0.5

/** What was read. */
export interface Proposal {
  /** null for nothing. */
  readonly value: string | null
  readonly readout: ReadReadout
  /** The log-probabilities before calibration that the value is right, and that it is not. */
  readonly row: readonly number[]
}

/** The decision that the value is the right answer: the first of its two probabilities. */
export function* check(
  { instructions, image }: Pick<Branch, 'instructions' | 'image'>,
  { value, readout, row: own }: Proposal,
  context: QuestionContext,
): QuestionCoroutine<DecideResult> {
  const branch: Branch = {
    readout: 'binary',
    instructions: checkStatement(instructions, value),
    candidates: [
      { name: 'true', description: null },
      { name: 'false', description: null },
    ],
    image,
  }
  const weigh = (row: readonly number[]): number[] => row.map((logP, i) => SHARE * logP + own[i]!)
  const asked = instructions
  const decided = context.countsReads
    ? yield* decide(branch, `check_${readout}`, context, { asked, weigh })
    : yield* decide(branch, value === null ? 'absence' : 'check', context, { asked })
  return { ...decided, decision: { ...decided.decision, value: valueHash(value) } }
}

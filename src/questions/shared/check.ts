// self_check: states that a proposed value is right, and asks for the probability of that. Training rows use the same
// words.
import type { Branch } from '../../backends/backend.ts'
import type { QuestionContext } from './checked-question.ts'
import type { QuestionCoroutine } from './coroutine.ts'
import { decide } from './decide.ts'
import type { DecideResult } from './decide-branch.ts'
import { valueHash } from './decision.ts'

/**
 * What the model is asked to confirm. `value`: the proposed text, several joined by `; `; null for "nothing is given".
 */
export function checkStatement(instructions: string, value: string | null): string {
  const asked = instructions.trim()
  return value === null ? `${asked} Proposed answer: nothing is given.` : `${asked} Proposed answer: ${value}`
}

/** The decision that the value is the right answer: the first of its two probabilities. */
export function* check(
  instructions: string,
  value: string | null,
  image: string | null,
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
  const decided = yield* decide(branch, value === null ? 'absence' : 'check', context, { asked: instructions })
  return { ...decided, decision: { ...decided.decision, value: valueHash(value) } }
}

// self_check: a proposed value to the statement that it is right, and its probability. Training rows use the same words.
import type { Branch } from '../backends/backend.ts'
import { toProbabilities } from '../math.ts'
import { onlyRow } from './fields.ts'
import { type Inquiry, score } from './inquiry.ts'

/** What the model is asked to confirm. `value`: the proposed text, several joined by `; `; null for "nothing is given". */
export function checkStatement(instructions: string, value: string | null): string {
  const asked = instructions.trim()
  return value === null ? `${asked} Proposed answer: nothing is given.` : `${asked} Proposed answer: ${value}`
}

/** Probability that the value is the right answer. */
export function* check(instructions: string, value: string | null, image: string | null): Inquiry<number> {
  const branch: Branch = {
    readout: 'binary',
    instructions: checkStatement(instructions, value),
    candidates: [
      { name: 'true', description: null },
      { name: 'false', description: null },
    ],
    image,
  }
  const { rows } = yield* score(branch)
  return toProbabilities(onlyRow(rows).logProbabilities)[0]!
}

// Decides a choice. Where it asks which of several JSON objects comes first by one of their numbers ("Which flat is the
// cheapest?"), or of which alone something is so ("Which job failed?"), their fields tell it.
import type { Branch } from '../../backends/backend.ts'
import { toProbabilities } from '../../core/math.ts'
import { toldOption } from '../logic/told.ts'
import type { QuestionContext } from './checked-question.ts'
import type { QuestionCoroutine } from './coroutine.ts'
import { decide } from './decide.ts'
import { type DecideResult, LOG_FLOOR } from './decide-branch.ts'
import { STATED, weighedTruth } from './decide-statement.ts'

export function* decideChoice(branch: Branch, context: QuestionContext): QuestionCoroutine<DecideResult> {
  const { candidates, instructions } = branch
  const names = candidates.map(({ name }) => name)
  const isDescribed = candidates.some(({ description }) => description !== null)
  const told = context.usesLogic && !isDescribed ? toldOption(instructions, names, context.records) : null
  return yield* decide(branch, 'exclusive', context, told === null ? {} : { weigh: (row) => toldRow(row, told) })
}

/** Decided by the fields and by the question as a whole, as `weighedTruth` says of each option. */
function toldRow(row: readonly number[], told: number): readonly number[] {
  const shares = toProbabilities(row).map((share, i) => weighedTruth({ isTrue: i === told, confidence: STATED }, share))
  return shares.map((share) => Math.max(LOG_FLOOR, Math.log(share)))
}

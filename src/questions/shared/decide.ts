// Decides a scored branch. Every kind whose answer is probabilities decides here.
import type { Branch } from '../../backends/backend.ts'
import type { QuestionContext } from './checked-question.ts'
import { askedClaim } from './claims.ts'
import type { QuestionCoroutine } from './coroutine.ts'
import { type DecideOptions, type DecideResult, decideBranch } from './decide-branch.ts'
import { decideStatement } from './decide-statement.ts'
import type { DecisionReadout } from './readouts.ts'

/** Between yes and no it is the claim that is decided, so it has one probability however it is asked. */
export function* decide(
  branch: Branch,
  readout: DecisionReadout,
  context: QuestionContext,
  options: DecideOptions = {},
): QuestionCoroutine<DecideResult> {
  const claim = askedClaim(branch)
  if (claim === null) {
    return readout === 'binary' ? yield* decideStatement(branch, context, options) : yield* decideBranch(branch, readout, context, options)
  }
  // Of two, the order that sorts is the order that puts back.
  const yesThenNo = <T>(given: readonly T[]): T[] => claim.order.map((i) => given[i]!)
  const names = branch.candidates.map(({ name }) => name)
  const { weigh } = options
  const asClaim: DecideOptions = {
    ...options,
    names: yesThenNo(options.names ?? names),
    weigh: weigh && ((row, at) => yesThenNo(weigh(yesThenNo(row), at))),
  }
  const found = yield* decideStatement(claim.branch, context, asClaim)
  return {
    ...found,
    probabilities: [yesThenNo(found.probabilities[0]!)],
    decision: { ...found.decision, names: yesThenNo(names), ...(claim.order[0] === 0 ? {} : { asWritten: claim.order }) },
  }
}

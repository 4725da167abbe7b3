// Decides a scored branch: reads it once and calibrates it. Where that calls for it, deliberation reads it again in
// other ways, pools the passes and calibrates again.
import type { Branch } from '../../backends/backend.ts'
import { argmax, entropyBits, logSoftmax } from '../../core/math.ts'
import type { SetAndAbstention } from '../../wire/types.ts'
import type { DecisionReport, QuestionContext } from './checked-question.ts'
import { free, type QuestionCoroutine, score } from './coroutine.ts'
import type { Decision } from './decision.ts'
import { canonicalOrder, decisionKey } from './decision-key.ts'
import { OPERATORS, type Rows } from './operators.ts'
import type { DecisionReadout } from './readouts.ts'

export interface DecideResult {
  /**
   * [row][candidate] calibrated, in the order of the branch's candidates; for `independent`, [candidate] rows of [yes,
   * no].
   */
  readonly probabilities: Rows
  readonly decision: Decision
  readonly report: DecisionReport
  readonly setAndAbstention: SetAndAbstention
}

/** Log-probabilities are cut here: JSON has no infinities, and below this nothing differs. */
export const LOG_FLOOR = -50

export interface DecideOptions {
  /** What the candidates are called in `SetAndAbstention.set`, in the branch's order; default: their own names. */
  readonly names?: readonly string[]
  /** The instructions that name the decision; default: the branch's. */
  readonly asked?: string
  /**
   * Changes a row of the model's log-probabilities before it is calibrated, as to mix in what a field says. `row` is in
   * the order of the branch's candidates; `at` is its index (of `independent`, the candidate's).
   */
  readonly weigh?: (row: readonly number[], at: number) => readonly number[]
}

/** Decides a branch as it is read: its candidates, under the read-out that it is calibrated by. */
export function* decideBranch(
  branch: Branch,
  readout: DecisionReadout,
  context: QuestionContext,
  options: DecideOptions,
): QuestionCoroutine<DecideResult> {
  const { calibrator, deliberation } = context
  const order = canonicalOrder(branch)
  const isIndependent = readout === 'independent'
  const canonical = (rows: Rows): Rows => {
    const weighed = rows.map((row, at) => options.weigh?.(row, at) ?? row)
    const sorted = isIndependent ? order.map((i) => weighed[i]!) : weighed.map((row) => order.map((i) => row[i]!))
    return sorted.map((row) => logSoftmax(row).map((logP) => Math.max(LOG_FLOOR, logP)))
  }
  const place = new Array<number>(order.length)
  order.forEach((candidate, at) => {
    place[candidate] = at
  })
  const asWritten = place.every((at, i) => at === i) ? {} : { asWritten: place }
  const given = (rows: Rows): Rows => {
    return isIndependent ? place.map((at) => rows[at]!) : rows.map((row) => place.map((at) => row[at]!))
  }

  const key = decisionKey(branch, readout, context.hasImages, options.asked)
  const first = yield* score(branch)
  const features = first.features ?? null
  const mass = Math.min(...first.rows.map((row) => row.mass))
  const tokens = context.stateTokens + first.inputTokens
  const single = canonical(first.rows.map(({ logProbabilities }) => logProbabilities))
  let { probabilities, note } = calibrator.calibrate(key, 'single', single, features)

  let pooled: Rows | null = null
  // A head that was fitted on this very question knows more than a further pass would tell.
  if (note.applied !== 'learned' && deliberation.isCalledFor(readout, { probabilities, mass, tokens })) {
    const passes = [single]
    const tops = [topOf(single)]
    for (const name of deliberation.operatorsFor(readout)) {
      const operator = OPERATORS.get(name)!
      if (operator.isSkippedWithImages && context.hasImages) continue
      if (!deliberation.spend(operator.cost)) break
      const rows = yield* free(operator.run(branch, given(pooled ?? single)))
      if (rows === null) continue
      passes.push(canonical(rows))
      tops.push(topOf(passes.at(-1)!))
      pooled = deliberation.pool(passes)
      ;({ probabilities, note } = calibrator.calibrate(key, 'deliberated', pooled, features))
      if (deliberation.isSettled(tops, probabilities)) break
    }
  }
  // A decision of a fitted head is as sure as it can be made.
  context.decided?.({ readout, probabilities, mass, isLearned: note.applied === 'learned' })
  const candidateNames = order.map((i) => branch.candidates[i]!.name)
  const shown = given(probabilities)
  return {
    probabilities: shown,
    decision: { ...key, names: candidateNames, ...asWritten, single, deliberated: pooled, mass, tokens, features, value: null },
    report: {
      // The entropy of the least certain row, for which a second pass would be.
      entropyBits: Math.max(...shown.map((row) => entropyBits(row))),
      mass,
      isDeliberated: pooled !== null,
      calibration: note,
    },
    setAndAbstention: context.predictionSets(key, shown, options.names ?? branch.candidates.map((candidate) => candidate.name)),
  }
}

/** The leading candidate of each row of a pass. */
function topOf(rows: Rows): string {
  return rows.map(argmax).join()
}

// What a graded answer cost, by the proper scores. Each kind of question grades its own answers (`kindOf(answer).grade`).
import { crossEntropy, squaredError } from '../calibration/metrics/scores.ts'
import { entropyBits } from '../core/math.ts'
import { targetOf } from '../questions/shared/decision.ts'
import type { Claim } from '../questions/shared/grade.ts'

/** Nats, the mean over rows: minus the log of the probability of what was true, the expectation of it where the truth lies between two. */
export function logLossOf({ probabilities, truth }: Claim): number {
  return meanOf(probabilities, truth, crossEntropy)
}

/** The mean over rows of the squared error over candidates, halved: from 0 to 1, and (p - y)² for two candidates. */
export function brierOf({ probabilities, truth }: Claim): number {
  return meanOf(probabilities, truth, squaredError) / 2
}

/** Bits, the mean over rows. */
export function entropyOf({ probabilities }: Claim): number {
  return probabilities.reduce((sum, row) => sum + entropyBits(row), 0) / probabilities.length
}

function meanOf(
  rows: readonly (readonly number[])[],
  truth: readonly number[],
  score: (row: readonly number[], target: readonly number[]) => number,
): number {
  return rows.reduce((sum, row, i) => sum + score(row, targetOf(truth[i]!, row.length)), 0) / rows.length
}

// The proper scores of a graded answer. Each kind of question grades its own answers (`kindOf(answer).grade`).
import { crossEntropy, squaredError } from '../calibration/metrics/scores.ts'
import { entropyBits, mean } from '../core/math.ts'
import type { Claim } from '../questions/shared/grade.ts'
import { targetOf } from '../questions/shared/truth.ts'

/**
 * Log-loss in nats, the mean over rows: −ln of the probability of the truth, or its expectation where the truth lies
 * between two candidates.
 */
export function logLossOf({ probabilities, truth }: Claim): number {
  return meanOf(probabilities, truth, crossEntropy)
}

/** Brier score, the mean over rows: half the squared error over candidates, from 0 to 1. */
export function brierOf({ probabilities, truth }: Claim): number {
  return meanOf(probabilities, truth, squaredError) / 2
}

/** Entropy in bits, the mean over rows. */
export function entropyOf({ probabilities }: Claim): number {
  return mean(probabilities.map(entropyBits))
}

function meanOf(
  rows: readonly (readonly number[])[],
  truth: readonly number[],
  score: (row: readonly number[], target: readonly number[]) => number,
): number {
  return mean(rows.map((row, i) => score(row, targetOf(truth[i]!, row.length))))
}

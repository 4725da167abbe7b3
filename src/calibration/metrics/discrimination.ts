// How well numbers tell right from wrong, whatever their scale: the area under the ROC curve, and risk against coverage.
import { EngineError } from '../../core/errors.ts'
import { requireAligned } from '../numerics/aligned.ts'

/**
 * Area under the ROC curve: the probability that a positive scores above a negative, ties counting half (Mann–Whitney). ½ is chance, 1 perfect.
 * No strictly rising map of the scores changes it. Null when all weight is on one side.
 * @param scores [decision]. @param y 1 positive, 0 negative; a share counts on both sides. @param weights not negative; equal when absent.
 */
export function auroc(scores: readonly number[], y: readonly number[], weights?: readonly number[]): number | null {
  requireAligned({ scores, y, weights })
  const order = scores.map((_, i) => i).sort((a, b) => scores[a]! - scores[b]!)
  let wins = 0
  let positivesBefore = 0
  let negativesBefore = 0
  for (let start = 0; start < order.length; ) {
    let positives = 0
    let negatives = 0
    let end = start
    for (; end < order.length && scores[order[end]!] === scores[order[start]!]; end++) {
      const i = order[end]!
      const weight = weights === undefined ? 1 : weights[i]!
      positives += weight * y[i]!
      negatives += weight * (1 - y[i]!)
    }
    wins += positives * (negativesBefore + negatives / 2)
    positivesBefore += positives
    negativesBefore += negatives
    start = end
  }
  return positivesBefore > 0 && negativesBefore > 0 ? wins / (positivesBefore * negativesBefore) : null
}

export interface RiskCoverage {
  /** [accepted − 1] share of wrong answers among the most confident ones, coverage (accepted / n) rising. */
  readonly risks: readonly number[]
  /** Mean of `risks`: the area under the risk–coverage curve. */
  readonly area: number
  /** The area if all right answers came before all wrong ones. */
  readonly oracle: number
  /** area − oracle: what the ranking loses, not the accuracy. */
  readonly excess: number
}

/**
 * Selective risk over coverage (Geifman & El-Yaniv 2017; excess area Geifman et al. 2019).
 * @param confidences [decision], higher is surer. @param isRight aligned.
 * @param ties `averaged` (default): the expected risk over all orders of equal confidences; `given`: they stay in the order given.
 */
export function riskCoverage(
  confidences: readonly number[],
  isRight: readonly boolean[],
  { ties = 'averaged' }: { readonly ties?: 'averaged' | 'given' } = {},
): RiskCoverage {
  requireAligned({ confidences, isRight })
  const n = confidences.length
  const order = confidences.map((_, i) => i).sort((a, b) => confidences[b]! - confidences[a]!)
  const risks: number[] = []
  let errors = 0
  for (let start = 0; start < n; ) {
    let end = start + 1
    if (ties === 'averaged') while (end < n && confidences[order[end]!] === confidences[order[start]!]) end += 1
    let here = 0
    for (let rank = start; rank < end; rank++) if (!isRight[order[rank]!]) here += 1
    for (let rank = start; rank < end; rank++) risks.push((errors + (here * (rank + 1 - start)) / (end - start)) / (rank + 1))
    errors += here
    start = end
  }
  const area = risks.reduce((sum, risk) => sum + risk, 0) / n
  let oracle = 0
  for (let accepted = n - errors + 1; accepted <= n; accepted++) oracle += (accepted - (n - errors)) / accepted / n
  return { risks, area, oracle, excess: area - oracle }
}

/** The risk when the most confident share of decisions is answered. @param coverage in (0, 1]; rounded up to whole decisions. */
export function riskAt({ risks }: Pick<RiskCoverage, 'risks'>, coverage: number): number {
  if (!(coverage > 0 && coverage <= 1))
    throw new EngineError('invalid_request', `a coverage of ${coverage} was asked for; it must be above 0 and at most 1`)
  return risks[Math.max(1, Math.ceil(coverage * risks.length - 1e-9)) - 1]!
}

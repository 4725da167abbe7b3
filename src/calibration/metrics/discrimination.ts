// How well scores separate right from wrong answers, whatever their scale: the area under the ROC curve.
import { requireAligned } from '../numerics/aligned.ts'

/**
 * Area under the ROC curve: the probability that a positive scores above a negative, where ties count half
 * (Mann–Whitney). ½ is chance, 1 perfect. No strictly rising map of the scores changes it. Null when all weight
 * is on one side. @param scores [decision]. @param y 1 positive, 0 negative; a share counts on both sides.
 * @param weights not negative; equal when absent.
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

// An isotonic curve mixed into a parametric map, in log-odds. It follows what a smooth map cannot, once there are
// enough labels to show it.
import { argmax, logSoftmax, sum } from '../../core/math.ts'
import { leadingLogOdds } from './apply-map.ts'
import { fitIsotonic, isotonic } from './isotonic.ts'
import { itemTemperature } from './item-temperature.ts'

/**
 * An isotonic curve that is mixed into the map of a question. Positions and heights are log-odds, both rising;
 * the curve joins them by straight lines. `weight`: of the curve, from 0 to 1.
 */
export interface IsotonicMixture {
  readonly weight: number
  readonly positions: readonly number[]
  readonly heights: readonly number[]
}

/** Labels of a question before an isotonic curve is tried. */
export const MIXTURE_LABELS = 200
/** With n labels the curve has the weight n / (n + this). */
const HALF_WEIGHT_LABELS = 300
/** Each level of the curve is shrunk towards the parametric map as if by this many labels. */
const PRIOR_LABELS = 2

/**
 * The event that the curve is about, as a candidate: the first of two; of more, that the leading one is true.
 * @param row logits or probabilities, [candidate].
 */
export function eventOf(row: readonly number[]): number {
  return row.length === 2 ? 0 : argmax(row)
}

/** Log-odds of that event. */
export function logOddsOf(logits: readonly number[]): number {
  return logits.length === 2 ? logits[0]! - logits[1]! : leadingLogOdds(logits)
}

/**
 * Logits under the mixture. More than two candidates are sharpened or flattened by one temperature, until the leading
 * one is as probable as the mixture says.
 */
export function mixedLogits(logits: readonly number[], mixture: IsotonicMixture): number[] {
  const logOdds = mixedLogOdds(logOddsOf(logits), mixture)
  if (logits.length === 2) return [logOdds, 0]
  // The leading candidate stays in the lead.
  const least = (1 + 1e-3) / logits.length
  const { probabilities } = itemTemperature(logSoftmax(logits).map(Math.exp), Math.min(1 - 1e-9, Math.max(least, sigmoid(logOdds))))
  return probabilities.map(Math.log)
}

/** (1 − weight) s + weight · curve(s). It rises with s, since both parts do and the first strictly. */
export function mixedLogOdds(logOdds: number, { weight, positions, heights }: IsotonicMixture): number {
  return (1 - weight) * logOdds + weight * heightAt(logOdds, positions, heights)
}

function heightAt(at: number, positions: readonly number[], heights: readonly number[]): number {
  const next = positions.findIndex((position) => position >= at)
  if (next === -1) return heights.at(-1)!
  if (next === 0) return heights[0]!
  const [from, to] = [positions[next - 1]!, positions[next]!]
  const share = to > from ? (at - from) / (to - from) : 1
  return heights[next - 1]! + share * (heights[next]! - heights[next - 1]!)
}

/**
 * Fits the curve of labels along the log-odds that a parametric map gave them, all [label]. Its heights are finite,
 * since every level is shrunk towards the map.
 */
export function fitMixture(logOdds: readonly number[], labels: readonly number[], weights: readonly number[]): IsotonicMixture {
  const { blocks } = fitIsotonic(logOdds, labels, weights)
  // The map at the middle of a level stands for the map at each of its labels.
  const means = blocks.map(({ sum, count, low, high }) => (sum + PRIOR_LABELS * sigmoid((low + high) / 2)) / (count + PRIOR_LABELS))
  const counts = blocks.map(({ count }) => count + PRIOR_LABELS)
  const heights = isotonic(means, counts).map((mean) => Math.log(mean / (1 - mean)))
  const total = sum(weights)
  const ends = blocks.flatMap(({ low, high }, i) =>
    low === high
      ? [[low, heights[i]!]]
      : [
          [low, heights[i]!],
          [high, heights[i]!],
        ],
  )
  return { weight: total / (total + HALF_WEIGHT_LABELS), positions: ends.map(([at]) => at!), heights: ends.map(([, height]) => height!) }
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

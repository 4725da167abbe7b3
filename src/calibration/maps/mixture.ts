// Isotonic steps mixed into a parametric map in log-odds: what a smooth map cannot follow, once there are labels enough to see it.
import { logSoftmax } from '../../core/math.ts'
import { itemTemperature } from '../deliberation/pooling.ts'
import type { Blend } from '../hierarchy/tree.ts'
import { fitIsotonic, isotonic } from './isotonic.ts'
import { leadOf } from './maps.ts'

/** Labels of a question before steps are tried. */
export const BLEND_LABELS = 200
/** The steps weigh n / (n + this). */
const BLEND_HALF = 300
/** Each step is pulled towards the parametric map as if by this many labels. */
const STEP_PRIOR = 2

/** The event that steps are about, as a position: the first of two candidates; of more, that the leading one is right. */
export function eventOf(logits: readonly number[]): number {
  return logits.length === 2 ? 0 : logits.indexOf(Math.max(...logits))
}

/** Log-odds of that event. */
export function logOddsOf(logits: readonly number[]): number {
  return logits.length === 2 ? logits[0]! - logits[1]! : leadOf(logits)
}

/** Logits with the blend applied. More than two candidates are sharpened or flattened together until the leading one is as probable as the blend says. */
export function blendedLogits(logits: readonly number[], blend: Blend): number[] {
  const logOdds = blendedLogOdds(logOddsOf(logits), blend)
  if (logits.length === 2) return [logOdds, 0]
  // What leads goes on to lead, if by little.
  const least = (1 + 1e-3) / logits.length
  const { probabilities } = itemTemperature(logSoftmax(logits).map(Math.exp), Math.min(1 - 1e-9, Math.max(least, sigmoid(logOdds))))
  return probabilities.map(Math.log)
}

/** (1 - weight) s + weight · steps(s), the steps joined by straight lines. Rises with s, since both parts do and the first strictly. */
export function blendedLogOdds(logOdds: number, { weight, positions, heights }: Blend): number {
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

/** Steps of labels along the log-odds that a parametric map gave them. Never infinite: every step keeps a part of what the map said there. */
export function fitBlend(logOdds: readonly number[], labels: readonly number[], weights: readonly number[]): Blend {
  const { blocks } = fitIsotonic(logOdds, labels, weights)
  // A step holds the labels between its ends; what the map said of them is close to what it says of their middle.
  const means = blocks.map(({ sum, count, low, high }) => (sum + STEP_PRIOR * sigmoid((low + high) / 2)) / (count + STEP_PRIOR))
  const counts = blocks.map(({ count }) => count + STEP_PRIOR)
  const heights = isotonic(means, counts).map((mean) => Math.log(mean / (1 - mean)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const ends = blocks.flatMap(({ low, high }, i) =>
    low === high
      ? [[low, heights[i]!]]
      : [
          [low, heights[i]!],
          [high, heights[i]!],
        ],
  )
  return { weight: total / (total + BLEND_HALF), positions: ends.map(([at]) => at!), heights: ends.map(([, height]) => height!) }
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

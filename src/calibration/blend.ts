// Isotonic steps mixed into a parametric map in log-odds: what a smooth map cannot follow, once there are labels enough to see it.
import type { Blend } from './tree.ts'

/** Logits with the blend applied. Two candidates: to the log-odds of the first. More: to the log-odds of the leading one, order kept. */
export function blendedLogits(logits: readonly number[], blend: Blend): number[] {
  if (logits.length === 2) return [blendedLogOdds(logits[0]! - logits[1]!, blend), 0]
  return [...logits]
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

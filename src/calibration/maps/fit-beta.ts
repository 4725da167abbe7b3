// Labelled probabilities to the three numbers of beta calibration, its slopes held at or above 0 so that order is kept.

import { type Curvature, minimise } from '../numerics/optimise.ts'
import type { BetaParameters } from './maps.ts'

/** Maximum likelihood. `p` inside (0, 1); `y` in [0, 1]. */
export function fitBeta(p: readonly number[], y: readonly number[], weights?: readonly number[]): BetaParameters {
  const rows = p.map((probability) => [Math.log(probability), -Math.log1p(-probability), 1] as const)
  const evaluate = (point: readonly number[]): Curvature => {
    let value = 0
    const gradient = [0, 0, 0]
    const hessian = [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]
    for (const [index, row] of rows.entries()) {
      const weight = weights?.[index] ?? 1
      const logit = row[0] * point[0]! + row[1] * point[1]! + point[2]!
      const q = 1 / (1 + Math.exp(-logit))
      // ln(1 + e^s) - y s, without overflow.
      value += weight * (Math.max(logit, 0) + Math.log1p(Math.exp(-Math.abs(logit))) - y[index]! * logit)
      for (let i = 0; i < 3; i++) {
        gradient[i]! += weight * (q - y[index]!) * row[i]!
        for (let j = 0; j < 3; j++) hessian[i]![j]! += weight * q * (1 - q) * row[i]! * row[j]!
      }
    }
    return { value, gradient, hessian }
  }
  const slope = { lower: 0, upper: 1e4 }
  const [a, b, c] = minimise([1, 1, 0], [slope, slope, { lower: -1e4, upper: 1e4 }], evaluate)
  return { a: a!, b: b!, c: c! }
}

// Bets against calibration: capital that grows only if the probabilities are wrong, valid at any stopping time.
import { EngineError } from '../../core/errors.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'

/**
 * Capital after each truth when a share `lambda` is bet on y exceeding p: M_t = Π (1 + λ(y − p)), from 1. When
 * every p is the probability of its y given what came before, M is a martingale and ever passes 1/α with
 * probability at most α (Ville's inequality). A negative λ bets on y falling short. @param p probabilities in
 * the order of the decisions. @param y 0 or 1, aligned. @param lambda in [−1, 1]; ±½ is safe. @returns capital
 * by decision, positive unless λ is ±1. @throws EngineError `invalid_request` on lengths that differ, values
 * outside [0, 1], or too high a stake.
 */
export function bettingMartingale(p: readonly number[], y: readonly number[], lambda: number): number[] {
  if (!(Math.abs(lambda) <= 1)) throw new EngineError('invalid_request', `lambda is ${lambda}; a stake from -1 to 1 is needed`)
  if (p.length === 0 && y.length === 0) return []
  requireAligned({ p, y })
  requireProbabilities('p', p)
  requireProbabilities('y', y)
  let capital = 1
  return p.map((value, t) => {
    capital *= 1 + lambda * (y[t]! - value)
    return capital
  })
}

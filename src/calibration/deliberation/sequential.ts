// Votes of passes so far to whether more of them could still change the leader.
import { EngineError } from '../../core/errors.ts'
import { regularisedBeta } from '../numerics/special-functions.ts'

/**
 * The probability that the leader is the majority (adaptive consistency; Aggarwal et al. 2023, arXiv 2305.11860): 1 − I_½(v₁ + 1, v₂ + 1), from a uniform
 * prior on how the two split. Stop above 0.95, say: four votes to none pass that, three to none do not.
 * @param v1 votes of the leader. @param v2 votes of the second. Fractions (probabilities summed) are fine.
 * @throws EngineError `invalid_request` for negative votes.
 */
export function betaStop(v1: number, v2: number): number {
  if (!(v1 >= 0 && v2 >= 0)) throw new EngineError('invalid_request', `${v1} to ${v2} are not counts of votes; both must be at least 0`)
  return 1 - regularisedBeta(0.5, v1 + 1, v2 + 1)
}

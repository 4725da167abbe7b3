// Probabilities and truths as they come in to a bet against calibration: capital that grows only if the probabilities are off, so that it may be looked at any time.
import { EngineError } from '../../core/errors.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'

/**
 * Capital after each truth when a share `lambda` is bet on y exceeding p: M_t = Π (1 + λ(y − p)), from 1. If every p is the probability of its y given
 * what came before, M is a martingale and passes 1/α with probability at most α, ever (Ville). Negative λ bets on y falling short.
 * @param p probabilities, in the order they were given. @param y 0 or 1, aligned. @param lambda in [−1, 1]; ±½ is a safe stake.
 * @returns [t] capital, positive unless λ is ±1.
 * @throws EngineError `invalid_request` on lengths that differ, values outside [0, 1], or too high a stake.
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

export interface CalibrationEProcess {
  /** [t] evidence against calibration; 1 is none. */
  readonly values: readonly number[]
  /** The first position at which it reached 1/α, or null: from there on the probabilities are off, with at most α chance of a false alarm, ever. */
  readonly alarmAt: number | null
}

/**
 * Half the capital on y exceeding p, half on y falling short: an e-process for "the probabilities are calibrated", whichever way they fail. It sees a bias that
 * keeps its sign; probabilities too sure on both sides balance out here, so bet on "the top candidate is right" to see overconfidence.
 * @param alpha chance of ever raising a false alarm; default 0.01. @param lambda stake of each side, in (0, 1]; default ½.
 */
export function calibrationEProcess(
  p: readonly number[],
  y: readonly number[],
  { alpha = 0.01, lambda = 0.5 }: { readonly alpha?: number; readonly lambda?: number } = {},
): CalibrationEProcess {
  if (!(alpha > 0 && alpha < 1)) throw new EngineError('invalid_request', `alpha is ${alpha}; it must be above 0 and below 1`)
  const short = bettingMartingale(p, y, -lambda)
  const values = bettingMartingale(p, y, lambda).map((above, t) => (above + short[t]!) / 2)
  const alarmAt = values.findIndex((value) => value >= 1 / alpha)
  return { values, alarmAt: alarmAt < 0 ? null : alarmAt }
}

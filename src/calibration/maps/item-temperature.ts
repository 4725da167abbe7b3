// Finds the temperature that gives a distribution its top probability.
import { EngineError } from '../../core/errors.ts'
import { logSoftmax } from '../../core/math.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'

/**
 * The temperature T at which the most probable candidate of softmax(ln p / T) gets probability `top`. It extends a map
 * of the top probability to the whole distribution and keeps the order of candidates. Infinity and the uniform
 * distribution when `top` is not above 1/K or p is uniform. When m candidates lead together, none can pass 1/m and the
 * temperature stops at 1e-6.
 * @param p probabilities, [candidate]. @param top in (0, 1).
 * @returns probabilities that sum to one.
 */
export function itemTemperature(p: readonly number[], top: number): { temperature: number; probabilities: number[] } {
  requireAligned({ p })
  requireProbabilities('p', p)
  if (!(top > 0 && top < 1))
    throw new EngineError('invalid_request', `a top probability of ${top} was asked for; it must be above 0 and below 1`)
  const largest = Math.log(Math.max(...p))
  // Relative to the largest, since quotients at a low temperature are too large to keep twelve digits of differences.
  const logits = p.map((value) => Math.log(value) - largest)
  const uniform = { temperature: Number.POSITIVE_INFINITY, probabilities: p.map(() => 1 / p.length) }
  if (top <= 1 / p.length || p.every((value) => value === p[0])) return uniform
  const topAt = (logT: number): number => Math.exp(Math.max(...logSoftmax(logits.map((logit) => logit / Math.exp(logT)))))
  // The top probability falls as T rises, so bisection in ln T finds it.
  let low = Math.log(1e-6)
  let high = Math.log(1e9)
  for (let step = 0; step < 100 && high - low > 1e-15; step++) {
    const middle = (low + high) / 2
    if (topAt(middle) > top) low = middle
    else high = middle
  }
  const temperature = Math.exp((low + high) / 2)
  return { temperature, probabilities: logSoftmax(logits.map((logit) => logit / temperature)).map(Math.exp) }
}

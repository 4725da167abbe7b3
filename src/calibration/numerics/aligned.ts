// Checks of arrays that belong together, and the weighted mean.
import { EngineError } from '../../core/errors.ts'

/**
 * Throws `invalid_request` unless all arrays are as long as the first one, and not empty.
 * @param arrays by the names that messages use; undefined ones are ignored.
 */
export function requireAligned(arrays: Readonly<Record<string, ArrayLike<unknown> | undefined>>): void {
  const given = Object.entries(arrays).filter((entry): entry is [string, ArrayLike<unknown>] => entry[1] !== undefined)
  const [first, ...others] = given
  if (first === undefined) return
  if (first[1].length === 0) throw new EngineError('invalid_request', `${first[0]} is empty; at least one value is needed`)
  for (const [name, values] of others) {
    if (values.length !== first[1].length) {
      throw new EngineError(
        'invalid_request',
        `${name} has ${values.length} values and ${first[0]} ${first[1].length}; they must be as many`,
      )
    }
  }
}

/** Throws `invalid_request` unless every value is a probability, a number in [0, 1]. */
export function requireProbabilities(name: string, values: readonly number[]): void {
  const wrong = values.findIndex((value) => !(value >= 0 && value <= 1))
  if (wrong >= 0) throw new EngineError('invalid_request', `${name}[${wrong}] is ${values[wrong]}; a number from 0 to 1 is needed`)
}

/** Σ wᵢ xᵢ / Σ wᵢ; equal weights when none are given. NaN when the weights sum to zero. */
export function weightedMean(values: readonly number[], weights?: readonly number[]): number {
  let sum = 0
  let total = 0
  for (let i = 0; i < values.length; i++) {
    const weight = weights === undefined ? 1 : weights[i]!
    sum += weight * values[i]!
    total += weight
  }
  return sum / total
}

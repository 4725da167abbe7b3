// Numbers side by side, to a tolerance; the message names the first that is off.
import { expect } from 'vitest'

export function expectClose(actual: readonly number[], expected: readonly number[], tolerance = 1e-9): void {
  expect(actual.length).toBe(expected.length)
  const off = expected.findIndex((value, i) => !(Math.abs(actual[i]! - value) <= tolerance))
  expect(off < 0 ? null : `[${off}] is ${actual[off]}, not ${expected[off]}`).toBeNull()
}

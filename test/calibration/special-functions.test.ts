// Special functions and bounds for counts against closed forms and reference values. SciPy's values are in the golden
// test.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clopperPearsonUpper, wilson } from '../../src/calibration/metrics/intervals.ts'
import {
  inverseRegularisedBeta,
  logGamma,
  normalCdf,
  normalQuantile,
  regularisedBeta,
} from '../../src/calibration/numerics/special-functions.ts'
import { seededRandom } from '../../src/core/random.ts'
import { expectClose } from './close.ts'

const SEED = 61

/** I_x(a, b) for whole a and b: the chance of at least a successes in a + b − 1 trials. */
function binomialTail(x: number, a: number, b: number): number {
  const n = a + b - 1
  let term = (1 - x) ** n
  let below = 0
  for (let k = 0; k < a; k++) {
    below += term
    term *= ((n - k) / (k + 1)) * (x / (1 - x))
  }
  return 1 - below
}

describe('special functions', () => {
  it('give the factorials and the half of π', () => {
    let factorial = 1
    for (let n = 1; n <= 20; n++) {
      factorial *= n
      expectClose([logGamma(n + 1)], [Math.log(factorial)], 1e-12 * Math.max(1, Math.log(factorial)))
    }
    expectClose([logGamma(0.5), logGamma(0.1) + logGamma(0.9)], [Math.log(Math.PI) / 2, Math.log(Math.PI / Math.sin(Math.PI / 10))], 1e-12)
  })

  it('sum binomial tails by the incomplete beta function', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.02, max: 0.98, noNaN: true }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 30 }),
        (x, a, b) => {
          expectClose([regularisedBeta(x, a, b)], [binomialTail(x, a, b)], 1e-11)
          expectClose([regularisedBeta(x, a, b) + regularisedBeta(1 - x, b, a)], [1], 1e-12)
        },
      ),
      { seed: SEED, numRuns: 300 },
    )
    expect([regularisedBeta(0, 2, 3), regularisedBeta(1, 2, 3)]).toEqual([0, 1])
  })

  it('invert each other', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }),
        fc.double({ min: 1, max: 300, noNaN: true }),
        fc.double({ min: 1, max: 300, noNaN: true }),
        (p, a, b) => {
          expectClose([regularisedBeta(inverseRegularisedBeta(p, a, b), a, b)], [p], 1e-9)
          expectClose([normalCdf(normalQuantile(p))], [p], 1e-13)
        },
      ),
      { seed: SEED, numRuns: 150 },
    )
    expect([inverseRegularisedBeta(0, 2, 2), inverseRegularisedBeta(1, 2, 2)]).toEqual([0, 1])
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity])
    expect(Math.abs(normalQuantile(0.5))).toBe(0)
  })

  it('refuse what lies outside', () => {
    expect(() => regularisedBeta(1.5, 1, 1)).toThrow('not x 1.5')
    expect(() => regularisedBeta(0.5, 0, 1)).toThrow('positive a and b')
    expect(() => normalQuantile(-0.1)).toThrow('a probability of -0.1')
    expect(() => inverseRegularisedBeta(Number.NaN, 1, 1)).toThrow('a probability of NaN')
  })
})

describe('intervals for counts', () => {
  it('are those of the reference', () => {
    expectClose(wilson(17, 20), [0.6395811, 0.9476313], 1e-7)
    expectClose([clopperPearsonUpper(4, 60, 0.1)], [0.1288283], 1e-7)
  })

  it('of Clopper and Pearson leave exactly delta below k', () => {
    // The chance of at most 4 errors in 60 at the bound.
    const bound = clopperPearsonUpper(4, 60, 0.1)
    expectClose([1 - binomialTail(bound, 5, 56)], [0.1], 1e-9)
    expectClose([clopperPearsonUpper(0, 45, 0.1)], [1 - 0.1 ** (1 / 45)], 1e-12)
    expectClose([clopperPearsonUpper(0, 45, 1e-17)], [1 - 1e-17 ** (1 / 45)], 1e-12)
    expect(clopperPearsonUpper(3, 3, 0.1)).toBe(1)
  })

  it('of Wilson stay inside [0, 1] and turn around with success and failure', () => {
    for (const [k, n] of [
      [0, 7],
      [3, 7],
      [7, 7],
    ] as const) {
      const [low, high] = wilson(k, n)
      expect(low >= 0 && high <= 1 && low <= k / n && k / n <= high).toBe(true)
      expectClose(wilson(n - k, n), [1 - high, 1 - low], 1e-12)
    }
  })

  it('cover as often as they say', () => {
    const random = seededRandom(SEED)
    let inside = 0
    let below = 0
    const trials = 2000
    for (let trial = 0; trial < trials; trial++) {
      let k = 0
      for (let i = 0; i < 40; i++) if (random() < 0.12) k += 1
      const [low, high] = wilson(k, 40)
      if (low <= 0.12 && 0.12 <= high) inside += 1
      if (clopperPearsonUpper(k, 40, 0.1) >= 0.12) below += 1
    }
    expect(inside / trials).toBeGreaterThan(0.92)
    expect(below / trials).toBeGreaterThan(0.89)
  })

  it('refuse counts that are none', () => {
    expect(() => wilson(3, 2)).toThrow('3 of 2 is not a count')
    expect(() => clopperPearsonUpper(0, 0, 0.1)).toThrow('0 of 0 is not a count')
  })
})

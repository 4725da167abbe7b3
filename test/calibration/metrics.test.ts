// Scores and calibration errors against reference values (scikit-learn, verified_calibration), and their identities.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  binnedCalibrationError,
  calibrationBins,
  crossEntropy,
  debiasedSquaredError,
  skill,
  spiegelhalter,
  squaredError,
} from '../../src/calibration/metrics/scores.ts'
import { expectClose } from './close.ts'

const SEED = 47
const P = [0.02, 0.08, 0.11, 0.15, 0.22, 0.27, 0.33, 0.38, 0.41, 0.47, 0.52, 0.58, 0.61, 0.66, 0.73, 0.77, 0.84, 0.88, 0.93, 0.97]
const Y = [0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1]
/** The mean log-loss and half the mean squared error of two-way distributions. */
const meanOf = (score: typeof crossEntropy, p: readonly number[], y: readonly number[]): number =>
  p.reduce((sum, value, i) => sum + score([value, 1 - value], [y[i]!, 1 - y[i]!]), 0) / p.length
const logLoss = (p: readonly number[], y: readonly number[]): number => meanOf(crossEntropy, p, y)
const brierScore = (p: readonly number[], y: readonly number[]): number => meanOf(squaredError, p, y) / 2
const MASS_5 = { bins: 5, by: 'mass' } as const

/** Probabilities on a coarse grid, so that ties come up, with labels. */
const events = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 19 }), fc.integer({ min: 0, max: 1 })), { minLength: 1, maxLength: 40 })
  .map((pairs) => ({ p: pairs.map(([step]) => step / 20), y: pairs.map(([, label]) => label) }))

describe('proper scores', () => {
  it('are those of the reference', () => {
    expectClose([brierScore(P, Y), logLoss(P, Y)], [0.168555, 0.4978458759])
  })

  it('are infinite, or one, for what was held impossible, and zero for what was held certain', () => {
    expect(logLoss([0], [1])).toBe(Infinity)
    expect(brierScore([0], [1])).toBe(1)
    expect(logLoss([1, 0], [1, 0])).toBe(0)
  })

  it('are best, in expectation, for the probability that labels are drawn with', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), fc.double({ min: 0.01, max: 0.99, noNaN: true }), (truth, said) => {
        const expected = (score: typeof crossEntropy, p: number): number => score([p, 1 - p], [truth, 1 - truth])
        for (const score of [crossEntropy, squaredError]) expect(expected(score, truth)).toBeLessThanOrEqual(expected(score, said) + 1e-12)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('turn into skill against a base', () => {
    expect(skill(0.15, 0.2)).toBeCloseTo(0.25, 12)
    expect(skill(0.1, 0)).toBeNaN()
  })

  it('refuse targets that are not as many', () => {
    expect(() => squaredError([0.5, 0.5], [1])).toThrow('target has 1 values and row 2')
  })
})

describe('binned calibration errors', () => {
  it('refuse what is no probability, and labels that are not as many', () => {
    expect(() => calibrationBins([0.5, 1.2], [0, 1])).toThrow('p[1] is 1.2')
    expect(() => calibrationBins([0.5], [Number.NaN])).toThrow('y[0] is NaN')
    expect(() => calibrationBins([0.5], [0, 1])).toThrow('y has 2 values and p 1')
  })

  it('are those of the reference', () => {
    const errors = [{ bins: 10 }, { bins: 5 }, MASS_5].map((options) => binnedCalibrationError(P, Y, options))
    expectClose(errors, [0.1725, 0.0735, 0.0735])
    expectClose([debiasedSquaredError(P, Y, MASS_5)], [-0.0460754167])
  })

  it('are those of the reference for three levels of twenty', () => {
    const levels = [
      [0.6, 9],
      [0.8, 13],
      [0.95, 15],
    ] as const
    const p = levels.flatMap(([level]) => new Array<number>(20).fill(level))
    const y = levels.flatMap(([, right]) => Array.from({ length: 20 }, (_, i) => (i < right ? 1 : 0)))
    for (const options of [{ bins: 15, by: 'width' }, { bins: 3, by: 'mass' }, { by: 'mass' }] as const) {
      expectClose([binnedCalibrationError(p, y, options), debiasedSquaredError(p, y, options)], [0.1666666667, 0.0167105263])
    }
    expectClose([brierScore(p, y)], [0.2491666667])
  })

  it('close bins of equal width above, and hold 0 and 1', () => {
    const bins = calibrationBins([0, 0.1, 0.1000001, 1], [0, 0, 1, 1], { bins: 10 })
    expect(bins.map(({ count, frequency }) => [count, frequency])).toEqual([
      [2, 0],
      [1, 1],
      [1, 1],
    ])
  })

  it('do not depend on the order of decisions, and keep equal probabilities in one bin', () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 1, max: 8 }), fc.constantFrom('width', 'mass'), ({ p, y }, bins, by) => {
        const options = { bins, by } as const
        const table = calibrationBins(p, y, options)
        expect(table.reduce((sum, bin) => sum + bin.count, 0)).toBe(p.length)
        const sorted = p.toSorted((a, b) => a - b)
        let end = 0
        for (const { count } of table.slice(0, -1)) {
          end += count
          expect(sorted[end]).toBeGreaterThan(sorted[end - 1]!)
        }
        const turned = binnedCalibrationError(p.toReversed(), y.toReversed(), options)
        expectClose([turned], [binnedCalibrationError(p, y, options)], 1e-12)
      }),
      { seed: SEED, numRuns: 100 },
    )
  })
})

describe("Spiegelhalter's test", () => {
  it('is that of the reference', () => {
    const { z, pValue } = spiegelhalter(P, Y)
    expectClose([z], [0.0884113716])
    expectClose([pValue], [0.9295497], 1e-7)
  })

  it('is positive for probabilities that are too sure, negative for those not sure enough', () => {
    const y = Array.from({ length: 100 }, (_, i) => (i < 70 ? 1 : 0))
    expect(spiegelhalter(new Array<number>(100).fill(0.95), y).z).toBeGreaterThan(5)
    expect(spiegelhalter(new Array<number>(100).fill(0.55), y).z).toBeLessThan(-2)
  })
})

// The smooth calibration error against its definition by brute force, and on probabilities whose error is known.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { smoothCalibrationError, smoothCalibrationExcess } from '../../src/calibration/metrics/smooth-ece.ts'
import { seededRandom } from '../../src/core/random.ts'
import { expectClose } from './close.ts'

const SEED = 59
const P = [0.02, 0.08, 0.11, 0.15, 0.22, 0.27, 0.33, 0.38, 0.41, 0.47, 0.52, 0.58, 0.61, 0.66, 0.73, 0.77, 0.84, 0.88, 0.93, 0.97]
const Y = [0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1]

/** The definition: midpoint rule over images of the Gaussian at ±p + 2m. */
function direct(p: readonly number[], y: readonly number[], sigma: number, steps = 2000): number {
  let area = 0
  for (let j = 0; j < steps; j++) {
    const t = (j + 0.5) / steps
    let residual = 0
    for (const [i, value] of p.entries()) {
      let kernel = 0
      for (let m = -4; m <= 4; m += 2)
        for (const image of [value + m, m - value]) kernel += Math.exp(-((t - image) ** 2) / (2 * sigma * sigma))
      residual += (value - y[i]!) * kernel
    }
    area += Math.abs(residual) / (p.length * sigma * Math.sqrt(2 * Math.PI))
  }
  return area / steps
}

/** Probabilities with labels drawn after `distort` of them. */
function draw(n: number, seed: number, distort: (p: number) => number = (p) => p): { p: number[]; y: number[] } {
  const random = seededRandom(seed)
  const p = Array.from({ length: n }, () => 1 / (1 + Math.exp(3 - 7 * random())))
  return { p, y: p.map((value) => (random() < distort(value) ? 1 : 0)) }
}

const events = fc
  .array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 1 })), { minLength: 1, maxLength: 30 })
  .map((pairs) => ({ p: pairs.map(([value]) => value), y: pairs.map(([, label]) => label) }))

describe('the smooth calibration error', () => {
  it.each([0.001, 0.004, 0.02])('is the same of few decisions and of each a hundred times, at a bandwidth of %d', (bandwidth) => {
    // Few are summed up one by one, many by cosines.
    const random = seededRandom(3)
    const p = [0, 1, 0.001, 0.998, ...Array.from({ length: 16 }, () => random())]
    const y = p.map(() => Number(random() < 0.5))
    const often = <T>(values: readonly T[]): T[] => Array.from({ length: 100 }, () => values).flat()
    const few = smoothCalibrationError(p, y, { bandwidth }).value
    expect(smoothCalibrationError(often(p), often(y), { bandwidth }).value).toBeCloseTo(few, 4)
  })

  it('is that of the reference at fixed bandwidths, and at the bandwidth that equals it', () => {
    const at = (bandwidth: number): number => smoothCalibrationError(P, Y, { bandwidth }).value
    expectClose([0.02, 0.05, 0.1, 0.2].map(at), [0.2556238, 0.0951011, 0.0543931, 0.0535], 1e-5)
    const { value, bandwidth } = smoothCalibrationError(P, Y)
    expectClose([value, bandwidth], [0.0671536, 0.0671536], 1e-5)
    // relplot's grid and ten steps of bisection.
    expectClose([value], [0.0667843], 1e-3)
  })

  it('is its definition, for few probabilities and for many on a grid', () => {
    for (const n of [30, 1500]) {
      const { p, y } = draw(n, n)
      for (const bandwidth of [0.015, 0.04, 0.3]) {
        expectClose([smoothCalibrationError(p, y, { bandwidth }).value], [direct(p, y, bandwidth, n === 30 ? 2000 : 600)], 2e-5)
      }
    }
  })

  it('never rises with the bandwidth, and lies between the error of the mean and the mean error', () => {
    fc.assert(
      fc.property(
        events,
        fc.double({ min: 0.01, max: 0.3, noNaN: true }),
        fc.double({ min: 1, max: 3, noNaN: true }),
        ({ p, y }, bandwidth, factor) => {
          const narrow = smoothCalibrationError(p, y, { bandwidth }).value
          const wide = smoothCalibrationError(p, y, { bandwidth: bandwidth * factor }).value
          expect(wide).toBeLessThanOrEqual(narrow + 1e-4)
          const residuals = p.map((value, i) => value - y[i]!)
          expect(wide).toBeGreaterThanOrEqual(Math.abs(residuals.reduce((sum, r) => sum + r, 0)) / p.length - 1e-6)
          expect(narrow).toBeLessThanOrEqual(residuals.reduce((sum, r) => sum + Math.abs(r), 0) / p.length + 1e-4)
        },
      ),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('equals its own bandwidth, does not see which side is called true, and does not depend on order', () => {
    fc.assert(
      fc.property(events, ({ p, y }) => {
        const { value, bandwidth } = smoothCalibrationError(p, y)
        if (bandwidth > 1e-3) expectClose([value], [bandwidth], 1e-5)
        const mirrored = smoothCalibrationError(
          p.map((each) => 1 - each),
          y.map((each) => 1 - each),
        )
        const reversed = smoothCalibrationError(p.toReversed(), y.toReversed())
        expectClose([mirrored.value, reversed.value], [value, value], 1e-5)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('counts a weight of two as two', () => {
    const weights = P.map((_, i) => (i === 3 ? 2 : 1))
    expectClose([smoothCalibrationError(P, Y, { weights }).value], [smoothCalibrationError([...P, P[3]!], [...Y, Y[3]!]).value], 1e-6)
  })

  it('is zero for certainty that is right, one for certainty that is wrong all the same way, and the gap for one probability', () => {
    expect(smoothCalibrationError([0, 1], [0, 1]).value).toBe(0)
    expectClose([smoothCalibrationError([1, 1, 1], [0, 0, 0]).value], [1], 1e-5)
    expectClose([smoothCalibrationError([0.7, 0.7, 0.7, 0.7], [1, 0, 1, 0]).value], [0.2], 1e-5)
  })

  it('nears the true error with many labels', () => {
    const { p, y } = draw(40_000, 4, (value) => Math.max(0, value - 0.08 * Math.sin(Math.PI * value)))
    const truth = p.reduce((sum, value) => sum + 0.08 * Math.sin(Math.PI * value), 0) / p.length
    expectClose([smoothCalibrationError(p, y).value], [truth], 0.006)
  })

  it('refuses a bandwidth too small to be seen', () => {
    expect(() => smoothCalibrationError(P, Y, { bandwidth: 1e-4 })).toThrow('at least 0.001 is needed')
  })
})

describe('the excess over the noise floor', () => {
  const options = { resamples: 200, seed: 7 }

  it('is near zero for calibrated probabilities, with the floor of the size that is known', () => {
    const { p, y } = draw(1000, 8)
    const excess = smoothCalibrationExcess(
      p,
      y,
      p.map((_, i) => i),
      options,
    )
    expect(excess.excess).toBeCloseTo(excess.value - excess.nullMean, 12)
    expect(excess.nullMean).toBeGreaterThan(0.018)
    expect(excess.nullMean).toBeLessThan(0.032)
    expect(excess.nullP).toBeGreaterThan(0.05)
    expect(excess.interval[0]).toBeLessThan(0)
    expect(excess.interval[1]).toBeGreaterThan(0)
  })

  it('is found for probabilities that are too sure, and repeats for its seed', () => {
    const { p, y } = draw(1000, 9, (value) => 0.5 + (value - 0.5) * 0.6)
    const groups = p.map((_, i) => `state ${i >> 1}`)
    const excess = smoothCalibrationExcess(p, y, groups, options)
    expect(excess.nullP).toBe(1 / 201)
    expect(excess.interval[0]).toBeGreaterThan(0.03)
    expect(smoothCalibrationExcess(p, y, groups, options)).toEqual(excess)
  })

  it('has p-values that are about uniform when the probabilities are calibrated', () => {
    const values = Array.from({ length: 60 }, (_, trial) => {
      const { p, y } = draw(150, 100 + trial)
      return smoothCalibrationExcess(
        p,
        y,
        p.map((_, i) => i),
        { resamples: 60, seed: trial },
      ).nullP
    })
    const below = (share: number): number => values.filter((value) => value <= share).length / values.length
    // Standard errors are 6.5 and 5.6 points.
    expect(Math.abs(below(0.5) - 0.5)).toBeLessThan(0.2)
    expect(Math.abs(below(0.25) - 0.25)).toBeLessThan(0.17)
  })

  it('has a wider interval when decisions of one state repeat each other', () => {
    const { p, y } = draw(150, 10)
    const four = <T>(values: readonly T[]): T[] => values.flatMap((value) => [value, value, value, value])
    const widthOf = (groups: number[]): number => {
      const { interval } = smoothCalibrationExcess(four(p), four(y), groups, options)
      return interval[1] - interval[0]
    }
    const alone = Array.from({ length: 600 }, (_, i) => i)
    expect(widthOf(alone.map((i) => i >> 2)) / widthOf(alone)).toBeGreaterThan(1.4)
  })
})

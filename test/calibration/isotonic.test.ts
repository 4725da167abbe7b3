// Pool adjacent violators against the reference values of scikit-learn, and what any such fit must keep to.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitIsotonic, isotonic } from '../../src/calibration/maps/isotonic.ts'
import { expectClose } from './close.ts'

const SEED = 41
const SCORES = [0.05, 0.1, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 0.95]
const LABELS = [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1]

/** Least squares by brute force: the fit at i is max over starts of min over ends of the mean between them. */
function minimax(values: readonly number[], weights: readonly number[]): number[] {
  const meanOf = (from: number, to: number): number => {
    let sum = 0
    let total = 0
    for (let j = from; j <= to; j++) {
      sum += weights[j]! * values[j]!
      total += weights[j]!
    }
    return sum / total
  }
  return values.map((_, i) => {
    const starts = Array.from({ length: i + 1 }, (__, from) => from)
    const ends = Array.from({ length: values.length - i }, (__, k) => i + k)
    return Math.max(...starts.map((from) => Math.min(...ends.map((to) => meanOf(from, to)))))
  })
}

const weighted = fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 24 })

describe('isotonic', () => {
  it('pools adjacent violators', () => {
    expectClose(isotonic([1, 3, 2, 4, 3.5, 5]), [1, 2.5, 2.5, 3.75, 3.75, 5])
    expectClose(isotonic([1, 3, 2, 4, 3.5, 5], [1, 1, 3, 1, 1, 2]), [1, 2.25, 2.25, 3.75, 3.75, 5])
  })

  it('is the least-squares fit, by the min-max formula', () => {
    fc.assert(
      fc.property(weighted, (points) => {
        const values = points.map(([value]) => value)
        const weights = points.map(([, weight]) => weight)
        expectClose(isotonic(values, weights), minimax(values, weights), 1e-9)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('never falls, keeps the weighted mean, and leaves its own result alone', () => {
    fc.assert(
      fc.property(weighted, (points) => {
        const values = points.map(([value]) => value)
        const weights = points.map(([, weight]) => weight)
        const fitted = isotonic(values, weights)
        for (let i = 1; i < fitted.length; i++) expect(fitted[i]).toBeGreaterThanOrEqual(fitted[i - 1]!)
        const total = (of: readonly number[]): number => of.reduce((sum, value, i) => sum + value * weights[i]!, 0)
        expect(Math.abs(total(fitted) - total(values))).toBeLessThan(1e-9)
        expectClose(isotonic(fitted, weights), fitted, 1e-12)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('gives a value without weight the level beside it', () => {
    expectClose(isotonic([0, 9, 1], [1, 0, 1]), [0, 0, 1])
    expectClose(isotonic([9, 0, 1], [0, 1, 1]), [0, 0, 1])
  })

  it('refuses weights that are not as many as the values', () => {
    expect(() => isotonic([1, 2], [1])).toThrow('weights has 1 values and values 2')
  })
})

describe('an isotonic fit of labels', () => {
  const fitted = fitIsotonic(SCORES, LABELS)

  it('keeps sums and counts of its blocks', () => {
    expect(fitted.blocks.map(({ sum, count, low, high }) => [sum, count, low, high])).toEqual([
      [0, 1, 0.05, 0.05],
      [1, 4, 0.1, 0.25],
      [2, 4, 0.3, 0.5],
      [2, 3, 0.55, 0.65],
      [4, 4, 0.7, 0.95],
    ])
  })

  it('does not depend on the order of the labels, ties included', () => {
    const labels = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 1 })), { minLength: 2, maxLength: 30 })
    fc.assert(
      fc.property(
        labels.chain((points) => fc.tuple(fc.constant(points), fc.shuffledSubarray(points, { minLength: points.length }))),
        ([points, shuffled]) => {
          const fitOf = (of: typeof points) =>
            fitIsotonic(
              of.map(([x]) => x),
              of.map(([, y]) => y),
            )
          expect(fitOf(shuffled)).toEqual(fitOf(points))
        },
      ),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('counts a label of weight two as two labels, and one of weight zero as none', () => {
    const doubled = fitIsotonic([...SCORES, 0.4], [...LABELS, 1])
    const weights = SCORES.map((score) => (score === 0.4 ? 2 : 1))
    expect(fitIsotonic(SCORES, LABELS, weights)).toEqual(doubled)
    expect(fitIsotonic([...SCORES, 2], [...LABELS, 0], [...SCORES.map(() => 1), 0])).toEqual(fitted)
  })

  it('refuses scores that are no numbers, and labels of which none counts', () => {
    expect(() => fitIsotonic([0, Number.NaN], [0, 1])).toThrow('x[1] is NaN')
    expect(() => fitIsotonic([0, 1], [0, 1], [0, 0])).toThrow('all 2 weights are zero')
    expect(() => fitIsotonic([], [])).toThrow('x is empty')
  })
})

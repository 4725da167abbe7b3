// The bootstrap against cases whose answer is known: seeds repeat, groups move together, intervals cover.
import { describe, expect, it } from 'vitest'
import { membersOf, pairedDifference, percentileInterval, quantile } from '../../src/calibration/metrics/resampling.ts'
import { seededRandom } from '../../src/core/random.ts'

describe('quantile', () => {
  it('interpolates between order statistics', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5)
    expect(quantile([1, 2, 3, 4], 1)).toBe(4)
    expect(quantile([], 0.5)).toBeNaN()
    expect(percentileInterval([5, 1, 3], 0.5)).toEqual([2, 4])
  })
})

describe('the bootstrap by group', () => {
  /** Of the mean of the values. */
  const widthOf = (values: readonly number[], groups: readonly number[], resamples: number): number => {
    const zeros = values.map(() => 0)
    const { interval } = pairedDifference(values, zeros, groups, { resamples, seed: 6 })
    return interval[1] - interval[0]
  }

  it('keeps the members of a group together, in order of first appearance', () => {
    expect(membersOf(['a', 'b', 'a', 'c', 'b', 'a'])).toEqual([[0, 2, 5], [1, 4], [3]])
  })

  it('finds the standard error of a mean of independent values', () => {
    const random = seededRandom(5)
    const values = Array.from({ length: 400 }, random)
    const mean = values.reduce((sum, value) => sum + value, 0) / 400
    const error = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0)) / 400
    const alone = values.map((_, i) => i)
    expect(widthOf(values, alone, 1000) / (2 * 1.96 * error)).toBeGreaterThan(0.9)
    expect(widthOf(values, alone, 1000) / (2 * 1.96 * error)).toBeLessThan(1.1)
  })

  it('is wider when observations repeat inside groups', () => {
    const random = seededRandom(9)
    const values = Array.from({ length: 100 }, random).flatMap((value) => [value, value, value, value])
    const grouped = values.map((_, i) => Math.floor(i / 4))
    const alone = values.map((_, i) => i)
    const ratio = widthOf(values, grouped, 600) / widthOf(values, alone, 600)
    expect(ratio).toBeGreaterThan(1.8)
    expect(ratio).toBeLessThan(2.2)
  })

  it('refuses to run on nothing or not at all', () => {
    expect(() => pairedDifference([], [], [], { resamples: 10, seed: 1 })).toThrow('a is empty')
    expect(() => pairedDifference([1], [0], [1], { resamples: 0, seed: 1 })).toThrow('resamples is 0')
  })
})

describe('a paired difference', () => {
  it('is the mean of a − b, by weight', () => {
    const options = { resamples: 10, seed: 1 }
    expect(pairedDifference([1, 2, 3], [1, 1, 1], [0, 1, 2], options).mean).toBeCloseTo(1, 12)
    expect(pairedDifference([1, 2, 3], [1, 1, 1], [0, 1, 2], { ...options, weights: [1, 1, 2] }).mean).toBeCloseTo(1.25, 12)
  })

  it('is what drawing whole groups gives, draw by draw', () => {
    const random = seededRandom(11)
    const a = Array.from({ length: 60 }, random)
    const b = Array.from({ length: 60 }, random)
    const groups = a.map((_, i) => `state ${i % 17}`)
    const options = { resamples: 300, seed: 12 }
    const paired = pairedDifference(a, b, groups, options)
    const members = membersOf(groups)
    const draws = seededRandom(12)
    const means = Array.from({ length: 300 }, () => {
      const at = members.flatMap(() => members[Math.floor(draws() * members.length)]!)
      return at.reduce((sum, i) => sum + a[i]! - b[i]!, 0) / at.length
    })
    const [low, high] = percentileInterval(means)
    expect(paired.interval[0]).toBeCloseTo(low, 12)
    expect(paired.interval[1]).toBeCloseTo(high, 12)
  })

  it('covers the true difference about as often as it says', () => {
    const random = seededRandom(21)
    let covered = 0
    const trials = 200
    for (let trial = 0; trial < trials; trial++) {
      const a = Array.from({ length: 80 }, () => 0.3 + random())
      const b = Array.from({ length: 80 }, random)
      const { interval } = pairedDifference(
        a,
        b,
        a.map((_, i) => i),
        { resamples: 200, seed: trial },
      )
      if (interval[0] <= 0.3 && 0.3 <= interval[1]) covered += 1
    }
    // 95 % promised; 200 trials have a standard error of 1.5 points, and percentile intervals fall a little short.
    expect(covered / trials).toBeGreaterThan(0.89)
  })
})

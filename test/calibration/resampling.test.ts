// The bootstrap against cases whose answer is known: seeds repeat, groups move together, intervals cover.
import { describe, expect, it } from 'vitest'
import { clusterBootstrap, membersOf, pairedDifference, percentileInterval, quantile } from '../../src/calibration/metrics/resampling.ts'
import { seededRandom } from '../../src/core/random.ts'

describe('quantile', () => {
  it('interpolates between order statistics', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5)
    expect(quantile([1, 2, 3, 4], 1)).toBe(4)
    expect(quantile([], 0.5)).toBeNaN()
    expect(percentileInterval([5, 1, 3], 0.5)).toEqual([2, 4])
  })
})

describe('the cluster bootstrap', () => {
  it('takes whole groups, as many as there are', () => {
    const groups = ['a', 'b', 'a', 'c', 'b', 'a']
    expect(membersOf(groups)).toEqual([[0, 2, 5], [1, 4], [3]])
    const drawn = new Set<string>()
    clusterBootstrap(
      groups,
      (positions) => {
        const counts = groups.map((_, i) => positions.filter((position) => position === i).length)
        expect(counts[0]).toBe(counts[2])
        expect(counts[0]).toBe(counts[5])
        expect(counts[1]).toBe(counts[4])
        expect(counts[0]! + counts[1]! + counts[3]!).toBe(3)
        drawn.add(counts.join())
        return 0
      },
      { resamples: 200, seed: 3 },
    )
    expect(drawn.size).toBe(10)
  })

  it('finds the standard error of a mean of independent values', () => {
    const random = seededRandom(5)
    const values = Array.from({ length: 400 }, random)
    const { interval } = clusterBootstrap(
      values.map((_, i) => i),
      (positions) => positions.reduce((sum, i) => sum + values[i]!, 0) / positions.length,
      { resamples: 1000, seed: 6 },
    )
    const mean = values.reduce((sum, value) => sum + value, 0) / 400
    const error = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0)) / 400
    expect((interval[1] - interval[0]) / (2 * 1.96 * error)).toBeGreaterThan(0.9)
    expect((interval[1] - interval[0]) / (2 * 1.96 * error)).toBeLessThan(1.1)
  })

  it('is wider when observations repeat inside groups', () => {
    const random = seededRandom(9)
    const values = Array.from({ length: 100 }, random).flatMap((value) => [value, value, value, value])
    const mean = (positions: readonly number[]): number => positions.reduce((sum, i) => sum + values[i]!, 0) / positions.length
    const widthOf = (groups: number[]): number => {
      const { interval } = clusterBootstrap(groups, mean, { resamples: 600, seed: 2 })
      return interval[1] - interval[0]
    }
    const ratio = widthOf(values.map((_, i) => Math.floor(i / 4))) / widthOf(values.map((_, i) => i))
    expect(ratio).toBeGreaterThan(1.8)
    expect(ratio).toBeLessThan(2.2)
  })

  it('leaves out resamples where the statistic is not defined', () => {
    const { values } = clusterBootstrap([1, 2], (positions) => (positions[0] === positions[1] ? null : 1), { resamples: 50, seed: 1 })
    expect(values.length).toBeGreaterThan(5)
    expect(values.length).toBeLessThan(45)
  })

  it('refuses to run on nothing or not at all', () => {
    expect(() => clusterBootstrap([], () => 0, { resamples: 10, seed: 1 })).toThrow('groups is empty')
    expect(() => clusterBootstrap([1], () => 0, { resamples: 0, seed: 1 })).toThrow('resamples is 0')
  })
})

describe('a paired difference', () => {
  it('is the mean of a − b, by weight', () => {
    const options = { resamples: 10, seed: 1 }
    expect(pairedDifference([1, 2, 3], [1, 1, 1], [0, 1, 2], options).mean).toBeCloseTo(1, 12)
    expect(pairedDifference([1, 2, 3], [1, 1, 1], [0, 1, 2], { ...options, weights: [1, 1, 2] }).mean).toBeCloseTo(1.25, 12)
  })

  it('agrees with the cluster bootstrap of the differences, draw by draw', () => {
    const random = seededRandom(11)
    const a = Array.from({ length: 60 }, random)
    const b = Array.from({ length: 60 }, random)
    const groups = a.map((_, i) => `state ${i % 17}`)
    const options = { resamples: 300, seed: 12 }
    const paired = pairedDifference(a, b, groups, options)
    const direct = clusterBootstrap(groups, (at) => at.reduce((sum, i) => sum + a[i]! - b[i]!, 0) / at.length, options)
    expect(paired.interval[0]).toBeCloseTo(direct.interval[0], 12)
    expect(paired.interval[1]).toBeCloseTo(direct.interval[1], 12)
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

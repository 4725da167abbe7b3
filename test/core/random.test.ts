import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/core/random.ts'

describe('seeded randomness', () => {
  it('repeats for a seed and differs between seeds', () => {
    const draw = (seed: number): number[] => {
      const random = seededRandom(seed)
      return Array.from({ length: 5 }, random)
    }
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
  })

  it('is uniform on [0, 1): mean, variance, and a chi-square over 20 cells', () => {
    const random = seededRandom(1)
    const n = 100_000
    const cells = new Array<number>(20).fill(0)
    let outside = 0
    let sum = 0
    let squares = 0
    for (let i = 0; i < n; i++) {
      const value = random()
      if (!(value >= 0 && value < 1)) outside += 1
      cells[Math.floor(value * 20)]! += 1
      sum += value
      squares += value * value
    }
    expect(outside).toBe(0)
    expect(Math.abs(sum / n - 1 / 2)).toBeLessThan(0.004)
    expect(Math.abs(squares / n - 1 / 3)).toBeLessThan(0.004)
    const chiSquare = cells.reduce((total, count) => total + (count - n / 20) ** 2 / (n / 20), 0)
    // 19 degrees of freedom: 43.8 is passed by chance once in a thousand.
    expect(chiSquare).toBeLessThan(43.8)
  })
})

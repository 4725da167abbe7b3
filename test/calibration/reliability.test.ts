// The data of reliability diagrams against worlds whose curve is known.
import { describe, expect, it } from 'vitest'
import { type Reliability, reliability } from '../../src/calibration/metrics/reliability.ts'
import { seededRandom } from '../../src/core/random.ts'
import { expectClose } from './close.ts'

const OPTIONS = { resamples: 120, seed: 3, points: 41 }

function draw(n: number, seed: number, curve: (p: number) => number = (p) => p): { p: number[]; y: number[] } {
  const random = seededRandom(seed)
  const p = Array.from({ length: n }, () => 0.1 + 0.8 * random())
  return { p, y: p.map((value) => (random() < curve(value) ? 1 : 0)) }
}

/** Share of the points with a curve at which it lies inside the band. */
function shareInside(
  { curve }: Reliability,
  band: Reliability['consistency'],
  of: (point: number) => number | null = (point) => curve[point]!,
): number {
  const inside = band.flatMap((range, point) => {
    const value = of(point)
    return range === null || value === null ? [] : [range[0] <= value && value <= range[1]]
  })
  return inside.filter(Boolean).length / inside.length
}

describe('the curve', () => {
  const tooSure = (p: number): number => 0.5 + (p - 0.5) * 0.5

  it('stays inside the consistency band when probabilities are calibrated', () => {
    const shares = [1, 2, 3, 4].map((seed) => {
      const { p, y } = draw(800, seed)
      const diagram = reliability(p, y, OPTIONS)
      return shareInside(diagram, diagram.consistency)
    })
    expect(shares.reduce((sum, share) => sum + share, 0) / 4).toBeGreaterThan(0.8)
  })

  it('leaves it, and shows the real curve within the bootstrap band, when they are too sure', () => {
    const { p, y } = draw(3000, 5, tooSure)
    const diagram = reliability(p, y, OPTIONS)
    expect(shareInside(diagram, diagram.consistency)).toBeLessThan(0.4)
    // Within a bandwidth of the ends the kernel flattens its curve.
    const inner = diagram.bootstrap.map((range, point) => (Math.abs(diagram.grid[point]! - 0.5) <= 0.3 ? range : null))
    expect(shareInside(diagram, inner, (point) => tooSure(diagram.grid[point]!))).toBeGreaterThan(0.75)
    const at = (t: number): number => diagram.curve[Math.round(t * 40)]!
    expectClose([at(0.25), at(0.5), at(0.75)], [0.375, 0.5, 0.625], 0.07)
  })

  it('says nothing where no probabilities are', () => {
    const { p, y } = draw(500, 6)
    const narrow = p.map((value) => 0.4 + 0.2 * value)
    const diagram = reliability(narrow, y, { ...OPTIONS, bandwidth: 0.03 })
    for (const end of [0, 40]) {
      expect(diagram.curve[end]).toBeNull()
      expect(diagram.consistency[end]).toBeNull()
      expect(diagram.bootstrap[end]).toBeNull()
      expect(diagram.density[end]).toBeLessThan(0.01)
    }
    expect(diagram.curve[20]).not.toBeNull()
  })
})

describe('a reliability diagram', () => {
  it('has the weighted mean of near labels as its curve', () => {
    const { p, y } = draw(300, 8)
    const bandwidth = 0.05
    const { curve } = reliability(p, y, { ...OPTIONS, bandwidth })
    const kernelAt = (t: number, u: number): number =>
      [-2, 0, 2].reduce(
        (sum, m) => sum + Math.exp(-((t - u - m) ** 2) / (2 * bandwidth ** 2)) + Math.exp(-((t + u - m) ** 2) / (2 * bandwidth ** 2)),
        0,
      )
    for (const t of [0.125, 0.35, 0.875]) {
      const near = p.map((u) => kernelAt(t, u))
      const mean = near.reduce((sum, k, i) => sum + k * y[i]!, 0) / near.reduce((sum, k) => sum + k, 0)
      expectClose([curve[Math.round(t * 40)]!], [mean], 1e-3)
    }
  })

  it('has a density that integrates to one', () => {
    const { p, y } = draw(400, 9)
    const { density } = reliability(p, y, { ...OPTIONS, points: 201, bandwidth: 0.04 })
    const trapezoid = density.reduce((sum, value, i) => sum + value * (i === 0 || i === 200 ? 0.5 : 1), 0) / 200
    expectClose([trapezoid], [1], 1e-3)
  })

  it('counts a weight of two as two, repeats for its seed, and has wider bands when decisions repeat inside groups', () => {
    const { p, y } = draw(150, 10)
    const weights = p.map((_, i) => (i < 40 ? 2 : 1))
    const weighted = reliability(p, y, { ...OPTIONS, weights, bandwidth: 0.1 })
    const doubled = reliability([...p, ...p.slice(0, 40)], [...y, ...y.slice(0, 40)], { ...OPTIONS, bandwidth: 0.1 })
    expectClose(
      weighted.curve.map((value) => value ?? 0),
      doubled.curve.map((value) => value ?? 0),
      1e-9,
    )
    expect(reliability(p, y, { ...OPTIONS, weights, bandwidth: 0.1 })).toEqual(weighted)
    const four = <T>(values: readonly T[]): T[] => values.flatMap((value) => [value, value, value, value])
    const widthOf = (groups: number[]): number => {
      const [low, high] = reliability(four(p), four(y), { ...OPTIONS, groups, bandwidth: 0.1 }).bootstrap[20]!
      return high - low
    }
    const alone = Array.from({ length: 600 }, (_, i) => i)
    expect(widthOf(alone.map((i) => i >> 2)) / widthOf(alone)).toBeGreaterThan(1.4)
  })

  it('refuses a grid of one point', () => {
    expect(() => reliability([0.5], [1], { ...OPTIONS, points: 1 })).toThrow('points is 1')
  })
})

// Pools against reference values, and what they must keep to: sums and the order of candidates.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logPool } from '../../src/calibration/deliberation/pooling.ts'
import { itemTemperature } from '../../src/calibration/maps/item-temperature.ts'
import { logSoftmax } from '../../src/core/math.ts'
import { expectClose } from './close.ts'

const SEED = 43
const logs = (row: readonly number[]): number[] => row.map((p) => Math.log(p))
const exps = (row: readonly number[]): number[] => row.map((logP) => Math.exp(logP))

const THREE = [
  [0.7, 0.2, 0.1],
  [0.45, 0.5, 0.05],
  [0.6, 0.1, 0.3],
].map(logs)

const rowsOf = (length: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.double({ min: -12, max: 0, noNaN: true }), { minLength: length, maxLength: length }).map(logSoftmax), {
    minLength: 1,
    maxLength: 6,
  })
const someRows = fc.integer({ min: 2, max: 6 }).chain(rowsOf)

describe('a pool', () => {
  it('is the geometric mean, renormalised', () => {
    const pooled = logPool(THREE, { floor: 0 })
    expectClose(exps(pooled), [0.6349668147, 0.2383766764, 0.1266565089])
  })

  it('sums to one, and reads equal rows as one row', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        for (const pooled of [logPool(rows, { floor: 0 }), logPool(rows, { floor: 1e-3 })]) {
          expect(Math.abs(exps(pooled).reduce((sum, p) => sum + p, 0) - 1)).toBeLessThan(1e-12)
        }
        const same = [rows[0]!, rows[0]!, rows[0]!]
        expectClose(logPool(same, { floor: 0 }), rows[0]!, 1e-12)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('moves with its candidates, to the last bit', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        const turned = rows.map((row) => row.toReversed())
        expect(logPool(turned, { floor: 1e-3 }).toReversed()).toEqual(logPool(rows, { floor: 1e-3 }))
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('does not let one floored row rule a candidate out', () => {
    const never = [0, -Infinity]
    const sure = logs([0.01, 0.99])
    expect(logPool([never, sure], { floor: 0 })[1]).toBe(-Infinity)
    const pooled = exps(logPool([never, sure, sure, sure], { floor: 1e-3 }))
    expect(pooled[1]).toBeGreaterThan(0.8)
  })

  it('refuses rows that differ in length, no rows, and a floor as high as the uniform distribution', () => {
    expect(() => logPool([[0], [0, 0]], { floor: 0 })).toThrow('row has 2 values and the first row 1')
    expect(() => logPool([], { floor: 0 })).toThrow('rows is empty')
    expect(() => logPool(THREE, { floor: 0.4 })).toThrow('a floor of 0.4 is too much for 3 candidates')
  })
})

describe('the temperature of an item', () => {
  const P = [0.62, 0.28, 0.1]

  it('gives the top candidate the probability asked for', () => {
    for (const [top, temperature, expected] of [
      [0.5, 1.783838, [0.5, 0.3202107, 0.1797893]],
      [0.4, 4.449438, [0.4, 0.3345566, 0.2654434]],
      [0.8, 0.523873, [0.8, 0.1754232, 0.0245768]],
    ] as const) {
      const found = itemTemperature(P, top)
      expectClose([found.temperature], [temperature], 1e-6)
      expectClose(found.probabilities, expected, 1e-7)
    }
  })

  it('keeps order, sums to one, and leaves a top alone that is already there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 2, maxLength: 7 }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        (counts, top) => {
          const total = counts.reduce((sum, count) => sum + count, 0)
          const p = counts.map((count) => count / total)
          const { probabilities } = itemTemperature(p, top)
          expect(Math.abs(probabilities.reduce((sum, value) => sum + value, 0) - 1)).toBeLessThan(1e-12)
          for (const i of p.keys()) for (const j of p.keys()) if (p[i]! >= p[j]!) expect(probabilities[i]! >= probabilities[j]!).toBe(true)
          const leaders = p.filter((value) => value === Math.max(...p)).length
          if (leaders === 1 && top > 1 / p.length + 1e-6) expect(Math.abs(Math.max(...probabilities) - top)).toBeLessThan(1e-9)
          const own = Math.max(...p)
          if (leaders === 1 && own < 1) expectClose(itemTemperature(p, own).probabilities, p, 1e-9)
        },
      ),
      { seed: SEED, numRuns: 300 },
    )
  })

  it('is infinite at the uniform distribution, and stops where leaders tie', () => {
    expect(itemTemperature(P, 0.3)).toEqual({ temperature: Number.POSITIVE_INFINITY, probabilities: [1 / 3, 1 / 3, 1 / 3] })
    expect(itemTemperature([0.5, 0.5], 0.9).probabilities).toEqual([0.5, 0.5])
    const tied = itemTemperature([0.45, 0.45, 0.1], 0.8)
    expectClose(tied.probabilities, [0.5, 0.5, 0])
    expectClose([tied.temperature], [1e-6], 1e-12)
  })
})

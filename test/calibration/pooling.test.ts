// Pools and priors against reference values, and what they must keep to: sums, order of candidates, order of rows.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  batchCalibrate,
  disagreement,
  divideOut,
  entropy,
  itemTemperature,
  linearPool,
  logPool,
  symbolPrior,
  unrotate,
} from '../../src/calibration/deliberation/pooling.ts'
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

/** By position; rotation r shows candidate (i + r) mod 3 at position i. */
const ROTATIONS = [
  [0.6, 0.25, 0.15],
  [0.5, 0.3, 0.2],
  [0.3, 0.3, 0.4],
].map(logs)

const rowsOf = (length: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.double({ min: -12, max: 0, noNaN: true }), { minLength: length, maxLength: length }).map(logSoftmax), {
    minLength: 1,
    maxLength: 6,
  })
const someRows = fc.integer({ min: 2, max: 6 }).chain(rowsOf)

describe('a pool', () => {
  it('is the arithmetic mean when linear', () => {
    const pooled = linearPool(THREE)
    expectClose(exps(pooled), [7 / 12, 4 / 15, 0.15])
    expectClose([entropy(pooled), entropy(pooled) / Math.log(3)], [0.9514508472, 0.8660478823])
  })

  it('is the geometric mean, renormalised, when logarithmic', () => {
    const pooled = logPool(THREE, { floor: 0 })
    expectClose(exps(pooled), [0.6349668147, 0.2383766764, 0.1266565089])
    expectClose([entropy(pooled)], [0.8919072861])
  })

  it('disagrees with its rows by their mutual information', () => {
    expectClose([disagreement(THREE)], [0.0996331989])
    expectClose([disagreement([THREE[0]!, THREE[0]!])], [0])
  })

  it('sums to one, and reads equal rows as one row', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        for (const pooled of [linearPool(rows), logPool(rows, { floor: 0 }), logPool(rows, { floor: 1e-3 })]) {
          expect(Math.abs(exps(pooled).reduce((sum, p) => sum + p, 0) - 1)).toBeLessThan(1e-12)
        }
        const same = [rows[0]!, rows[0]!, rows[0]!]
        expectClose(logPool(same, { floor: 0 }), rows[0]!, 1e-12)
        expectClose(linearPool(same), rows[0]!, 1e-12)
        expect(disagreement(rows)).toBeGreaterThanOrEqual(0)
        expect(disagreement(rows)).toBeLessThanOrEqual(Math.log(rows.length) + 1e-12)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('moves with its candidates, to the last bit for the geometric mean', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        const turned = rows.map((row) => row.toReversed())
        expect(logPool(turned, { floor: 1e-3 }).toReversed()).toEqual(logPool(rows, { floor: 1e-3 }))
        expectClose(linearPool(turned).toReversed(), linearPool(rows), 1e-13)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('counts a row of weight two as two rows, and one of weight zero not at all', () => {
    const [a, b] = [THREE[0]!, THREE[1]!]
    expectClose(logPool([a, b], { floor: 1e-3, weights: [2, 1] }), logPool([a, a, b], { floor: 1e-3 }), 1e-12)
    expectClose(linearPool([a, b], { weights: [2, 1] }), linearPool([a, a, b]), 1e-12)
    const never = [0, -Infinity, -Infinity]
    expectClose(logPool([a, never], { floor: 0, weights: [1, 0] }), a, 1e-12)
    expectClose(linearPool([a, never], { weights: [1, 0] }), a, 1e-12)
  })

  it('does not let one floored row rule a candidate out', () => {
    const never = [0, -Infinity]
    const sure = logs([0.01, 0.99])
    expect(logPool([never, sure], { floor: 0 })[1]).toBe(-Infinity)
    const pooled = exps(logPool([never, sure, sure, sure], { floor: 1e-3 }))
    expect(pooled[1]).toBeGreaterThan(0.8)
  })

  it('refuses rows that differ in length, no rows, weights without weight, and a floor as high as the uniform distribution', () => {
    expect(() => logPool([[0], [0, 0]], { floor: 0 })).toThrow('row has 2 values and the first row 1')
    expect(() => linearPool([])).toThrow('rows is empty')
    expect(() => linearPool(THREE, { weights: [0, 0, 0] })).toThrow('sum to 0')
    expect(() => logPool(THREE, { floor: 0.4 })).toThrow('a floor of 0.4 is too much for 3 candidates')
  })
})

describe('a symbol prior', () => {
  it('is what positions are given whatever stands there, and is divided out', () => {
    const prior = symbolPrior(ROTATIONS)
    expectClose(exps(prior), [0.4671077921, 0.2942594699, 0.238632738])
    expectClose(exps(divideOut(ROTATIONS[0]!, prior)), [0.4649485602, 0.3075249307, 0.2275265091])
  })

  it('goes away when rotations are turned back and pooled', () => {
    const turned = ROTATIONS.map((row, r) => unrotate(row, r))
    expectClose(exps(logPool(turned, { floor: 0 })), [0.3525041085, 0.3932964421, 0.2541994495])
    expectClose(exps(linearPool(turned)), [0.3666666667, 0.3833333333, 0.25])
  })

  it('is recovered exactly from rotations of a row that was biased by position', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }).chain((length) => fc.tuple(rowsOf(length), rowsOf(length))),
        ([[row], [bias]]) => {
          const length = row!.length
          const shown = row!.map((_, r) => logSoftmax(bias!.map((b, i) => b + row![(i + r) % length]!)))
          expectClose(symbolPrior(shown), bias!, 1e-9)
          for (const [r, observed] of shown.entries()) expectClose(unrotate(divideOut(observed, bias!), r), row!, 1e-9)
          expectClose(logPool(shown.map(unrotate), { floor: 0 }), row!, 1e-9)
        },
      ),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('must be finite', () => {
    expect(() => divideOut([0, 0], [0, -Infinity])).toThrow('log-probability 1 is -Infinity')
  })
})

describe('batch calibration', () => {
  const rows = [
    [0.7, 0.3],
    [0.8, 0.2],
    [0.6, 0.4],
    [0.9, 0.1],
  ].map(logs)

  it('divides out the mean over the batch', () => {
    const calibrated = batchCalibrate(rows)
    expectClose(exps(calibrated.prior), [0.75, 0.25])
    const expected = [
      [0.4375, 0.5625],
      [0.5714285714, 0.4285714286],
      [0.3333333333, 0.6666666667],
      [0.75, 0.25],
    ]
    for (const [i, row] of expected.entries()) expectClose(exps(calibrated.rows[i]!), row)
  })

  it('changes nothing when the batch is as declared', () => {
    const { rows: same } = batchCalibrate(rows, [0.75, 0.25])
    for (const [i, row] of rows.entries()) expectClose(same[i]!, row, 1e-12)
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

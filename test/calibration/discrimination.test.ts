// Areas under curves against reference values and against counting pairs.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auroc, riskAt, riskCoverage } from '../../src/calibration/metrics/discrimination.ts'
import { expectClose } from './close.ts'

const SEED = 53
const P = [0.02, 0.08, 0.11, 0.15, 0.22, 0.27, 0.33, 0.38, 0.41, 0.47, 0.52, 0.58, 0.61, 0.66, 0.73, 0.77, 0.84, 0.88, 0.93, 0.97]
const Y = [0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1]
const CONFIDENCES = P.map((p) => Math.max(p, 1 - p))
const RIGHT = P.map((p, i) => p > 0.5 === (Y[i] === 1))

const scored = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 1 })), { minLength: 2, maxLength: 30 })

describe('the area under the ROC curve', () => {
  it('is that of the reference', () => {
    expectClose([auroc(P, Y)!], [0.8383838384])
  })

  it('is the share of pairs in the right order, ties counting half, and the same under a strictly rising map', () => {
    fc.assert(
      fc.property(scored, (pairs) => {
        const scores = pairs.map(([score]) => score)
        const y = pairs.map(([, label]) => label)
        let wins = 0
        let count = 0
        for (const [a, positive] of pairs) {
          for (const [b, other] of pairs) {
            if (positive !== 1 || other !== 0) continue
            count += 1
            wins += a > b ? 1 : a === b ? 0.5 : 0
          }
        }
        const area = auroc(scores, y)
        if (count === 0) expect(area).toBeNull()
        else {
          expectClose([area!], [wins / count], 1e-12)
          expect(
            auroc(
              scores.map((score) => 1 / (1 + Math.exp(1 - 2 * score))),
              y,
            ),
          ).toBe(area)
        }
      }),
      { seed: SEED, numRuns: 300 },
    )
  })

  it('counts a weight of two as two', () => {
    const weights = P.map((_, i) => (i === 3 || i === 11 ? 2 : 1))
    expectClose([auroc(P, Y, weights)!], [auroc([...P, P[3]!, P[11]!], [...Y, Y[3]!, Y[11]!])!], 1e-12)
  })
})

describe('risk over coverage', () => {
  it('is that of the reference, with ties in the order given', () => {
    expect(RIGHT.filter(Boolean).length / RIGHT.length).toBe(0.75)
    const curve = riskCoverage(CONFIDENCES, RIGHT, { ties: 'given' })
    expectClose([curve.area, curve.oracle, curve.excess], [0.1240474831, 0.0403670021, 0.083680481])
    expectClose([riskAt(curve, 0.5), riskAt(curve, 0.8)], [0.1, 0.1875], 1e-12)
  })

  it('ends at the error rate, and lies at the oracle when all right answers come first', () => {
    fc.assert(
      fc.property(scored, (pairs) => {
        const isRight = pairs.map(([, label]) => label === 1)
        const errors = isRight.filter((right) => !right).length
        const curve = riskCoverage(
          pairs.map(([score]) => score),
          isRight,
        )
        expect(curve.risks.length).toBe(pairs.length)
        expectClose([riskAt(curve, 1)], [errors / pairs.length], 1e-12)
        expect(curve.excess).toBeGreaterThanOrEqual(-1e-12)
        const perfect = riskCoverage(
          isRight.map((right) => (right ? 1 : 0)),
          isRight,
          { ties: 'given' },
        )
        expectClose([perfect.area, perfect.excess], [curve.oracle, 0], 1e-12)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('averages over the orders of equal confidences, so that the order given does not matter', () => {
    expectClose(
      [riskCoverage([1, 1], [true, false]).area],
      [(riskCoverage([2, 1], [true, false]).area + riskCoverage([1, 2], [true, false]).area) / 2],
      1e-12,
    )
    fc.assert(
      fc.property(scored, (pairs) => {
        const curveOf = (of: typeof pairs): readonly number[] =>
          riskCoverage(
            of.map(([score]) => score),
            of.map(([, label]) => label === 1),
          ).risks
        expectClose(curveOf(pairs.toReversed()), curveOf(pairs), 1e-12)
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('refuses a coverage of nothing', () => {
    expect(() => riskAt({ risks: [0] }, 0)).toThrow('a coverage of 0 was asked for')
  })
})

// The area under the ROC curve against reference values and against counting pairs.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auroc } from '../../src/calibration/metrics/discrimination.ts'
import { expectClose } from './close.ts'

const SEED = 53
const P = [0.02, 0.08, 0.11, 0.15, 0.22, 0.27, 0.33, 0.38, 0.41, 0.47, 0.52, 0.58, 0.61, 0.66, 0.73, 0.77, 0.84, 0.88, 0.93, 0.97]
const Y = [0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1]

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

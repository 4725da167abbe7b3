import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { fairlyWeighted, lentLabels } from '../../src/calibration/refit/fair-weights.ts'
import { seededRandom } from '../../src/core/random.ts'
import { binaryEvidence } from './simulated.ts'

const labels = (count: number, question: string, weight = 1): Evidence[] =>
  binaryEvidence(seededRandom(1), count, { slope: 1, bias: 0 }, question).map((item) => ({ ...item, weight }))
const total = (items: readonly Evidence[]): number => items.reduce((sum, { weight }) => sum + weight!, 0)

describe('weights of labels', () => {
  it('add up to their number, and no label weighs more than four times another', () => {
    const fair = fairlyWeighted([...labels(30, 'often', 1), ...labels(10, 'rare', 20)])
    expect(total(fair)).toBeCloseTo(40, 9)
    expect(fair.at(-1)!.weight! / fair[0]!.weight!).toBeCloseTo(4, 9)
    expect(total(fairlyWeighted(labels(40, 'all', 20)))).toBeCloseTo(40, 9)
    expect(fairlyWeighted([])).toEqual([])
  })
})

describe('labels that others lend', () => {
  it('weigh at most 25 labels in one wording, and at most a third of the own ones from each lender', () => {
    const own = labels(120, 'own question')
    expect(total(lentLabels(own, [labels(4000, 'one question', 20)]))).toBeCloseTo(25, 9)
    const many = Array.from({ length: 50 }, (_, i) => labels(40, String(i).padStart(8, '0')))
    expect(total(lentLabels(own, [many.flat()]))).toBeCloseTo(40, 9)
    expect(total(lentLabels(own, [many.flat(), labels(10, 'one question')]))).toBeCloseTo(50, 9)
  })

  it('are none to an account without labels, and none of an account without labels', () => {
    expect(lentLabels([], [labels(100, 'one question')])).toEqual([])
    expect(lentLabels(labels(100, 'one question'), [[]])).toEqual([])
  })
})

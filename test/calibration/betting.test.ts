// Stopping and betting against reference values, and the promise of an e-process: false alarms are rare at any time, real ones come.
import { describe, expect, it } from 'vitest'
import { betaStop } from '../../src/calibration/deliberation/sequential.ts'
import { bettingMartingale, calibrationEProcess } from '../../src/calibration/drift/betting.ts'
import { seededRandom } from '../../src/core/random.ts'
import { expectClose } from './close.ts'

describe('stopping by votes', () => {
  it('is that of the reference', () => {
    const votes = [
      [3, 0],
      [4, 0],
      [4, 1],
      [5, 1],
      [6, 2],
    ] as const
    expectClose(
      votes.map(([first, second]) => betaStop(first, second)),
      [0.9375, 0.96875, 0.890625, 0.9375, 0.91015625],
    )
  })

  it('is a half when votes are even, and turns around with them', () => {
    expectClose([betaStop(3, 3), betaStop(2, 5) + betaStop(5, 2)], [0.5, 1], 1e-12)
    expect(() => betaStop(-1, 0)).toThrow('-1 to 0 are not counts of votes')
  })
})

describe('a bet against calibration', () => {
  it('has the capital of the reference', () => {
    const capital = bettingMartingale([0.9, 0.8, 0.95, 0.7, 0.85, 0.9], [1, 0, 1, 0, 0, 1], -0.5)
    expectClose(capital, [0.95, 1.33, 1.29675, 1.7506125, 2.4946228, 2.3698917], 1e-7)
  })

  it('keeps its expectation when probabilities are right, whatever they are', () => {
    // All sixteen outcomes of four decisions, by their probability.
    const p = [0.1, 0.5, 0.7, 0.95]
    for (const lambda of [-1, -0.5, 0.3, 1]) {
      let expected = 0
      for (let outcome = 0; outcome < 16; outcome++) {
        const y = p.map((_, t) => (outcome >> t) & 1)
        const chance = p.reduce((product, value, t) => product * (y[t] === 1 ? value : 1 - value), 1)
        expected += chance * bettingMartingale(p, y, lambda).at(-1)!
      }
      expectClose([expected], [1], 1e-12)
    }
  })

  it('raises a false alarm in fewer than alpha of all series', () => {
    const random = seededRandom(83)
    let alarms = 0
    const series = 500
    for (let s = 0; s < series; s++) {
      const p = Array.from({ length: 300 }, random)
      const y = p.map((value) => (random() < value ? 1 : 0))
      if (calibrationEProcess(p, y, { alpha: 0.1 }).alarmAt !== null) alarms += 1
    }
    // A standard error of 1.3 points.
    expect(alarms / series).toBeLessThan(0.13)
  })

  it('notices probabilities that are too high, or too low, and says when', () => {
    const random = seededRandom(89)
    const p = Array.from({ length: 600 }, () => 0.2 + 0.6 * random())
    for (const bias of [-0.15, 0.15]) {
      const y = p.map((value, t) => (random() < value + (t < 200 ? 0 : bias) ? 1 : 0))
      const { alarmAt, values } = calibrationEProcess(p, y)
      expect(alarmAt).toBeGreaterThan(200)
      expect(values[alarmAt!]).toBeGreaterThanOrEqual(100)
      expect(values.slice(0, alarmAt!).every((value) => value < 100)).toBe(true)
    }
  })

  it('starts from nothing, and refuses a stake that could be lost twice over', () => {
    expect(calibrationEProcess([], [])).toEqual({ values: [], alarmAt: null })
    expect(() => bettingMartingale([0.5], [1], 1.5)).toThrow('lambda is 1.5')
    expect(() => calibrationEProcess([0.5], [2])).toThrow('y[0] is 2')
  })
})

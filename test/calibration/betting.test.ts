// Bets against reference values, and what they promise: false alarms are rare at any time.
import { describe, expect, it } from 'vitest'
import { bettingMartingale } from '../../src/calibration/drift/betting.ts'
import { seededRandom } from '../../src/core/random.ts'
import { expectClose } from './close.ts'

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

  it('passes 1 / alpha in fewer than alpha of all series', () => {
    const random = seededRandom(83)
    let alarms = 0
    const series = 500
    for (let s = 0; s < series; s++) {
      const p = Array.from({ length: 300 }, random)
      const y = p.map((value) => (random() < value ? 1 : 0))
      if (bettingMartingale(p, y, 0.5).some((capital) => capital >= 10)) alarms += 1
    }
    // A standard error of 1.3 points.
    expect(alarms / series).toBeLessThan(0.13)
  })

  it('starts from nothing, and refuses a stake that could be lost twice over', () => {
    expect(bettingMartingale([], [], 0.5)).toEqual([])
    expect(() => bettingMartingale([0.5], [1], 1.5)).toThrow('lambda is 1.5')
    expect(() => bettingMartingale([0.5], [2], 0.5)).toThrow('y[0] is 2')
  })
})

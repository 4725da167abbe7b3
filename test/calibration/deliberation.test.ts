import { describe, expect, it } from 'vitest'
import { budgetOf, createDeliberation, type DeliberationOptions } from '../../src/calibration/deliberation/deliberation.ts'
import type { FirstLook } from '../../src/questions/shared/deliberation.ts'

const look = (probabilities: FirstLook['probabilities'], more: Partial<FirstLook> = {}): FirstLook => {
  return { probabilities, mass: 1, tokens: 100, ...more }
}
const make = (options: Partial<DeliberationOptions> = {}) =>
  createDeliberation({
    mode: 'automatic',
    operatorsFor: () => ['swap', 'alone', 'reversed'],
    gates: {},
    passes: 4,
    budget: budgetOf(10),
    ...options,
  })

describe('the gate', () => {
  it('opens for a flat distribution and stays shut for a sure one', () => {
    expect(make().isCalledFor('exclusive', look([[0.5, 0.5]]))).toBe(true)
    expect(make().isCalledFor('exclusive', look([[0.95, 0.05]]))).toBe(false)
  })

  it('goes by the threshold of the read-out when one was chosen from data', () => {
    const sure = [[0.95, 0.05]]
    expect(make({ gates: { exclusive: { threshold: 0.1 } } }).isCalledFor('exclusive', look(sure))).toBe(true)
    expect(make({ gates: { exclusive: { threshold: 1 } } }).isCalledFor('exclusive', look([[0.6, 0.4]]))).toBe(false)
    expect(make({ gates: { binary: { threshold: 0.1 } } }).isCalledFor('exclusive', look(sure))).toBe(false)
  })

  it('opens when the model wanted to say something else, however sure it is', () => {
    expect(make().isCalledFor('exclusive', look([[0.99, 0.01]], { mass: 0.3 }))).toBe(true)
  })

  it('looks at the least certain row of several', () => {
    const rows = [
      [0.99, 0.01],
      [0.5, 0.5],
    ]
    expect(make().isCalledFor('independent', look(rows))).toBe(true)
  })

  it('opens for what is short, however sure, where that was chosen from data', () => {
    const short = { tokens: 40, decisions: 200, gain: 0.03, interval: [0.02, 0.04] } as const
    const gates = { exclusive: { threshold: 1, short } }
    const sure: FirstLook['probabilities'] = [[0.99, 0.01]]
    expect(make({ gates }).isCalledFor('exclusive', look(sure, { tokens: 39 }))).toBe(true)
    expect(make({ gates }).isCalledFor('exclusive', look(sure, { tokens: 40 }))).toBe(false)
    expect(make({ gates }).isCalledFor('binary', look(sure, { tokens: 39 }))).toBe(false)
    expect(make({ gates, mode: 'never' }).isCalledFor('exclusive', look(sure, { tokens: 39 }))).toBe(false)
  })

  it('can be held open or shut', () => {
    expect(make({ mode: 'always' }).isCalledFor('exclusive', look([[0.99, 0.01]]))).toBe(true)
    expect(make({ mode: 'never' }).isCalledFor('exclusive', look([[0.5, 0.5]], { mass: 0.1 }))).toBe(false)
  })
})

describe('the passes', () => {
  it('are as many as allowed, the first included', () => {
    expect(make({ passes: 2 }).operatorsFor('exclusive')).toEqual(['swap'])
    expect(make({ passes: 1 }).operatorsFor('exclusive')).toEqual([])
  })

  it('end when the leader has stayed and is probable', () => {
    expect(make().isSettled(['0', '0', '0'], [[0.97, 0.03]])).toBe(true)
    expect(make().isSettled(['0', '1', '0'], [[0.97, 0.03]])).toBe(false)
    expect(make().isSettled(['0', '0'], [[0.97, 0.03]])).toBe(false)
    expect(make().isSettled(['0', '0', '0'], [[0.8, 0.2]])).toBe(false)
  })

  it('draw on a budget that is not overdrawn', () => {
    const deliberation = make({ budget: budgetOf(3) })
    expect([deliberation.spend(2), deliberation.spend(2), deliberation.spend(1), deliberation.spend(1)]).toEqual([true, false, true, false])
  })

  it('are pooled by the mean of their log-probabilities, and none can rule a candidate out alone', () => {
    const [row] = make().pool([[[0.5, 0.5].map(Math.log)], [[Math.log(1e-12), 0]]])
    const [first, second] = row!.map(Math.exp)
    expect(first! + second!).toBeCloseTo(1, 9)
    // sqrt(.5 * .001) against sqrt(.5 * .999).
    expect(first!).toBeCloseTo(Math.sqrt(0.001) / (Math.sqrt(0.001) + Math.sqrt(0.999)), 3)
  })
})

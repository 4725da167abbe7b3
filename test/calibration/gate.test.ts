import { describe, expect, it } from 'vitest'
import { chooseGate, type GateCase, gainAt, normalisedEntropy, uncertaintyOf } from '../../src/calibration/deliberation/gate.ts'
import { chooseShort } from '../../src/calibration/deliberation/short.ts'
import { seededRandom } from '../../src/core/random.ts'
import { normal } from './simulated.ts'

const OPTIONS = { share: 0.25, keep: 0.5, worth: 0, resamples: 200, seed: 1 } as const

/** Deliberating gains the more the less sure a decision is, with noise. */
function cases(count: number, gainOf: (uncertainty: number) => number | null, noise = 0.2): GateCase[] {
  const random = seededRandom(9)
  return Array.from({ length: count }, (_, i) => {
    const uncertainty = random()
    const gain = gainOf(uncertainty)
    return { uncertainty, gain: gain === null ? null : gain + noise * normal(random), state: `s${i}`, tokens: null }
  })
}

describe('uncertainty', () => {
  it('is 1 for no idea, 0 for surely, whatever the number of candidates', () => {
    expect(normalisedEntropy([0.25, 0.25, 0.25, 0.25])).toBe(1)
    expect(normalisedEntropy([1, 0, 0])).toBe(0)
    expect(normalisedEntropy([1])).toBe(0)
    expect(normalisedEntropy([0.5833333333, 0.2666666667, 0.15])).toBeCloseTo(0.8660478823, 8)
  })

  it('of several rows is that of the least sure', () => {
    expect(
      uncertaintyOf([
        [0.99, 0.01],
        [0.5, 0.5],
      ]),
    ).toBe(1)
    expect(uncertaintyOf([])).toBe(0)
  })
})

describe('a gate', () => {
  it('lets the stated share through when nobody deliberated', () => {
    const gate = chooseGate(
      cases(1000, () => null),
      OPTIONS,
    )
    expect(gate).toMatchObject({ rule: 'share', share: 0.25, decisions: 1000 })
    expect(gate.gain).toBeUndefined()
    expect(gate.threshold).toBeGreaterThan(0.7)
    expect(gate.threshold).toBeLessThan(0.8)
  })

  it('lets nothing through, or fewer, where a look gains less than it is worth', () => {
    const small = cases(2000, (u) => (u > 0.75 ? 0.1 : 0), 0.02)
    expect(chooseGate(small, { ...OPTIONS, worth: 0.05 })).toMatchObject({ rule: 'gain' })
    expect(chooseGate(small, { ...OPTIONS, worth: 0.2 })).toMatchObject({ rule: 'never', threshold: 1, share: 0 })
    const few = cases(2000, (u) => (u > 0.9 ? 0.1 : 0.01), 0.02)
    const gate = chooseGate(few, { ...OPTIONS, keep: 1, worth: 0.08 })
    expect(gate.gain!.escalated / gate.share).toBeGreaterThan(0.078)
    expect(gate.share).toBeLessThan(chooseGate(few, { ...OPTIONS, keep: 1 }).share)
  })

  it('lets fewer through when a few hold half the gain', () => {
    const gate = chooseGate(
      cases(2000, (u) => (u > 0.9 ? 1 : 0)),
      OPTIONS,
    )
    expect(gate.rule).toBe('gain')
    expect(gate.gain!.total).toBeCloseTo(0.1, 1)
    expect(gate.gain!.escalated).toBeGreaterThan(0.4 * gate.gain!.total)
    expect(gate.gain!.interval[0]).toBeLessThan(gate.gain!.escalated)
    expect(gate.gain!.interval[1]).toBeGreaterThan(gate.gain!.escalated)
    expect(gate.share).toBeGreaterThan(0.04)
    expect(gate.share).toBeLessThan(0.1)
    expect(gate.threshold).toBeGreaterThan(0.9)
  })

  it('lets nobody through when deliberating harms', () => {
    expect(
      chooseGate(
        cases(1000, () => -0.2),
        OPTIONS,
      ),
    ).toMatchObject({ rule: 'never', threshold: 1, share: 0 })
  })

  it('goes no further than the stated share when all would gain', () => {
    const gate = chooseGate(
      cases(1000, () => 0.3),
      { ...OPTIONS, keep: 0.9 },
    )
    expect(gate.rule).toBe('gain')
    expect(gate.share).toBeGreaterThan(0.2)
    expect(gate.share).toBeLessThanOrEqual(0.25)
  })

  it('opens for the unsure when the sure would be harmed and all together gain nothing', () => {
    const gate = chooseGate(
      cases(2000, (u) => (u > 0.8 ? 0.4 : -0.12)),
      OPTIONS,
    )
    expect(gate.rule).toBe('gain')
    expect(gate.gain!.total).toBeLessThan(0)
    expect(gate.gain!.escalated).toBeGreaterThan(0.02)
    expect(gate.share).toBeLessThan(0.21)
  })

  it('stays shut where nothing is surely gained', () => {
    expect(
      chooseGate(
        cases(200, () => 0, 1),
        OPTIONS,
      ).rule,
    ).toBe('never')
  })

  it('is the same for the same evidence', () => {
    const of = () =>
      chooseGate(
        cases(500, (u) => u),
        OPTIONS,
      )
    expect(of()).toEqual(of())
  })

  it('does not split decisions that are equally unsure', () => {
    const equal = Array.from({ length: 200 }, (_, i): GateCase => ({ uncertainty: 0.5, gain: 0.1, state: `s${i}`, tokens: null }))
    expect([0, 1]).toContain(chooseGate(equal, OPTIONS).share)
  })
})

describe('the length up to which all are looked at again', () => {
  const SHORT = { threshold: 1, worth: 0.02, most: 5000, resamples: 200, seed: 1 } as const
  /** Decisions of 10 to 209 tokens, certain or not, that gain by their length. */
  const byLength = (gainOf: (tokens: number) => number, noise = 0.05, count = 2000): GateCase[] => {
    const random = seededRandom(11)
    return Array.from({ length: count }, (_, i) => {
      const tokens = 10 + Math.floor(200 * random())
      return { uncertainty: random(), gain: gainOf(tokens) + noise * normal(random), state: `s${i}`, tokens }
    })
  }

  it('is where they gain no more than the look takes', () => {
    const short = chooseShort(
      byLength((tokens) => (tokens < 60 ? 0.04 : 0)),
      SHORT,
    )!
    expect(short.tokens).toBe(60)
    expect(short.gain).toBeCloseTo(0.04, 2)
    expect(short.interval[0]).toBeLessThan(short.gain)
    expect(short.interval[1]).toBeGreaterThan(short.gain)
    expect(short.decisions).toBeGreaterThan(400)
  })

  it('takes less where the look takes less time', () => {
    // Of a mean of 110 tokens, a look at 30 is worth its time from .0055 nats on, one at 150 from .027.
    const short = chooseShort(
      byLength(() => 0.012, 0.001),
      SHORT,
    )!
    expect(short.tokens).toBeGreaterThan(50)
    expect(short.tokens).toBeLessThan(90)
  })

  it('is none without a gain, without a reliable one, or without lengths', () => {
    expect(
      chooseShort(
        byLength(() => 0),
        SHORT,
      ),
    ).toBeNull()
    expect(
      chooseShort(
        byLength(() => 0.03, 2, 300),
        SHORT,
      ),
    ).toBeNull()
    const unknown = byLength(() => 0.04).map((one) => ({ ...one, tokens: null }))
    expect(chooseShort(unknown, SHORT)).toBeNull()
  })

  it('leaves out what is uncertain, and takes no more than may be', () => {
    const cases = byLength((tokens) => (tokens < 60 ? 0.04 : 0))
    const whole = chooseShort(cases, SHORT)!
    expect(chooseShort(cases, { ...SHORT, threshold: 0.5 })!.decisions).toBeLessThan(0.6 * whole.decisions)
    const fewer = chooseShort(cases, { ...SHORT, most: 300 })!
    expect(fewer.decisions).toBeLessThanOrEqual(300)
    expect(fewer.tokens).toBeLessThan(whole.tokens)
  })
})

describe('the gain of a share', () => {
  it('is what its decisions save, over all decisions', () => {
    const some: GateCase[] = [0.9, 0.1, 0.6, 0.3].map((uncertainty, i) => ({
      uncertainty,
      gain: [4, -1, 2, 1][i]!,
      state: `${i}`,
      tokens: null,
    }))
    expect(gainAt(some, 0.5)).toEqual({ gain: 1.5, total: 1.5 })
    expect(gainAt(some, 0.25)).toEqual({ gain: 1, total: 1.5 })
    expect(gainAt([{ uncertainty: 0.4, gain: null, state: 's', tokens: null }], 1)).toEqual({ gain: 0, total: 0 })
  })
})

import { describe, expect, it } from 'vitest'
import { calibratorOf } from '../../src/calibration/calibration.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { fit as fitCalibration } from '../../src/calibration/fit.ts'
import { refit } from '../../src/calibration/refit/refit.ts'
import { MOST_SHIPPED_RISE, type ShippedLabels, shippedRise } from '../../src/calibration/refit/shipped-labels.ts'
import { shippedCalibration, shippedLabels } from '../../src/calibration/shipped.ts'
import { seededRandom } from '../../src/core/random.ts'
import { binaryEvidence, MODEL } from './simulated.ts'

const options = { resamples: 200 }
/** Four questions that the model is too sure about, as a model comes with. */
const evidence = ['aaaa', 'bbbb', 'cccc', 'dddd'].flatMap((name, i) =>
  binaryEvidence(seededRandom(i + 1), 200, { slope: 0.6, bias: 0 }, name.repeat(4), i * 200),
)
const shipped: ShippedLabels = { evidence, calibration: fitCalibration(evidence, MODEL) }
/** Many labels of one question that say the contrary of what the model says. */
const contrary = binaryEvidence(seededRandom(9), 2000, { slope: -1, bias: 0 }, 'eeee'.repeat(4), 5000)

/** P(true) at log-odds 2, of a question or of one that nobody labelled. */
function atTwo(calibration: Parameters<typeof calibratorOf>[0], { question, wording }: Pick<Evidence, 'question' | 'wording'>): number {
  const key = { readout: 'binary', hasImage: false, candidates: 2, question, wording } as const
  const row = [-Math.log1p(Math.exp(-2)), -2 - Math.log1p(Math.exp(-2))]
  return calibratorOf(calibration, MODEL).calibrate(key, 'single', [row], null).probabilities[0]![0]!
}
const UNKNOWN = { question: 'x', wording: 'x' }

describe('labels that came with the model', () => {
  it('keep labels of one question from moving questions that have none', () => {
    const before = shipped.calibration
    const free = refit(before, contrary, MODEL, options).candidate!
    expect(shippedRise(free, shipped)!.rise).toBeGreaterThan(MOST_SHIPPED_RISE)
    expect(Math.abs(atTwo(free, UNKNOWN) - atTwo(before, UNKNOWN))).toBeGreaterThan(0.2)

    const { candidate, decision, reason } = refit(before, contrary, MODEL, { ...options, shipped })
    expect(decision).toBe('serve')
    expect(reason).toContain('Maps of whole kinds stay as they were')
    expect(shippedRise(candidate!, shipped)!.rise).toBeLessThanOrEqual(MOST_SHIPPED_RISE)
    expect(atTwo(candidate!, UNKNOWN)).toBe(atTwo(before, UNKNOWN))
    // Its own question is learned all the same.
    expect(atTwo(candidate!, contrary[0]!)).toBeLessThan(atTwo(before, contrary[0]!) - 0.2)
  })

  it('take out what was served and spoils them, with the next fit', () => {
    const spoilt = refit(shipped.calibration, contrary, MODEL, options).candidate!
    const honest = binaryEvidence(seededRandom(3), 400, { slope: 0.3, bias: -0.5 }, 'ffff'.repeat(4), 9000)
    const { candidate } = refit(spoilt, honest, MODEL, { ...options, shipped })
    expect(atTwo(candidate!, UNKNOWN)).toBe(atTwo(shipped.calibration, UNKNOWN))
  })

  it('do not hinder labels that teach their own question alone', () => {
    const few = binaryEvidence(seededRandom(5), 400, { slope: 0.6, bias: -1.5 }, 'gggg'.repeat(4), 20_000)
    const { decision, reason } = refit(shipped.calibration, few, MODEL, { ...options, shipped })
    expect(decision).toBe('serve')
    expect(reason).not.toContain('kinds')
  })

  it('refuse a candidate that has nothing better to fall back on', () => {
    const { decision, reason } = refit(null, contrary, MODEL, { ...options, shipped })
    expect(decision).toBe('keep')
    expect(reason).toMatch(/^Worse on labels that came with the model/)
  })

  it('are read for the revision that they came with, and for no other', async () => {
    const { model } = (await shippedCalibration('service-1-pro'))!
    const read = (await shippedLabels(model))!
    expect(read.evidence.length).toBeGreaterThan(1000)
    expect(shippedRise(read.calibration, read)).toMatchObject({ rise: 0 })
    expect(await shippedLabels({ ...model, revision: 'another' })).toBeNull()
    expect(await shippedLabels({ ...model, id: 'another' })).toBeNull()
  })
})

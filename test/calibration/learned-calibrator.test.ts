// Heads in a calibration: they replace the map of their own question and model only, and are learned from outcomes that
// keep features.
import { describe, expect, it } from 'vitest'
import { calibratorOf, parseCalibration, sealCalibration } from '../../src/calibration/calibration.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { fit as fitCalibration } from '../../src/calibration/fit.ts'
import { applyHead } from '../../src/calibration/heads/head.ts'
import { refit } from '../../src/calibration/refit/refit.ts'
import { logSoftmax } from '../../src/core/math.ts'
import { seededRandom } from '../../src/core/random.ts'
import { MODEL, reread } from './simulated.ts'

const QUESTION = 'a'.repeat(16)
const key = { readout: 'exclusive', hasImage: false, candidates: 3, wording: 'b'.repeat(16), question: QUESTION } as const

/** The model guesses; the truth is the largest of the first three features, nine times of ten. */
function labelled(count: number, seed: number): (Evidence & { readonly features: Float32Array })[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, (_, i) => {
    const features = Float32Array.from({ length: 6 }, () => random())
    const truth = random() < 0.9 ? features.indexOf(Math.max(...features.subarray(0, 3))) : Math.floor(random() * 3)
    const single = [logSoftmax([random(), random(), random()])]
    const { readout, hasImage, wording, question } = key
    const state = `${seed}-${i}`
    return { task: 't', state, readout, hasImage, wording, question, single, deliberated: null, mass: 1, truth: [truth], features }
  })
}

describe('a calibration with heads', () => {
  const evidence = labelled(400, 1)
  const { candidate, decision, heldOut } = refit(null, evidence, MODEL, { resamples: 100 })
  const calibration = candidate!
  const [one] = labelled(1, 2)

  it('comes from outcomes that kept their features, and is better on states held out', () => {
    expect(decision).toBe('serve')
    expect(Object.keys(calibration.heads!)).toEqual([QUESTION])
    expect(heldOut!.interval[1]).toBeLessThan(-0.1)
    const blind = refit(
      null,
      evidence.map(({ features: _, ...rest }) => rest),
      MODEL,
      { resamples: 100 },
    )
    expect(blind.candidate!.heads).toBeUndefined()
    expect(heldOut!.candidate).toBeLessThan(blind.heldOut!.candidate - 0.1)
  })

  it('says that a probability was learned, at which level and from how many labels', () => {
    const { probabilities, note } = calibratorOf(calibration, MODEL).calibrate(key, 'single', one!.single, one!.features)
    expect(note).toEqual({ applied: 'learned', level: 'question', labels: 400 })
    expect(probabilities).toEqual(applyHead(calibration.heads![QUESTION]!, one!.single, one!.features))
  })

  it('falls back to maps without features, for other questions, and not at all for other models', () => {
    const calibrator = calibratorOf(calibration, MODEL)
    expect(calibrator.calibrate(key, 'single', one!.single, null).note.applied).not.toBe('learned')
    const other = { ...key, question: 'c'.repeat(16) }
    expect(calibrator.calibrate(other, 'single', one!.single, one!.features).note.applied).not.toBe('learned')
    const stranger = calibratorOf(calibration, { ...MODEL, revision: 'another' })
    expect(stranger.calibrate(key, 'single', one!.single, one!.features).note.applied).toBe('identity')
  })

  it('is the same after it was written and read, and refused when a head was changed by hand', () => {
    expect(parseCalibration(reread(calibration))).toEqual(calibration)
    const heads = { [QUESTION]: { ...calibration.heads![QUESTION]!, scale: 9 } }
    expect(() => parseCalibration(reread({ ...calibration, heads }))).toThrow()
  })

  it('keeps a head nobody labelled since, and drops one that new labels do not bear out', () => {
    const elsewhere = labelled(200, 3).map(({ features: _, ...rest }) => ({ ...rest, question: 'd'.repeat(16) }))
    expect(refit(calibration, elsewhere, MODEL, { resamples: 100 }).candidate!.heads).toEqual(calibration.heads)
    // The same question, but the features say nothing now and the model is right: the head must go.
    const sure = labelled(300, 4).map((item) => ({ ...item, single: [logSoftmax([0, 1, 2].map((k) => (k === item.truth[0] ? 4 : 0)))] }))
    const plain = sealCalibration({ ...fitCalibration(sure, MODEL), heads: calibration.heads! })
    expect(refit(plain, sure, MODEL, { resamples: 100 }).candidate!.heads?.[QUESTION]?.labels).not.toBe(400)
  })
})

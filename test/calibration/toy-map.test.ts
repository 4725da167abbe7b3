// A calibration map is one file and one line of the registry. The toy map of this test takes the ordinal read-out, and
// is found by the fit, the calibrator, the reader of files, reports, the OpenAPI document and the command line.
import { describe, expect, it, vi } from 'vitest'
import type { CalibrationMap } from '../../src/calibration/maps/map.ts'

vi.mock('../../src/calibration/maps/registry.ts', async (original) => {
  const { INVERSE_TEMPERATURE, LOGIT_BOUNDS, shownAsIs } = await import('../../src/calibration/maps/map.ts')
  const push = {
    heading: 'push',
    shown: shownAsIs,
    bounds: LOGIT_BOUNDS,
    prior: { mean: 0, variance: 1 },
    passModeVariance: 0.1,
    usualVariance: { kind: 0.1, task: 0.1, wording: 0.1, question: 0.1 },
    largestDeviation: 1,
  }
  const toy: CalibrationMap = {
    name: 'toy',
    readouts: ['ordinal'],
    parameters: [INVERSE_TEMPERATURE, push, { ...push, heading: 'first' }, { ...push, heading: 'last' }],
    fittedByDefault: 3,
    columns: (candidates) => {
      const only = (at: number): number[] => Array.from({ length: candidates }, (_, k) => (k === at ? 1 : 0))
      return [Array.from({ length: candidates }, (_, k) => k), only(0), only(candidates - 1)]
    },
    logOddsVariance: ([ofTemperature = 0], logOdds) => ofTemperature * logOdds ** 2,
  }
  const { MAPS } = await original<typeof import('../../src/calibration/maps/registry.ts')>()
  return { MAPS: [toy, ...MAPS] }
})

const { calibratorOf, parseCalibration } = await import('../../src/calibration/calibration.ts')
const { fit: fitCalibration } = await import('../../src/calibration/fit.ts')
const { mergeCalibrations } = await import('../../src/calibration/refit/merge.ts')
const { shippedCalibration } = await import('../../src/calibration/shipped.ts')
const { showCalibration } = await import('../../src/cli/show-calibration.ts')
const { evaluationOf } = await import('../../src/evaluate/numbers.ts')
const { answerSchemas } = await import('../../src/service/openapi/answers.ts')
const { choiceWorld, MODEL, reread } = await import('./simulated.ts')
const { question, row } = await import('../evaluate/simulated.ts')

describe('a toy map of scales', () => {
  // Higher levels are truer than the model says.
  const evidence = choiceWorld({
    ...{ questions: 3, labels: 200, candidates: 4, seed: 5, slope: 1, biases: [-0.9, -0.3, 0.3, 0.9] },
    readout: 'ordinal',
  })
  const calibration = fitCalibration(evidence, MODEL)
  const root = calibration.trees.single.ordinal!

  it('is fitted, with the parameters of its own that are fitted by default', () => {
    expect(root.parameters).toHaveLength(4)
    const [, push, first, last] = root.parameters
    // Of three biases that add up to a slope of 0.6, how much each takes is up to the prior.
    expect((3 * push! + last! - first!) / 3).toBeCloseTo(0.6, 0)
    expect(last).toBe(0)
  })

  it('is applied and reported under its name', () => {
    const one = evidence[0]!
    const { probabilities, note } = calibratorOf(calibration, MODEL).calibrate({ ...one, candidates: 4 }, 'single', one.single, null)
    expect(note).toMatchObject({ applied: 'toy', level: 'question' })
    expect(probabilities[0]!.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12)
    const answered = question({ readout: 'ordinal', type: 'score', names: ['0', '1'], probabilities: [[0.4, 0.6]], truth: [1] })
    const { evaluation } = evaluationOf([row(0, [{ ...answered, calibration: { ...note } }])], { resamples: 10, seed: 1 })
    expect(evaluation.calibrations).toEqual({ 'toy, question': 1 })
  })

  it('is read from a file, and refused when a number is missing', () => {
    expect(parseCalibration(reread(calibration))).toEqual(calibration)
    const short = {
      ...calibration,
      trees: { ...calibration.trees, single: { ordinal: { ...root, parameters: root.parameters.slice(1) } } },
    }
    expect(() => parseCalibration(reread(short))).toThrow('needs 4 parameters')
  })

  it('leaves calibrations valid that were fitted before it was there', async () => {
    const shipped = await shippedCalibration('service-1-pro')
    const { single } = shipped!.trees
    expect(single.ordinal!.parameters).toHaveLength(3)
    const { note } = calibratorOf(shipped, shipped!.model).calibrate(
      { ...evidence[0]!, candidates: 4 },
      'single',
      evidence[0]!.single,
      null,
    )
    expect(note.applied).toBe('tilt')
    const named = { ...calibration, trees: { single: { ordinal: { ...root, map: 'tilde' } }, deliberated: {} } }
    expect(() => parseCalibration(reread(named))).toThrow('has the map tilde at /trees/single/ordinal/map')
    const mixed = { ...calibration, trees: { ...calibration.trees, deliberated: { ordinal: single.ordinal! } } }
    expect(() => parseCalibration(reread(mixed))).toThrow('has an unnamed map at /trees/deliberated/ordinal/map')
  })

  it('takes nothing from a fit with another map when the two are merged', async () => {
    const shipped = await shippedCalibration('service-1-pro')
    const merged = mergeCalibrations(shipped!, { ...calibration, model: shipped!.model })
    expect(merged.trees.single.ordinal).toEqual(root)
    expect(merged.trees.deliberated.ordinal).toEqual(calibration.trees.deliberated.ordinal)
    expect(merged.trees.single.binary).toEqual(shipped!.trees.single.binary)
    expect(parseCalibration(reread(merged))).toEqual(merged)
  })

  it('is shown, with columns for its parameters, and listed in the OpenAPI document', () => {
    const text = showCalibration(calibration, 0, { hasColor: false, hasUnicode: true })
    expect(text).toMatch(/^single pass +labels +temperature +push or .+ +first or .+ +last +steps$/m)
    expect(text).toMatch(/^ordinal +600 +\d\.\d\d ± \d\.\d\d( +-?\d\.\d\d ± \d\.\d\d){3} *$/m)
    expect(JSON.stringify(answerSchemas())).toMatch(/\["identity","toy",.*"blend","learned"\]/)
  })
})

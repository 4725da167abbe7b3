import { describe, expect, it } from 'vitest'
import type { Branch } from '../../src/backends/backend.ts'
import { calibratorOf } from '../../src/calibration/calibration.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { fit as fitCalibration } from '../../src/calibration/fit.ts'
import { decideRead } from '../../src/questions/shared/decide-read.ts'
import type { CalibratedModel } from '../../src/questions/shared/decision.ts'
import type { ReadReadout } from '../../src/questions/shared/readouts.ts'
import { truthOf } from '../../src/questions/shared/truth.ts'

const model: CalibratedModel = { id: 'm', revision: 'r', templateHash: 't' }
const branch = (instructions: string): Branch => ({ readout: 'read', instructions, candidates: [], image: null })
const readOf = (readout: ReadReadout, value: string | null, probability: number, calibrator = calibratorOf(null, model)) =>
  decideRead(branch('The carrier'), readout, value, Math.log(probability), { calibrator, hasImages: false })

/** Reads that said `probability` and were right in `right` of `count` cases. */
function evidence(readout: ReadReadout, probability: number, right: number, count: number): Evidence[] {
  return Array.from({ length: count }, (_, i) => ({
    task: `task ${i % 5}`,
    state: `${readout} ${probability} ${i}`,
    readout,
    hasImage: false,
    wording: `w${i % 7}`,
    question: `q${i % 7}`,
    single: [[Math.log(probability), Math.log(1 - probability)]],
    deliberated: null,
    mass: 1,
    truth: [i < right ? 0 : 1],
  }))
}

describe('a read', () => {
  it('is as sure as the model is where nothing was labelled', () => {
    const { confidence, report } = readOf('quote', 'DHL', 0.9)
    expect(confidence).toBeCloseTo(0.9, 4)
    expect(report.calibration).toEqual({ applied: 'identity', level: 'none', labels: 0 })
  })

  it('is as sure as reads of its kind were right', () => {
    const calibration = fitCalibration(
      [
        ...evidence('quote', 0.95, 240, 400),
        ...evidence('quote', 0.3, 60, 400),
        ...evidence('not_there', 0.95, 390, 400),
        ...evidence('not_there', 0.3, 200, 400),
      ],
      model,
    )
    const calibrator = calibratorOf(calibration, model)
    expect(readOf('quote', 'DHL', 0.95, calibrator).confidence).toBeCloseTo(0.6, 1)
    expect(readOf('quote', 'DHL', 0.3, calibrator).confidence).toBeLessThan(0.3)
    expect(readOf('not_there', null, 0.95, calibrator).confidence).toBeGreaterThan(0.93)
    // Values that were written have no labels here.
    expect(readOf('written', '12', 0.95, calibrator).confidence).toBeCloseTo(0.95, 4)
  })

  it('is told what was right by the value or by whether it was', () => {
    const { decision } = readOf('quote', 'DHL', 0.9)
    expect([truthOf(decision, 'dhl '), truthOf(decision, 'UPS'), truthOf(decision, null)]).toEqual([[0], [1], [1]])
    expect([truthOf(decision, true), truthOf(decision, false)]).toEqual([[0], [1]])
    expect(truthOf(readOf('not_there', null, 0.9).decision, null)).toEqual([0])
  })

  it('keeps what was read as a hash alone', () => {
    expect(JSON.stringify(readOf('written', 'Northbound Parcel', 0.9).decision)).not.toContain('Northbound')
  })

  it('says nothing impossible of a read that is certain', () => {
    const { confidence, decision } = readOf('quote', 'DHL', 1)
    expect(confidence).toBeLessThan(1)
    expect(decision.single[0]!.every(Number.isFinite)).toBe(true)
  })
})

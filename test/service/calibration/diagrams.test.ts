import { afterEach, describe, expect, it } from 'vitest'
import { fit as fitCalibration } from '../../../src/calibration/fit.ts'
import { seededRandom } from '../../../src/core/random.ts'
import { diagramsOf } from '../../../src/service/calibration/diagrams.ts'
import { choiceEvidence, MODEL } from '../../calibration/simulated.ts'
import { type Running, startRunning } from '../running.ts'
import { evidenceOf, keep, SCRIPT } from './over-sure.ts'

describe('diagrams of labelled decisions', () => {
  const calibration = fitCalibration(evidenceOf(2000, 1), MODEL)

  it('lie off the diagonal before a calibration that is needed, and nearer to it after', () => {
    const [binary] = diagramsOf(evidenceOf(1000, 2, 2000), calibration, MODEL)
    const { before, after, labels, readout } = binary!
    expect([readout, labels]).toEqual(['binary', 1000])
    expect(before.smooth_ece).toBeGreaterThan(0.1)
    expect(after.smooth_ece).toBeLessThan(0.05)
    expect(after.log_loss).toBeLessThan(before.log_loss)
    const last = before.points.at(-1)!
    expect(last.predicted - last.high).toBeGreaterThan(0.05)
  })

  it('have points of about equal count, rising, with the share that came true inside its interval', () => {
    const [{ after }] = diagramsOf(evidenceOf(1000, 3), calibration, MODEL) as [ReturnType<typeof diagramsOf>[number]]
    expect(after.points.reduce((sum, { count }) => sum + count, 0)).toBe(1000)
    for (const [i, { predicted, observed, count, low, high }] of after.points.entries()) {
      expect(count).toBeGreaterThan(50)
      expect(predicted).toBeGreaterThan(after.points[i - 1]?.predicted ?? 0)
      expect(low).toBeLessThanOrEqual(observed)
      expect(high).toBeGreaterThanOrEqual(observed)
    }
  })

  it('leave out read-outs of fewer than 20 labels', () => {
    const choices = choiceEvidence(seededRandom(4), 19, { candidates: 4, slope: 1 })
    expect(diagramsOf([...evidenceOf(20, 5), ...choices], null, MODEL).map(({ readout }) => readout)).toEqual(['binary'])
  })

  it('show decisions that were looked at again as they were then answered', () => {
    const again = evidenceOf(40, 6).map((item) => ({ ...item, deliberated: [[Math.log(0.5), Math.log(0.5)]] }))
    const [{ before }] = diagramsOf(again, null, MODEL) as [ReturnType<typeof diagramsOf>[number]]
    expect(before.points.map(({ predicted, count }) => [predicted, count])).toEqual([[0.5, 40]])
  })
})

describe('diagrams of a service', () => {
  let running: Running
  afterEach(() => running.end())

  it('are of outcomes that were not fitted on once there are enough, and say when they are not', async () => {
    running = await startRunning({ fake: SCRIPT, now: () => 1000 })
    const calibrations = running.service.context.calibrations
    const outcomes = running.store.outcomes('main')
    const model = running.engine.loaded()[0]!
    await keep(outcomes, model, evidenceOf(240, 7))
    expect(await calibrations.diagrams('main', null)).toMatchObject({ version: null, is_unseen: true, readouts: [{ labels: 240 }] })
    const { version } = await calibrations.fit('main', null)
    const seen = await calibrations.diagrams('main', 'service-1-pro')
    expect(seen).toMatchObject({ model: 'service-1-pro', version, is_unseen: false, readouts: [{ labels: 240 }] })
    expect(seen.readouts[0]!.after.log_loss).toBeLessThan(seen.readouts[0]!.before.log_loss)
  })
})

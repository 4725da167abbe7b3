// A database as version 3 left it: calibrations were fitted from the labels of all accounts, and answered all of them.
import { describe, expect, it } from 'vitest'
import { sealCalibration } from '../../../src/calibration/calibration.ts'
import { BINARY, event, listOf } from '../../calibration/outcome-events.ts'
import { MODEL } from '../../calibration/simulated.ts'
import { DOWN_TO_3 } from './older-tables.ts'
import { eachStore, SHARED } from './suite.ts'

const fittedOn = { decisions: 1, states: 1, labels: { single: 1, deliberated: 0 }, tasks: {} }
const calibration = sealCalibration({ format: 1, model: MODEL, fittedOn, trees: { single: {}, deliberated: {} }, gates: {}, heldOut: {} })

describe('a database of version 3', () => {
  eachStore(({ open, tamper }) => {
    it.each([
      [['acme'], 'acme'],
      [['acme', 'other'], ''],
    ])('of labels of %j leaves its calibrations to %j', async (labelling, owner) => {
      const before = await open()
      for (const account of labelling) {
        await before.outcomes(account).event(event(`evt_${account}`, 1, { urgent: BINARY }))
        await before.outcomes(account).outcome(`evt_${account}`, { urgent: { truth: [0], weight: 1 } })
      }
      await before.outcomes('silent').event(event('evt_silent', 1, { urgent: BINARY }))
      await before.calibrations('somebody').serve(calibration, { at: 1, why: 'as it was', heldOut: null })
      await before.close()
      await tamper(DOWN_TO_3)

      const after = await open()
      for (const account of ['acme', 'other', 'silent', '']) {
        const { calibration: served } = await after.calibrations(account).current(MODEL)
        expect([account, served?.version ?? null]).toEqual([account, account === owner ? calibration.version : null])
        expect(await after.calibrations(account).history()).toHaveLength(account === owner ? 1 : 0)
      }
      for (const account of labelling) {
        expect(await listOf(after.outcomes(account).evidence())).toHaveLength(1)
        // Labels of then are in no burst of now.
        const guarded = after.outcomes(account, { labels: 1, quarantined: () => expect.unreachable() })
        expect(await guarded.outcome(`evt_${account}`, { urgent: { truth: [1], weight: 1 } })).toBe(true)
      }
      await after.calibrations('acme').serve(sealCalibration({ ...calibration, fittedOn: { ...fittedOn, states: 2 } }), {
        at: 2,
        why: 'anew',
        heldOut: null,
      })
      expect(await after.calibrationChanges(0n)).toMatchObject({ accounts: expect.arrayContaining(['acme']) })
    })
  }, SHARED)
})

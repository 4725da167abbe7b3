import { describe, expect, it } from 'vitest'
import { type Calibration, sealCalibration } from '../../../src/calibration/calibration.ts'
import { MODEL } from '../../calibration/simulated.ts'
import { eachStore, SHARED } from './suite.ts'

/** Calibrations that differ in the number of decisions. */
function calibration(decisions: number, model: Calibration['model'] = MODEL): Calibration {
  const fittedOn = { decisions, states: decisions, labels: { single: decisions, deliberated: 0 }, tasks: {} }
  return sealCalibration({ format: 1, model, fittedOn, trees: { single: {}, deliberated: {} }, gates: {}, heldOut: {} })
}
const [first, second, third] = [calibration(1), calibration(2), calibration(3)]
const heldOut = { labels: 40, states: 30, current: 0.5, candidate: 0.4, interval: [-0.2, -0.05] } as const

describe('calibrations in the store', () => {
  eachStore(({ open }) => {
    it('are none at first', async () => {
      const calibrations = (await open()).calibrations('acme')
      expect(await calibrations.current(MODEL)).toEqual({ calibration: null, notes: [] })
      expect(await calibrations.history()).toEqual([])
      await expect(calibrations.rollBack({ at: 1, why: 'x' })).rejects.toMatchObject({ code: 'invalid_request' })
    })

    it('serve the newest, and remember when, why and with which numbers', async () => {
      const calibrations = (await open()).calibrations('acme')
      await calibrations.serve(first, { at: 10, why: 'first', heldOut: null })
      await calibrations.serve(second, { at: 20, why: 'not worse', heldOut })
      expect(await calibrations.current(MODEL)).toEqual({ calibration: second, notes: [] })
      expect(await calibrations.history()).toEqual([
        { at: 10, action: 'serve', version: first.version, from: null, why: 'first', heldOut: null },
        { at: 20, action: 'serve', version: second.version, from: first.version, why: 'not worse', heldOut },
      ])
    })

    it('roll back one at a time, and forward again by what is served next', async () => {
      const calibrations = (await open()).calibrations('acme')
      for (const [at, one] of [first, second].entries()) await calibrations.serve(one, { at, why: '', heldOut: null })
      const change = { at: 2, action: 'roll back', version: first.version, from: second.version, why: 'alarm', heldOut: null }
      expect(await calibrations.rollBack({ at: 2, why: 'alarm' })).toEqual(change)
      expect((await calibrations.current(MODEL)).calibration).toEqual(first)
      await calibrations.serve(third, { at: 3, why: '', heldOut: null })
      await calibrations.rollBack({ at: 4, why: '' })
      expect((await calibrations.current(MODEL)).calibration).toEqual(first)
      expect(await calibrations.rollBack({ at: 5, why: '' })).toMatchObject({ version: null })
      expect((await calibrations.current(MODEL)).calibration).toBeNull()
      await expect(calibrations.rollBack({ at: 6, why: '' })).rejects.toMatchObject({ code: 'invalid_request' })
      expect(await calibrations.history()).toHaveLength(6)
    })

    it('change nothing when what is served is served again, or is not called by what is in it', async () => {
      const calibrations = (await open()).calibrations('acme')
      await calibrations.serve(first, { at: 1, why: '', heldOut: null })
      await calibrations.serve(first, { at: 2, why: '', heldOut: null })
      const unnamed = calibrations.serve({ ...second, version: 'cal_1' }, { at: 2, why: '', heldOut: null })
      await expect(unnamed).rejects.toMatchObject({ code: 'invalid_request' })
      expect(await calibrations.history()).toHaveLength(1)
      expect((await calibrations.current()).calibration).toEqual(first)
    })

    it('pass over what was fitted for another revision or template, and say so where nothing is left', async () => {
      const calibrations = (await open()).calibrations('acme')
      await calibrations.serve(first, { at: 1, why: '', heldOut: null })
      await calibrations.serve(calibration(2, { ...MODEL, revision: 'revision-2' }), { at: 2, why: '', heldOut: null })
      await calibrations.serve(calibration(3, { ...MODEL, templateHash: 'template-2' }), { at: 3, why: '', heldOut: null })
      expect(await calibrations.current(MODEL)).toEqual({ calibration: first, notes: [] })
      const { calibration: served, notes } = await calibrations.current({ ...MODEL, templateHash: 'template-3' })
      expect(served).toBeNull()
      expect(notes[0]).toContain('another template')
      expect(notes[1]).toContain('revision-2')
    })

    it('go back of each model by itself', async () => {
      const calibrations = (await open()).calibrations('acme')
      const other = { ...MODEL, id: 'other', revision: 'revision-2' }
      const [ofOther, newOfOther] = [calibration(4, other), calibration(5, other)]
      for (const [at, one] of [first, ofOther, newOfOther].entries()) await calibrations.serve(one, { at, why: '', heldOut: null })
      expect((await calibrations.history()).map(({ from }) => from)).toEqual([null, null, ofOther.version])
      expect(await calibrations.rollBack({ at: 3, why: '' })).toMatchObject({ version: ofOther.version, from: newOfOther.version })
      expect(await calibrations.rollBack({ at: 4, why: '' })).toMatchObject({ version: null, from: ofOther.version })
      expect((await calibrations.current(other)).calibration).toBeNull()
      await calibrations.serve(ofOther, { at: 5, why: '', heldOut: null })
      expect(await calibrations.rollBack({ at: 6, why: '' }, MODEL)).toMatchObject({ version: null, from: first.version })
      expect((await calibrations.current(other)).calibration).toEqual(ofOther)
    })
  })

  eachStore(({ open, tamper }) => {
    it.each([
      ['cut short', `update calibrations set content = '{"format":1,"versi'`, 'it is damaged'],
      ['that is another one', `update calibrations set content = '${JSON.stringify(third)}'`, `it holds ${third.version}`],
      ['that is gone', 'delete from calibrations', 'it is missing'],
    ])('answer with the one before for a newest %s, until it is served again', async (_, damage, words) => {
      const calibrations = (await open()).calibrations('acme')
      for (const [at, one] of [first, second].entries()) await calibrations.serve(one, { at, why: '', heldOut: null })
      await tamper(`${damage} where version = '${second.version}'`)
      const { calibration: served, notes } = await calibrations.current(MODEL)
      expect(served).toEqual(first)
      expect(notes).toEqual([expect.stringContaining(`${second.version} is passed over: ${words}`)])
      await calibrations.serve(second, { at: 3, why: '', heldOut: null })
      expect(await calibrations.current(MODEL)).toEqual({ calibration: second, notes: [] })
    })

    it('change in one order when two replicas serve at once, and both answer with the last', async () => {
      const replicas = [await open(), await open()]
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          replicas[i % 2]!.calibrations('acme').serve(calibration(i + 1), { at: i, why: '', heldOut: null }),
        ),
      )
      const history = await replicas[0]!.calibrations('acme').history()
      expect(history.map(({ from }) => from)).toEqual([null, ...history.slice(0, -1).map(({ version }) => version)])
      for (const replica of replicas) {
        expect((await replica.calibrations('acme').current(MODEL)).calibration?.version).toBe(history.at(-1)?.version)
      }
    })
  }, SHARED)
})

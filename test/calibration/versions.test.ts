import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Calibration, sealCalibration } from '../../src/calibration/calibration.ts'
import { calibrationVersions } from '../../src/calibration/outcomes/versions.ts'
import { servedFor } from '../../src/calibration/served.ts'
import { MODEL } from './simulated.ts'

let folder = ''
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'assay-versions-')), 'calibrations')
})
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

/** Calibrations that differ in the number of decisions. */
function calibration(decisions: number, model: Calibration['model'] = MODEL): Calibration {
  const fittedOn = { decisions, states: decisions, labels: { single: decisions, deliberated: 0 }, tasks: {} }
  return sealCalibration({ format: 1, model, fittedOn, trees: { single: {}, deliberated: {} }, gates: {}, heldOut: {} })
}
const [first, second, third] = [calibration(1), calibration(2), calibration(3)]
const heldOut = { labels: 40, states: 30, current: 0.5, candidate: 0.4, interval: [-0.2, -0.05] } as const

describe('versions of calibrations', () => {
  it('are none in a folder that is not there', async () => {
    const versions = calibrationVersions(folder)
    expect(await versions.current(MODEL)).toEqual({ calibration: null, notes: [] })
    expect(await versions.history()).toEqual([])
    await expect(versions.rollBack({ at: 1, why: 'x' })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('serve the newest, and remember when, why and with which numbers', async () => {
    await calibrationVersions(folder).serve(first, { at: 10, why: 'first', heldOut: null })
    await calibrationVersions(folder).serve(second, { at: 20, why: 'not worse', heldOut })
    const versions = calibrationVersions(folder)
    expect(await versions.current(MODEL)).toEqual({ calibration: second, notes: [] })
    expect(await versions.history()).toEqual([
      { at: 10, action: 'serve', version: first.version, from: null, why: 'first', heldOut: null },
      { at: 20, action: 'serve', version: second.version, from: first.version, why: 'not worse', heldOut },
    ])
  })

  it('roll back one at a time, and forward again by what is served next', async () => {
    const versions = calibrationVersions(folder)
    for (const [at, one] of [first, second].entries()) await versions.serve(one, { at, why: '', heldOut: null })
    expect(await versions.rollBack({ at: 2, why: 'alarm' })).toMatchObject({ version: first.version, from: second.version, why: 'alarm' })
    expect((await versions.current(MODEL)).calibration).toEqual(first)
    await versions.serve(third, { at: 3, why: '', heldOut: null })
    await versions.rollBack({ at: 4, why: '' })
    expect((await versions.current(MODEL)).calibration).toEqual(first)
    expect(await versions.rollBack({ at: 5, why: '' })).toMatchObject({ version: null })
    expect((await versions.current(MODEL)).calibration).toBeNull()
    await expect(versions.rollBack({ at: 6, why: '' })).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await versions.history()).toHaveLength(6)
  })

  it('are called by what is in them: no other name becomes a file', async () => {
    const versions = calibrationVersions(folder)
    await versions.serve(first, { at: 1, why: '', heldOut: null })
    for (const version of ['../outside', 'cal_1', '']) {
      await expect(versions.serve({ ...second, version }, { at: 2, why: '', heldOut: null })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    }
    expect(await versions.current(MODEL)).toEqual({ calibration: first, notes: [] })
    expect(await readdir(join(folder, '..'))).toEqual(['calibrations'])
  })

  it('change nothing when what is served is served again', async () => {
    const versions = calibrationVersions(folder)
    await versions.serve(first, { at: 1, why: '', heldOut: null })
    await versions.serve(first, { at: 2, why: '', heldOut: null })
    expect(await versions.history()).toHaveLength(1)
  })

  it.each([
    ['cut short', '{"format":1,"versi'],
    ['changed by hand', JSON.stringify({ ...second, fittedOn: { ...second.fittedOn, states: 9 } })],
    ['of another version', JSON.stringify(third)],
  ])('fall back to the one before when the file of the newest is %s, and say so', async (_, text) => {
    const versions = calibrationVersions(folder)
    for (const [at, one] of [first, second].entries()) await versions.serve(one, { at, why: '', heldOut: null })
    await writeFile(join(folder, `${second.version}.json`), text)
    const { calibration: served, notes } = await versions.current(MODEL)
    expect(served).toEqual(first)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain(`${second.version} is passed over`)
    expect(notes[0]).not.toContain(folder)
  })

  it('pass over what was fitted for another revision or template, and say so where nothing is left', async () => {
    const versions = calibrationVersions(folder)
    await versions.serve(first, { at: 1, why: '', heldOut: null })
    await versions.serve(calibration(2, { ...MODEL, revision: 'revision-2' }), { at: 2, why: '', heldOut: null })
    await versions.serve(calibration(3, { ...MODEL, templateHash: 'template-2' }), { at: 3, why: '', heldOut: null })
    expect(await versions.current(MODEL)).toEqual({ calibration: first, notes: [] })
    const { calibration: served, notes } = await versions.current({ ...MODEL, templateHash: 'template-3' })
    expect(served).toBeNull()
    expect(notes[0]).toContain('another template')
    expect(notes[1]).toContain('revision-2')
  })

  it('go back of each model by itself', async () => {
    const versions = calibrationVersions(folder)
    const other = { ...MODEL, id: 'other', revision: 'revision-2' }
    const [ofOther, newOfOther] = [calibration(4, other), calibration(5, other)]
    for (const [at, one] of [first, ofOther, newOfOther].entries()) await versions.serve(one, { at, why: '', heldOut: null })
    expect((await versions.history()).map(({ from }) => from)).toEqual([null, null, ofOther.version])
    expect(await versions.rollBack({ at: 3, why: '' })).toMatchObject({ version: ofOther.version, from: newOfOther.version })
    expect(await versions.rollBack({ at: 4, why: '' })).toMatchObject({ version: null, from: ofOther.version })
    await versions.serve(ofOther, { at: 5, why: '', heldOut: null })
    expect(await versions.rollBack({ at: 6, why: '' }, MODEL)).toMatchObject({ version: null, from: first.version })
    expect((await versions.current(MODEL)).calibration).toBeNull()
    expect((await versions.current(other)).calibration).toEqual(ofOther)
    await expect(versions.rollBack({ at: 7, why: '' }, MODEL)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('count as served since they were, whatever another model goes back to', async () => {
    const versions = calibrationVersions(folder)
    for (const [at, one] of [first, calibration(4, { ...MODEL, revision: 'revision-2' })].entries())
      await versions.serve(one, { at, why: '', heldOut: null })
    await versions.rollBack({ at: 9, why: '' })
    expect(await servedFor(versions, MODEL)).toMatchObject({ calibration: first, servedSince: 0, notes: [] })
  })

  it('read what was served before when current.json is damaged', async () => {
    const versions = calibrationVersions(folder)
    for (const [at, one] of [first, second, third].entries()) await versions.serve(one, { at, why: '', heldOut: null })
    await writeFile(join(folder, 'current.json'), '')
    const { calibration: served, notes } = await versions.current(MODEL)
    expect(served).toEqual(second)
    expect(notes).toEqual(['current.json is damaged; previous.json is read instead.'])
    // A damaged pointer is never kept as the previous one.
    await versions.serve(third, { at: 4, why: '', heldOut: null })
    expect(await versions.current(MODEL)).toEqual({ calibration: third, notes: [] })
    await writeFile(join(folder, 'current.json'), '')
    expect((await versions.current(MODEL)).calibration).toEqual(second)
  })

  it('leave nothing half written beside them', async () => {
    const versions = calibrationVersions(folder)
    for (const [at, one] of [first, second].entries()) await versions.serve(one, { at, why: '', heldOut: null })
    const names = [`${first.version}.json`, `${second.version}.json`, 'current.json', 'previous.json']
    expect((await readdir(folder)).sort()).toEqual(names.sort())
  })
})

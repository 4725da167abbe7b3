import { afterEach, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../../src/backends/fake/index.ts'
import { fit as fitCalibration } from '../../../src/calibration/fit.ts'
import { createEngine } from '../../../src/pipeline/engine.ts'
import { createAnswering } from '../../../src/service/calibration/answering.ts'
import { openStore } from '../../../src/service/store/open.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { eachDatabase, type FreshDatabase, LIBSQL_FILE, POSTGRES } from '../databases.ts'
import { type Running, startRunning } from '../running.ts'
import { evidenceOf, held, keep, SCRIPT, saidAtTwo } from './over-sure.ts'

const EVERY_MS = 20

describe('the calibrations that answer an account', () => {
  it('stay as they are while the store cannot be read, and a line of the log says so', async () => {
    const store = await openStore(':memory:')
    const engine = await createEngine({ models: [createFakeBackend()] })
    const { id, revision, templateHash } = engine.loaded()[0]!
    const model = { id, revision, templateHash }
    const mine = fitCalibration(evidenceOf(100, 1), model)
    await store.calibrations('acme').serve(mine, { at: 0, why: 'for the test', heldOut: null })
    let isDown = false
    let at = 0
    const warned: string[] = []
    const calibrationChanges: Store['calibrationChanges'] = async (after) => {
      if (isDown) throw new Error('the database is away')
      return store.calibrationChanges(after)
    }
    const answering = createAnswering({
      engine,
      store: { calibrations: store.calibrations, calibrationChanges },
      log: { warn: (_fields, message) => warned.push(message) },
      now: () => at,
      everyMs: EVERY_MS,
    })
    expect(await answering.of('acme')).toEqual([mine])
    isDown = true
    at += EVERY_MS
    expect(await answering.of('acme')).toEqual([mine])
    expect(warned).toEqual([expect.stringContaining('could not be read')])
    await store.calibrations('acme').rollBack({ at, why: 'for the test' })
    isDown = false
    at += EVERY_MS
    expect(await answering.of('acme')).toEqual([])
    await engine.close()
    await store.close()
  })

  it('are read once, and again for the accounts alone whose calibrations changed', async () => {
    const store = await openStore(':memory:')
    const engine = await createEngine({ models: [createFakeBackend()] })
    let at = 0
    const read: string[] = []
    const calibrations: Store['calibrations'] = (account) => {
      read.push(account)
      return store.calibrations(account)
    }
    const watched = { calibrations, calibrationChanges: store.calibrationChanges }
    const answering = createAnswering({ engine, store: watched, log: { warn() {} }, now: () => at, everyMs: EVERY_MS })
    for (const account of ['a', 'b', 'a', 'b']) await answering.of(account)
    expect(read).toEqual(['a', 'b'])
    const { id, revision, templateHash } = engine.loaded()[0]!
    const mine = fitCalibration(evidenceOf(100, 1), { id, revision, templateHash })
    await store.calibrations('b').serve(mine, { at: 0, why: 'for the test', heldOut: null })
    at += EVERY_MS
    expect(await answering.of('a')).toEqual([])
    expect(await answering.of('b')).toEqual([mine])
    expect(read).toEqual(['a', 'b', 'b'])
    await engine.close()
    await store.close()
  })

  it('are those that come with a model that is not loaded yet', async () => {
    const store = await openStore(':memory:')
    const engine = await createEngine({ models: [{ id: 'service-1-pro', load: async () => createFakeBackend({ id: 'service-1-pro' }) }] })
    const answering = createAnswering({ engine, store, log: { warn() {} }, now: () => 0, everyMs: EVERY_MS })
    expect((await answering.of('acme')).map(({ model }) => model.id)).toEqual(['service-1-pro'])
    // Loaded, it turns out to be another revision, which that one does not fit.
    await engine.ask({ state: 'x', questions: { a: { type: 'noul', instructions: 'It is so.' } } })
    expect(await answering.of('acme')).toEqual([])
    await engine.close()
    await store.close()
  })
})

eachDatabase(
  (database) => {
    describe('two replicas on one database', () => {
      let fresh: FreshDatabase
      let running: Running[] = []
      let stores: Store[] = []
      afterEach(async () => {
        for (const one of running) await one.end()
        for (const store of stores) await store.close()
        await fresh.drop()
      })

      it('answer by the same calibration soon after one of them was told to fit, or to roll back', async () => {
        fresh = await database.make()
        stores = [await openStore(fresh.url), await openStore(fresh.url)]
        running = await Promise.all(stores.map((store) => startRunning({ store, fake: SCRIPT, calibrationLookMs: EVERY_MS })))
        const [here, there] = running as [Running, Running]
        const before = await saidAtTwo(there)
        await keep(stores[0]!.outcomes('main'), here.engine.loaded()[0]!, evidenceOf(150, 1))

        const fitted = (await (await here.post('/v1/calibration/fit', {})).json()) as { version: string }
        const said = await saidAtTwo(here)
        expect(said.version).toBe(fitted.version)
        await expect.poll(() => saidAtTwo(there), { timeout: 30_000 }).toEqual(said)

        expect((await there.post('/v1/calibration/rollback', {})).status).toBe(200)
        expect(await saidAtTwo(there)).toEqual(before)
        await expect.poll(() => saidAtTwo(here), { timeout: 30_000 }).toEqual(before)
      })

      it('fit one at a time', async () => {
        fresh = await database.make()
        stores = [await openStore(fresh.url), await openStore(fresh.url)]
        const { store, isRead, letGo } = held(stores[0]!)
        running = await Promise.all([store, stores[1]!].map((own) => startRunning({ store: own, fake: SCRIPT })))
        const first = running[0]!.post('/v1/calibration/fit', {})
        await isRead
        expect((await running[1]!.post('/v1/calibration/fit', {})).status).toBe(503)
        letGo()
        expect((await first).status).toBe(200)
        expect((await running[1]!.post('/v1/calibration/fit', {})).status).toBe(200)
      })
    })
  },
  [LIBSQL_FILE, POSTGRES],
)

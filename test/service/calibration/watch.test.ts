import { afterEach, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../../src/backends/fake/index.ts'
import { createEngine } from '../../../src/pipeline/engine.ts'
import { type CalibrationWatch, watchCalibrations } from '../../../src/service/calibration/watch.ts'
import { openStore } from '../../../src/service/store/open.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { eachDatabase, type FreshDatabase, LIBSQL_FILE, POSTGRES } from '../databases.ts'
import { type Running, startRunning } from '../running.ts'
import { evidenceOf, held, keep, SCRIPT, saidAtTwo } from './over-sure.ts'

const EVERY_MS = 20
const quiet = { info() {}, warn() {} }

describe('a watch over calibrations', () => {
  let watch: CalibrationWatch | null = null
  afterEach(() => watch?.stop())

  it('leaves the engine as it is while the store cannot be read, says so, and goes on', async () => {
    const store = await openStore(':memory:')
    const engine = await createEngine({ models: [createFakeBackend()] })
    let isDown = true
    let looks = 0
    const calibrations: Store['calibrations'] = {
      ...store.calibrations,
      history: async () => {
        looks++
        if (isDown) throw new Error('the database is away')
        return store.calibrations.history()
      },
    }
    const told: number[] = []
    const warned: string[] = []
    watch = watchCalibrations({
      engine: { models: engine.models, loaded: engine.loaded, calibrate: (given) => told.push(given.length) },
      store: { calibrations },
      log: { info() {}, warn: (_fields, message) => warned.push(message) },
      everyMs: EVERY_MS,
    })
    await watch.ready
    expect(told).toEqual([])
    expect(warned[0]).toContain('could not be read')
    isDown = false
    await expect.poll(() => told).toEqual([0])
    const before = looks
    await expect.poll(() => looks).toBeGreaterThan(before + 2)
    // Nothing changed, so nothing was said again.
    expect(told).toEqual([0])
    await engine.close()
    await store.close()
  })

  it('says nothing of a look that fails once it was stopped', async () => {
    const store = await openStore(':memory:')
    const engine = await createEngine({ models: [createFakeBackend()] })
    const warned: string[] = []
    let fail = (_error: Error) => {}
    const history = () =>
      new Promise<never>((_resolve, reject) => {
        fail = reject
      })
    watch = watchCalibrations({
      engine,
      store: { calibrations: { ...store.calibrations, history } },
      log: { info() {}, warn: (_fields, message) => warned.push(message) },
    })
    watch.stop()
    fail(new Error('the database was closed'))
    await watch.ready
    expect(warned).toEqual([])
    await engine.close()
    await store.close()
  })

  it('gives what comes with the model to one that is not loaded yet', async () => {
    const store = await openStore(':memory:')
    const engine = await createEngine({ models: [{ id: 'service-1-pro', load: async () => createFakeBackend({ id: 'service-1-pro' }) }] })
    const told: string[][] = []
    const calibrate = (given: readonly { readonly model: { readonly id: string } }[]) => told.push(given.map(({ model }) => model.id))
    watch = watchCalibrations({ engine: { models: engine.models, loaded: engine.loaded, calibrate }, store, log: quiet, everyMs: EVERY_MS })
    await watch.ready
    expect(told).toEqual([['service-1-pro']])
    // Loaded, it turns out to be another revision, which that one does not fit.
    await engine.ask({ state: 'x', questions: { a: { type: 'noul', instructions: 'It is so.' } } })
    await expect.poll(() => told).toEqual([['service-1-pro'], []])
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
      let watches: CalibrationWatch[] = []
      afterEach(async () => {
        for (const watch of watches) watch.stop()
        for (const one of running) await one.end()
        for (const store of stores) await store.close()
        await fresh.drop()
      })

      it('answer by the same calibration soon after one of them was told to fit, or to roll back', async () => {
        fresh = await database.make()
        stores = [await openStore(fresh.url), await openStore(fresh.url)]
        running = await Promise.all(stores.map((store) => startRunning({ store, fake: SCRIPT })))
        watches = running.map(({ engine, store }) => watchCalibrations({ engine, store, log: quiet, everyMs: EVERY_MS }))
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

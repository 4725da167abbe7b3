import { describe, expect, it } from 'vitest'
import { event } from '../../calibration/outcome-events.ts'
import { begun, fakeClock, record, settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

const DAY_MS = 86_400_000
const KEEP_MS = 30 * DAY_MS

describe('purging', () => {
  eachStore(({ open }) => {
    it('deletes log lines and unlabelled events after their time, and keeps what was labelled, and the ledger', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const outcomes = store.outcomes('acme')
      for (const id of ['evt_old', 'evt_labelled']) {
        await store.settle(settlement({ id, at: clock.now(), cost: 0n }, { event: event(id, clock.now()) }))
      }
      await outcomes.outcome('evt_labelled', { urgent: { truth: [0], weight: 1 } })
      clock.pass(KEEP_MS)
      await store.settle(settlement({ id: 'evt_new', at: clock.now(), cost: 0n }, { event: event('evt_new', clock.now()) }))
      await store.purge(KEEP_MS)
      expect(await store.requests.list({ limit: 5 })).toHaveLength(3)
      clock.pass(1)
      await store.purge(KEEP_MS)
      expect((await store.requests.list({ limit: 5 })).map(({ id }) => id)).toEqual(['evt_new'])
      const kept = await Promise.all(['evt_old', 'evt_labelled', 'evt_new'].map(async (id) => (await outcomes.find(id)) !== null))
      expect(kept).toEqual([false, true, true])
      expect(await store.ledger.entries('acme', { limit: 5 })).toHaveLength(3)
    })

    it('goes on until nothing old is left', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      await Promise.all(
        Array.from({ length: 1203 }, (_, i) => store.requests.failed(record({ id: `evt_${i}`, at: clock.now() - KEEP_MS - 1 }))),
      )
      await store.purge(KEEP_MS)
      expect(await store.requests.list({ limit: 5 })).toEqual([])
    })

    it('leaves a claim to whoever still answers under it', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const running = await begun(store, { idempotencyKey: 'running', leaseMs: 2 * DAY_MS })
      clock.pass(DAY_MS)
      await store.purge(KEEP_MS)
      expect(await store.settle(settlement({ cost: 0n }, { token: running }))).toMatchObject({ state: 'settled' })
    })
  })

  eachStore(({ open, count }) => {
    it('deletes replies after 24 hours, and links and sessions that are over', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const token = await begun(store)
      await store.settle(settlement({ cost: 0n }, { token }))
      await store.admin.issueLink(1000)
      await store.admin.open(1000)
      for (const table of ['claims', 'admin_links', 'admin_sessions']) expect(await count(table)).toBe(1)
      clock.pass(DAY_MS)
      await store.purge(KEEP_MS)
      for (const table of ['claims', 'admin_links', 'admin_sessions']) expect(await count(table)).toBe(0)
    })
  }, SHARED)
})

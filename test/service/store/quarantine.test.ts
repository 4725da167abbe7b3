import { describe, expect, it } from 'vitest'
import { recordOutcome } from '../../../src/calibration/outcomes/record-outcome.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { BINARY, event, listOf } from '../../calibration/outcome-events.ts'
import { eachStore } from './suite.ts'

const HOUR_MS = 3_600_000

/** Labels an event of an account, made when it is not there, under a guard of 3 labels an hour; whether it waits. */
async function label(store: Store, account: string, id: string, truth = true): Promise<boolean> {
  let waits = false
  const outcomes = store.outcomes(account, {
    labels: 3,
    quarantined: () => {
      waits = true
    },
  })
  await outcomes.event(event(id, 1, { urgent: BINARY }))
  await recordOutcome(outcomes, id, { urgent: truth })
  return waits
}

describe('bursts of labels', () => {
  eachStore(({ open, count }) => {
    it('wait with the rest of their hour, and nothing that reads labels sees them', async () => {
      let at = 10 * HOUR_MS
      const store = await open({ now: () => at })
      expect(await label(store, 'acme', 'evt_old')).toBe(false)
      at += HOUR_MS + 1
      for (const id of ['evt_1', 'evt_2', 'evt_3']) expect(await label(store, 'acme', id)).toBe(false)
      expect(await label(store, 'other', 'evt_other')).toBe(false)
      expect(await label(store, 'acme', 'evt_4')).toBe(true)
      const seen = await listOf(store.outcomes('acme').evidence())
      expect(seen.map((item) => item.event)).toEqual(['evt_old'])
      expect((await store.outcomes('acme').find('evt_2'))!.labels).toEqual({})
      expect(await listOf(store.outcomes('other').evidence())).toHaveLength(1)
      const events = ['evt_1', 'evt_2', 'evt_3', 'evt_4']
      expect(await store.quarantine.list()).toEqual([{ account: 'acme', labels: 4, since: at, until: at, events }])
      expect([await store.quarantine.count('acme'), await store.quarantine.count('other')]).toEqual([4, 0])
      // As long as labels keep coming, and until an hour is over.
      at += HOUR_MS - 1
      expect(await label(store, 'acme', 'evt_5')).toBe(true)
      at += HOUR_MS
      expect(await label(store, 'acme', 'evt_6')).toBe(false)
    })

    it('count once released, in place of earlier labels, and do not make the next ones a burst', async () => {
      let at = 10 * HOUR_MS
      const store = await open({ now: () => at })
      await label(store, 'acme', 'evt_1', true)
      at += HOUR_MS + 1
      for (const id of ['evt_1', 'evt_2', 'evt_3', 'evt_4']) await label(store, 'acme', id, false)
      expect((await store.outcomes('acme').find('evt_4'))!.labels).toEqual({})
      expect([await store.quarantine.release('nobody'), await store.quarantine.release('acme')]).toEqual([0, 4])
      expect((await store.outcomes('acme').find('evt_1'))!.labels).toEqual({ urgent: { truth: [1], weight: 1 } })
      expect(await listOf(store.outcomes('acme').evidence())).toHaveLength(4)
      expect(await label(store, 'acme', 'evt_5')).toBe(false)
      expect(await store.quarantine.list()).toEqual([])
    })

    it('are gone once dropped, with the mark that would keep their events', async () => {
      let at = 10 * HOUR_MS
      const store = await open({ now: () => at })
      await label(store, 'acme', 'evt_1', true)
      at += HOUR_MS + 1
      // What waits does not replace what was there.
      for (const id of ['evt_2', 'evt_3', 'evt_4', 'evt_1']) await label(store, 'acme', id, false)
      expect(await store.quarantine.drop('acme')).toBe(4)
      expect((await store.outcomes('acme').find('evt_1'))!.labels).toEqual({ urgent: { truth: [0], weight: 1 } })
      expect((await listOf(store.outcomes('acme').evidence())).map((item) => item.event)).toEqual(['evt_1'])
      await store.purge(1)
      expect((await listOf(store.outcomes('acme').recent(10))).map(({ id }) => id)).toEqual(['evt_1'])
      expect(await store.quarantine.count('acme')).toBe(0)
    })

    it('are not made by the same label again, by an operator, or without a bound', async () => {
      const store = await open({ now: () => 10 * HOUR_MS })
      for (const id of ['evt_1', 'evt_2']) for (let i = 0; i < 5; i++) expect(await label(store, 'acme', id)).toBe(false)
      const outcomes = store.outcomes('acme', { labels: 0, quarantined: () => expect.unreachable() })
      for (let i = 0; i < 6; i++) {
        await outcomes.event(event(`evt_more_${i}`, 1, { urgent: BINARY }))
        await recordOutcome(i % 2 === 0 ? store.outcomes() : outcomes, `evt_more_${i}`, { urgent: true })
      }
      expect(await store.quarantine.list()).toEqual([])
      expect(await listOf(store.outcomes('acme').evidence())).toHaveLength(8)
    })

    it('move in batches, however many they are', async () => {
      const store = await open({ now: () => 10 * HOUR_MS })
      const names = Array.from({ length: 1200 }, (_, i) => `q${i}`)
      const outcomes = store.outcomes('acme', { labels: 1000, quarantined() {} })
      await outcomes.event(event('evt_1', 1, Object.fromEntries(names.map((name) => [name, BINARY]))))
      await recordOutcome(outcomes, 'evt_1', Object.fromEntries(names.map((name) => [name, true])))
      expect(await store.quarantine.release('acme')).toBe(1200)
      expect(await listOf(store.outcomes('acme').evidence())).toHaveLength(1200)
      expect(await count('quarantined_labels').catch(() => 0)).toBe(0)
    })
  })
})

import { describe, expect, it } from 'vitest'
import type { Settled } from '../../../src/service/store/store.ts'
import { BINARY, event, listOf } from '../../calibration/outcome-events.ts'
import { begun, makeKey, settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

const count = (settled: readonly Settled[], state: Settled['state']): number => settled.filter((one) => one.state === state).length

describe('settling', () => {
  eachStore(({ open }) => {
    it('charges, logs, keeps the decisions and the reply, and notes the use, all of it', async () => {
      const store = await open()
      const { key } = await makeKey(store)
      await store.ledger.credit('acme', 100n, '')
      const token = await begun(store, { key: key.id })
      const kept = event('evt_whole', 1)
      const one = settlement({ id: 'evt_whole', key: key.id, cost: 30n }, { token, event: kept })
      expect(await store.settle(one)).toEqual({ state: 'settled', balance: 70n })
      const [line] = await store.ledger.entries('acme', { limit: 1 })
      expect(line).toMatchObject({ kind: 'charge', amount: -30n, balanceAfter: 70n, request: 'evt_whole', at: one.record.at })
      expect(await store.requests.list({ limit: 5 })).toEqual([one.record])
      expect(await store.outcomes('acme').find('evt_whole')).toEqual({ event: kept, labels: {} })
      expect((await store.keys.list())[0]?.lastUsedAt).toBe(one.record.at)
      const again = await store.idempotency.begin({ key: key.id, idempotencyKey: 'once', bodyHash: 'aa', leaseMs: 1000 })
      expect(again).toEqual({ state: 'done', reply: { status: 200, headers: { 'x-balance': '70' }, body: '{"ok":true}' } })
    })

    it('changes nothing when the balance does not suffice, and says what is left', async () => {
      const store = await open()
      const { key } = await makeKey(store)
      await store.ledger.credit('acme', 29n, '')
      const token = await begun(store, { key: key.id })
      const one = settlement({ id: 'evt_poor', key: key.id, cost: 30n }, { token, event: event('evt_poor', 1) })
      expect(await store.settle(one)).toEqual({ state: 'insufficient_balance', balance: 29n })
      expect(await store.settle(settlement({ account: 'nobody', cost: 1n }))).toEqual({ state: 'insufficient_balance', balance: 0n })
      expect(await store.ledger.entries('acme', { limit: 5 })).toHaveLength(1)
      expect(await store.requests.list({ limit: 5 })).toEqual([])
      expect(await store.outcomes('acme').find('evt_poor')).toBeNull()
      expect((await store.keys.list())[0]?.lastUsedAt).toBeNull()
      expect(await store.ledger.account('nobody')).toBeNull()
      // The claim is still held by the one who could not pay.
      await store.idempotency.abandon(token)
      await begun(store, { key: key.id })
    })

    it('writes a line also for what costs nothing, and makes the account for it', async () => {
      const store = await open()
      expect(await store.settle(settlement({ id: 'evt_free', cost: 0n }))).toEqual({ state: 'settled', balance: 0n })
      expect(await store.ledger.entries('acme', { limit: 5 })).toMatchObject([{ request: 'evt_free', amount: 0n, balanceAfter: 0n }])
    })

    it('happens once for a request: the second time throws and changes nothing', async () => {
      const store = await open()
      await store.ledger.credit('acme', 100n, '')
      const token = await begun(store)
      const one = settlement({ cost: 30n }, { token })
      await store.settle(one)
      await expect(store.settle(one)).rejects.toThrow(`${one.record.id} was settled before`)
      await expect(store.settle({ ...one, token: null })).rejects.toThrow('settled before')
      expect((await store.ledger.account('acme'))?.balance).toBe(70n)
      expect(await store.ledger.entries('acme', { limit: 5 })).toHaveLength(2)
    })

    it('charges one of many who settle the same request at once', async () => {
      const store = await open()
      await store.ledger.credit('acme', 100n, '')
      const one = settlement({ cost: 30n })
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => store.settle(one)))
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect((await store.ledger.account('acme'))?.balance).toBe(70n)
    })

    it('is undone as a whole when making the reply throws', async () => {
      const store = await open()
      const { key } = await makeKey(store)
      await store.ledger.credit('acme', 100n, '')
      const token = await begun(store, { key: key.id })
      const reply = () => {
        throw new Error('no reply today')
      }
      const one = settlement({ id: 'evt_torn', key: key.id }, { token, reply, event: event('evt_torn', 1) })
      await expect(store.settle(one)).rejects.toThrow('no reply today')
      expect((await store.ledger.account('acme'))?.balance).toBe(100n)
      expect(await store.ledger.entries('acme', { limit: 5 })).toHaveLength(1)
      expect(await store.requests.list({ limit: 5 })).toEqual([])
      expect(await store.outcomes('acme').find('evt_torn')).toBeNull()
      expect(await store.settle({ ...one, reply: () => ({ status: 200, headers: {}, body: '{}' }) })).toMatchObject({ state: 'settled' })
    })

    it('refuses a negative cost', async () => {
      const store = await open()
      await expect(store.settle(settlement({ cost: -1n }))).rejects.toThrow(RangeError)
    })

    it('keeps features of decisions only when the store was opened so', async () => {
      const features = new Float32Array([1, 2])
      for (const keepsFeatures of [false, true]) {
        const store = await open({ keepsFeatures })
        const id = `evt_features_${keepsFeatures}`
        await store.settle(settlement({ id, cost: 0n }, { event: event(id, 1, { urgent: { ...BINARY, features } }) }))
        const found = await store.outcomes('acme').find(id)
        expect(found?.event.decisions.urgent?.features).toEqual(keepsFeatures ? features : null)
      }
    })

    it('settles exactly as many as the balance pays for when fifty come at once', async () => {
      const store = await open()
      await store.ledger.credit('acme', 100n, '')
      const settled = await Promise.all(Array.from({ length: 50 }, () => store.settle(settlement({ cost: 5n }))))
      expect([count(settled, 'settled'), count(settled, 'insufficient_balance')]).toEqual([20, 30])
      expect((await store.ledger.account('acme'))?.balance).toBe(0n)
      expect(await store.ledger.entries('acme', { limit: 100 })).toHaveLength(21)
      expect(await store.requests.list({ limit: 100 })).toHaveLength(20)
      expect(await store.ledger.audit()).toEqual([])
    })
  })

  eachStore(({ open }) => {
    it('settles exactly as many as the balance pays for over two replicas', async () => {
      const replicas = [await open(), await open()]
      await replicas[0]!.ledger.credit('acme', 100n, '')
      const { key } = await makeKey(replicas[0]!)
      const settled = await Promise.all(
        Array.from({ length: 50 }, (_, i) => replicas[i % 2]!.settle(settlement({ cost: 5n, key: key.id, at: i }))),
      )
      expect([count(settled, 'settled'), count(settled, 'insufficient_balance')]).toEqual([20, 30])
      // Every balance that was said is one that was there: 95, 90, … 0.
      const balances = settled.flatMap((one) => (one.state === 'settled' ? [one.balance] : [])).sort((a, b) => Number(b - a))
      expect(balances).toEqual(Array.from({ length: 20 }, (_, i) => BigInt(95 - 5 * i)))
      expect((await replicas[1]!.ledger.account('acme'))?.balance).toBe(0n)
      expect(await replicas[1]!.ledger.audit()).toEqual([])
    })

    it('adds up when charges and credits of several accounts cross over two replicas', async () => {
      const replicas = [await open(), await open()]
      for (const account of ['a', 'b']) await replicas[0]!.ledger.credit(account, 1000n, '')
      await Promise.all(
        Array.from({ length: 40 }, (_, i) => {
          const store = replicas[i % 2]!
          const account = i % 4 < 2 ? 'a' : 'b'
          return i % 5 === 0 ? store.ledger.credit(account, 7n, '') : store.settle(settlement({ account, cost: 3n }))
        }),
      )
      expect(await replicas[0]!.ledger.audit()).toEqual([])
      const total = (await replicas[0]!.ledger.accounts()).reduce((sum, { balance }) => sum + balance, 0n)
      expect(total).toBe(2000n + 8n * 7n - 32n * 3n)
    })

    it('keeps the decisions of every settled answer for the other replica', async () => {
      const [one, other] = [await open(), await open()]
      await one.settle(settlement({ id: 'evt_shared', cost: 0n }, { event: event('evt_shared', 5) }))
      expect((await listOf(other.outcomes('acme').recent(5))).map(({ id }) => id)).toEqual(['evt_shared'])
    })
  }, SHARED)
})

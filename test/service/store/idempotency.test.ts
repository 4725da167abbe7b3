import { describe, expect, it } from 'vitest'
import { begun, fakeClock, settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

const claim = { key: 'key_1', idempotencyKey: 'once', bodyHash: 'aa', leaseMs: 60_000 } as const
const DAY_MS = 86_400_000

describe('idempotency', () => {
  eachStore(({ open }) => {
    it('lets one begin and the next wait, and gives everyone after the reply that was kept', async () => {
      const store = await open()
      const token = await begun(store)
      expect(await store.idempotency.begin(claim)).toEqual({ state: 'running', retryAfterMs: expect.any(Number) })
      await store.settle(settlement({ cost: 0n }, { token, reply: () => ({ status: 200, headers: { a: 'b' }, body: '{"é":"\\u0000"}' }) }))
      const done = { state: 'done', reply: { status: 200, headers: { a: 'b' }, body: '{"é":"\\u0000"}' } }
      expect(await store.idempotency.begin(claim)).toEqual(done)
      expect(await store.idempotency.begin(claim)).toEqual(done)
    })

    it('tells a key that comes with another body, running or done', async () => {
      const store = await open()
      const token = await begun(store)
      expect(await store.idempotency.begin({ ...claim, bodyHash: 'bb' })).toEqual({ state: 'mismatch' })
      await store.settle(settlement({ cost: 0n }, { token }))
      expect(await store.idempotency.begin({ ...claim, bodyHash: 'bb' })).toEqual({ state: 'mismatch' })
    })

    it('knows keys by the API key they came with, and exactly', async () => {
      const store = await open()
      await begun(store)
      for (const other of [{ key: 'key_2' }, { idempotencyKey: 'Once' }, { idempotencyKey: 'once ' }, { idempotencyKey: '' }]) {
        expect(await store.idempotency.begin({ ...claim, ...other })).toMatchObject({ state: 'begun' })
      }
    })

    it('begins anew after a failure let the claim go', async () => {
      const store = await open()
      const token = await begun(store)
      await store.idempotency.abandon(token)
      await store.idempotency.abandon('no such token')
      const next = await begun(store, { bodyHash: 'bb' })
      expect(next).not.toBe(token)
    })

    it('keeps a reply that is there when its holder abandons late', async () => {
      const store = await open()
      const token = await begun(store)
      await store.settle(settlement({ cost: 0n }, { token }))
      await store.idempotency.abandon(token)
      expect(await store.idempotency.begin(claim)).toMatchObject({ state: 'done' })
    })

    it('says when to come back: soon, and never after the lease', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      await begun(store)
      expect(await store.idempotency.begin(claim)).toEqual({ state: 'running', retryAfterMs: 1000 })
      clock.pass(59_900)
      expect(await store.idempotency.begin(claim)).toEqual({ state: 'running', retryAfterMs: 100 })
    })

    it('hands over the claim of a holder that outlived its lease, whose answer is then neither charged nor kept', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      await store.ledger.credit('acme', 100n, '')
      const first = await begun(store)
      clock.pass(60_000)
      const second = await begun(store)
      expect(await store.settle(settlement({}, { token: first }))).toEqual({ state: 'superseded' })
      await store.idempotency.abandon(first)
      expect((await store.ledger.account('acme'))?.balance).toBe(100n)
      expect(await store.requests.list({ limit: 5 })).toEqual([])
      expect(await store.settle(settlement({}, { token: second }))).toMatchObject({ state: 'settled', balance: 95n })
      expect(await store.idempotency.begin(claim)).toMatchObject({ state: 'done', reply: { headers: { 'x-balance': '95' } } })
    })

    it('settles one answer under a claim: another one under the same token is neither charged nor kept', async () => {
      const store = await open()
      await store.ledger.credit('acme', 100n, '')
      const token = await begun(store)
      await store.settle(settlement({}, { token }))
      expect(await store.settle(settlement({}, { token }))).toEqual({ state: 'superseded' })
      expect((await store.ledger.account('acme'))?.balance).toBe(95n)
    })

    it('lets a slow holder settle after its lease when nobody took over', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const token = await begun(store)
      clock.pass(120_000)
      expect(await store.settle(settlement({ cost: 0n }, { token }))).toMatchObject({ state: 'settled' })
      expect(await store.idempotency.begin(claim)).toMatchObject({ state: 'done' })
    })

    it('does not answer another body when the holder of a key is gone', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      await begun(store)
      clock.pass(60_001)
      expect(await store.idempotency.begin({ ...claim, bodyHash: 'bb' })).toEqual({ state: 'mismatch' })
    })

    it('forgets a reply after 24 hours, purged or not', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const token = await begun(store)
      await store.settle(settlement({ cost: 0n }, { token }))
      clock.pass(DAY_MS - 1)
      expect(await store.idempotency.begin(claim)).toMatchObject({ state: 'done' })
      clock.pass(1)
      await begun(store, { bodyHash: 'bb' })
    })

    it('lets exactly one of many begin', async () => {
      const store = await open()
      const states = await Promise.all(Array.from({ length: 20 }, () => store.idempotency.begin(claim)))
      expect(states.map(({ state }) => state).sort()).toEqual(['begun', ...Array.from({ length: 19 }, () => 'running')])
    })
  })

  eachStore(({ open }) => {
    it('lets exactly one of many begin over two replicas', async () => {
      const replicas = [await open(), await open()]
      const states = await Promise.all(Array.from({ length: 20 }, (_, i) => replicas[i % 2]!.idempotency.begin(claim)))
      expect(states.map(({ state }) => state).sort()).toEqual(['begun', ...Array.from({ length: 19 }, () => 'running')])
    })

    it('lets exactly one of many take over from a holder that is gone', async () => {
      const clock = fakeClock()
      const replicas = [await open({ now: clock.now }), await open({ now: clock.now })]
      await begun(replicas[0]!)
      clock.pass(60_000)
      const states = await Promise.all(Array.from({ length: 20 }, (_, i) => replicas[i % 2]!.idempotency.begin(claim)))
      expect(states.filter(({ state }) => state === 'begun')).toHaveLength(1)
    })

    it('charges once when a holder settles while others take over', async () => {
      const clock = fakeClock()
      const replicas = [await open({ now: clock.now }), await open({ now: clock.now })]
      await replicas[0]!.ledger.credit('acme', 1000n, '')
      for (let round = 0; round < 10; round++) {
        const given = { ...claim, idempotencyKey: `round ${round}` }
        const token = await begun(replicas[0]!, given)
        clock.pass(60_000)
        const [settled, state] = await Promise.all([replicas[0]!.settle(settlement({}, { token })), replicas[1]!.idempotency.begin(given)])
        expect([settled.state, state.state]).toEqual(settled.state === 'settled' ? ['settled', 'done'] : ['superseded', 'begun'])
        if (state.state === 'begun') await replicas[1]!.settle(settlement({}, { token: state.token }))
      }
      expect((await replicas[0]!.ledger.account('acme'))?.balance).toBe(950n)
    })
  }, SHARED)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../../src/service/store/open.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { type FreshDatabase, POSTGRES } from '../databases.ts'
import { type ServiceChild, startChild } from './child.ts'
import { askOnce, chargedIds } from './load.ts'

const ARGS = ['--prices', 'fake=1000', '--concurrency', '16', '--log-level', 'error']

describe.skipIf(POSTGRES.missing !== null)(
  `two replicas on one PostgreSQL${POSTGRES.missing === null ? '' : ` (${POSTGRES.missing})`}`,
  () => {
    let database: FreshDatabase
    let store: Store
    let replicas: readonly ServiceChild[] = []

    beforeAll(async () => {
      database = await POSTGRES.make()
      store = await openStore(database.url)
      replicas = await Promise.all([1, 2].map(() => startChild({ databaseUrl: database.url, args: [...ARGS, '--fake', '5ms'] })))
    })
    afterAll(async () => {
      for (const replica of replicas) replica.kill('SIGKILL')
      await Promise.all(replicas.map(({ ended }) => ended))
      await store?.close()
      await database?.drop()
    })

    /** What one request costs, learned from one that is paid by somebody else. */
    async function costOfOne(): Promise<bigint> {
      const { secret } = await store.keys.create({ account: 'taster', name: 'one', scopes: ['ask'] })
      await store.ledger.credit('taster', 10n ** 12n, 'for one')
      expect((await askOnce({ url: replicas[0]!.url, secret, idempotencyKey: 'one' })).status).toBe(200)
      const [charge] = await store.ledger.entries('taster', { limit: 1 })
      return -charge!.amount
    }

    it('answer exactly as often as a balance pays for, and refuse the others with 402', async () => {
      const cost = await costOfOne()
      const paid = 20
      const { secret } = await store.keys.create({ account: 'racer', name: 'race', scopes: ['ask'] })
      await store.ledger.credit('racer', cost * BigInt(paid), 'for some')
      const asked = await Promise.all(
        Array.from({ length: 3 * paid }, (_, i) => askOnce({ url: replicas[i % 2]!.url, secret, idempotencyKey: `race-${i}` })),
      )
      const answered = asked.filter(({ status }) => status === 200)
      expect(answered).toHaveLength(paid)
      expect(asked.filter(({ status, code }) => status === 402 && code === 'insufficient_balance')).toHaveLength(2 * paid)
      expect((await store.ledger.account('racer'))?.balance).toBe(0n)
      expect((await chargedIds(store, 'racer')).sort()).toEqual(answered.map(({ id }) => id).sort())
      expect(await store.ledger.audit()).toEqual([])
    })

    it('answer one idempotency key once, whichever is asked', async () => {
      const { secret } = await store.keys.create({ account: 'twice', name: 'twice', scopes: ['ask'] })
      await store.ledger.credit('twice', 10n ** 12n, 'for plenty')
      const asked = await Promise.all(
        Array.from({ length: 10 }, (_, i) => askOnce({ url: replicas[i % 2]!.url, secret, idempotencyKey: 'same' })),
      )
      const ids = new Set(asked.flatMap(({ id }) => id ?? []))
      expect(ids.size).toBe(1)
      expect(asked.every(({ status, code }) => status === 200 || code === 'idempotency_in_progress')).toBe(true)
      const replayed = await askOnce({ url: replicas[1]!.url, secret, idempotencyKey: 'same' })
      expect(replayed).toMatchObject({ status: 200, isReplay: true, id: [...ids][0] })
      expect(await chargedIds(store, 'twice')).toEqual([...ids])
    })

    it('refuse a revoked key at once', async () => {
      const { secret, key } = await store.keys.create({ account: 'revoked', name: 'revoked', scopes: ['ask'] })
      await store.ledger.credit('revoked', 10n ** 12n, 'for plenty')
      const askEach = (name: string) => Promise.all(replicas.map(({ url }, i) => askOnce({ url, secret, idempotencyKey: `${name}-${i}` })))
      expect((await askEach('before')).map(({ status }) => status)).toEqual([200, 200])
      await store.keys.revoke(key.id)
      expect((await askEach('after')).map(({ code }) => code)).toEqual(['invalid_api_key', 'invalid_api_key'])
    })
  },
)

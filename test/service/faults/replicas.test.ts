import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../../src/backends/fake/index.ts'
import { runService } from '../../../src/cli/run-service.ts'
import { DEFAULT_SETTINGS } from '../../../src/service/settings.ts'
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

    it('let exactly as many requests of a key in as it may ask in a minute, however many come at once', async () => {
      const most = 25
      const { secret } = await store.keys.create({ account: 'limited', name: 'limited', scopes: ['ask'], requestsPerMinute: most })
      await store.ledger.credit('limited', 10n ** 12n, 'for plenty')
      const asked = await Promise.all(
        Array.from({ length: 3 * most }, (_, i) => askOnce({ url: replicas[i % 2]!.url, secret, idempotencyKey: `limited-${i}` })),
      )
      expect(asked.filter(({ status }) => status === 200)).toHaveLength(most)
      expect(asked.filter(({ code }) => code === 'rate_limited')).toHaveLength(2 * most)
      expect(await chargedIds(store, 'limited')).toHaveLength(most)
    })

    it('hold no more connections to the database than they may', async () => {
      const counting = new pg.Client({ connectionString: database.url })
      await counting.connect()
      const ours = async () => {
        const text = "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'assay'"
        return (await counting.query<{ count: number }>(text)).rows[0]!.count
      }
      const settings = { ...DEFAULT_SETTINGS, port: 0, console: false, databaseUrl: database.url, databaseConnections: 2 }
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      const before = await ours()
      const replica = await runService({ settings, models: [{ id: 'fake', load: async () => createFakeBackend({ id: 'fake' }) }], log })
      await Promise.all(Array.from({ length: 10 }, () => replica.store.keys.list()))
      expect((await ours()) - before).toBeLessThanOrEqual(2)
      await replica.end()
      await counting.end()
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

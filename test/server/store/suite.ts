// What tests of the store share: a fresh database for each test, any number of stores (replicas) over it, and somebody else's hands in its tables.
import Libsql from 'libsql'
import pg from 'pg'
import { afterEach, beforeEach } from 'vitest'
import { openStore, type StoreOptions } from '../../../src/server/store/open.ts'
import type { ApiKey, RequestRecord, Settlement, Store } from '../../../src/server/store/store.ts'
import { DATABASES, eachDatabase, type FreshDatabase, LIBSQL_FILE, POSTGRES, type TestDatabase } from '../databases.ts'

export interface Surroundings {
  readonly database: TestDatabase
  /** A store over the test's database; each call is another replica. Closed when the test ends. */
  open(options?: StoreOptions): Promise<Store>
  url(): string
  /** Runs statements past the store. */
  tamper(statements: string): Promise<void>
  /** How many rows a table has. */
  count(table: string): Promise<number>
}

/** Databases that more than one process or connection may open. */
export const SHARED: readonly TestDatabase[] = [LIBSQL_FILE, POSTGRES]

/** Runs tests over every database, each test in a fresh one. */
export function eachStore(suite: (surroundings: Surroundings) => void, databases: readonly TestDatabase[] = DATABASES): void {
  eachDatabase((database) => {
    let fresh: FreshDatabase | null = null
    let stores: Store[] = []
    beforeEach(async () => {
      stores = []
      fresh = await database.make()
    })
    afterEach(async () => {
      await Promise.all(stores.map((store) => store.close()))
      await fresh?.drop()
    })
    const url = () => fresh!.url
    suite({
      database,
      url,
      async open(options) {
        const store = await openStore(url(), options)
        stores.push(store)
        return store
      },
      tamper: async (statements) => {
        await pastStore(database, url(), statements)
      },
      count: async (table) => Number((await pastStore(database, url(), `select count(*) as count from ${table}`))[0]!.count),
    })
  }, databases)
}

async function pastStore(database: TestDatabase, url: string, statements: string): Promise<readonly Record<string, unknown>[]> {
  if (database.kind === 'libsql') {
    const connection = new Libsql(url)
    try {
      if (statements.startsWith('select')) return connection.prepare(statements).all() as Record<string, unknown>[]
      connection.exec(statements)
      return []
    } finally {
      connection.close()
    }
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set search_path to assay')
    return (await client.query<Record<string, unknown>>(statements)).rows
  } finally {
    await client.end()
  }
}

/** A wall clock that stands still until it is told otherwise. */
export function fakeClock(at = 1_700_000_000_000): { now: () => number; pass(ms: number): void } {
  let current = at
  return {
    now: () => current,
    pass: (ms) => {
      current += ms
    },
  }
}

let count = 0

/** A request that was answered, for 5 nano-dollars unless said otherwise. */
export function record(given: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: `evt_${String(count++).padStart(8, '0')}`,
    at: 1_700_000_000_000,
    account: 'acme',
    key: null,
    model: 'service-1-pro',
    dialect: 'ask',
    status: 200,
    code: null,
    questions: 2,
    inputTokens: 100,
    outputTokens: 3,
    cost: 5n,
    latencyMs: 12.25,
    ...given,
  }
}

/** A settlement without decisions and without a claim; its reply is the balance. */
export function settlement(given: Partial<RequestRecord> = {}, more: Partial<Settlement> = {}): Settlement {
  const reply: Settlement['reply'] = (balance) => ({ status: 200, headers: { 'x-balance': String(balance) }, body: '{"ok":true}' })
  return { record: record(given), event: null, token: null, reply, ...more }
}

/** Begins a claim that must be free. */
export async function begun(store: Store, claim: Partial<Parameters<Store['idempotency']['begin']>[0]> = {}): Promise<string> {
  const state = await store.idempotency.begin({ key: 'key_1', idempotencyKey: 'once', bodyHash: 'aa', leaseMs: 60_000, ...claim })
  if (state.state !== 'begun') throw new Error(`The claim is ${state.state}.`)
  return state.token
}

export async function makeKey(store: Store, account = 'acme'): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  return store.keys.create({ account, name: 'a key', scopes: ['ask'] })
}

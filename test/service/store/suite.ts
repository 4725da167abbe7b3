// What tests of the store share: a fresh database for each test, any number of stores (replicas) over it, and somebody
// else's hands in its tables.
import Libsql from 'libsql'
import pg from 'pg'
import { afterEach, beforeEach } from 'vitest'
import { openStore, type StoreOptions } from '../../../src/service/store/open.ts'
import type { Store } from '../../../src/service/store/store.ts'
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

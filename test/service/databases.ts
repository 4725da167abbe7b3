// The databases that tests of the service run over, each test in a fresh one: libsql in memory and in a file, and
// PostgreSQL where a server answers. PostgreSQL is the server of TEST_DATABASE_URL, else one on 127.0.0.1:5432 whose
// superuser needs no password; a database of its own is made there.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe } from 'vitest'

export interface FreshDatabase {
  readonly url: string
  /** Deletes what is in it, whoever is still connected. */
  drop(): Promise<void>
}

export interface TestDatabase {
  readonly name: string
  readonly kind: 'libsql' | 'postgres'
  /** Whether several stores may be opened on one URL: not so in memory. */
  readonly isShared: boolean
  /** Why its tests cannot run here; null when they can. */
  readonly missing: string | null
  make(): Promise<FreshDatabase>
}

const FALLBACK = 'postgres://postgres@127.0.0.1:5432/postgres'

const reachable = await reach(process.env.TEST_DATABASE_URL ?? FALLBACK)

const SERVER = reachable ?? FALLBACK
/**
 * Databases on the server that this file made, and those of them that nobody uses now: emptying one takes a tenth of
 * making it.
 */
const created: string[] = []
const emptied: string[] = []
afterAll(async () => {
  for (const name of created.splice(0)) await run(SERVER, `drop database if exists ${name} with (force)`)
})

export const MEMORY: TestDatabase = {
  name: 'libsql in memory',
  kind: 'libsql',
  isShared: false,
  missing: null,
  make: async () => ({ url: ':memory:', drop: async () => {} }),
}

export const LIBSQL_FILE: TestDatabase = {
  name: 'libsql in a file',
  kind: 'libsql',
  isShared: true,
  missing: null,
  async make() {
    const folder = await mkdtemp(join(tmpdir(), 'assay-database-'))
    return { url: join(folder, 'assay.db'), drop: () => rm(folder, { recursive: true, force: true }) }
  },
}

export const POSTGRES: TestDatabase = {
  name: 'PostgreSQL',
  kind: 'postgres',
  isShared: true,
  missing: reachable === null ? 'no PostgreSQL at TEST_DATABASE_URL or on 127.0.0.1:5432' : null,
  async make() {
    const url = emptied.pop() ?? (await createDatabase())
    const drop = async () => {
      const others = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
      await run(url, `${others}; drop schema if exists assay cascade`)
      if (!emptied.includes(url)) emptied.push(url)
    }
    return { url, drop }
  },
}

export const DATABASES: readonly TestDatabase[] = [MEMORY, LIBSQL_FILE, POSTGRES]

/** Runs a suite over every database; where one is missing, its tests are skipped and say why. */
export function eachDatabase(suite: (database: TestDatabase) => void, databases: readonly TestDatabase[] = DATABASES): void {
  for (const database of databases) {
    if (database.missing === null) describe(database.name, () => suite(database))
    else describe.skip(`${database.name} (${database.missing})`, () => suite(database))
  }
}

async function createDatabase(): Promise<string> {
  const name = `assay_test_${randomBytes(8).toString('hex')}`
  await run(SERVER, `create database ${name}`)
  const url = new URL(SERVER)
  url.pathname = `/${name}`
  created.push(name)
  return url.href
}

/**
 * The URL when a server answers there, else null; a TEST_DATABASE_URL that does not answer is an error, for someone
 * counts on it.
 */
async function reach(url: string): Promise<string | null> {
  try {
    await run(url, 'select 1')
    return url
  } catch (error) {
    if (process.env.TEST_DATABASE_URL === undefined) return null
    throw new Error(`TEST_DATABASE_URL is set, but no PostgreSQL answers there (${error instanceof Error ? error.message : ''}).`)
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end().catch(() => {})
  }
}

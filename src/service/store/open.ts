// A URL to a store: the kind of database, its tables brought up to date, and every part of the store over it.
import { randomBytes } from 'node:crypto'
import { within } from '../../core/deadline.ts'
import { EngineError } from '../../core/errors.ts'
import { importOptional } from '../../core/optional-packages.ts'
import { DEFAULT_SETTINGS } from '../settings.ts'
import { adminStore } from './admin.ts'
import { aliasStore } from './aliases.ts'
import { calibrationChanges, calibrationTables } from './calibrations.ts'
import type { Database } from './database.ts'
import { fileOf, schemeOf } from './database-url.ts'
import { idempotencyStore } from './idempotency.ts'
import { keyStore } from './keys.ts'
import { ledger } from './ledger.ts'
import type { LibsqlOptions } from './libsql.ts'
import { accountOf, outcomeTables } from './outcomes.ts'
import type { PostgresOptions } from './postgres.ts'
import { purge } from './purge.ts'
import { quarantineStore } from './quarantine.ts'
import { rateWindows } from './rate-windows.ts'
import { recentTurnsTable } from './recent-turns.ts'
import { requestLog } from './requests.ts'
import { prepareSchema } from './schema.ts'
import { makeStoreId } from './secrets.ts'
import { settle } from './settle.ts'
import type { Store } from './store.ts'
import { openValueHashes, type ValueHashes } from './value-hashes.ts'

export interface StoreOptions extends LibsqlOptions, PostgresOptions {
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
  /** Whether the feature vector of each question is kept with the decisions; default false. */
  readonly keepsFeatures?: boolean
  /** How long unlabelled events are kept, for messages; `purge` is what deletes them. Default as in the settings. */
  readonly keepMs?: number
  /** Most time for `ping`; default 2000. */
  readonly pingTimeoutMs?: number
}

/** What an answer of some questions takes, with its decisions, its line in the log and its reply. */
const PROBE_BYTES = 16_384

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/**
 * Opens the store of a service: `postgres://…`, a file for the embedded database, or `:memory:`. The tables are
 * made or brought up to date. Throws `invalid_request` when the database cannot be used; messages never hold
 * the URL.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const { now = Date.now, keepsFeatures = false, keepMs = DEFAULT_SETTINGS.keepMs, pingTimeoutMs = 2000 } = options
  const { database, hashes } = await openDatabase(url, options)
  const retention = `${spanText(keepMs)}, those with an outcome longer`
  return {
    kind: database.kind,
    keys: keyStore(database, now),
    ledger: ledger(database, now),
    idempotency: idempotencyStore(database, now),
    requests: requestLog(database),
    rates: rateWindows(database),
    recentTurns: database.kind === 'postgres' ? recentTurnsTable(database) : null,
    admin: adminStore(database, now),
    quarantine: quarantineStore(database),
    aliases: aliasStore(database, now),
    calibrations: (account) => calibrationTables(database, account),
    calibrationChanges: (after) => calibrationChanges(database, after),
    outcomes: (account, guard) => outcomeTables(database, account ?? null, { keepsFeatures, hashes, retention, now, guard: guard ?? null }),
    accountOf: (event) => accountOf(database, event),
    settle: (settlement) => settle(database, settlement, { keepsFeatures, hashes, now }),
    ping: () => ping(database, pingTimeoutMs),
    purge: (keepMs) => purge(database, keepMs, now()),
    close: () => database.close(),
  }
}

/** In the largest unit that it is one of: `1.5 days`, `1 hour`. */
function spanText(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= size) ?? UNITS[2]
  const count = Math.round((ms / size) * 10) / 10
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

interface OpenedDatabase {
  readonly database: Database
  readonly hashes: ValueHashes
}

async function openDatabase(url: string, options: StoreOptions): Promise<OpenedDatabase> {
  let database: Database | null = null
  try {
    database = await connect(url, options)
    await prepareSchema(database)
    return { database, hashes: await openValueHashes(database) }
  } catch (error) {
    await database?.close().catch(() => {})
    if (error instanceof EngineError) throw error
    // Libraries name the file or the user in their messages; the code says enough.
    const message = `The database cannot be opened (${codeOf(error)}); see that ${
      database?.kind === 'postgres'
        ? 'the server answers and the user may create tables'
        : 'the folder is there and the file may be written'
    }.`
    throw new EngineError('invalid_request', message)
  }
}

async function connect(url: string, options: StoreOptions): Promise<Database> {
  const scheme = schemeOf(url)
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { openPostgres } = await importOptional('A PostgreSQL database', 'service', () => import('./postgres.ts'))
    return openPostgres(url, options)
  }
  if (scheme !== null && scheme !== 'file') {
    throw new EngineError('invalid_request', `A database is postgres://… or a file, not ${scheme}://….`)
  }
  const file = scheme === 'file' ? fileOf(url) : url
  if (file === null) {
    throw new EngineError('invalid_request', 'The URL of the database cannot be read; it looks like file:///folder/assay.db.')
  }
  if (file === '') throw new EngineError('invalid_request', 'The database is a file or postgres://…, received nothing.')
  const { openLibsql } = await importOptional('A database file', 'service', () => import('./libsql.ts'))
  return openLibsql(file, options)
}

async function ping(database: Database, timeoutMs: number): Promise<void> {
  if (!(await within(timeoutMs, probe(database)))) throw new Error(`The database did not answer within ${timeoutMs} ms.`)
}

/**
 * Reads a row, and writes and deletes one that is as long as what an answer leaves. Both are committed, so that a disk
 * without room for the next answer is told.
 */
async function probe({ queries, write }: Database): Promise<void> {
  await queries.selectFrom('schema_version').select('version').executeTakeFirstOrThrow()
  await write(async (writes) => {
    const row = { id: makeStoreId('probe_'), filler: randomBytes(PROBE_BYTES / 2).toString('hex') }
    await writes.insertInto('probes').values(row).execute()
    await writes.deleteFrom('probes').where('id', '=', row.id).execute()
  })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code !== '' ? error.code : 'unreadable'
}

// The embedded database: one file (or memory) and its write-ahead log. The library is synchronous, so no call waits for
// locks: a transaction that finds the file locked tries again from a timer, and it takes the write lock when it begins,
// so that two processes never wait for each other.
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
} from 'kysely'
import Libsql from 'libsql'
import { EngineError } from '../../core/errors.ts'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

export interface LibsqlOptions {
  /**
   * Default false: what was committed survives the death of the process, but the last moments before a power cut or a
   * crash of the whole machine may be gone (all of their transactions; what is there is whole). True waits for the disk
   * at every commit, some milliseconds each.
   */
  readonly survivesPowerLoss?: boolean
  /** Most time to wait for other processes that write to the file; default 10 000. */
  readonly lockTimeoutMs?: number
}

/** Blocks everything in this process, so it is short. */
const BUSY_TIMEOUT_MS = 5
const LOCK_TIMEOUT_MS = 10_000
const RETRY_MS = 10
/** Statements kept prepared; the store has fewer, but for lists of different lengths. */
const MOST_STATEMENTS = 200

/**
 * Opens a file, which is made readable by its owner alone when it is not there; `:memory:` for a database that is gone
 * when it is closed.
 */
export function openLibsql(file: string, { survivesPowerLoss = false, lockTimeoutMs = LOCK_TIMEOUT_MS }: LibsqlOptions = {}): Database {
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
  const connection = new Libsql(file)
  try {
    connection.defaultSafeIntegers(true)
    // Opening may meet another process that recovers the log of a crash: the one place where waiting is right.
    connection.exec('pragma busy_timeout = 2000')
    connection.exec('pragma journal_mode = wal')
    connection.exec(`pragma synchronous = ${survivesPowerLoss ? 'full' : 'normal'}`)
    connection.exec('pragma foreign_keys = on')
    // Without it, "insert or replace" deletes behind the back of triggers.
    connection.exec('pragma recursive_triggers = on')
    connection.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  } catch (error) {
    connection.close()
    throw error
  }
  const queries = new Kysely<Tables>({
    dialect: {
      createDriver: () => new LibsqlDriver(connection, lockTimeoutMs),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  })
  return {
    kind: 'libsql',
    queries,
    write: (work) => queries.transaction().execute(work),
    // Outside of a transaction nothing would try again while another process writes.
    writeOne: (statement) => queries.transaction().execute(statement),
    // The transaction holds the write lock already.
    async lockSchema() {},
    async sealLedger(writes) {
      for (const change of ['update', 'delete'])
        await sql`create trigger ${sql.raw(`ledger_no_${change} before ${change}`)} on ledger
          begin select raise(abort, 'the ledger is append-only'); end`.execute(writes)
    },
    async close() {
      // Kysely closes a database only after its first query, so the connection is closed here too.
      await queries.destroy()
      if (connection.open) connection.close()
    },
  }
}

class LibsqlDriver extends SqliteDriver {
  readonly #connection: Libsql.Database
  readonly #lockTimeoutMs: number

  constructor(connection: Libsql.Database, lockTimeoutMs: number) {
    super({ database: checked(connection) })
    this.#connection = connection
    this.#lockTimeoutMs = lockTimeoutMs
  }

  override async beginTransaction(_: DatabaseConnection): Promise<void> {
    const giveUpAt = performance.now() + this.#lockTimeoutMs
    for (;;) {
      try {
        this.#connection.exec('begin immediate')
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() > giveUpAt) {
          const message = `The database was locked by another process for ${this.#lockTimeoutMs} ms; try again.`
          throw new EngineError('overloaded', message, { cause: error })
        }
        // With jitter, so that two that wait do not collide again.
        await sleep(1 + Math.random() * RETRY_MS)
      }
    }
  }

  override async rollbackTransaction(_: DatabaseConnection): Promise<void> {
    // A full disk ends the transaction by itself; what went wrong then must come out, not that there is nothing to roll
    // back.
    if (this.#connection.inTransaction) this.#connection.exec('rollback')
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_BUSY')
}

/**
 * The connection with its parameters checked: libsql ends the process at a boolean, rounds what passes 64 bits, and
 * takes whole numbers for reals.
 */
function checked(connection: Libsql.Database): SqliteDatabase {
  // Right because kysely runs every statement to its end at once: none is in use when it is asked for again.
  const prepared = new Map<string, SqliteStatement>()
  return {
    close: () => {
      if (connection.open) connection.close()
    },
    prepare(text) {
      const known = prepared.get(text)
      if (known !== undefined) return known
      const statement = connection.prepare(text)
      const made: SqliteStatement = {
        reader: statement.reader,
        all: (parameters) => statement.all(parameters.map(bindable)),
        run: (parameters) => statement.run(parameters.map(bindable)),
        iterate: (parameters) => statement.iterate(parameters.map(bindable)),
      }
      if (prepared.size >= MOST_STATEMENTS) prepared.clear()
      prepared.set(text, made)
      return made
    },
  }
}

function bindable(value: unknown): string | number | bigint | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
  throw new TypeError(`A column holds text, numbers, integers of 64 bits and null, received ${typeof value}.`)
}

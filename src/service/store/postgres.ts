// PostgreSQL: a pool of connections, tables in a schema of their own. The URL holds a password, so it is in no message.
import { Kysely, PostgresDialect, sql, WithSchemaPlugin } from 'kysely'
import pg from 'pg'
import { EngineError } from '../../core/errors.ts'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

export interface PostgresOptions {
  /** Connections at most; default 10. */
  readonly poolSize?: number
  /** Of one statement; default 10 000. */
  readonly statementTimeoutMs?: number
}

const SCHEMA = 'assay'
/** Any number that nobody else locks: "assay" as bytes. */
const SCHEMA_LOCK = 0x6173736179n
const CONNECT_TIMEOUT_MS = 5000

/** Makes the pool; nothing is connected yet. Throws `invalid_request` when the URL cannot be read. */
export function openPostgres(url: string, { poolSize = 10, statementTimeoutMs = 10_000 }: PostgresOptions = {}): Database {
  const pool = makePool(url, poolSize, statementTimeoutMs)
  // Connections that break while idle, or between two statements, emit errors that would end a process without
  // listeners. The pool drops them and reconnects; a transaction fails at its next statement.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const queries = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new WithSchemaPlugin(SCHEMA)] })
  return {
    kind: 'postgres',
    queries,
    write: (work) => queries.transaction().execute(work),
    // A transaction by itself: one way to the server and back in place of three.
    writeOne: (statement) => statement(queries),
    async lockSchema(writes) {
      await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(writes)
      await sql`create schema if not exists ${sql.id(SCHEMA)}`.execute(writes)
      // For statements that name no schema; until the transaction ends.
      await sql`set local search_path to ${sql.id(SCHEMA)}`.execute(writes)
    },
    async sealLedger(writes) {
      await sql`create function refuse_change() returns trigger language plpgsql
        as $$ begin raise exception 'the ledger is append-only'; end $$`.execute(writes)
      await sql`create trigger ledger_no_change before update or delete on ledger
        for each row execute function refuse_change()`.execute(writes)
      await sql`create trigger ledger_no_truncate before truncate on ledger
        for each statement execute function refuse_change()`.execute(writes)
    },
    close: async () => {
      if (!pool.ending) await pool.end()
    },
  }
}

function makePool(url: string, poolSize: number, statementTimeoutMs: number): pg.Pool {
  try {
    return new pg.Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 30_000,
      statement_timeout: statementTimeoutMs,
      // The server itself ends slow statements; this timeout is for a server that is gone.
      query_timeout: statementTimeoutMs + CONNECT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      keepAlive: true,
      application_name: 'assay',
      types: { getTypeParser: (oid, format) => (oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)) },
    })
  } catch {
    throw new EngineError(
      'invalid_request',
      'The URL of the database cannot be read; it looks like postgres://user:password@host:5432/name.',
    )
  }
}

// What the store needs of a database: queries, and transactions that write. Everything else about the two kinds stays
// in their own files.
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

export type Queries = Kysely<Tables>
export type Writes = Transaction<Tables>

export interface Database {
  readonly kind: 'libsql' | 'postgres'
  /** For reading; whatever writes goes through `write`. */
  readonly queries: Queries
  /**
   * Runs one transaction. Writers wait for one another where they must. What the work throws rolls it back and is
   * rethrown.
   */
  write<T>(work: (writes: Writes) => Promise<T>): Promise<T>
  /** Runs one statement that writes. */
  writeOne<T>(statement: (queries: Queries) => Promise<T>): Promise<T>
  /** Holds off other replicas that open the same database, until the transaction ends. */
  lockSchema(writes: Writes): Promise<void>
  /** Makes the database itself refuse to change or delete lines of the ledger. */
  sealLedger(writes: Writes): Promise<void>
  close(): Promise<void>
}

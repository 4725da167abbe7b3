// Keyed hashes of the values that checks were about: without the key of the installation, a guess at a value cannot be
// held against what is kept.
import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { valueHash } from '../../questions/shared/decision-key.ts'
import type { Database, Writes } from './database.ts'

export interface ValueHashes {
  /** What is kept of a value, from its `valueHash`; null stays null. */
  keyed(hash: string | null): string | null
  /** Whether what was kept is of this value. Hashes without a key, of older replicas, are known too. */
  holds(kept: string | null, value: string | null): boolean
}

const VALUE_KEY = 'value_key'
const KEY_BYTES = 32
const MARK = 'k1:'
const HEX_DIGITS = 32
/** Rows that are rewritten at a time. */
const PAGE = 500

function hashesOf(key: Buffer): ValueHashes {
  const keyed = (hash: string) => MARK + createHmac('sha256', key).update(hash).digest('hex').slice(0, HEX_DIGITS)
  return {
    keyed: (hash) => (hash === null ? null : keyed(hash)),
    holds: (kept, value) => kept === (kept?.startsWith(MARK) === true ? keyed(valueHash(value)) : valueHash(value)),
  }
}

/** The hashes of an installation whose tables are up to date. */
export async function openValueHashes({ queries }: Database): Promise<ValueHashes> {
  const { value } = await queries.selectFrom('installation').select('value').where('name', '=', VALUE_KEY).executeTakeFirstOrThrow()
  return hashesOf(Buffer.from(value, 'hex'))
}

/** Makes the key of the installation, and puts keyed hashes in place of those that are kept without one. */
export async function keyValueHashes(writes: Writes): Promise<void> {
  await sql`create table if not exists installation (name text not null primary key, value text not null)`.execute(writes)
  const made = { name: VALUE_KEY, value: randomBytes(KEY_BYTES).toString('hex') }
  await writes
    .insertInto('installation')
    .values(made)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const { value } = await writes.selectFrom('installation').select('value').where('name', '=', VALUE_KEY).executeTakeFirstOrThrow()
  const { keyed } = hashesOf(Buffer.from(value, 'hex'))
  let after = ''
  for (;;) {
    const rows = await writes.selectFrom('events').select(['id', 'line']).where('id', '>', after).orderBy('id').limit(PAGE).execute()
    for (const { id, line } of rows) {
      // Quotes inside of texts are escaped, so this is the field of a decision.
      const rewritten = line.replace(/"value":"([0-9a-f]{16})"/g, (_, hash: string) => `"value":"${keyed(hash)}"`)
      if (rewritten !== line) await writes.updateTable('events').set({ line: rewritten }).where('id', '=', id).execute()
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

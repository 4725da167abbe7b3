// Deletes expired rows, a few at a time: the embedded database can do nothing else meanwhile.
import type { Database, Writes } from './database.ts'
import { REPLY_MS } from './idempotency.ts'
import { longAgo } from './recent-turns.ts'
import { time } from './tables.ts'

const BATCH = 500
const MINUTE_MS = 60_000

export async function purge(database: Database, keepMs: number, at: number): Promise<void> {
  const old = time(at - keepMs)
  await drain(database, (writes) => {
    const batch = writes
      .selectFrom('claims')
      .select('token')
      .where('at', '<=', time(at - REPLY_MS))
      .limit(BATCH)
    // A claim whose lease still runs is kept.
    const isOver = batch.where((is) => is.or([is('settled_at', 'is not', null), is('lease_ends_at', '<=', time(at))]))
    return writes.deleteFrom('claims').where('token', 'in', isOver)
  })
  await drain(database, (writes) =>
    writes
      .deleteFrom('admin_links')
      .where('hash', 'in', writes.selectFrom('admin_links').select('hash').where('expires_at', '<=', time(at)).limit(BATCH)),
  )
  await drain(database, (writes) =>
    writes
      .deleteFrom('admin_sessions')
      .where('hash', 'in', writes.selectFrom('admin_sessions').select('hash').where('expires_at', '<=', time(at)).limit(BATCH)),
  )
  if (database.kind === 'postgres') {
    // Rows of replicas that are gone.
    await database.queries.deleteFrom('recent_turns').where('said_at', '<', longAgo(MINUTE_MS)).execute()
  }
  await drain(database, (writes) =>
    writes.deleteFrom('requests').where('id', 'in', writes.selectFrom('requests').select('id').where('at', '<', old).limit(BATCH)),
  )
  await drain(database, (writes) => {
    const batch = writes.selectFrom('events').select('id').where('is_labelled', '=', 0n).where('at', '<', old).limit(BATCH)
    // The condition is repeated outside: an event that is labelled meanwhile stays.
    return writes.deleteFrom('events').where('is_labelled', '=', 0n).where('id', 'in', batch)
  })
}

interface Deletion {
  executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }>
}

async function drain({ write }: Database, deletion: (writes: Writes) => Deletion): Promise<void> {
  let deleted: bigint
  do {
    deleted = (await write((writes) => deletion(writes).executeTakeFirst())).numDeletedRows
    // Waiting requests run in between.
    await new Promise((resolve) => setImmediate(resolve))
  } while (deleted >= BigInt(BATCH))
}

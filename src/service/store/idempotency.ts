// Claims of idempotency keys in a table. A claim belongs to the holder of its token; taking over changes the token,
// which fences off the holder before.
import type { Selectable } from 'kysely'
import type { Database, Writes } from './database.ts'
import { makeSecret } from './secrets.ts'
import type { IdempotencyState, IdempotencyStore, StoredReply } from './store.ts'
import { storable, type Tables, time } from './tables.ts'

/** A reply is kept this long. */
export const REPLY_MS = 24 * 3_600_000
/** Answers take seconds and leases are longer, so waiting clients are told to ask again this soon. */
const MOST_RETRY_AFTER_MS = 1000

export function idempotencyStore({ write }: Database, now: () => number): IdempotencyStore {
  return {
    async begin({ key, idempotencyKey, bodyHash, leaseMs }) {
      const name = { key, idempotency_key: storable(idempotencyKey) }
      const claim = { body_hash: bodyHash, leaseMs }
      for (;;) {
        const state = await write((writes) => tryToBegin(writes, name, claim, now()))
        // Null: it changed hands or was let go between two looks.
        if (state !== null) return state
      }
    },

    async abandon(token) {
      await write((writes) => writes.deleteFrom('claims').where('token', '=', token).where('settled_at', 'is', null).execute())
    },
  }
}

type ClaimName = Pick<Selectable<Tables['claims']>, 'key' | 'idempotency_key'>

async function tryToBegin(
  writes: Writes,
  name: ClaimName,
  { body_hash, leaseMs }: { readonly body_hash: string; readonly leaseMs: number },
  at: number,
): Promise<IdempotencyState | null> {
  const token = makeSecret('')
  const mine = {
    body_hash,
    token,
    at: time(at),
    lease_ends_at: time(at + leaseMs),
    settled_at: null,
    reply_status: null,
    reply_headers: null,
    reply_body: null,
  }
  const inserted = await writes
    .insertInto('claims')
    .values({ ...name, ...mine })
    .onConflict((conflict) => conflict.columns(['key', 'idempotency_key']).doNothing())
    .returning('token')
    .executeTakeFirst()
  if (inserted !== undefined) return { state: 'begun', token }

  const found = await writes
    .selectFrom('claims')
    .selectAll()
    .where('key', '=', name.key)
    .where('idempotency_key', '=', name.idempotency_key)
    .executeTakeFirst()
  if (found === undefined) return null
  const isOver = found.at <= time(at - REPLY_MS) && (found.settled_at !== null || found.lease_ends_at <= time(at))
  if (!isOver) {
    if (found.body_hash !== body_hash) return { state: 'mismatch' }
    if (found.settled_at !== null) return { state: 'done', reply: replyOf(found) }
    const leftMs = Number(found.lease_ends_at - time(at))
    if (leftMs > 0) return { state: 'running', retryAfterMs: Math.min(leftMs, MOST_RETRY_AFTER_MS) }
  }
  // Of several that see the same holder expired, one finds its token still there. That holder may settle at the last
  // moment, and then keeps the claim.
  const taken = writes.updateTable('claims').set(mine).where('token', '=', found.token)
  const won = await (found.settled_at === null ? taken.where('settled_at', 'is', null) : taken).returning('token').executeTakeFirst()
  return won === undefined ? null : { state: 'begun', token }
}

/** Takes the claim for settling, and holds it until the transaction ends. False when it was lost. */
export async function fenceClaim(writes: Writes, token: string, at: number): Promise<boolean> {
  const held = await writes
    .updateTable('claims')
    .set({ settled_at: time(at) })
    .where('token', '=', token)
    .where('settled_at', 'is', null)
    .returning('token')
    .executeTakeFirst()
  return held !== undefined
}

export async function keepReply(writes: Writes, token: string, { status, headers, body }: StoredReply): Promise<void> {
  const reply = { reply_status: status, reply_headers: JSON.stringify(headers), reply_body: storable(body) }
  await writes.updateTable('claims').set(reply).where('token', '=', token).execute()
}

function replyOf({ reply_status, reply_headers, reply_body }: Selectable<Tables['claims']>): StoredReply {
  return { status: Number(reply_status), headers: JSON.parse(reply_headers ?? '{}') as Record<string, string>, body: reply_body ?? '' }
}

// Access to the console: one-time links, and sessions. Both are kept as hashes, and the CSRF token is derived from the
// session, so that reading the database opens nothing.
import { createHash } from 'node:crypto'
import type { Database, Writes } from './database.ts'
import { hashOfSecret, looksLikeSecret, makeSecret } from './secrets.ts'
import type { AdminSession, AdminStore } from './store.ts'
import { time } from './tables.ts'

export function adminStore({ queries, write }: Database, now: () => number): AdminStore {
  const openSession = async (writes: Writes, ttlMs: number): Promise<{ readonly session: string; readonly state: AdminSession }> => {
    const session = makeSecret('')
    const expiresAt = time(now() + ttlMs)
    await writes
      .insertInto('admin_sessions')
      .values({ hash: hashOfSecret(session), expires_at: expiresAt })
      .execute()
    return { session, state: { expiresAt: Number(expiresAt), csrfToken: csrfTokenOf(session) } }
  }
  return {
    async issueLink(ttlMs) {
      const token = makeSecret('')
      await write((writes) =>
        writes
          .insertInto('admin_links')
          .values({ hash: hashOfSecret(token), expires_at: time(now() + ttlMs) })
          .execute(),
      )
      return token
    },

    async redeem(token, ttlMs) {
      if (!looksLikeSecret(token, '')) return null
      const hash = hashOfSecret(token)
      // Anyone may try tokens: wrong ones must not take the write lock.
      const known = await queries.selectFrom('admin_links').select('hash').where('hash', '=', hash).executeTakeFirst()
      if (known === undefined) return null
      return write(async (writes) => {
        // Deleting it spends it: of two concurrent requests, one finds it.
        const spent = await writes
          .deleteFrom('admin_links')
          .where('hash', '=', hash)
          .where('expires_at', '>', time(now()))
          .returning('hash')
          .executeTakeFirst()
        return spent === undefined ? null : openSession(writes, ttlMs)
      })
    },

    open: (ttlMs) => write((writes) => openSession(writes, ttlMs)),

    async find(session) {
      if (!looksLikeSecret(session, '')) return null
      const row = await queries
        .selectFrom('admin_sessions')
        .select('expires_at')
        .where('hash', '=', hashOfSecret(session))
        .where('expires_at', '>', time(now()))
        .executeTakeFirst()
      return row === undefined ? null : { expiresAt: Number(row.expires_at), csrfToken: csrfTokenOf(session) }
    },

    async end(session) {
      if (!looksLikeSecret(session, '')) return
      await write((writes) => writes.deleteFrom('admin_sessions').where('hash', '=', hashOfSecret(session)).execute())
    },

    endAll: () =>
      write(async (writes) => {
        await writes.deleteFrom('admin_links').execute()
        const ended = await writes.deleteFrom('admin_sessions').returning('expires_at').execute()
        return ended.filter((session) => session.expires_at > now()).length
      }),
  }
}

function csrfTokenOf(session: string): string {
  return createHash('sha256').update(`csrf ${session}`).digest('base64url')
}

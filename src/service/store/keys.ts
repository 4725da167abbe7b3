// API keys in a table. Only the hash of the secret is kept, and looked up; nothing is cached, so that a revoked key is
// refused on every replica.
import type { Selectable } from 'kysely'
import { EngineError } from '../../core/errors.ts'
import { hiddenCharacterIn } from '../../core/hidden-characters.ts'
import { ensureAccount } from './accounts.ts'
import type { Database } from './database.ts'
import { hashOfSecret, isSameHash, looksLikeSecret, makeSecret, makeStoreId } from './secrets.ts'
import { type ApiKey, type KeyStore, MOST_NAME_CHARACTERS, SCOPES, type Scope } from './store.ts'
import { storable, type Tables, time } from './tables.ts'

const PREFIX = 'service_sk_'
/** Characters of the secret that are shown with a key: four of its own. */
const SHOWN = PREFIX.length + 4
/** What an hour of a busy machine could take; more is a slip of the keyboard. */
const MOST_REQUESTS_PER_MINUTE = 1_000_000

/** Throws `invalid_request` for names, scopes and limits that cannot be. */
export function keyStore({ queries, write }: Database, now: () => number): KeyStore {
  return {
    async create({ account, name, scopes, requestsPerMinute = null }) {
      const said = name.trim()
      if (said === '' || said.length > MOST_NAME_CHARACTERS || /\p{Cc}/u.test(said)) {
        const message = `The name of a key has 1 to ${MOST_NAME_CHARACTERS} characters and no control characters, received ${name.length}.`
        throw new EngineError('invalid_request', message, { param: '/name' })
      }
      const hidden = hiddenCharacterIn(name)
      if (hidden !== null) {
        const message = `The name of the key holds ${hidden}, which people do not see; leave it out.`
        throw new EngineError('invalid_request', message, { param: '/name' })
      }
      const stranger = scopes.find((scope) => !SCOPES.includes(scope))
      if (stranger !== undefined || scopes.length === 0) {
        const message = `The scopes of a key are one or more of ${SCOPES.join(', ')}${stranger === undefined ? '' : `, not ${JSON.stringify(stranger)}`}.`
        throw new EngineError('invalid_request', message, { param: '/scopes' })
      }
      const isLimit = (limit: number) => Number.isInteger(limit) && limit >= 1 && limit <= MOST_REQUESTS_PER_MINUTE
      if (requestsPerMinute !== null && !isLimit(requestsPerMinute)) {
        const message = `Requests per minute are a whole number from 1 to ${MOST_REQUESTS_PER_MINUTE}, received ${requestsPerMinute}.`
        throw new EngineError('invalid_request', message, { param: '/requests_per_minute' })
      }
      const secret = makeSecret(PREFIX)
      const row = {
        id: makeStoreId('key_'),
        account,
        name: said,
        scopes: SCOPES.filter((scope) => scopes.includes(scope)).join(' '),
        prefix: secret.slice(0, SHOWN),
        hash: hashOfSecret(secret),
        requests_per_minute: requestsPerMinute,
        created_at: time(now()),
        last_used_at: null,
        revoked_at: null,
      }
      const made = await write(async (writes) => {
        await ensureAccount(writes, account, now())
        return writes.insertInto('api_keys').values(row).returningAll().executeTakeFirstOrThrow()
      })
      return { key: keyOf(made), secret }
    },

    async find(secret) {
      if (!looksLikeSecret(secret, PREFIX)) return null
      const hash = hashOfSecret(secret)
      const row = await queries
        .selectFrom('api_keys')
        .selectAll()
        .where('hash', '=', hash)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined && isSameHash(row.hash, hash) ? keyOf(row) : null
    },

    async list(account) {
      const all = queries.selectFrom('api_keys').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc')
      const rows = await (account === undefined ? all : all.where('account', '=', storable(account))).execute()
      return rows.map(keyOf)
    },

    async revoke(id) {
      const row = await write(async (writes) => {
        await writes
          .updateTable('api_keys')
          .set({ revoked_at: time(now()) })
          .where('id', '=', storable(id))
          .where('revoked_at', 'is', null)
          .execute()
        return writes.selectFrom('api_keys').selectAll().where('id', '=', storable(id)).executeTakeFirst()
      })
      return row === undefined ? null : keyOf(row)
    },
  }
}

function keyOf(row: Selectable<Tables['api_keys']>): ApiKey {
  const optional = (value: bigint | null): number | null => (value === null ? null : Number(value))
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    scopes: row.scopes.split(' ') as Scope[],
    prefix: row.prefix,
    requestsPerMinute: optional(row.requests_per_minute),
    createdAt: Number(row.created_at),
    lastUsedAt: optional(row.last_used_at),
    revokedAt: optional(row.revoked_at),
  }
}

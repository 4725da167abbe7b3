// Credits over two tables: balances, and the ledger that they are the sums of.
import { type Selectable, sql } from 'kysely'
import { EngineError } from '../../core/errors.ts'
import { dollarsText, MOST_NANO_DOLLARS } from '../money.ts'
import { ensureAccount, move } from './accounts.ts'
import type { Database } from './database.ts'
import { makeStoreId } from './secrets.ts'
import type { Account, Ledger, LedgerEntry } from './store.ts'
import { storable, type Tables, time } from './tables.ts'

const NANO = 1_000_000_000n
const MOST_NOTE_CHARACTERS = 1000

/** Undoes its transaction. */
class Unmoved extends Error {}

/**
 * `credit` throws `invalid_request` for what passes the largest balance, and for accounts that cannot be, and
 * `internal_error` when it is not known whether the amount was added.
 */
export function ledger({ queries, write }: Database, now: () => number): Ledger {
  return {
    async accounts() {
      return (await queries.selectFrom('accounts').selectAll().orderBy('id').execute()).map(accountOf)
    },

    async account(id) {
      const row = await queries.selectFrom('accounts').selectAll().where('id', '=', storable(id)).executeTakeFirst()
      return row === undefined ? null : accountOf(row)
    },

    async credit(account, amount, note) {
      if (note.length > MOST_NOTE_CHARACTERS) {
        const message = `A note has at most ${MOST_NOTE_CHARACTERS} characters, received ${note.length}.`
        throw new EngineError('invalid_request', message, { param: '/note' })
      }
      if (amount > MOST_NANO_DOLLARS || amount < -MOST_NANO_DOLLARS) throw tooMuch()
      const at = now()
      const entry = { id: makeStoreId('led_'), account, kind: 'credit', amount, request: null } as const
      let isWritten = false
      try {
        return await write(async (writes) => {
          await ensureAccount(writes, account, at)
          const moved = await move(writes, { ...entry, at, note })
          if (moved.state !== 'moved') throw amount > 0n ? tooMuch() : new Unmoved()
          isWritten = true
          return { ...entry, at: Number(time(at)), balanceAfter: moved.balance, note: storable(note) }
        })
      } catch (error) {
        if (error instanceof Unmoved) return null
        if (!isWritten) throw error
        // A connection that breaks during the commit leaves open whether it happened, and whoever is told that it did
        // not adds the amount again. So it is looked up.
        const line = queries.selectFrom('ledger').selectAll().where('id', '=', entry.id)
        const found = await line.executeTakeFirst().catch((cause: unknown) => {
          throw inDoubt(cause)
        })
        if (found === undefined) throw error
        return entryOf(found)
      }
    },

    async entries(account, { limit, before }) {
      let page = queries.selectFrom('ledger').selectAll().where('account', '=', storable(account)).orderBy('number', 'desc').limit(limit)
      if (before !== undefined) {
        // A line that is not the account's has nothing before it.
        const number = queries
          .selectFrom('ledger')
          .select('number')
          .where('id', '=', storable(before))
          .where('account', '=', storable(account))
        page = page.where('number', '<', number)
      }
      return (await page.execute()).map(entryOf)
    },

    async audit() {
      // Dollars and nano-dollars are summed apart, for a sum may pass 64 bits on its way to one that does not.
      const rows = await queries
        .selectFrom('accounts')
        .leftJoin('ledger', 'ledger.account', 'accounts.id')
        .select([
          'accounts.id',
          'accounts.balance',
          sql<bigint>`cast(coalesce(sum(ledger.amount / ${NANO}), 0) as bigint)`.as('dollars'),
          sql<bigint>`cast(coalesce(sum(ledger.amount % ${NANO}), 0) as bigint)`.as('rest'),
        ])
        .groupBy(['accounts.id', 'accounts.balance'])
        .orderBy('accounts.id')
        .execute()
      return rows
        .map(({ id, balance, dollars, rest }) => ({ account: id, balance, sum: dollars * NANO + rest }))
        .filter(({ balance, sum }) => balance !== sum)
    },
  }
}

function tooMuch(): EngineError {
  const message = `A balance is at most ${dollarsText(MOST_NANO_DOLLARS)} dollars; nothing was added.`
  return new EngineError('invalid_request', message, { param: '/amount' })
}

function inDoubt(cause: unknown): EngineError {
  const message = 'It is not known whether the amount was added; look at the ledger before adding it again.'
  return new EngineError('internal_error', message, { cause })
}

function accountOf(row: Selectable<Tables['accounts']>): Account {
  return { id: row.id, balance: row.balance, createdAt: Number(row.created_at) }
}

function entryOf({ id, at, account, kind, amount, balance_after, request, note }: Selectable<Tables['ledger']>): LedgerEntry {
  return { id, at: Number(at), account, kind, amount, balanceAfter: balance_after, request, note }
}

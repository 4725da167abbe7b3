// Balances, and the one function that changes them: a balance and its line in the ledger change together, under the
// lock of the account's row.
import { EngineError } from '../../core/errors.ts'
import { hiddenCharacterIn } from '../../core/hidden-characters.ts'
import { MOST_NANO_DOLLARS, type NanoDollars } from '../money.ts'
import type { Writes } from './database.ts'
import { MOST_NAME_CHARACTERS } from './store.ts'
import { storable, time } from './tables.ts'

/** Makes the account with nothing in it, when there is none. Throws `invalid_request` for an id that cannot be one. */
export async function ensureAccount(writes: Writes, id: string, at: number): Promise<void> {
  const hidden = hiddenCharacterIn(id)
  // Accounts that were made before such names were refused stay as they are.
  if (
    hidden !== null &&
    (await writes.selectFrom('accounts').select('id').where('id', '=', storable(id)).executeTakeFirst()) === undefined
  ) {
    const message = `The name of the account holds ${hidden}, which people do not see; leave it out.`
    throw new EngineError('invalid_request', message, { param: '/account' })
  }
  if (id === '' || id.length > MOST_NAME_CHARACTERS || id.trim() !== id || /[\p{Cc}\p{Cs}]/u.test(id)) {
    const message = `An account has 1 to ${MOST_NAME_CHARACTERS} characters, no control characters and no blanks around them, received ${id.length}.`
    throw new EngineError('invalid_request', message, { param: '/account' })
  }
  await writes
    .insertInto('accounts')
    .values({ id, balance: 0n, entries: 0n, created_at: time(at) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export interface Movement {
  /** Of the line in the ledger: `led_…`. */
  readonly id: string
  readonly account: string
  /** Negative to take away. */
  readonly amount: NanoDollars
  readonly kind: 'credit' | 'charge'
  readonly at: number
  readonly request: string | null
  readonly note: string
}

/**
 * The line was written; or the request has one already; or the balance (0 without an account) does not allow it.
 */
export type Moved =
  | { readonly state: 'moved'; readonly balance: NanoDollars }
  | { readonly state: 'repeated' }
  | { readonly state: 'refused'; readonly balance: NanoDollars }

/**
 * Changes a balance within 0 and the largest amount; outside, `refused`. After any result but `moved` the caller must
 * roll back.
 */
export async function move(writes: Writes, { id, account, amount, kind, at, request, note }: Movement): Promise<Moved> {
  const moved = await writes
    .updateTable('accounts')
    .set((column) => ({ balance: column('balance', '+', amount), entries: column('entries', '+', 1n) }))
    .where('id', '=', account)
    .where('balance', amount < 0n ? '>=' : '<=', amount < 0n ? -amount : MOST_NANO_DOLLARS - amount)
    .returning(['balance', 'entries'])
    .executeTakeFirst()
  if (moved === undefined) {
    const row = await writes.selectFrom('accounts').select('balance').where('id', '=', account).executeTakeFirst()
    return { state: 'refused', balance: row?.balance ?? 0n }
  }
  const line = await writes
    .insertInto('ledger')
    .values({
      id,
      account,
      number: moved.entries,
      at: time(at),
      kind,
      amount,
      balance_after: moved.balance,
      request,
      note: storable(note),
    })
    .onConflict((conflict) => conflict.column('request').doNothing())
    .returning('id')
    .executeTakeFirst()
  return line === undefined ? { state: 'repeated' } : { state: 'moved', balance: moved.balance }
}

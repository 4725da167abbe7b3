// Settles one answer in one transaction: claim, charge, ledger line, log line, decisions, reply and last use of the
// key. Rows are always taken in this order (claim, account, key), so that no two settlements wait for each other.
import { ensureAccount, type Moved, move } from './accounts.ts'
import type { Database, Writes } from './database.ts'
import { fenceClaim, keepReply } from './idempotency.ts'
import { keepEvent } from './outcomes.ts'
import { noteRequest } from './requests.ts'
import { makeStoreId } from './secrets.ts'
import type { RequestRecord, Settled, Settlement } from './store.ts'
import { time } from './tables.ts'
import type { ValueHashes } from './value-hashes.ts'

/** Undoes the transaction, and says what came of it. */
class Refusal extends Error {
  readonly settled: Settled

  constructor(settled: Settled) {
    super(settled.state)
    this.settled = settled
  }
}

class AlreadySettled extends Error {}

/** It is not known whether the answer was charged: the database went away during the commit and could not be asked. */
export class SettlementInDoubt extends Error {}

export interface SettleOptions {
  readonly keepsFeatures: boolean
  readonly hashes: ValueHashes
  readonly now: () => number
}

export async function settle(database: Database, settlement: Settlement, { keepsFeatures, hashes, now }: SettleOptions): Promise<Settled> {
  const { record, event, token } = settlement
  if (record.cost < 0n) throw new RangeError(`A cost is 0 or more nano-dollars, received ${record.cost}.`)
  let isWritten = false
  try {
    return await database.write(async (writes) => {
      isWritten = false
      if (token !== null && !(await fenceClaim(writes, token, now()))) {
        if ((await chargeOf(writes, record.id)) !== null) throw repeated(record)
        throw new Refusal({ state: 'superseded' })
      }
      const moved = await charge(writes, record)
      if (moved.state === 'repeated') throw repeated(record)
      if (moved.state === 'refused') throw new Refusal({ state: 'insufficient_balance', balance: moved.balance })
      await noteRequest(writes, record)
      if (event !== null) await keepEvent(writes, record.account, event, { keepsFeatures, hashes })
      if (record.key !== null) await noteUse(writes, record.key, record.at)
      if (token !== null) await keepReply(writes, token, settlement.reply(moved.balance))
      isWritten = true
      return { state: 'settled', balance: moved.balance }
    })
  } catch (error) {
    if (error instanceof Refusal) return error.settled
    if (error instanceof AlreadySettled) throw error
    // A connection that breaks during the commit leaves open whether it happened. An account that was charged must get
    // its answer, so it is looked up.
    const balance = await chargeOf(database.queries, record.id).catch((cause: unknown) => {
      if (isWritten) throw new SettlementInDoubt(`The request ${record.id} may have been charged.`, { cause })
      return null
    })
    if (balance !== null) return { state: 'settled', balance }
    throw error
  }
}

async function charge(writes: Writes, record: RequestRecord): Promise<Moved> {
  const { id, account, cost, at } = record
  const movement = { id: makeStoreId('led_'), account, amount: -cost, kind: 'charge', at, request: id, note: record.model ?? '' } as const
  const moved = await move(writes, movement)
  if (moved.state !== 'refused' || cost > 0n) return moved
  // What costs nothing is refused only to an account that is not there yet.
  await ensureAccount(writes, account, at)
  return move(writes, movement)
}

/** The balance after the charge of a request; null when it was not charged. */
async function chargeOf(queries: Database['queries'], request: string): Promise<bigint | null> {
  const row = await queries.selectFrom('ledger').select('balance_after').where('request', '=', request).executeTakeFirst()
  return row?.balance_after ?? null
}

async function noteUse(writes: Writes, key: string, at: number): Promise<void> {
  await writes
    .updateTable('api_keys')
    .set({ last_used_at: time(at) })
    .where('id', '=', key)
    // Answers may settle in another order than they were asked for.
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', time(at))]))
    .execute()
}

function repeated({ id }: RequestRecord): AlreadySettled {
  return new AlreadySettled(`The request ${id} was settled before; an id names one request.`)
}

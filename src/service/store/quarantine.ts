// Bursts of labels: those of an account beyond so many within an hour wait in a table of their own, together with the
// others of that hour, until an operator has looked at them. Nothing that reads labels sees them meanwhile.
import type { Insertable } from 'kysely'
import type { Database, Writes } from './database.ts'
import type { BurstGuard, QuarantinedLabels, QuarantineStore } from './store.ts'
import { storable, type Tables } from './tables.ts'

type LabelRow = Insertable<Tables['labels']>

const HOUR_MS = 3_600_000n
/** Events that are named with a burst, for looking at. */
const NAMED = 5
const COLUMNS = ['event', 'decision', 'truth', 'weight', 'account', 'at'] as const
/** Rows that move in one transaction: the embedded database can do nothing else meanwhile. */
const BATCH = 500

/**
 * Whether so many labels more are a burst: `new` when they pass what the guard allows within an hour, `on` after one of
 * the last hour that still waits. Of labels that come at the same moment on two replicas, each may miss the other's.
 */
export async function burstOf(
  writes: Writes,
  account: string,
  count: number,
  at: bigint,
  { labels }: BurstGuard,
): Promise<'none' | 'new' | 'on'> {
  if (labels === 0) return 'none'
  const within = async (table: 'labels' | 'quarantined_labels', most: number): Promise<number> => {
    const own = writes
      .selectFrom(table)
      .select('event')
      .where('account', '=', account)
      .where('at', '>', at - HOUR_MS)
    return (await own.limit(most).execute()).length
  }
  if ((await within('quarantined_labels', 1)) > 0) return 'on'
  return (await within('labels', labels)) + count > labels ? 'new' : 'none'
}

/** Writes labels, each in place of an earlier one. The same label again keeps its time. */
export async function keepLabels(writes: Writes, rows: readonly LabelRow[]): Promise<void> {
  await upsert(writes, 'labels', rows)
}

/** Puts labels into quarantine, and those of the hour before with them. */
export async function quarantineBurst(writes: Writes, account: string, at: bigint, rows: readonly LabelRow[]): Promise<void> {
  const since = at - HOUR_MS
  await writes
    .insertInto('quarantined_labels')
    .columns(COLUMNS)
    .expression(writes.selectFrom('labels').select(COLUMNS).where('account', '=', account).where('at', '>', since))
    .onConflict((conflict) =>
      conflict.columns(['event', 'decision']).doUpdateSet((is) => ({
        truth: is.ref('excluded.truth'),
        weight: is.ref('excluded.weight'),
        at: is.ref('excluded.at'),
      })),
    )
    .execute()
  await writes.deleteFrom('labels').where('account', '=', account).where('at', '>', since).execute()
  await upsert(writes, 'quarantined_labels', rows)
}

async function upsert(writes: Writes, table: 'labels' | 'quarantined_labels', rows: readonly LabelRow[]): Promise<void> {
  for (const row of rows) {
    const { truth, weight, at } = row
    await writes
      .insertInto(table)
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['event', 'decision'])
          .doUpdateSet({ truth, weight, at })
          .where((is) => is.or([is(`${table}.truth`, '!=', truth), is(`${table}.weight`, '!=', weight)])),
      )
      .execute()
  }
}

export function quarantineStore({ queries, write }: Database): QuarantineStore {
  async function count(account: string): Promise<number> {
    const own = queries.selectFrom('quarantined_labels').where('account', '=', storable(account))
    const { labels } = await own.select(({ fn }) => fn.countAll<bigint>().as('labels')).executeTakeFirstOrThrow()
    return Number(labels)
  }

  /** Moves or deletes as many labels of an account as wait now, the oldest first, a batch at a time. */
  async function empty(account: string, isReleased: boolean): Promise<number> {
    const own = storable(account)
    let left = await count(account)
    let ended = 0
    while (left > 0) {
      const moved = await write(async (writes) => {
        const waiting = writes.selectFrom('quarantined_labels').select(COLUMNS).where('account', '=', own)
        const oldest = waiting.orderBy('at').orderBy('event').orderBy('decision')
        const batch = await oldest.limit(Math.min(BATCH, left)).execute()
        // Released labels count as old, so that the next ones are not taken for the same burst.
        const released = batch.map((row) => ({ ...row, at: 0n }))
        if (isReleased) await keepLabels(writes, released)
        for (const { event, decision } of batch) {
          await writes.deleteFrom('quarantined_labels').where('event', '=', event).where('decision', '=', decision).execute()
        }
        if (!isReleased) await unlabel(writes, [...new Set(batch.map(({ event }) => event))])
        return batch.length
      })
      if (moved === 0) break
      left -= moved
      ended += moved
      // Waiting requests run in between.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return ended
  }

  return {
    async list() {
      const totals = await queries
        .selectFrom('quarantined_labels')
        .select(({ fn }) => ['account', fn.countAll<bigint>().as('labels'), fn.min('at').as('since'), fn.max('at').as('until')])
        .groupBy('account')
        .orderBy('account')
        .execute()
      const bursts: QuarantinedLabels[] = []
      for (const { account, labels, since, until } of totals) {
        const named = queries.selectFrom('quarantined_labels').select('event').distinct().where('account', '=', account)
        const events = (await named.orderBy('event').limit(NAMED).execute()).map(({ event }) => event)
        bursts.push({ account, labels: Number(labels), since: Number(since), until: Number(until), events })
      }
      return bursts
    },
    count,
    release: (account) => empty(account, true),
    drop: (account) => empty(account, false),
  }
}

/** Marks events that have no label left as unlabelled, so that they are forgotten in their time. */
async function unlabel(writes: Writes, events: readonly string[]): Promise<void> {
  if (events.length === 0) return
  await writes
    .updateTable('events')
    .set({ is_labelled: 0n })
    .where('id', 'in', events)
    .where('id', 'not in', writes.selectFrom('labels').select('event').where('event', 'in', events))
    .where('id', 'not in', writes.selectFrom('quarantined_labels').select('event').where('event', 'in', events))
    .execute()
}

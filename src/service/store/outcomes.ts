// Decisions and outcomes in two tables: an event's line as a folder of outcomes holds it, and a row for each label, so
// that labels that come to two replicas at once both stay.
import { sql } from 'kysely'
import { eventLine, parseEvent } from '../../calibration/outcomes/outcome-lines.ts'
import {
  evidenceOf,
  keptEvent,
  type Label,
  type LabelledEvent,
  type OutcomeStore,
  type StoredEvent,
} from '../../calibration/outcomes/outcomes.ts'
import type { Database, Queries, Writes } from './database.ts'
import { burstOf, keepLabels, quarantineBurst } from './quarantine.ts'
import type { BurstGuard } from './store.ts'
import { storable, time } from './tables.ts'
import type { ValueHashes } from './value-hashes.ts'

export interface OutcomeTableOptions {
  readonly keepsFeatures: boolean
  readonly hashes: ValueHashes
  /** To follow "events are kept". */
  readonly retention: string
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number
  /** Null: labels are taken as they come. */
  readonly guard: BurstGuard | null
}

/** Rows that are in memory at a time. */
const PAGE = 200

/**
 * The outcomes of an account. Null: of all accounts, and then no event may be added, since each belongs to an account.
 */
export function outcomeTables({ queries, write }: Database, account: string | null, options: OutcomeTableOptions): OutcomeStore {
  const own = account === null ? null : storable(account)
  const { guard } = options
  return {
    async event(event) {
      if (own === null) throw new Error('An event belongs to an account; ask the store for the outcomes of that account.')
      await write((writes) => keepEvent(writes, own, event, options))
    },

    async find(id) {
      let rows = queries.selectFrom('events').select(['id', 'line']).where('id', '=', storable(id))
      if (own !== null) rows = rows.where('account', '=', own)
      return (await labelled(queries, await rows.execute()))[0] ?? null
    },

    async outcome(id, labels) {
      const rows = Object.entries(labels).map(([name, { truth, weight }]) => ({
        decision: JSON.stringify(name),
        truth: JSON.stringify(truth),
        weight,
      }))
      const at = time(options.now())
      const result = await write(async (writes) => {
        // The row is locked from here on: others that label the same event wait.
        let event = writes.updateTable('events').set({ is_labelled: 1n }).where('id', '=', storable(id))
        if (own !== null) event = event.where('account', '=', own)
        const found = await event.returning(['id', 'account']).executeTakeFirst()
        if (found === undefined) return 'unknown'
        const newRows = rows.map((row) => ({ event: found.id, ...row, account: found.account, at }))
        const burst = guard === null ? 'none' : await burstOf(writes, found.account, rows.length, at, guard)
        if (burst === 'none') await keepLabels(writes, newRows)
        else await quarantineBurst(writes, found.account, at, newRows)
        return burst
      })
      if (result === 'new' || result === 'on') guard?.quarantined(result === 'new')
      return result !== 'unknown'
    },

    async *evidence() {
      let last: { readonly at: bigint; readonly id: string } | null = null
      do {
        let page = queries
          .selectFrom('events')
          .select(['id', 'at', 'line'])
          .where('is_labelled', '=', 1n)
          .orderBy('at')
          .orderBy('id')
          .limit(PAGE)
        if (own !== null) page = page.where('account', '=', own)
        if (last !== null) page = page.where(after(last, '>'))
        const rows: { id: string; at: bigint; line: string }[] = await page.execute()
        for (const event of await labelled(queries, rows)) yield* evidenceOf(event)
        last = rows.length < PAGE ? null : rows.at(-1)!
      } while (last !== null)
    },

    async *recent(count) {
      let left = count
      let last: { readonly at: bigint; readonly id: string } | null = null
      while (left > 0) {
        const size = Math.min(left, PAGE)
        let page = queries.selectFrom('events').select(['id', 'at', 'line']).orderBy('at', 'desc').orderBy('id', 'desc').limit(size)
        if (own !== null) page = page.where('account', '=', own)
        if (last !== null) page = page.where(after(last, '<'))
        const rows: { id: string; at: bigint; line: string }[] = await page.execute()
        for (const { line } of rows) {
          const found = parseEvent(line)
          if (found !== null) yield found.event
        }
        if (rows.length < size) return
        left -= size
        last = rows.at(-1)!
      }
    },

    holdsValue: options.hashes.holds,
    retention: options.retention,
    async close() {},
  }
}

/** Whose an event is; null when it is not kept. */
export async function accountOf({ queries }: Database, event: string): Promise<string | null> {
  const row = await queries.selectFrom('events').select('account').where('id', '=', storable(event)).executeTakeFirst()
  return row?.account ?? null
}

/** Writes an event; one whose id is known already changes nothing. */
export async function keepEvent(
  writes: Writes,
  account: string,
  event: StoredEvent,
  { keepsFeatures, hashes }: Pick<OutcomeTableOptions, 'keepsFeatures' | 'hashes'>,
): Promise<void> {
  await writes
    .insertInto('events')
    .values({
      id: storable(event.id),
      account: storable(account),
      at: time(event.at),
      is_labelled: 0n,
      line: eventLine(withKeyedValues(keptEvent(event, keepsFeatures), hashes)).trimEnd(),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

function withKeyedValues(event: StoredEvent, { keyed }: ValueHashes): StoredEvent {
  const decisions = Object.entries(event.decisions).map(
    ([name, decision]) => [name, { ...decision, value: keyed(decision.value) }] as const,
  )
  return { ...event, decisions: Object.fromEntries(decisions) }
}

function after({ at, id }: { readonly at: bigint; readonly id: string }, direction: '<' | '>') {
  return sql<boolean>`(at, id) ${sql.raw(direction)} (${at}, ${id})`
}

/** Events with their labels, in the order of the rows. Damaged ones are passed over. */
async function labelled(queries: Queries, rows: readonly { readonly id: string; readonly line: string }[]): Promise<LabelledEvent[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const labels = new Map<string, [string, Label][]>(ids.map((id) => [id, []]))
  const found = await queries.selectFrom('labels').selectAll().where('event', 'in', ids).execute()
  for (const { event, decision, truth, weight } of found) {
    labels.get(event)?.push([JSON.parse(decision) as string, { truth: JSON.parse(truth) as number[], weight }])
  }
  return rows.flatMap(({ id, line }) => {
    const parsed = parseEvent(line)
    if (parsed === null) return []
    const { event } = parsed
    // As the event names its decisions, whatever the order in which they were labelled.
    const order = Object.keys(event.decisions)
    const own = labels.get(id)!.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    return [{ event, labels: Object.fromEntries(own) }]
  })
}

// What each key asked within its minute, in a table: one statement counts a request and says whether there was room.
import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import type { Database, Queries } from './database.ts'
import type { RateCeilings, RateWindow, RateWindows } from './store.ts'
import { type Tables, time } from './tables.ts'

const WINDOW_MS = 60_000

type Known = ExpressionBuilder<Tables, 'rate_windows'>

export function rateWindows({ queries, writeOne }: Database): RateWindows {
  return {
    windowMs: WINDOW_MS,

    async count(key, ceilings, at) {
      for (;;) {
        const counted = await writeOne((writes) => countIn(writes, key, ceilings, at))
        if (counted !== undefined) return { ...windowOf(counted), isCounted: true }
        const full = await queries.selectFrom('rate_windows').selectAll().where('key', '=', key).executeTakeFirst()
        // Where there is room now, a new window has begun between the two looks.
        if (full !== undefined && fullIn(windowOf(full), ceilings) !== null) return { ...windowOf(full), isCounted: false }
      }
    },

    async answered(key, questions, at) {
      await writeOne((writes) =>
        writes
          .updateTable('rate_windows')
          .set((known) => ({ questions: known('questions', '+', BigInt(questions)) }))
          .where('key', '=', key)
          .where('begun_at', '>', time(at - WINDOW_MS))
          .execute(),
      )
    },
  }
}

/** Nothing when there is no room. */
function countIn(writes: Queries, key: string, ceilings: RateCeilings, at: number) {
  return writes
    .insertInto('rate_windows')
    .values({ key, begun_at: time(at), requests: 1n, questions: 0n })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet((known) => ({
          begun_at: ifOver(known, at, time(at), known.ref('rate_windows.begun_at')),
          requests: ifOver(known, at, 1n, sql`${known.ref('rate_windows.requests')} + 1`),
          questions: ifOver(known, at, 0n, known.ref('rate_windows.questions')),
        }))
        .where((known) => known.or([isOver(known, at), hasRoom(known, ceilings)])),
    )
    .returning(['begun_at', 'requests', 'questions'])
    .executeTakeFirst()
}

function isOver(known: Known, at: number) {
  const begunAt = known.ref('rate_windows.begun_at')
  return known.or([known(begunAt, '<=', time(at - WINDOW_MS)), known(begunAt, '>', time(at + WINDOW_MS))])
}

function hasRoom(known: Known, { requests, questions }: RateCeilings) {
  return known.and([
    ...(requests > 0 ? [known('rate_windows.requests', '<', BigInt(requests))] : []),
    ...(questions > 0 ? [known('rate_windows.questions', '<', BigInt(questions))] : []),
  ])
}

/** What there is no room for in a window; null when there is room. */
export function fullIn(window: RateWindow, ceilings: RateCeilings): keyof RateCeilings | null {
  return (['requests', 'questions'] as const).find((noun) => ceilings[noun] > 0 && window[noun] >= ceilings[noun]) ?? null
}

/** `begun` in a new window, else `going`. */
function ifOver(known: Known, at: number, begun: bigint, going: Expression<unknown>) {
  return sql<bigint>`case when ${isOver(known, at)} then ${begun} else ${going} end`
}

function windowOf(row: Readonly<Record<'begun_at' | 'requests' | 'questions', bigint>>): RateWindow {
  return { begunAt: Number(row.begun_at), requests: Number(row.requests), questions: Number(row.questions) }
}

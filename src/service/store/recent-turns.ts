// What each replica says of the turns that accounts had with it lately, in a table with one row a replica. One
// statement says it and reads what the others said. Only the clock of the database counts, so those of replicas may
// differ.
import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { RecentTurnsTable } from './store.ts'

const FRESH_MS = 5000

export function recentTurnsTable({ queries }: Database): RecentTurnsTable {
  return {
    freshMs: FRESH_MS,

    async exchange(replica, turns) {
      // As a list of pairs: in an object, the name of an account might be a name that objects have.
      const row = { replica, said_at: sql<Date>`now()`, turns: JSON.stringify([...turns]) }
      const others = await queries
        .with('said', (writes) =>
          writes
            .insertInto('recent_turns')
            .values(row)
            .onConflict((conflict) => conflict.column('replica').doUpdateSet(row)),
        )
        .selectFrom('recent_turns')
        .select('turns')
        .where('replica', '<>', replica)
        .where('said_at', '>', longAgo(FRESH_MS))
        .execute()
      return others.map((other) => new Map(JSON.parse(other.turns) as [string, number][]))
    },
  }
}

/** A time so long ago, by the clock of the database. */
export function longAgo(ms: number) {
  return sql<Date>`now() - make_interval(secs => ${ms / 1000})`
}

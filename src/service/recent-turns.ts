// How many turns each account had lately over all replicas, so that the admission queue can be fair over all of them.
// Replicas tell each other once a second through the store; no request waits for it. Between two exchanges a replica
// counts its own turns, and assumes that each other replica where the account had turns lately gives it as many:
// otherwise all of them would make up for the same difference at once, and overshoot.

import { makeStoreId } from './store/secrets.ts'
import type { RecentTurnsTable } from './store/store.ts'
import type { Log } from './telemetry.ts'

export interface RecentTurns {
  /** Counts a turn that begins. The function that is given back is to be called once, when the turn ends. */
  begin(account: string): () => void
  /**
   * Says how many turns an account had lately: those under way, and those that ended, each of which counts half as much
   * every 5 s. Null while it is not known of any other replica, as when there is none, or the store is away.
   */
  overReplicas(): ((account: string) => number) | null
  /** Tells the other replicas what accounts had here, and hears from them. Never throws. */
  exchange(): Promise<void>
  /** Begins no further exchange. */
  stop(): void
}

export interface RecentTurnsOptions {
  readonly table: RecentTurnsTable
  readonly log: Pick<Log, 'warn'>
  /** Time between two exchanges; default 1000. The timer keeps no process alive. */
  readonly everyMs?: number
  /** Milliseconds from any start, that are never set back; default `performance.now`. */
  readonly now?: () => number
}

/** What an account had at this replica. */
interface OwnTurns {
  running: number
  /** Those that ended, as they counted at `countedAt`. */
  ended: number
  countedAt: number
  sinceExchange: number
}

/** What an account had at the others, when they were heard last. */
interface OtherTurns {
  turns: number
  replicas: number
}

const HALF_LIFE_MS = 5000
/** Less is taken for nothing and forgotten: a turn that ended 10 s ago. */
const LEAST_TURNS = 0.25
/** Accounts that a replica tells of at most, those with most turns first. */
const MOST_ACCOUNTS = 1000

export function createRecentTurns({ table, log, everyMs = 1000, now = () => performance.now() }: RecentTurnsOptions): RecentTurns {
  const replica = makeStoreId('replica_')
  const own = new Map<string, OwnTurns>()
  let others = new Map<string, OtherTurns>()
  let heardAt = Number.NEGATIVE_INFINITY
  let replicasHeard = 0
  let isStoreAway = false
  let exchanging: Promise<void> | null = null

  function ownTurns({ running, ended, countedAt }: OwnTurns): number {
    return running + faded(ended, now() - countedAt)
  }

  /** What there is to tell. Accounts that had next to nothing are forgotten. */
  function ownToTell(): ReadonlyMap<string, number> {
    const told: [string, number][] = []
    for (const [account, had] of own) {
      const turns = ownTurns(had)
      if (turns < LEAST_TURNS) own.delete(account)
      else told.push([account, Math.round(turns * 100) / 100])
    }
    return new Map(told.sort(([, a], [, b]) => b - a).slice(0, MOST_ACCOUNTS))
  }

  async function exchangeOnce(): Promise<void> {
    const told = ownToTell()
    // A replica without requests has nothing to tell, and nobody to be fair to.
    if (told.size === 0) return
    const askedAt = now()
    try {
      const heard = await table.exchange(replica, told)
      others = sumOf(heard)
      replicasHeard = heard.length
      heardAt = askedAt
      for (const had of own.values()) had.sinceExchange = 0
      isStoreAway = false
    } catch (error) {
      // Once, and not every second.
      if (!isStoreAway) log.warn({ err: error }, 'replicas cannot tell each other who had turns; each is fair by itself meanwhile')
      isStoreAway = true
    }
  }

  function exchange(): Promise<void> {
    exchanging ??= exchangeOnce().finally(() => {
      exchanging = null
    })
    return exchanging
  }

  const timer = setInterval(exchange, everyMs)
  timer.unref()

  return {
    begin(account) {
      const had = own.get(account) ?? { running: 0, ended: 0, countedAt: now(), sinceExchange: 0 }
      own.set(account, had)
      had.running += 1
      had.sinceExchange += 1
      return () => {
        had.running -= 1
        had.ended = faded(had.ended, now() - had.countedAt) + 1
        had.countedAt = now()
      }
    },
    overReplicas() {
      const agoMs = now() - heardAt
      if (replicasHeard === 0 || agoMs > table.freshMs) return null
      return (account) => {
        const here = own.get(account)
        const there = others.get(account)
        return (here ? ownTurns(here) : 0) + (there ? faded(there.turns, agoMs) + there.replicas * (here?.sinceExchange ?? 0) : 0)
      }
    },
    exchange,
    stop: () => clearInterval(timer),
  }
}

function faded(turns: number, ms: number): number {
  return turns * 2 ** (-ms / HALF_LIFE_MS)
}

function sumOf(heard: readonly ReadonlyMap<string, number>[]): Map<string, OtherTurns> {
  const sums = new Map<string, OtherTurns>()
  for (const replica of heard) {
    for (const [account, turns] of replica) {
      const sum = sums.get(account) ?? { turns: 0, replicas: 0 }
      sums.set(account, { turns: sum.turns + turns, replicas: sum.replicas + 1 })
    }
  }
  return sums
}

// Looks in the store for what other replicas changed: when it is asked and the last look is long enough ago, and one
// look at a time.
import { within } from '../core/deadline.ts'

export interface PeriodicLookOptions {
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number
  /** Time between two looks. */
  readonly everyMs: number
  /** Takes over what was changed. It never rejects: what is in use stays when the store cannot be read. */
  run(): Promise<void>
}

export interface PeriodicLook {
  /** Looks if it is time to, and waits for the look under way, but not long: a database that hangs holds up nobody. */
  upToDate(): Promise<void>
  /** Looks now. */
  refresh(): Promise<void>
}

/** Most time that a request waits for a look. */
const LOOK_MS = 1000

export function createPeriodicLook({ now, everyMs, run }: PeriodicLookOptions): PeriodicLook {
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | null = null

  function look(): Promise<void> {
    lookedAt = now()
    looking ??= run().finally(() => {
      looking = null
    })
    return looking
  }

  return {
    async upToDate() {
      if (now() - lookedAt >= everyMs) look()
      if (looking !== null) await within(LOOK_MS, looking)
    },
    async refresh() {
      // One that is under way may have read before the change that the caller knows of.
      await looking
      await look()
    },
  }
}

// Holds each key to what it may ask within a minute: requests, and questions that were answered. The store counts for
// all replicas together; a key that has used everything is refused from memory until its minute is over.
import { fromStore } from './from-store.ts'
import type { ServiceSettings } from './settings.ts'
import { fullIn } from './store/rate-windows.ts'
import type { ApiKey, RateCeilings, RateWindow, Store } from './store/store.ts'

export interface RateLimits {
  /** Counts a request before it is read; null for a key without limits. */
  request(key: ApiKey): Promise<RateUse | null>
  /** Counts the questions of a request that was answered. Never throws: an answer is not held back for a count. */
  answered(key: ApiKey, questions: number): Promise<void>
}

/** What a key has used of its requests. */
export interface RateUse {
  readonly most: number
  readonly left: number
  /** Milliseconds until all of it is there again. */
  readonly resetMs: number
  /** What there is no more of, and the request is refused for; null when it is let in. */
  readonly exceeded: { readonly most: number; readonly noun: string } | null
}

/** Keys whose full minutes are remembered; beyond, those whose minute is over are forgotten. */
const MOST_KEYS = 50_000

export function createRateLimits(
  { rates }: Pick<Store, 'rates'>,
  settings: Pick<ServiceSettings, 'requestsPerMinute' | 'questionsPerMinute'>,
  now: () => number,
): RateLimits {
  const full = new Map<string, RateWindow>()
  const isRunning = ({ begunAt }: RateWindow): boolean => Math.abs(now() - begunAt) < rates.windowMs

  /** The window of a key that has no room, as far as it is known here: it only ever fills. */
  function fullWindowOf(key: ApiKey, ceilings: RateCeilings): RateWindow | null {
    const window = full.get(key.id)
    if (window !== undefined && isRunning(window) && fullIn(window, ceilings) !== null) return window
    full.delete(key.id)
    return null
  }

  function remember(key: ApiKey, window: RateWindow): void {
    if (full.size >= MOST_KEYS) for (const [id, other] of full) if (!isRunning(other)) full.delete(id)
    if (full.size < MOST_KEYS) full.set(key.id, window)
  }

  return {
    async request(key) {
      const most = key.requestsPerMinute ?? settings.requestsPerMinute
      const mostQuestions = settings.questionsPerMinute
      if (most === 0 && mostQuestions === 0) return null
      const ceilings = { requests: most, questions: mostQuestions }
      const known = fullWindowOf(key, ceilings)
      const window = known === null ? await fromStore(rates.count(key.id, ceilings, now())) : { ...known, isCounted: false }
      if (known === null && !window.isCounted) remember(key, window)
      const noun = window.isCounted ? null : fullIn(window, ceilings)
      const exceeded = noun === null ? null : { most: ceilings[noun], noun }
      if (most === 0 && exceeded === null) return null
      const resetMs = Math.max(0, window.begunAt + rates.windowMs - now())
      return { most: most === 0 ? mostQuestions : most, left: most === 0 ? 0 : Math.max(0, most - window.requests), resetMs, exceeded }
    },
    async answered(key, questions) {
      if (settings.questionsPerMinute > 0) await rates.answered(key.id, questions, now()).catch(() => {})
    },
  }
}

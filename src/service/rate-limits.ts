// Counts what each key asks within a minute: requests, and the questions that were answered. Replicas share the log of
// requests, so each adds what the others have answered, as of at most a second ago.
import { fromStore } from './from-store.ts'
import type { ServiceSettings } from './settings.ts'
import type { ApiKey, RecentRequests, Store } from './store/store.ts'

export interface RateLimits {
  /** Counts a request before it is read; null for a key without limits. */
  request(key: ApiKey): Promise<RateUse | null>
  /** Counts the questions of a request that was answered. */
  answered(key: ApiKey, questions: number): void
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

const WINDOW_MS = 60_000
/** How old the numbers of all replicas may be. */
const SHARED_MS = 1000
/** Keys that are remembered; beyond, those whose minute is over are forgotten. */
const MOST_KEYS = 50_000

/** What a key did on this replica since its minute began, and what all replicas had noted when that was last asked. */
interface KeyWindow {
  readonly begunAt: number
  own: RecentRequests
  ownThen: RecentRequests
  shared: RecentRequests
  sharedAt: number
}

const NOTHING: RecentRequests = { requests: 0, questions: 0 }

export function createRateLimits(
  { requests: log }: Pick<Store, 'requests'>,
  settings: Pick<ServiceSettings, 'requestsPerMinute' | 'questionsPerMinute'>,
  now: () => number,
): RateLimits {
  const windows = new Map<string, KeyWindow>()

  function windowOf({ id }: ApiKey): KeyWindow {
    const known = windows.get(id)
    if (known !== undefined && now() - known.begunAt < WINDOW_MS) return known
    if (windows.size >= MOST_KEYS) {
      for (const [other, { begunAt }] of windows) if (now() - begunAt >= WINDOW_MS) windows.delete(other)
    }
    const begun: KeyWindow = { begunAt: now(), own: NOTHING, ownThen: NOTHING, shared: NOTHING, sharedAt: 0 }
    windows.set(id, begun)
    return begun
  }

  async function refresh(window: KeyWindow, key: ApiKey): Promise<void> {
    if (now() - window.sharedAt < SHARED_MS) return
    window.sharedAt = now()
    const own = window.own
    window.shared = await fromStore(log.since(key, window.begunAt))
    window.ownThen = own
  }

  return {
    async request(key) {
      const most = key.requestsPerMinute ?? settings.requestsPerMinute
      const mostQuestions = settings.questionsPerMinute
      if (most === 0 && mostQuestions === 0) return null
      const window = windowOf(key)
      await refresh(window, key)
      const { own, ownThen, shared } = window
      // Those under way here are in no log yet.
      const used = Math.max(own.requests, shared.requests + own.requests - ownThen.requests)
      const questions = Math.max(own.questions, shared.questions + own.questions - ownThen.questions)
      const resetMs = Math.max(0, window.begunAt + WINDOW_MS - now())
      const exceeded =
        most > 0 && used >= most
          ? { most, noun: 'requests' }
          : mostQuestions > 0 && questions >= mostQuestions
            ? { most: mostQuestions, noun: 'questions' }
            : null
      if (exceeded === null) window.own = { ...own, requests: own.requests + 1 }
      if (most === 0 && exceeded === null) return null
      return { most: most === 0 ? mostQuestions : most, left: most === 0 ? 0 : Math.max(0, most - used - 1), resetMs, exceeded }
    },
    answered(key, questions) {
      const window = windowOf(key)
      window.own = { ...window.own, questions: window.own.questions + questions }
    },
  }
}

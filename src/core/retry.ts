// Says how long to wait before a failed attempt is made again; null for never.

/** Time and chance, handed in where a test needs them. */
export interface WaitClock {
  /** Milliseconds from any start. */
  now(): number
  /** Resolves after so many milliseconds; rejects with the signal's reason when that comes first. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 up to 1. */
  random(): number
}

/** How often, and how long, is waited. */
export interface RetryRules {
  /** Most attempts after the first. */
  readonly retries: number
  /** A service that wants more patience than this is not asked again. */
  readonly mostWaitMs: number
}

/** What became of one attempt: a status (null: no reply), and what the reply said of coming back. */
export interface Attempt {
  readonly status: number | null
  /** Of the error in the body; null when it holds none of ours. */
  readonly code: string | null
  readonly retryAfterMs: number | null
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000

/**
 * Milliseconds to wait, or null. Busy services (429, 503), lost connections and gateways without a reply are tried
 * again `retries` times, with waits that double, half of each by chance, and never sooner than the service said. That
 * the same ask is still being answered (`idempotency_in_progress`) is waited out and counts as no retry: its answer is
 * on the way.
 */
export function waitBefore(attempt: Attempt, retried: number, rules: RetryRules, random: () => number): number | null {
  const { status, code, retryAfterMs } = attempt
  const isRunning = status === 409 && code === 'idempotency_in_progress'
  const isBusy = status === 429 || status === 503
  // 502 and 504 without our words: the gateway lost us, or we it. In our words, 504 means that the deadline has passed,
  // and would again.
  const isLost = status === null || ((status === 502 || status === 504) && code === null)
  if (!isRunning && !((isBusy || isLost) && retried < rules.retries)) return null
  if (retryAfterMs !== null && retryAfterMs > rules.mostWaitMs) return null
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** retried)
  const waitMs = longest * (0.5 + random() / 2)
  return retryAfterMs === null ? waitMs : Math.max(waitMs, retryAfterMs + (random() * FIRST_WAIT_MS) / 2)
}

/**
 * `Retry-After` in milliseconds: seconds, or a date as seen from `date` (the reply's own clock, so that two clocks need
 * not agree) or from `nowMs`. Null when it is absent or neither.
 */
export function retryAfterOf(header: string | null, date: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  if (!/[a-z]/i.test(text) || Number.isNaN(at)) return null
  const sentAt = date === null ? Number.NaN : Date.parse(date)
  return Math.max(0, at - (Number.isNaN(sentAt) ? nowMs : sentAt))
}

export const systemTime: WaitClock = {
  now: () => performance.now(),
  random: Math.random,
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const stop = (): void => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop)
        resolve()
      }, ms)
      signal.addEventListener('abort', stop, { once: true })
    }),
}

// A deadline, the signal of a caller and an explicit stop to one signal: whichever comes first stops the work, and its
// reason says which it was.

/**
 * Time, handed in. `now` in milliseconds from any start; `after` runs something later and gives the way to call it off.
 */
export interface Clock {
  now(): number
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, timerMs(ms))
    return () => clearTimeout(timer)
  },
}

export interface DeadlineOptions {
  /** The time there is. */
  readonly ms: number
  /** Makes the reason when the time is over. */
  late(): unknown
  /** Default: the time since the process began. */
  readonly clock?: Clock
  /** When the time began, by the clock. Default: now. */
  readonly since?: number
  /** Stops the work too, with its own reason. */
  readonly signal?: AbortSignal | undefined
}

export interface Deadline {
  /** Aborts, with the reason, when it is time to stop: for whatever is at work. */
  readonly signal: AbortSignal
  /** What is left of the time. */
  leftMs(): number
  /** Stops the work for a reason of its own. Has no effect after the first reason. */
  stop(reason: unknown): void
  /** Throws the reason when it is time to stop. */
  check(): void
  /**
   * The promise, or the rejection when it is time to stop before it settles. The work itself goes on until its next
   * `check`, or hears the signal.
   */
  race<T>(work: Promise<T>): Promise<T>
  /** Lets go of the timer and the caller's signal. */
  end(): void
}

/**
 * Starts the time. `end` is to be called when the work is over: not `AbortSignal.any`, which on Node 20 keeps what it
 * made for as long as a signal lives that a caller uses for many requests.
 */
export function startDeadline({ ms, late, clock = systemClock, since = clock.now(), signal }: DeadlineOptions): Deadline {
  const controller = new AbortController()
  let reject: (reason: unknown) => void = () => {}
  const stopped = new Promise<never>((_, rejectStopped) => {
    reject = rejectStopped
  })
  // Nobody may be racing when it is time; that is not an unhandled rejection.
  stopped.catch(() => {})
  const stop = (reason: unknown) => {
    if (controller.signal.aborted) return
    // First, so that whoever races hears the reason itself, and not what the aborted work made of it.
    reject(reason)
    controller.abort(reason)
  }
  const leftMs = () => ms - (clock.now() - since)
  const cancel = clock.after(leftMs(), () => stop(late()))
  if (leftMs() <= 0) stop(late())
  const letGo = signal === undefined ? () => {} : onAbortOf(signal, () => stop(signal.reason))
  return {
    signal: controller.signal,
    leftMs,
    stop,
    check() {
      // A busy thread may not have run the timer yet.
      if (leftMs() <= 0) stop(late())
      controller.signal.throwIfAborted()
    },
    race: (work) => Promise.race([stopped, work]),
    end() {
      cancel()
      letGo()
    },
  }
}

/** What runs when a caller's signal aborts. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Runs something when the signal aborts, at once when it has; gives the way to call it off. A signal gets one listener
 * for all of them, since a caller may use it for many requests, and Node warns of a leak from eleven listeners on.
 */
function onAbortOf(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    run()
    return () => {}
  }
  const others = waiting.get(signal)
  const all = others ?? new Set()
  if (others === undefined) {
    waiting.set(signal, all)
    signal.addEventListener('abort', runAll)
  }
  all.add(run)
  return () => {
    all.delete(run)
    if (all.size > 0 || waiting.get(signal) !== all) return
    waiting.delete(signal)
    signal.removeEventListener('abort', runAll)
  }
}

function runAll(this: AbortSignal): void {
  for (const run of waiting.get(this) ?? []) run()
}

/** Whether the work was done within so many milliseconds; it goes on when it was not. Rejects as the work does. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timerMs(ms))
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Milliseconds that a timer can wait: Node fires one of more than 31 bits at once. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(0, ms), 2 ** 31 - 1)
}

// A deadline and an abort signal to one way of stopping: a promise that rejects at once, a check between calls of the
// model, and a signal for what is inside one.
import { EngineError } from './errors.ts'

/**
 * Time, handed in. `now` in milliseconds from any start; `after` runs something later and gives the way to call it off.
 */
export interface Clock {
  now(): number
  after(ms: number, run: () => void): () => void
}

export interface Stop {
  /** Aborts, with the reason, when it is time to stop: for whatever is at work. */
  readonly signal: AbortSignal
  /** Throws the reason when it is time to stop. */
  check(): void
  /**
   * The promise, or the rejection when it is time to stop before it settles. What was begun goes on until its next
   * `check`, or hears the signal.
   */
  race<T>(work: Promise<T>): Promise<T>
  /** Lets go of the timer and the signal. */
  end(): void
}

/** Stops with `deadline_exceeded` after `deadlineMs`, or with the signal's own reason. */
export function startStop(clock: Clock, deadlineMs: number, signal: AbortSignal | undefined): Stop {
  let reason: { readonly error: unknown } | null = null
  let reject: (error: unknown) => void = () => {}
  const controller = new AbortController()
  const stopped = new Promise<never>((_, rejectStopped) => {
    reject = rejectStopped
  })
  // Nobody may be racing when it is time; that is not an unhandled rejection.
  stopped.catch(() => {})
  const stop = (error: unknown) => {
    if (reason) return
    reason = { error }
    // First, so that who asked hears the reason as it is, and not what the model made of it.
    reject(error)
    controller.abort(error)
  }
  const onAbort = () => stop(signal?.reason)
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  const begun = clock.now()
  const late = () => {
    const message = `The request took longer than its deadline of ${deadlineMs} ms; ask fewer questions, or give it more time.`
    return new EngineError('deadline_exceeded', message)
  }
  const cancel = clock.after(deadlineMs, () => stop(late()))
  return {
    signal: controller.signal,
    check() {
      // A busy thread may not have run the timer yet.
      if (!reason && clock.now() - begun >= deadlineMs) stop(late())
      if (reason) throw reason.error
    },
    race: (work) => Promise.race([stopped, work]),
    end() {
      cancel()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

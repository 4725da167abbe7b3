// Combines a deadline and an abort signal into one way of stopping: a promise that rejects at once, a check between
// calls of the model, and a signal for work that is inside a call.
import { EngineError } from './errors.ts'

/**
 * A clock that is passed in. `now` counts milliseconds from any start; `after` runs a function later and returns one that
 * cancels it.
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
  /** Releases the timer and the signal. */
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
  // When the deadline passes nobody may be waiting; that is not an unhandled rejection.
  stopped.catch(() => {})
  const stop = (error: unknown) => {
    if (reason) return
    reason = { error }
    // Comes first, so that the caller receives the reason itself and not an error that the model made from it.
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

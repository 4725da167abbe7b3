// A deadline and an abort signal to one way of stopping: a promise that rejects at once, and a check between calls of the model.
import { EngineError } from './errors.ts'

/** Time, handed in. `now` in milliseconds from any start; `after` runs something later and gives the way to call it off. */
export interface Clock {
  now(): number
  after(ms: number, run: () => void): () => void
}

export interface Stop {
  /** Throws the reason when it is time to stop. */
  check(): void
  /** The promise, or the rejection when it is time to stop before it settles. What was begun goes on until its next `check`. */
  race<T>(work: Promise<T>): Promise<T>
  /** Lets go of the timer and the signal. */
  end(): void
}

/** Stops with `deadline_exceeded` after `deadlineMs`, or with the signal's own reason. */
export function startStop(clock: Clock, deadlineMs: number, signal: AbortSignal | undefined): Stop {
  let reason: { readonly error: unknown } | null = null
  let reject: (error: unknown) => void = () => {}
  const stopped = new Promise<never>((_, rejectStopped) => {
    reject = rejectStopped
  })
  // Nobody may be racing when it is time; that is not an unhandled rejection.
  stopped.catch(() => {})
  const stop = (error: unknown) => {
    reason ??= { error }
    reject(error)
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

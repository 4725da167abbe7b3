// The ends of a call put together: its deadline, its client that went away, the service that stops. One signal, whose reason says which it was.
import { EngineError } from '../core/errors.ts'
import { ServiceRefusal } from './errors.ts'

export interface Stopping {
  readonly signal: AbortSignal
  /** Milliseconds of the deadline that are left. */
  leftMs(): number
  /** Says that the wait for a turn begins; gives the way to say that it is over, which gives its milliseconds. A late call is told of it. */
  wait(): () => number
  stop(reason: unknown): void
  /** What to say of an error: the engine's word for a deadline knows only of its own part of it. */
  reasonOf(error: unknown): unknown
  /** Lets go of the timer and the client's signal. */
  end(): void
}

/** `receivedAt`: `performance.now()` when the call came in; the deadline counts from there. */
export function startStopping(deadlineMs: number, receivedAt: number, client: AbortSignal): Stopping {
  const controller = new AbortController()
  let waitSince: number | null = null
  let waitMs = 0
  const leftMs = () => deadlineMs - (performance.now() - receivedAt)
  const late = () => {
    const waitedMs = Math.round(waitSince === null ? waitMs : performance.now() - waitSince)
    const waited = waitedMs === 0 ? '' : ` (${waitedMs} ms of them waiting for a turn)`
    const message = `The request took longer than its deadline of ${deadlineMs} ms${waited}; nothing was charged. Ask fewer questions at once.`
    return new ServiceRefusal('deadline_exceeded', message)
  }
  const onGone = () =>
    controller.abort(new ServiceRefusal('internal_error', 'The client went away before the answer; nothing was charged.'))
  const timer = setTimeout(() => controller.abort(late()), Math.min(Math.max(0, leftMs()), 2 ** 31 - 1))
  // The body may have taken all of it.
  if (leftMs() <= 0) controller.abort(late())
  if (client.aborted) onGone()
  else client.addEventListener('abort', onGone, { once: true })
  return {
    signal: controller.signal,
    leftMs,
    wait() {
      const since = performance.now()
      waitSince = since
      return () => {
        waitSince = null
        waitMs = performance.now() - since
        return waitMs
      }
    },
    stop: (reason) => controller.abort(reason),
    reasonOf: (error) => (error instanceof EngineError && error.code === 'deadline_exceeded' ? late() : error),
    end() {
      clearTimeout(timer)
      client.removeEventListener('abort', onGone)
    },
  }
}

// The deadline of a call. It counts from when the request came in, and its error says how much of the time was spent
// waiting for a turn.
import { type Deadline, startDeadline } from '../core/deadline.ts'
import { EngineError } from '../core/errors.ts'
import { ServiceRefusal } from './errors.ts'

export interface CallDeadline extends Deadline {
  /** Marks that the wait for a turn begins. Gives the function that marks its end and returns its milliseconds. */
  startWait(): () => number
  /** The error to reply with: the engine's own message about a deadline knows only of the engine's part of it. */
  reasonOf(error: unknown): unknown
}

/** The reason of a call's signal when its client went away. */
export function clientGone(): ServiceRefusal {
  return new ServiceRefusal('internal_error', 'The client went away before the answer; nothing was charged.')
}

/** `receivedAt`: `performance.now()` when the call came in. `client` aborts with `clientGone`. */
export function startCallDeadline(deadlineMs: number, receivedAt: number, client: AbortSignal): CallDeadline {
  let waitSince: number | null = null
  let waitMs = 0
  const late = () => {
    const waitedMs = Math.round(waitSince === null ? waitMs : performance.now() - waitSince)
    const waited = waitedMs === 0 ? '' : ` (${waitedMs} ms of them waiting for a turn)`
    const message = `The request took longer than its deadline of ${deadlineMs} ms${waited}; nothing was charged. Ask fewer questions at once.`
    return new ServiceRefusal('deadline_exceeded', message)
  }
  return {
    ...startDeadline({ ms: deadlineMs, late, since: receivedAt, signal: client }),
    startWait() {
      const since = performance.now()
      waitSince = since
      return () => {
        waitSince = null
        waitMs = performance.now() - since
        return waitMs
      }
    },
    reasonOf: (error) => (error instanceof EngineError && error.code === 'deadline_exceeded' ? late() : error),
  }
}

// Runs the passes of one model one at a time, round-robin over the callers: a short request waits for at most one pass
// of each of the others, however much they ask for.
import { RoundRobin } from '../../../core/round-robin.ts'

export interface FairScheduler {
  /**
   * Runs the pass when its turn has come. All calls with one signal belong to one caller and run in order; a call
   * without a signal is a caller of its own. When the signal aborts, waiting passes reject with its reason and do not
   * run; a pass that runs is run to its end.
   */
  run<T>(pass: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

interface WaitingPass {
  start(): Promise<void>
  refuse(reason: unknown): void
}

/** All passes with one signal that have not ended. */
interface Caller {
  open: number
  /** Removes the listener from the signal. */
  leave(): void
}

export function makeFairScheduler(): FairScheduler {
  const rotation = new RoundRobin<Caller, WaitingPass>()
  const callers = new WeakMap<AbortSignal, Caller>()
  let isBusy = false

  async function work(): Promise<void> {
    for (let next = rotation.shift(); next !== undefined; next = rotation.shift()) {
      await next.item.start()
      // Only now, so that callers who came during the pass go before this one.
      rotation.toEnd(next.group)
      ended(next.group, 1)
    }
    isBusy = false
  }

  function ended(caller: Caller, passes: number): void {
    caller.open -= passes
    if (caller.open === 0) caller.leave()
  }

  function callerOf(signal: AbortSignal | undefined): Caller {
    const known = signal && callers.get(signal)
    if (known !== undefined) return known
    // One listener for all passes of a caller: adding to a signal with many listeners is slow.
    const onAbort = (): void => {
      const waiting = rotation.removeAll(caller)
      for (const pass of waiting) pass.refuse(signal?.reason)
      ended(caller, waiting.length)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const caller: Caller = {
      open: 0,
      leave() {
        signal?.removeEventListener('abort', onAbort)
        if (signal !== undefined) callers.delete(signal)
      },
    }
    if (signal !== undefined) callers.set(signal, caller)
    return caller
  }

  return {
    run: (pass, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const waiting: WaitingPass = {
          refuse: reject,
          async start() {
            try {
              resolve(await pass())
            } catch (error) {
              reject(error)
            }
          },
        }
        const caller = callerOf(signal)
        caller.open += 1
        rotation.push(caller, waiting)
        if (isBusy) return
        isBusy = true
        // Not at once, so that everyone who asks in the same tick takes part in the order.
        queueMicrotask(work)
      }),
  }
}

// The passes of one model in turns: one at a time. Turns go round those who ask, in the order they came, so a short request waits for one pass of each of
// the others at most, however much they ask for.
import { Queue } from './queue.ts'

export interface Turns {
  /**
   * Runs the pass when its turn has come. What is asked with one signal is one caller's, and takes turns in order; without one, every call is a caller of
   * its own. Rejects with the signal's reason as soon as that aborts while waiting, and does not run it; a pass that runs is run to its end.
   */
  run<T>(pass: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

interface Turn {
  start(): Promise<void>
  refuse(reason: unknown): void
}

interface Caller {
  readonly key: object
  readonly turns: Queue<Turn>
  /** Lets go of the signal. */
  leave(): void
}

export function makeTurns(): Turns {
  // Callers in the order of their turns; a Map keeps the order of insertion. The one whose pass runs is not among them until it is over, so that who comes
  // meanwhile goes before it.
  const waiting = new Map<object, Caller>()
  let served: Caller | null = null
  let isBusy = false

  function take(): Turn | undefined {
    for (const [key, caller] of waiting) {
      waiting.delete(key)
      const turn = caller.turns.shift()
      if (turn === undefined) continue
      served = caller
      return turn
    }
    return undefined
  }

  async function work(): Promise<void> {
    for (let turn = take(); turn !== undefined; turn = take()) {
      await turn.start()
      const caller = served as Caller
      served = null
      if (caller.turns.length > 0) waiting.set(caller.key, caller)
      else caller.leave()
    }
    isBusy = false
  }

  function callerOf(key: object, signal: AbortSignal | undefined): Caller {
    const known = served?.key === key ? served : waiting.get(key)
    if (known !== undefined) return known
    const turns = new Queue<Turn>()
    // One listener for all that a caller waits for: a signal with many is slow to add to.
    const onAbort = (): void => {
      if (served?.key !== key) waiting.delete(key)
      for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) turn.refuse(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const caller: Caller = { key, turns, leave: () => signal?.removeEventListener('abort', onAbort) }
    waiting.set(key, caller)
    return caller
  }

  return {
    run: (pass, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const turn: Turn = {
          refuse: reject,
          async start() {
            try {
              resolve(await pass())
            } catch (error) {
              reject(error)
            }
          },
        }
        callerOf(signal ?? turn, signal).turns.push(turn)
        if (isBusy) return
        isBusy = true
        // Not at once: whoever asks in the same breath takes part in the order.
        queueMicrotask(work)
      }),
  }
}

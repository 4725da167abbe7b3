// The passes of one model in turns: one at a time, in the order they were asked for. Whoever works through many asks for one after the other, so turns
// go round, and a short request waits for one pass of each of the others at most.

export interface Turns {
  /** Runs the pass when its turn has come. Rejects with the signal's reason, and does not run it, when that aborts first. */
  run<T>(pass: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

export function makeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(pass, signal) {
      const turn = last.then(() => {
        signal?.throwIfAborted()
        return pass()
      })
      last = turn.then(
        () => {},
        () => {},
      )
      return turn
    },
  }
}

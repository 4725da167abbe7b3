// A model that answers when it is told to: for tests of what happens while a request runs.
import type { FakeOptions } from '../../src/backends/fake/index.ts'

export interface Gate {
  /** For a fake model: scores wait until the gate is open. */
  readonly fake: FakeOptions
  /** Resolves when so many scores wait or have waited. */
  reached(count: number): Promise<void>
  /** Scores that have come so far. */
  readonly count: number
  /** The states of the scores that came, as text, in order. */
  readonly states: readonly string[]
  /** Lets the next ones through, all when no number is given. */
  open(count?: number): void
}

export function createGate(): Gate {
  const states: string[] = []
  const waiting: (() => void)[] = []
  const watchers: { readonly count: number; readonly resolve: () => void }[] = []
  let free = 0
  return {
    fake: {
      async score(_branch, { pieces }) {
        states.push(pieces.map((piece) => (piece.type === 'text' ? piece.text : 'image')).join(''))
        for (const { count, resolve } of watchers) if (states.length >= count) resolve()
        if (free > 0) free -= 1
        else await new Promise<void>((resolve) => waiting.push(resolve))
        return null
      },
    },
    reached: (count) => (states.length >= count ? Promise.resolve() : new Promise<void>((resolve) => watchers.push({ count, resolve }))),
    get count() {
      return states.length
    },
    states,
    open(count = Number.POSITIVE_INFINITY) {
      const now = waiting.splice(0, count)
      free = count - now.length
      for (const resolve of now) resolve()
    },
  }
}

/** Waits until something is so; a test that waits in vain runs out of its time. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

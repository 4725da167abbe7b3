// Runs synchronous work for a limited time. Loops and regular expressions are interrupted; a call into native code is
// interrupted when it returns.
import { type Context, createContext, Script } from 'node:vm'

const script = new Script('work()')
let context: Context | null = null

/** How often work is begun that was stopped while other processes had the processor. */
const MOST_ATTEMPTS = 6

/**
 * The result of the work, or what it throws. Throws `late()` when it takes longer than `ms` milliseconds. Work that had
 * the processor for less than half of that time is begun again, up to five times: on a loaded machine it is not the
 * work that is slow. So it must be work that may be begun again. Starting and stopping the watch takes some .15 ms.
 */
export function boundedWork<T>(ms: number, work: () => T, late: () => Error): T {
  for (let attempt = 1; ; attempt++) {
    const before = process.cpuUsage()
    const done = workFor(ms, work)
    if (done !== null) return done.value
    const { user, system } = process.cpuUsage(before)
    if (attempt === MOST_ATTEMPTS || (user + system) / 1000 >= ms / 2) throw late()
  }
}

/** The result of the work; null when it was stopped. */
function workFor<T>(ms: number, work: () => T): { readonly value: T } | null {
  let result: { readonly value: T } | null = null
  context ??= createContext({ work: null })
  const outer: unknown = context.work
  context.work = () => {
    result = { value: work() }
  }
  try {
    script.runInContext(context, { timeout: ms })
  } catch (error) {
    // It is of another realm where this file runs in a context of its own, so its class says nothing.
    if ((error as { readonly code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  } finally {
    context.work = outer
  }
  return result
}

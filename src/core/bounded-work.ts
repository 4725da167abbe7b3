// Runs synchronous work for a limited time. Loops and regular expressions are interrupted; a call into native code is
// interrupted when it returns.
import { type Context, createContext, Script } from 'node:vm'

const script = new Script('work()')
let context: Context | null = null

/**
 * The result of the work, or what it throws. Throws `late()` when it takes longer than `ms` milliseconds. Starting and
 * stopping the watch takes some .15 ms.
 */
export function boundedWork<T>(ms: number, work: () => T, late: () => Error): T {
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
    throw (error as { readonly code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? late() : error
  } finally {
    context.work = outer
  }
  return (result as unknown as { readonly value: T }).value
}

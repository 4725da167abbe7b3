// What is asked of one encoded state to as few passes as pay: what waits when a turn comes goes into one pass, whichever request it came from. Rows of a
// pass are padded to the longest, so rows of like length go together.

import type { Turns } from './fair-scheduler.ts'
import { type Shelf, type Shelved, shelf } from './length-buckets.ts'
import { Queue } from './queue.ts'

export interface BatchRule<Item, Result> {
  readonly turns: Turns
  /** Most tokens of a pass, padding included; one item always fits. */
  readonly mostTokens: number
  tokensOf(item: Item): number
  /** Only items of one group share a pass. */
  groupOf(item: Item): string
  /** The results of the items, in their order. */
  pass(items: readonly Item[]): Promise<readonly Result[]>
}

export interface Batches<Item, Result> {
  /**
   * Results in the order of the items. What is asked with one signal is one caller's; callers are served in turn. Rejects with the signal's reason when that
   * aborts, after the pass that any of the items is in; what is then still waiting is not run. When a pass of several calls fails, each of them is tried
   * alone, so that one does not fail for another.
   */
  run(items: readonly Item[], signal?: AbortSignal): Promise<Result[]>
}

/** One call of `run`. */
interface Job<Item, Result> {
  readonly caller: Caller<Item, Result>
  /** By length, the longest last. */
  readonly waiting: Waiting<Item, Result>[]
  /** A pass with items of it is under way. */
  isServed: boolean
  isOver: boolean
  fail(error: unknown): void
}

/** All calls with one signal. */
interface Caller<Item, Result> {
  readonly key: object
  readonly signal: AbortSignal | undefined
  /** Those that have not ended. */
  readonly open: Set<Job<Item, Result>>
  /** In order; ended ones are passed over. */
  readonly jobs: Queue<Job<Item, Result>>
  /** Lets go of the signal. */
  leave(): void
}

interface Waiting<Item, Result> extends Shelved {
  readonly item: Item
  readonly job: Job<Item, Result>
  put(result: Result): void
}

export function makeBatches<Item, Result>({ turns, mostTokens, tokensOf, groupOf, pass }: BatchRule<Item, Result>): Batches<Item, Result> {
  // In the order in which they are served: the first one says which pass comes next.
  const callers = new Map<object, Caller<Item, Result>>()
  const groups = new Map<string, Shelf<Waiting<Item, Result>>>()
  let isRunning = false

  async function work(): Promise<void> {
    for (;;) {
      // What is asked in the same breath, by messages that have arrived, goes into the next pass too; and so does what is asked next by those who were in
      // the one before: texts that are written together stay together.
      await new Promise((resolve) => setImmediate(resolve))
      if (head() === undefined) break
      await turns.run(onePass)
    }
    groups.clear()
    isRunning = false
  }

  /** The longest that waits of the call whose turn it is. */
  function head(): Waiting<Item, Result> | undefined {
    for (const { key, jobs } of callers.values()) {
      for (let job = jobs.peek(); job !== undefined; job = jobs.peek()) {
        let last = job.waiting.at(-1)
        while (last?.isTaken) {
          job.waiting.pop()
          last = job.waiting.at(-1)
        }
        if (last !== undefined) return last
        jobs.shift()
      }
      // All of it has been run, or is being.
      callers.delete(key)
    }
    return undefined
  }

  /** Who was served goes to the end, unless all of it is done: whoever has come back with the same signal since then stands there as another. */
  function toTheEnd(caller: Caller<Item, Result>): void {
    if (callers.get(caller.key) !== caller) return
    callers.delete(caller.key)
    callers.set(caller.key, caller)
  }

  function callerOf(signal: AbortSignal | undefined): Caller<Item, Result> {
    const known = signal && callers.get(signal)
    if (known !== undefined) return known
    const open = new Set<Job<Item, Result>>()
    // One listener for all calls of a caller: a signal with many is slow to add to.
    const onAbort = (): void => {
      for (const job of open) if (!job.isServed) job.fail(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const caller: Caller<Item, Result> = {
      key: signal ?? open,
      signal,
      open,
      jobs: new Queue(),
      leave: () => signal?.removeEventListener('abort', onAbort),
    }
    callers.set(caller.key, caller)
    return caller
  }

  async function onePass(): Promise<void> {
    const first = head()
    if (first === undefined) return
    const batch = (groups.get(first.group) as Shelf<Waiting<Item, Result>>).take(first, mostTokens)
    const served = new Set(batch.map(({ job }) => job))
    for (const job of served) job.isServed = true
    try {
      await runAll(batch)
    } catch (error) {
      if (served.size === 1) for (const job of served) job.fail(error)
      else await runApart(batch, served)
    }
    for (const job of served) {
      job.isServed = false
      toTheEnd(job.caller)
      if (job.caller.signal?.aborted) job.fail(job.caller.signal.reason)
    }
  }

  async function runAll(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const results = await pass(batch.map(({ item }) => item))
    if (results.length !== batch.length) throw new Error(`a pass gave ${results.length} results for ${batch.length} items`)
    batch.forEach((one, i) => {
      one.put(results[i] as Result)
    })
  }

  async function runApart(batch: readonly Waiting<Item, Result>[], served: ReadonlySet<Job<Item, Result>>): Promise<void> {
    for (const job of served) {
      if (job.caller.signal?.aborted) continue
      try {
        await runAll(batch.filter((one) => one.job === job))
      } catch (error) {
        job.fail(error)
      }
    }
  }

  /** The items, measured: before any of them waits, since a rule may throw. */
  const measured = (items: readonly Item[]) => items.map((item) => ({ item, tokens: tokensOf(item), group: groupOf(item), isTaken: false }))

  function wait(one: Waiting<Item, Result>): void {
    let group = groups.get(one.group)
    if (group === undefined) {
      group = shelf()
      groups.set(one.group, group)
    }
    group.put(one)
  }

  return {
    async run(items, signal) {
      signal?.throwIfAborted()
      const all = measured(items)
      if (all.length === 0) return []
      return new Promise((resolve, reject) => {
        const results = new Array<Result>(items.length)
        let open = items.length
        const caller = callerOf(signal)
        const end = (): void => {
          job.isOver = true
          for (const one of job.waiting) one.isTaken = true
          job.waiting.length = 0
          caller.open.delete(job)
          if (caller.open.size > 0) return
          caller.leave()
          if (callers.get(caller.key) === caller) callers.delete(caller.key)
        }
        const put = (at: number, result: Result): void => {
          results[at] = result
          open -= 1
          if (open > 0 || job.isOver) return
          end()
          if (signal?.aborted) reject(signal.reason)
          else resolve(results)
        }
        const fail = (error: unknown): void => {
          if (job.isOver) return
          end()
          reject(error)
        }
        const job: Job<Item, Result> = { caller, waiting: [], isServed: false, isOver: false, fail }
        all.forEach((one, i) => {
          const waiting = { ...one, job, put: (result: Result) => put(i, result) }
          job.waiting.push(waiting)
          wait(waiting)
        })
        job.waiting.sort((a, b) => a.tokens - b.tokens)
        caller.open.add(job)
        caller.jobs.push(job)
        if (isRunning) return
        isRunning = true
        void work()
      })
    },
  }
}

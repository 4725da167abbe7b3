// Collects rows that are asked about one encoded state and runs them in as few passes of the model as pay off,
// whichever request they came from. Rows of a pass are padded to the longest, so rows of similar length go together.
import { RoundRobin } from '../../../core/round-robin.ts'
import type { FairScheduler } from './fair-scheduler.ts'
import { type Bucketed, LengthBuckets } from './length-buckets.ts'

export interface BatchRule<Item, Result> {
  readonly scheduler: FairScheduler
  /** Most tokens of a pass, padding included; one item always fits. */
  readonly mostTokens: number
  tokensOf(item: Item): number
  /** Only items of one group share a pass. */
  groupOf(item: Item): string
  /** The results of the items, in their order. */
  pass(items: readonly Item[]): Promise<readonly Result[]>
}

export interface Batcher<Item, Result> {
  /**
   * Resolves to the results in the order of the items. All calls with one signal belong to one caller, and callers are
   * served round-robin. Rejects with the signal's reason when that aborts, after the pass that any of the items is in;
   * items that still wait are not run. When a pass with items of several calls fails, the items of each call run again
   * on their own, so that one does not fail for another.
   */
  run(items: readonly Item[], signal?: AbortSignal): Promise<Result[]>
}

/** One call of `run`. */
interface Job<Item, Result> {
  readonly caller: Caller<Item, Result>
  /** By length, the longest last. */
  readonly waiting: WaitingItem<Item, Result>[]
  /** A pass with some of its items is under way. */
  isServed: boolean
  isOver: boolean
  fail(error: unknown): void
}

/** All calls with one signal. */
interface Caller<Item, Result> {
  readonly signal: AbortSignal | undefined
  /** Jobs that have not ended. */
  readonly open: Set<Job<Item, Result>>
  /** Removes the listener from the signal. */
  leave(): void
}

interface WaitingItem<Item, Result> extends Bucketed {
  readonly item: Item
  readonly job: Job<Item, Result>
  put(result: Result): void
}

export function makeBatcher<Item, Result>(rule: BatchRule<Item, Result>): Batcher<Item, Result> {
  const { scheduler, mostTokens, tokensOf, groupOf, pass } = rule
  // The first job in the rotation decides which pass comes next. Ended jobs stay in it until they come to the front.
  const rotation = new RoundRobin<Caller<Item, Result>, Job<Item, Result>>()
  const callers = new WeakMap<AbortSignal, Caller<Item, Result>>()
  const groups = new Map<string, LengthBuckets<WaitingItem<Item, Result>>>()
  let isRunning = false

  async function work(): Promise<void> {
    for (;;) {
      // Messages that have already arrived are heard first, so that what they ask goes into the next pass too, as does
      // what is asked next by those who were in the pass before: texts that are written at the same time stay together.
      await new Promise((resolve) => setImmediate(resolve))
      if (head() === undefined) break
      await scheduler.run(onePass)
    }
    groups.clear()
    isRunning = false
  }

  /** The longest waiting item of the job whose turn it is. */
  function head(): WaitingItem<Item, Result> | undefined {
    for (let first = rotation.peek(); first !== undefined; first = rotation.peek()) {
      const { waiting } = first.item
      while (waiting.at(-1)?.isTaken) waiting.pop()
      const last = waiting.at(-1)
      if (last !== undefined) return last
      rotation.shift()
    }
    return undefined
  }

  function callerOf(signal: AbortSignal | undefined): Caller<Item, Result> {
    const known = signal && callers.get(signal)
    if (known !== undefined) return known
    const open = new Set<Job<Item, Result>>()
    // One listener for all calls of a caller: adding to a signal with many listeners is slow.
    const onAbort = (): void => {
      for (const job of open) if (!job.isServed) job.fail(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const caller: Caller<Item, Result> = {
      signal,
      open,
      leave() {
        signal?.removeEventListener('abort', onAbort)
        if (signal !== undefined) callers.delete(signal)
      },
    }
    if (signal !== undefined) callers.set(signal, caller)
    return caller
  }

  async function onePass(): Promise<void> {
    const first = head()
    if (first === undefined) return
    const batch = (groups.get(first.group) as LengthBuckets<WaitingItem<Item, Result>>).take(first, mostTokens)
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
      rotation.toEnd(job.caller)
      if (job.caller.signal?.aborted) job.fail(job.caller.signal.reason)
    }
  }

  async function runAll(batch: readonly WaitingItem<Item, Result>[]): Promise<void> {
    const results = await pass(batch.map(({ item }) => item))
    if (results.length !== batch.length) throw new Error(`a pass gave ${results.length} results for ${batch.length} items`)
    batch.forEach((one, i) => {
      one.put(results[i] as Result)
    })
  }

  async function runApart(batch: readonly WaitingItem<Item, Result>[], served: ReadonlySet<Job<Item, Result>>): Promise<void> {
    for (const job of served) {
      if (job.caller.signal?.aborted) continue
      try {
        await runAll(batch.filter((one) => one.job === job))
      } catch (error) {
        job.fail(error)
      }
    }
  }

  /** Measures all items before any of them waits, since a rule may throw. */
  const measured = (items: readonly Item[]) => items.map((item) => ({ item, tokens: tokensOf(item), group: groupOf(item), isTaken: false }))

  function wait(one: WaitingItem<Item, Result>): void {
    let group = groups.get(one.group)
    if (group === undefined) {
      group = new LengthBuckets()
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
          if (caller.open.size === 0) caller.leave()
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
        rotation.push(caller, job)
        if (isRunning) return
        isRunning = true
        void work()
      })
    },
  }
}

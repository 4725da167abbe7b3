// What is asked of one encoded state to as few passes as pay: what waits when a turn comes goes into one pass, whichever request it came from. Rows of a
// pass are padded to the longest, so rows of like length go together.
import type { Turns } from './turns.ts'

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
  /** Results in the order of the items. Rejects with the signal's reason when that aborts; what is then still waiting is not run. */
  run(items: readonly Item[], signal?: AbortSignal): Promise<Result[]>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly tokens: number
  readonly group: string
  readonly job: Job
  put(result: Result): void
}

/** One call of `run`. */
interface Job {
  readonly signal: AbortSignal | undefined
  fail(error: unknown): void
  isOver: boolean
}

export function makeBatches<Item, Result>({ turns, mostTokens, tokensOf, groupOf, pass }: BatchRule<Item, Result>): Batches<Item, Result> {
  // In the order in which jobs are served: the first one says which pass comes next.
  let waiting: Waiting<Item, Result>[] = []
  let isRunning = false

  async function work(): Promise<void> {
    isRunning = true
    try {
      while (waiting.length > 0) await turns.run(onePass)
    } finally {
      isRunning = false
    }
  }

  async function onePass(): Promise<void> {
    for (const { job } of waiting) if (job.signal?.aborted) job.fail(job.signal.reason)
    waiting = waiting.filter(({ job }) => !job.isOver)
    const [head] = waiting
    if (head === undefined) return
    const batch = around(head, waiting, mostTokens)
    const served = new Set(batch.map(({ job }) => job))
    const rest = waiting.filter((one) => !batch.includes(one))
    // Who was served goes to the end.
    waiting = [...rest.filter(({ job }) => !served.has(job)), ...rest.filter(({ job }) => served.has(job))]
    try {
      const results = await pass(batch.map(({ item }) => item))
      batch.forEach((one, i) => {
        one.put(results[i] as Result)
      })
    } catch (error) {
      for (const job of served) job.fail(error)
      waiting = waiting.filter(({ job }) => !job.isOver)
    }
  }

  return {
    run(items, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const results = new Array<Result>(items.length)
        let open = items.length
        if (open === 0) return resolve(results)
        const onAbort = () => job.fail(signal?.reason)
        const end = () => {
          job.isOver = true
          signal?.removeEventListener('abort', onAbort)
        }
        const job: Job = {
          signal,
          isOver: false,
          fail(error) {
            end()
            reject(error)
          },
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        items.forEach((item, i) => {
          const put = (result: Result) => {
            results[i] = result
            open -= 1
            if (open > 0 || job.isOver) return
            end()
            resolve(results)
          }
          waiting.push({ item, tokens: tokensOf(item), group: groupOf(item), job, put })
        })
        if (!isRunning) void work()
      })
    },
  }
}

/** The head and those nearest to it in length, as long as the pass stays within its tokens. */
function around<W extends { readonly tokens: number; readonly group: string }>(head: W, waiting: readonly W[], mostTokens: number): W[] {
  const fitting = waiting.filter(({ group }) => group === head.group).sort((a, b) => a.tokens - b.tokens)
  let from = fitting.indexOf(head)
  let to = from + 1
  const gap = (one: W | undefined): number => (one === undefined ? Number.POSITIVE_INFINITY : Math.abs(one.tokens - head.tokens))
  for (;;) {
    const [below, above] = [fitting[from - 1], fitting[to]]
    if (below === undefined && above === undefined) break
    const takesAbove = gap(above) < gap(below)
    const longest = takesAbove ? (above as W).tokens : (fitting[to - 1] as W).tokens
    if (longest * (to - from + 1) > mostTokens) break
    if (takesAbove) to += 1
    else from -= 1
  }
  return fitting.slice(from, to)
}

// How long onnxruntime works during a request, by the graph that runs: `InferenceSession.run` is wrapped before the
// engine is made.
import { createRequire } from 'node:module'

export interface RunCount {
  readonly runs: number
  readonly ms: number
}

export interface RunWatch {
  start(): void
  /** What was run since the start, by graph; `all` is the time in which at least one was under way. */
  stop(): Readonly<Record<string, RunCount>>
}

interface Run {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  run(...args: unknown[]): Promise<unknown>
}

/** Graphs are told apart by what they take and give. */
function kindOf({ inputNames, outputNames }: Run): string {
  if (inputNames.includes('pixel_values') || inputNames.includes('pixels')) return 'vision'
  if (outputNames.includes('inputs_embeds')) return 'embeddings'
  if (outputNames.includes('logits')) return 'decoder'
  return inputNames.some((name) => name.includes('prefix') || name.includes('past')) ? 'branches' : 'state'
}

export async function watchRuns(): Promise<RunWatch> {
  const require = createRequire(import.meta.url)
  const { InferenceSession } = require('onnxruntime-node') as { InferenceSession: { prototype: Run } }
  const counts = new Map<string, { runs: number; ms: number }>()
  const count = (kind: string, ms: number): void => {
    const kept = counts.get(kind) ?? { runs: 0, ms: 0 }
    counts.set(kind, { runs: kept.runs + 1, ms: kept.ms + ms })
  }
  let underWay = 0
  let since = 0
  const original = InferenceSession.prototype.run
  InferenceSession.prototype.run = async function (this: Run, ...args: unknown[]) {
    const from = performance.now()
    if (underWay === 0) since = from
    underWay += 1
    try {
      return await original.apply(this, args)
    } finally {
      const now = performance.now()
      underWay -= 1
      count(kindOf(this), now - from)
      if (underWay === 0) count('all', now - since)
    }
  }
  return {
    start: () => counts.clear(),
    stop: () => Object.fromEntries(counts),
  }
}

// The KV cache of a question and its answer while the answer is written, so that a step runs on the new token only.
// Shapes: H heads, Q tokens so far, hd head width.
import type { Runtime, Tensor } from '../../runtime/session.ts'
import { dataOf, floats } from '../../runtime/tensors.ts'

/** Keys and values of the tokens so far, by the names of the graph. Never changed: a step makes a new one. */
export interface AnswerCache {
  readonly tokens: number
  /** `keys_0` … -> [H][Q][hd]. */
  readonly tables: ReadonlyMap<string, Float32Array>
}

// Prefixes in the names of the graph's outputs and inputs.
const NEW = 'new_'
const CACHED = 'past_'

/** The outputs of a pass that join the cache, by the names of the keys and values of the state. */
export function newCacheOutputs(state: Readonly<Record<string, Tensor>>): string[] {
  return tableNames(state).map((name) => NEW + name)
}

function tableNames(state: Readonly<Record<string, Tensor>>): string[] {
  return Object.keys(state).filter((name) => /^(keys|values)_/.test(name))
}

/** The cache with the first `tokens` of row `index` of a pass behind it. */
export function grownCache(
  cache: AnswerCache | null,
  outputs: Readonly<Record<string, Tensor>>,
  index: number,
  tokens: number,
): AnswerCache {
  const before = cache?.tokens ?? 0
  const tables = new Map<string, Float32Array>()
  for (const [output, tensor] of Object.entries(outputs)) {
    if (!output.startsWith(NEW)) continue
    const [, heads, padded, width] = tensor.dims as [number, number, number, number]
    const name = output.slice(NEW.length)
    const [old, made] = [cache?.tables.get(name), dataOf(tensor)]
    const table = new Float32Array(heads * (before + tokens) * width)
    for (let head = 0; head < heads; head++) {
      const at = head * (before + tokens) * width
      if (old !== undefined) table.set(old.subarray(head * before * width, (head + 1) * before * width), at)
      const from = (index * heads + head) * padded * width
      table.set(made.subarray(from, from + tokens * width), at + before * width)
    }
    tables.set(name, table)
  }
  return { tokens: before + tokens, tables }
}

/** The caches of the questions of a pass, padded to the longest; null for an empty one. */
export function cacheFeeds(
  ort: Runtime,
  state: Readonly<Record<string, Tensor>>,
  caches: readonly (AnswerCache | null)[],
): Record<string, Tensor> {
  const longest = Math.max(...caches.map((cache) => cache?.tokens ?? 0))
  const isToken = new Float32Array(caches.length * longest)
  caches.forEach((cache, index) => {
    isToken.fill(1, index * longest, index * longest + (cache?.tokens ?? 0))
  })
  const feeds: Record<string, Tensor> = { past_seen: floats(ort, isToken, [caches.length, longest]) }
  for (const name of tableNames(state)) {
    // Keys and values of the state have one channel more (training/export/graphs.py).
    const [, heads, , wide] = (state[name] as Tensor).dims as [number, number, number, number]
    const width = wide - 1
    const data = new Float32Array(caches.length * heads * longest * width)
    caches.forEach((cache, index) => {
      const table = cache?.tables.get(name)
      if (cache === null || table === undefined) return
      for (let head = 0; head < heads; head++) {
        const own = table.subarray(head * cache.tokens * width, (head + 1) * cache.tokens * width)
        data.set(own, (index * heads + head) * longest * width)
      }
    })
    feeds[CACHED + name] = floats(ort, data, [caches.length, heads, longest, width])
  }
  return feeds
}

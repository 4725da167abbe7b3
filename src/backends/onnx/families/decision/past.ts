// What a question's own tokens left behind while its answer is written: keys and values of each layer, so that a step runs on the new token only.
// Shapes: H heads, Q tokens so far, hd head width.
import type { Runtime, Tensor } from '../../runtime/session.ts'
import { dataOf, floats } from '../../runtime/tensors.ts'

/** Keys and values of the tokens so far, by what the graph calls them. Never changed: a step makes a new one. */
export interface Past {
  readonly tokens: number
  /** `keys_0` … -> [H][Q][hd]. */
  readonly tables: ReadonlyMap<string, Float32Array>
}

const NEW = 'new_'
const PAST = 'past_'

/** The outputs of a pass that become past, by the names of the keys and values of the state. */
export function newNames(state: Readonly<Record<string, Tensor>>): string[] {
  return tableNames(state).map((name) => NEW + name)
}

function tableNames(state: Readonly<Record<string, Tensor>>): string[] {
  return Object.keys(state).filter((name) => /^(keys|values)_/.test(name))
}

/** The past with the first `tokens` of row `index` of a pass behind it. */
export function grown(past: Past | null, outputs: Readonly<Record<string, Tensor>>, index: number, tokens: number): Past {
  const before = past?.tokens ?? 0
  const tables = new Map<string, Float32Array>()
  for (const [output, tensor] of Object.entries(outputs)) {
    if (!output.startsWith(NEW)) continue
    const [, heads, padded, width] = tensor.dims as [number, number, number, number]
    const name = output.slice(NEW.length)
    const [old, made] = [past?.tables.get(name), dataOf(tensor)]
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

/** The pasts of the questions of a pass, filled up to the longest; null for none yet. */
export function pastFeeds(ort: Runtime, state: Readonly<Record<string, Tensor>>, pasts: readonly (Past | null)[]): Record<string, Tensor> {
  const longest = Math.max(...pasts.map((past) => past?.tokens ?? 0))
  const seen = new Float32Array(pasts.length * longest)
  pasts.forEach((past, index) => {
    seen.fill(1, index * longest, index * longest + (past?.tokens ?? 0))
  })
  const feeds: Record<string, Tensor> = { past_seen: floats(ort, seen, [pasts.length, longest]) }
  for (const name of tableNames(state)) {
    // Those of the state have one channel more (training/graphs.py).
    const [, heads, , wide] = (state[name] as Tensor).dims as [number, number, number, number]
    const width = wide - 1
    const data = new Float32Array(pasts.length * heads * longest * width)
    pasts.forEach((past, index) => {
      const table = past?.tables.get(name)
      if (past === null || table === undefined) return
      for (let head = 0; head < heads; head++) {
        const own = table.subarray(head * past.tokens * width, (head + 1) * past.tokens * width)
        data.set(own, (index * heads + head) * longest * width)
      }
    })
    feeds[PAST + name] = floats(ort, data, [pasts.length, heads, longest, width])
  }
  return feeds
}

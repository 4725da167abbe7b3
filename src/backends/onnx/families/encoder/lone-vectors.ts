// Texts encoded by themselves: what stands for an option or a statement where it is compared with a state. They do not
// depend on the state, so they are kept across requests.
import { ByteCache } from '../../caching/byte-cache.ts'
import type { EncoderGraphs } from './graphs.ts'
import { blockMeans, loneBlock } from './looks.ts'
import type { WordPieces } from './word-pieces.ts'

/** Most pieces of a pass, one text aside: more are hardly faster. */
const PASS_PIECES = 512
const CACHE_BYTES = 8 * 1024 * 1024
/** What an entry takes beside its numbers. */
const ENTRY_BYTES = 200

export class LoneVectors {
  readonly #graphs: EncoderGraphs
  readonly #marks: WordPieces
  readonly #kept = new ByteCache<Float32Array>(CACHE_BYTES)

  constructor(graphs: EncoderGraphs, marks: WordPieces) {
    this.#graphs = graphs
    this.#marks = marks
  }

  /** [texts][W] the mean vector of each text of word pieces. Runs passes: call it where it is the caller's turn. */
  async of(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const found = new Map<string, Float32Array>()
    const missing = new Map<string, readonly number[]>()
    for (const ids of texts) {
      const key = ids.join()
      const kept = this.#kept.get(key)
      if (kept === undefined) missing.set(key, ids)
      else found.set(key, kept)
    }
    for (const group of grouped([...missing])) {
      const blocks = group.map(([, ids]) => loneBlock(ids, this.#marks))
      const vectors = await this.#graphs.read(blocks, null)
      blockMeans(blocks, vectors).forEach((mean, i) => {
        const [key] = group[i] as Entry
        found.set(key, mean)
        this.#kept.set(key, mean, mean.byteLength + 2 * key.length + ENTRY_BYTES)
      })
    }
    return texts.map((ids) => found.get(ids.join()) as Float32Array)
  }

  clear(): void {
    this.#kept.clear()
  }
}

type Entry = readonly [key: string, ids: readonly number[]]

function grouped(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = []
  let pieces = 0
  for (const entry of entries) {
    const cost = entry[1].length + 2
    const last = groups.at(-1)
    if (last === undefined || pieces + cost > PASS_PIECES) {
      groups.push([entry])
      pieces = cost
    } else {
      last.push(entry)
      pieces += cost
    }
  }
  return groups
}

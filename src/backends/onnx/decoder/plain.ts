// A decoder graph as it came: one row at a time behind a KV cache, which each run returns whole and longer by what it
// read. Only the outputs that are asked for are fetched, since fetching copies. It is the reference for cascade.ts, and
// it runs where a graph cannot be patched.
import { logSumExp } from '../../../core/math.ts'
import { LOGIT_ROWS } from '../runtime/patch.ts'
import { bytesOf, type Feeds, inputsOf, type Runtime, type Session, type Tensor } from '../runtime/session.ts'
import type { Decoder, Embedder, NextTokenLogits } from './contract.ts'
import { rowsFor } from './embeddings.ts'
import type { KvCache } from './kv-cache.ts'
import { rowsOf } from './logits.ts'

/**
 * Tokens of one prefill pass, which others wait for. It also bounds the logits that graphs without `num_logits_to_keep`
 * make for all of them.
 */
const CHUNK_TOKENS = 256

interface PlainKvCache extends KvCache {
  /** `past_key_values.0.key`, …: [1][heads][token][size] each. */
  readonly tensors: Readonly<Feeds>
}

/** Whether an input of the graph takes keys or values of the KV cache. */
export const isCacheInput = (name: string): boolean => name.startsWith('past_key_values.')
const cacheInputOf = (present: string): string => present.replace(/^present\./, 'past_key_values.')

export function makePlainDecoder({ Tensor: Make }: Runtime, embedder: Embedder, session: Session): Decoder {
  const { width, embed } = embedder
  const inputs = inputsOf(session)
  const has = (name: string): boolean => inputs.some((input) => input.name === name)
  const presents = session.outputNames.filter((name) => name.startsWith('present.'))

  const emptyTensors: Feeds = {}
  for (const { name, type, shape } of inputs.filter((input) => isCacheInput(input.name))) {
    // The first free size is the batch, the other is the length, which is 0 in an empty cache.
    const dims = shape.map((size, axis) => (typeof size === 'number' && size >= 0 ? size : axis === 0 ? 1 : 0))
    emptyTensors[name] =
      type === 'float16' ? new Make('float16', new Uint16Array(0), dims) : new Make(type as 'float32', new Float32Array(0), dims)
  }
  const empty: PlainKvCache = { length: 0, tensors: emptyTensors, bytes: 0 }

  /** `keep`: for how many of the last tokens logits are wanted; 0 for all. */
  const run = async (cache: KvCache, embeddings: Float32Array, keep: number, fetches: readonly string[]): Promise<Readonly<Feeds>> => {
    const count = embeddings.length / width
    const total = cache.length + count
    const feeds: Feeds = {
      ...(cache as PlainKvCache).tensors,
      [embedder.input]: rowsFor(embedder, Make, embeddings, 1, count),
      attention_mask: new Make('int64', new BigInt64Array(total).fill(1n), [1, total]),
    }
    if (has('position_ids')) {
      feeds.position_ids = new Make(
        'int64',
        BigInt64Array.from({ length: count }, (_, i) => BigInt(cache.length + i)),
        [1, count],
      )
    }
    if (has(LOGIT_ROWS)) {
      const rows = keep === 0 ? count : keep
      feeds[LOGIT_ROWS] = new Make(
        'int64',
        BigInt64Array.from({ length: rows }, (_, i) => BigInt(count - rows + i)),
        [rows],
      )
    }
    if (has('num_logits_to_keep')) feeds.num_logits_to_keep = new Make('int64', BigInt64Array.of(BigInt(keep)), [])
    return session.run(feeds, fetches as string[])
  }
  const grown = (cache: KvCache, count: number, out: Readonly<Feeds>): PlainKvCache => {
    const tensors = Object.fromEntries(presents.map((name) => [cacheInputOf(name), out[name] as Tensor]))
    return { length: cache.length + count, tensors, bytes: bytesOf(Object.values(tensors)) }
  }

  return {
    width,
    empty,
    chunk: CHUNK_TOKENS,
    sharesPasses: false,
    embed,
    async prefill(cache, embeddings) {
      return grown(cache, embeddings.length / width, await run(cache, embeddings, 1, presents))
    },
    truncate(cache, length) {
      if (length >= cache.length) return cache
      const tensors = Object.entries((cache as PlainKvCache).tensors).map(([name, tensor]) => {
        const [batch = 1, heads = 0, tokens = 0, size = 0] = tensor.dims
        const data = tensor.data as Float32Array | Uint16Array
        const shorter = data instanceof Float32Array ? new Float32Array(heads * length * size) : new Uint16Array(heads * length * size)
        for (let head = 0; head < heads; head++)
          shorter.set(data.subarray(head * tokens * size, (head * tokens + length) * size), head * length * size)
        return [name, new Make(tensor.type as 'float32', shorter as Float32Array, [batch, heads, length, size])] as const
      })
      const feeds = Object.fromEntries(tensors)
      return { length, tensors: feeds, bytes: bytesOf(Object.values(feeds)) } as PlainKvCache
    },
    release() {},
    async next(cache, ids, keep = false) {
      const out = await run(cache, await embed(ids), 1, keep ? ['logits', ...presents] : ['logits'])
      const [logits] = rowsOf(out.logits as Tensor, 1)
      return { logits: logits as Float32Array, cache: keep ? grown(cache, ids.length, out) : cache }
    },
    async rowLogits(cache, rows) {
      const found: NextTokenLogits[][] = []
      for (const { ids, last } of rows) {
        const out = await run(cache, await embed(ids), last, ['logits'])
        found.push(rowsOf(out.logits as Tensor, last).map((logits) => ({ logits, norm: logSumExp(logits) })))
      }
      return found
    },
    async close() {
      await embedder.release()
      await session.release()
    },
  }
}

// A decoder graph as it came: one row at a time behind a past that each run gives back whole, longer by what it read. Only what is asked for is fetched,
// since fetching copies. It is the reference for cascade.ts, and what runs where a graph cannot be changed.
import { logSumExp } from '../../../core/math.ts'
import { LOGIT_ROWS } from '../runtime/patch.ts'
import { bytesOf, type Feeds, inputsOf, type Runtime, type Session, type Tensor } from '../runtime/session.ts'
import type { Decoder, Embedder, Said } from './contract.ts'
import type { Past } from './kv-cache.ts'
import { rowsOf } from './logits.ts'

/** Embeddings read in one run: what others wait for. It also bounds the logits that graphs without `num_logits_to_keep` make of all of them. */
const CHUNK = 256

interface PlainPast extends Past {
  /** `past_key_values.0.key`, …: [1][heads][token][size] each. */
  readonly tensors: Readonly<Feeds>
}

/** Whether an input of the graph is keys or values of what was read before. */
export const isPast = (name: string): boolean => name.startsWith('past_key_values.')
const pastName = (present: string): string => present.replace(/^present\./, 'past_key_values.')

export function makePlainDecoder({ Tensor: Make }: Runtime, { width, embed, release }: Embedder, session: Session): Decoder {
  const inputs = inputsOf(session)
  const has = (name: string): boolean => inputs.some((input) => input.name === name)
  const presents = session.outputNames.filter((name) => name.startsWith('present.'))

  const emptyTensors: Feeds = {}
  for (const { name, type, shape } of inputs.filter((input) => isPast(input.name))) {
    // The first free size is the batch; the other is the length, which is none yet.
    const dims = shape.map((size, axis) => (typeof size === 'number' && size >= 0 ? size : axis === 0 ? 1 : 0))
    emptyTensors[name] =
      type === 'float16' ? new Make('float16', new Uint16Array(0), dims) : new Make(type as 'float32', new Float32Array(0), dims)
  }
  const empty: PlainPast = { length: 0, tensors: emptyTensors, bytes: 0 }

  /** `keep`: how many of the last rows the logits are for; 0 for all. */
  const run = async (past: Past, embeddings: Float32Array, keep: number, fetches: readonly string[]): Promise<Readonly<Feeds>> => {
    const count = embeddings.length / width
    const total = past.length + count
    const feeds: Feeds = {
      ...(past as PlainPast).tensors,
      inputs_embeds: new Make('float32', embeddings, [1, count, width]),
      attention_mask: new Make('int64', new BigInt64Array(total).fill(1n), [1, total]),
    }
    if (has('position_ids')) {
      feeds.position_ids = new Make(
        'int64',
        BigInt64Array.from({ length: count }, (_, i) => BigInt(past.length + i)),
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
  const grown = (past: Past, count: number, out: Readonly<Feeds>): PlainPast => {
    const tensors = Object.fromEntries(presents.map((name) => [pastName(name), out[name] as Tensor]))
    return { length: past.length + count, tensors, bytes: bytesOf(Object.values(tensors)) }
  }
  const tail = async (past: Past, ids: readonly number[], count: number): Promise<Float32Array[]> => {
    const out = await run(past, await embed(ids), count, ['logits'])
    return rowsOf(out.logits as Tensor, count)
  }

  return {
    width,
    empty,
    chunk: CHUNK,
    sharesPasses: false,
    embed,
    async read(past, embeddings) {
      return grown(past, embeddings.length / width, await run(past, embeddings, 1, presents))
    },
    cut(past, length) {
      if (length >= past.length) return past
      const tensors = Object.entries((past as PlainPast).tensors).map(([name, tensor]) => {
        const [batch = 1, heads = 0, tokens = 0, size = 0] = tensor.dims
        const data = tensor.data as Float32Array | Uint16Array
        const shorter = data instanceof Float32Array ? new Float32Array(heads * length * size) : new Uint16Array(heads * length * size)
        for (let head = 0; head < heads; head++)
          shorter.set(data.subarray(head * tokens * size, (head * tokens + length) * size), head * length * size)
        return [name, new Make(tensor.type as 'float32', shorter as Float32Array, [batch, heads, length, size])] as const
      })
      const feeds = Object.fromEntries(tensors)
      return { length, tensors: feeds, bytes: bytesOf(Object.values(feeds)) } as PlainPast
    },
    release() {},
    async next(past, ids, keep = false) {
      const out = await run(past, await embed(ids), 1, keep ? ['logits', ...presents] : ['logits'])
      const [logits] = rowsOf(out.logits as Tensor, 1)
      return { logits: logits as Float32Array, past: keep ? grown(past, ids.length, out) : past }
    },
    async tails(past, rows) {
      const found: Said[][] = []
      for (const { ids, last } of rows) {
        const behind = await tail(past, ids, last)
        found.push(behind.map((logits) => ({ logits, norm: logSumExp(logits) })))
      }
      return found
    },
    async lasts(past, rows) {
      const found: Float32Array[] = []
      for (const ids of rows) found.push((await tail(past, ids, 1))[0] as Float32Array)
      return found
    },
    each: (past, ids) => tail(past, ids, ids.length),
    async close() {
      await release()
      await session.release()
    },
  }
}

// A decoder graph as it came: one row at a time behind a KV cache, which each run returns whole and longer by what it
// read. Only the outputs that are asked for are fetched, since fetching copies. It is the reference for cascade.ts, and
// it runs where a graph cannot be patched.
//
// A hybrid graph keeps states besides (of convolutions, of recurrences), which move on with every token. They are not
// made of tokens: a continuation starts from a copy of the reference, and a shorter cache has the states that were kept
// when the cache was as long as that.
import { EngineError } from '../../../core/errors.ts'
import { logSumExp } from '../../../core/math.ts'
import { LOGIT_ROWS } from '../runtime/patch.ts'
import { bytesOf, type Feeds, inputsOf, type Runtime, type Session, type Tensor } from '../runtime/session.ts'
import type { Decoder, Embedder, NextTokenLogits } from './contract.ts'
import { bytesOfStates, type KeptStates, withStatesAt } from './kept-states.ts'
import type { KvCache } from './kv-cache.ts'
import { rowsOf } from './logits.ts'
import { type AxisPositions, appendedPositions, nextPosition, positionInputOf, positionsBetween } from './positions.ts'
import { truncatedTensor } from './truncated-tensor.ts'

/**
 * Tokens of one prefill pass, which others wait for. It also bounds the logits that graphs without `num_logits_to_keep`
 * make for all of them.
 */
const CHUNK_TOKENS = 256

interface PlainKvCache extends KvCache {
  /** `past_key_values.0.key`, …: [1][heads][token][size] each; `past_conv.0`, …: states. */
  readonly tensors: Readonly<Feeds>
  /** Empty where the graph keeps no states. */
  readonly marks: KeptStates
}

/** States that move on with every token, by kind; their outputs are called `present_…`. */
const STATE_INPUT = /^past_(conv|recurrent|ssm)\./
const isState = (name: string): boolean => STATE_INPUT.test(name)
/** Whether an input of the graph takes keys or values of the KV cache, or a state. */
export const isCacheInput = (name: string): boolean => name.startsWith('past_key_values.') || isState(name)
const isPresent = (name: string): boolean => /^present(_conv|_recurrent|_ssm)?\./.test(name)
const cacheInputOf = (present: string): string => present.replace(/^present\./, 'past_key_values.').replace(/^present_/, 'past_')

export function makePlainDecoder(runtime: Runtime, embedder: Embedder, session: Session): Decoder {
  const { Tensor: Make } = runtime
  const { width, featureWidth, embed } = embedder
  const positionInput = positionInputOf(runtime, session)
  const inputs = inputsOf(session)
  const has = (name: string): boolean => inputs.some((input) => input.name === name)
  const presents = session.outputNames.filter(isPresent)
  const isHybrid = inputs.some(({ name }) => isState(name))

  const emptyTensors: Feeds = {}
  for (const { name, type, shape } of inputs.filter((input) => isCacheInput(input.name))) {
    // The first free size is the batch, the other is the length, which is 0 in an empty cache. States have no length.
    const dims = shape.map((size, axis) => (typeof size === 'number' && size >= 0 ? size : axis === 0 ? 1 : 0))
    const count = dims.reduce((product, size) => product * size, 1)
    emptyTensors[name] =
      type === 'float16' ? new Make('float16', new Uint16Array(count), dims) : new Make(type as 'float32', new Float32Array(count), dims)
  }
  const empty: PlainKvCache = { length: 0, tensors: emptyTensors, bytes: 0, positions: null, marks: new Map() }

  /** `keep`: for how many of the last tokens logits are wanted; 0 for all. `given`: where the tokens stand. */
  const run = async (
    cache: KvCache,
    embeddings: Float32Array,
    keep: number,
    fetches: readonly string[],
    given: AxisPositions | null = null,
  ): Promise<Readonly<Feeds>> => {
    const count = embeddings.length / width
    const total = cache.length + count
    const feeds: Feeds = {
      ...(cache as PlainKvCache).tensors,
      ...embedder.feeds(embeddings, 1, count),
      attention_mask: new Make('int64', new BigInt64Array(total).fill(1n), [1, total]),
    }
    const next = nextPosition(cache)
    if (positionInput !== null) feeds.position_ids = positionInput.tensor(1, count, (_, token) => next + token, given)
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
  const grown = (cache: KvCache, count: number, out: Readonly<Feeds>, room = 0, given: AxisPositions | null = null): PlainKvCache => {
    const length = cache.length + count
    const tensors = Object.fromEntries(presents.map((name) => [cacheInputOf(name), out[name] as Tensor]))
    return cacheOf(length, tensors, markedAt(length, tensors, (cache as PlainKvCache).marks, room), appendedPositions(cache, count, given))
  }
  /**
   * Beginnings are reused in whole chunks (prefix-cache.ts), so states are kept at those lengths. Together they take no
   * more memory than the keys and values of all tokens.
   */
  const markedAt = (length: number, tensors: Readonly<Feeds>, marks: KeptStates, room: number): KeptStates => {
    if (!isHybrid || length % CHUNK_TOKENS !== 0) return marks
    const states = Object.fromEntries(Object.entries(tensors).filter(([name]) => isState(name)))
    const ofToken = (bytesOf(Object.values(tensors)) - bytesOfStates(states)) / length
    return withStatesAt(marks, length, states, CHUNK_TOKENS, ofToken * Math.max(length, room))
  }
  const cacheOf = (length: number, tensors: Readonly<Feeds>, marks: KeptStates, positions: AxisPositions | null): PlainKvCache => {
    const kept = [...marks.values()].reduce((sum, states) => sum + bytesOfStates(states), 0)
    return { length, tensors, bytes: bytesOf(Object.values(tensors)) + kept, positions, marks }
  }

  return {
    width,
    featureWidth,
    empty,
    chunk: CHUNK_TOKENS,
    sharesPasses: false,
    embed,
    async prefill(cache, embeddings, room, positions = null) {
      return grown(cache, embeddings.length / width, await run(cache, embeddings, 1, presents, positions), room, positions)
    },
    truncatesTo: (cache, length) => !isHybrid || length === 0 || length >= cache.length || (cache as PlainKvCache).marks.has(length),
    truncate(cache, length) {
      if (length >= cache.length) return cache
      if (length === 0) return empty
      const { tensors, marks } = cache as PlainKvCache
      const states = isHybrid ? marks.get(length) : {}
      if (states === undefined) {
        throw new EngineError(
          'internal_error',
          `no state was kept at ${length} of ${cache.length} tokens; a hybrid cache cannot be cut there`,
        )
      }
      const shorter = Object.entries(tensors).filter(([name]) => !isState(name))
      const feeds = Object.fromEntries([
        ...shorter.map(([name, tensor]) => [name, truncatedTensor(Make, tensor, length)] as const),
        ...Object.entries(states),
      ])
      const earlier = new Map([...marks].filter(([at]) => at <= length))
      return cacheOf(length, feeds, earlier, positionsBetween(cache.positions, 0, length))
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

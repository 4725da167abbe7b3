// A cascade graph (patches/cascade.ts) as a decoder: one pass takes many rows behind one KV cache, and the cache is
// read without a copy.
import { LOGIT_NORMS, LOGIT_ROWS } from '../runtime/patch.ts'
import { LOCAL_BIAS } from '../runtime/patches/cascade.ts'
import { type Feeds, inputsOf, type Runtime, type Session, type Tensor } from '../runtime/session.ts'
import type { Decoder, Embedder, NextTokenLogits, TokenRow } from './contract.ts'
import { appended, type BufferedKvCache, emptyCache, type KvCache, type KvLayout, layerOf, release, truncated } from './kv-cache.ts'
import { rowsOf } from './logits.ts'
import { type AxisPositions, nextPosition, type PositionInput, positionInputOf } from './positions.ts'

/**
 * Tokens of one prefill pass: enough for matrix products at full speed (128 take a tenth longer in all), few enough
 * that others wait little.
 */
const CHUNK_TOKENS = 256
/** Added to the attention scores of masked tokens. */
const MASKED_SCORE = -1e30
/**
 * How many bias tensors are cached, by the shape of the pass, and the most numbers of one that is: they grow with the
 * square of the tokens.
 */
const MOST_CACHED_BIASES = 32
const LARGEST_CACHED_BIAS = 2 ** 18

interface Pass {
  /** Rows of the pass, and tokens of each: shorter rows are padded at their end. */
  readonly rows: number
  readonly tokens: number
  readonly embeddings: Float32Array // [row][token][width]
  /** Of each token in each row, or those that were given. */
  readonly counted: (row: number, token: number) => number
  readonly given: AxisPositions | null
  readonly logitRows: readonly number[]
}

export function makeCascadeDecoder(runtime: Runtime, embedder: Embedder, session: Session): Decoder {
  const { Tensor: Make } = runtime
  const { width, featureWidth, embed } = embedder
  const positionInput = positionInputOf(runtime, session) as PositionInput
  const names = inputsOf(session).flatMap(({ name }) => /^past_key_values\.(.+)\.key$/.exec(name)?.[1] ?? [])
  const value = inputsOf(session).find(({ name }) => name === `past_key_values.${names[0]}.value`)
  const layout: KvLayout = { layers: names.length, heads: Number(value?.shape[2]), size: Number(value?.shape[3]) }
  const { heads, size } = layout
  const presents = names.flatMap((layer) => [`present.${layer}.key`, `present.${layer}.value`])
  const biases = new Map<string, Tensor>()

  /**
   * Each token attends to those before it in its row. Padding stands behind the tokens of a row, which do not attend to
   * it.
   */
  const biasOf = (rows: number, tokens: number): Tensor => {
    const key = `${rows} ${tokens}`
    const kept = biases.get(key)
    if (kept !== undefined) return kept
    const data = new Float32Array(rows * tokens * tokens)
    for (let row = 0; row < rows * tokens; row++) data.fill(MASKED_SCORE, row * tokens + (row % tokens) + 1, (row + 1) * tokens)
    const groups = groupsOf(rows, tokens, heads)
    const dims = rows === 1 ? [groups, 1, 1, tokens / groups, tokens] : [groups, 1, rows / groups, tokens, tokens]
    const bias = new Make('float32', data, dims)
    if (data.length > LARGEST_CACHED_BIAS) return bias
    if (biases.size >= MOST_CACHED_BIASES) biases.delete(biases.keys().next().value as string)
    biases.set(key, bias)
    return bias
  }

  const run = (cache: BufferedKvCache, { rows, tokens, embeddings, counted, given, logitRows }: Pass, fetches: readonly string[]) => {
    const feeds: Feeds = {
      ...embedder.feeds(embeddings, rows, tokens),
      position_ids: positionInput.tensor(rows, tokens, counted, given),
      [LOGIT_ROWS]: new Make('int64', BigInt64Array.from(logitRows, BigInt), [logitRows.length]),
      [LOCAL_BIAS]: biasOf(rows, tokens),
    }
    names.forEach((name, layer) => {
      const { keys, values } = layerOf(layout, cache, layer)
      feeds[`past_key_values.${name}.key`] = new Make('float32', keys, [1 + cache.length, 1, heads, size + 1])
      feeds[`past_key_values.${name}.value`] = new Make('float32', values, [1 + cache.length, 1, heads, size])
    })
    return session.run(feeds, fetches as string[])
  }

  const passOf = async (cache: KvCache, wanted: readonly TokenRow[]): Promise<Pass> => {
    const rows = wanted.length
    const longest = Math.max(...wanted.map(({ ids }) => ids.length))
    const tokens = evened(rows, longest, heads)
    const all = await embed(wanted.flatMap(({ ids }) => ids))
    const isFull = tokens === longest && wanted.every(({ ids }) => ids.length === tokens)
    const embeddings = isFull ? all : new Float32Array(rows * tokens * width)
    const next = nextPosition(cache)
    const logitRows: number[] = []
    let from = 0
    wanted.forEach(({ ids, last }, row) => {
      const { length } = ids
      if (!isFull) embeddings.set(all.subarray(from * width, (from + length) * width), row * tokens * width)
      from += length
      for (let at = length - last; at < length; at++) logitRows.push(row * tokens + at)
    })
    // Padding stands with the last token of its row.
    const counted = (row: number, at: number): number => next + Math.min(at, (wanted[row]?.ids.length ?? 0) - 1)
    return { rows, tokens, embeddings, counted, given: null, logitRows }
  }

  const grown = (
    cache: BufferedKvCache,
    count: number,
    out: Readonly<Feeds>,
    room: number,
    given: AxisPositions | null = null,
  ): BufferedKvCache => {
    const part = (kind: string): Float32Array[] =>
      names.map((name) => ((out[`present.${name}.${kind}`] as Tensor).data as Float32Array).subarray(0, count * heads * size))
    return appended(layout, cache, part('key'), part('value'), room, given)
  }

  return {
    width,
    featureWidth,
    empty: emptyCache(layout),
    chunk: CHUNK_TOKENS,
    sharesPasses: true,
    embed,
    async prefill(cache, embeddings, room = 0, given = null) {
      const count = embeddings.length / width
      const tokens = evened(1, count, heads)
      const padded = tokens === count ? embeddings : new Float32Array(tokens * width)
      if (tokens !== count) padded.set(embeddings)
      const next = nextPosition(cache)
      const counted = (_: number, at: number): number => next + Math.min(at, count - 1)
      // Logits of one row are asked for though none is needed: reductions over no rows at all give wrong results in
      // onnxruntime 1.30.
      const pass = { rows: 1, tokens, embeddings: padded, counted, given, logitRows: [0] }
      return grown(cache as BufferedKvCache, count, await run(cache as BufferedKvCache, pass, presents), room, given)
    },
    truncatesTo: () => true,
    truncate: (cache, length) => truncated(layout, cache as BufferedKvCache, length),
    release: (cache, base) => release(cache as BufferedKvCache, base as BufferedKvCache),
    async next(cache, ids, keep = false) {
      const pass = await passOf(cache, [{ ids, last: 1 }])
      const out = await run(cache as BufferedKvCache, pass, keep ? ['logits', ...presents] : ['logits'])
      const [logits] = rowsOf(out.logits as Tensor, 1)
      return { logits: logits as Float32Array, cache: keep ? grown(cache as BufferedKvCache, ids.length, out, 0) : cache }
    },
    async rowLogits(cache, rows) {
      if (rows.length === 0) return []
      const pass = await passOf(cache, rows)
      const out = await run(cache as BufferedKvCache, pass, ['logits', LOGIT_NORMS])
      const norms = (out[LOGIT_NORMS] as Tensor).data as Float32Array
      const found: NextTokenLogits[] = rowsOf(out.logits as Tensor, pass.logitRows.length).map((logits, i) => ({
        logits,
        norm: norms[i] as number,
      }))
      let from = 0
      return rows.map(({ last }) => {
        from += last
        return found.slice(from - last, from)
      })
    },
    async close() {
      await embedder.release()
      await session.release()
    },
  }
}

/**
 * Into how many groups a pass is cut. There is one product with the cache for each group and head, and two threads
 * share them evenly only if their number is even (three heads on two threads: 1.28 times as fast in two groups).
 */
function groupsOf(rows: number, tokens: number, heads: number): number {
  if (heads % 2 === 0) return 1
  if (rows === 1) return tokens % 2 === 0 ? 2 : 1
  return rows % 2 === 0 ? 2 : rows
}

/**
 * Tokens of each row, padded to an even number where that is worth it: in a long single row with an odd number of
 * heads.
 */
const evened = (rows: number, tokens: number, heads: number): number =>
  rows === 1 && heads % 2 === 1 && tokens % 2 === 1 && tokens > 8 ? tokens + 1 : tokens

// A cascade graph (patches/cascade.ts) as a decoder: one pass takes many rows behind one past, and the past is read where it lies.
import { LOGIT_NORMS, LOGIT_ROWS } from '../runtime/patch.ts'
import { LOCAL_BIAS } from '../runtime/patches/cascade.ts'
import { type Feeds, inputsOf, type Runtime, type Session, type Tensor } from '../runtime/session.ts'
import type { Decoder, Embedder, Row, Said } from './contract.ts'
import { appended, cut, emptyPast, type Layout, layerOf, type Past, released, type StoredPast } from './kv-cache.ts'
import { rowsOf } from './logits.ts'

/** Tokens read in one run: enough for products of full speed (128 take a tenth longer in all), few enough for others not to wait long. */
const CHUNK = 256
/** Added to scores of what is not to be seen. */
const HIDDEN = -1e30
/** Shapes of passes whose biases are kept, and the most numbers of one that is: they grow with the square of the tokens. */
const KEPT_BIASES = 32
const KEPT_NUMBERS = 2 ** 18

interface Pass {
  /** Rows of the pass, and tokens of each: shorter rows are filled up behind. */
  readonly rows: number
  readonly tokens: number
  readonly embeddings: Float32Array // [row][token][width]
  readonly positions: BigInt64Array // [row][token]
  readonly logitRows: readonly number[]
}

export function makeCascadeDecoder({ Tensor: Make }: Runtime, { width, embed, release }: Embedder, session: Session): Decoder {
  const names = inputsOf(session).flatMap(({ name }) => /^past_key_values\.(.+)\.key$/.exec(name)?.[1] ?? [])
  const value = inputsOf(session).find(({ name }) => name === `past_key_values.${names[0]}.value`)
  const layout: Layout = { layers: names.length, heads: Number(value?.shape[2]), size: Number(value?.shape[3]) }
  const { heads, size } = layout
  const presents = names.flatMap((layer) => [`present.${layer}.key`, `present.${layer}.value`])
  const biases = new Map<string, Tensor>()

  /** Each token sees those before it in its row. What fills a row up stands behind its tokens, which do not see it. */
  const biasOf = (rows: number, tokens: number): Tensor => {
    const key = `${rows} ${tokens}`
    const kept = biases.get(key)
    if (kept !== undefined) return kept
    const data = new Float32Array(rows * tokens * tokens)
    for (let row = 0; row < rows * tokens; row++) data.fill(HIDDEN, row * tokens + (row % tokens) + 1, (row + 1) * tokens)
    const groups = groupsOf(rows, tokens, heads)
    const dims = rows === 1 ? [groups, 1, 1, tokens / groups, tokens] : [groups, 1, rows / groups, tokens, tokens]
    const bias = new Make('float32', data, dims)
    if (data.length > KEPT_NUMBERS) return bias
    if (biases.size >= KEPT_BIASES) biases.delete(biases.keys().next().value as string)
    biases.set(key, bias)
    return bias
  }

  const run = (past: StoredPast, { rows, tokens, embeddings, positions, logitRows }: Pass, fetches: readonly string[]) => {
    const feeds: Feeds = {
      inputs_embeds: new Make('float32', embeddings, [rows, tokens, width]),
      position_ids: new Make('int64', positions, [rows, tokens]),
      [LOGIT_ROWS]: new Make('int64', BigInt64Array.from(logitRows, BigInt), [logitRows.length]),
      [LOCAL_BIAS]: biasOf(rows, tokens),
    }
    names.forEach((name, layer) => {
      const { keys, values } = layerOf(layout, past, layer)
      feeds[`past_key_values.${name}.key`] = new Make('float32', keys, [1 + past.length, 1, heads, size + 1])
      feeds[`past_key_values.${name}.value`] = new Make('float32', values, [1 + past.length, 1, heads, size])
    })
    return session.run(feeds, fetches as string[])
  }

  const passOf = async (past: Past, wanted: readonly Row[]): Promise<Pass> => {
    const rows = wanted.length
    const longest = Math.max(...wanted.map(({ ids }) => ids.length))
    const tokens = evened(rows, longest, heads)
    const all = await embed(wanted.flatMap(({ ids }) => ids))
    const isFull = tokens === longest && wanted.every(({ ids }) => ids.length === tokens)
    const embeddings = isFull ? all : new Float32Array(rows * tokens * width)
    const positions = new BigInt64Array(rows * tokens)
    const logitRows: number[] = []
    let from = 0
    wanted.forEach(({ ids, last }, row) => {
      const { length } = ids
      if (!isFull) embeddings.set(all.subarray(from * width, (from + length) * width), row * tokens * width)
      from += length
      for (let at = 0; at < tokens; at++) positions[row * tokens + at] = BigInt(past.length + Math.min(at, length - 1))
      for (let at = length - last; at < length; at++) logitRows.push(row * tokens + at)
    })
    return { rows, tokens, embeddings, positions, logitRows }
  }

  const grown = (past: StoredPast, count: number, out: Readonly<Feeds>, room: number): StoredPast => {
    const part = (kind: string): Float32Array[] =>
      names.map((name) => ((out[`present.${name}.${kind}`] as Tensor).data as Float32Array).subarray(0, count * heads * size))
    return appended(layout, past, part('key'), part('value'), room)
  }
  const tails = async (past: Past, rows: readonly Row[]): Promise<Said[][]> => {
    if (rows.length === 0) return []
    const pass = await passOf(past, rows)
    const out = await run(past as StoredPast, pass, ['logits', LOGIT_NORMS])
    const norms = (out[LOGIT_NORMS] as Tensor).data as Float32Array
    const found = rowsOf(out.logits as Tensor, pass.logitRows.length).map((logits, i) => ({ logits, norm: norms[i] as number }))
    let from = 0
    return rows.map(({ last }) => {
      from += last
      return found.slice(from - last, from)
    })
  }

  return {
    width,
    empty: emptyPast(layout),
    chunk: CHUNK,
    sharesPasses: true,
    embed,
    async read(past, embeddings, room = 0) {
      const count = embeddings.length / width
      const tokens = evened(1, count, heads)
      const filled = tokens === count ? embeddings : new Float32Array(tokens * width)
      if (tokens !== count) filled.set(embeddings)
      const positions = BigInt64Array.from({ length: tokens }, (_, at) => BigInt(past.length + Math.min(at, count - 1)))
      // One row, though none is wanted: reductions over none at all are not what they should be in onnxruntime 1.30.
      const pass = { rows: 1, tokens, embeddings: filled, positions, logitRows: [0] }
      return grown(past as StoredPast, count, await run(past as StoredPast, pass, presents), room)
    },
    cut: (past, length) => cut(layout, past as StoredPast, length),
    release: (past, base) => released(past as StoredPast, base as StoredPast),
    async next(past, ids, keep = false) {
      const out = await run(past as StoredPast, await passOf(past, [{ ids, last: 1 }]), keep ? ['logits', ...presents] : ['logits'])
      const [logits] = rowsOf(out.logits as Tensor, 1)
      return { logits: logits as Float32Array, past: keep ? grown(past as StoredPast, ids.length, out, 0) : past }
    },
    tails,
    async lasts(past, rows) {
      const found = await tails(
        past,
        rows.map((ids) => ({ ids, last: 1 })),
      )
      return found.map(([said]) => (said as Said).logits)
    },
    async each(past, ids) {
      const [said] = await tails(past, [{ ids, last: ids.length }])
      return (said as Said[]).map(({ logits }) => logits)
    },
    async close() {
      await release()
      await session.release()
    },
  }
}

/**
 * Into how many groups a pass is cut: products with the past are one for each group and head, and a pair of threads shares them evenly only if they are
 * even in number (three heads on two threads: 1.28 times as fast in two groups).
 */
function groupsOf(rows: number, tokens: number, heads: number): number {
  if (heads % 2 === 0) return 1
  if (rows === 1) return tokens % 2 === 0 ? 2 : 1
  return rows % 2 === 0 ? 2 : rows
}

/** Tokens of each row with those that even it out: a long single row is worth one more. */
const evened = (rows: number, tokens: number, heads: number): number =>
  rows === 1 && heads % 2 === 1 && tokens % 2 === 1 && tokens > 8 ? tokens + 1 : tokens

// Token ids behind a kept past to logits and a longer past. Only what is asked for is fetched, since fetching copies.
import { EngineError } from '../../../../errors.ts'
import { LOGIT_ROWS } from '../../patch.ts'
import { bytesOf, type Feeds, inputsOf, type Runtime, type Session, type Tensor } from '../../session.ts'
import type { Past } from './past.ts'

export interface Decoder {
  /** Numbers in one embedding. */
  readonly width: number
  readonly empty: Past
  /** Ids to embeddings, [token][width]. */
  embed(ids: readonly number[]): Promise<Float32Array>
  /** Reads embeddings behind the past. */
  read(past: Past, embeddings: Float32Array): Promise<Past>
  /** Logits behind the last of the ids, and the past with them in it when `keep`. */
  next(past: Past, ids: readonly number[], keep?: boolean): Promise<{ logits: Float32Array; past: Past }>
  /** Logits behind each of the ids, [token][vocabulary]. */
  each(past: Past, ids: readonly number[]): Promise<Float32Array[]>
  close(): Promise<void>
}

/** Embeddings read in one run: bounds the logits that graphs without `num_logits_to_keep` make of all of them. */
const CHUNK = 512

const OTHERS = ['inputs_embeds', 'attention_mask', 'position_ids', 'num_logits_to_keep', LOGIT_ROWS]
const isPast = (name: string): boolean => name.startsWith('past_key_values.')
const pastName = (present: string): string => present.replace(/^present\./, 'past_key_values.')

export function makeDecoder(runtime: Runtime, embedder: Session, session: Session): Decoder {
  const inputs = inputsOf(session)
  const unknown = inputs.filter(({ name }) => !isPast(name) && !OTHERS.includes(name))
  if (unknown.length > 0 || !inputs.some(({ name }) => isPast(name))) {
    const what = unknown.length > 0 ? `asks for ${unknown.map(({ name }) => name).join(', ')}` : 'keeps no keys and values'
    throw new EngineError(
      'model_not_available',
      `decoder_model_merged ${what}, which this engine cannot feed; export it as transformers.js expects it`,
    )
  }
  const has = (name: string): boolean => inputs.some((input) => input.name === name)
  const width = Number(inputs.find(({ name }) => name === 'inputs_embeds')?.shape.at(-1))
  if (!Number.isInteger(width))
    throw new EngineError('model_not_available', 'decoder_model_merged does not declare the width of inputs_embeds; export it again')
  const presents = session.outputNames.filter((name) => name.startsWith('present.'))
  const { Tensor: Make } = runtime

  const emptyTensors: Feeds = {}
  for (const { name, type, shape } of inputs.filter((input) => isPast(input.name))) {
    // The first free size is the batch; the other is the length, which is none yet.
    const dims = shape.map((size, axis) => (typeof size === 'number' && size >= 0 ? size : axis === 0 ? 1 : 0))
    emptyTensors[name] =
      type === 'float16' ? new Make('float16', new Uint16Array(0), dims) : new Make(type as 'float32', new Float32Array(0), dims)
  }

  /** `keep`: how many of the last rows the logits are for; 0 for all. */
  const run = async (past: Past, embeddings: Float32Array, keep: number, fetches: readonly string[]): Promise<Readonly<Feeds>> => {
    const count = embeddings.length / width
    const total = past.length + count
    const feeds: Feeds = {
      ...past.tensors,
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
  const grown = (past: Past, count: number, out: Readonly<Feeds>): Past => {
    const tensors = Object.fromEntries(presents.map((name) => [pastName(name), out[name] as Tensor]))
    return { length: past.length + count, tensors, bytes: bytesOf(Object.values(tensors)) }
  }
  /** The last `count` rows of [1][rows][vocabulary]. */
  const rowsOf = (logits: Tensor, count: number): Float32Array[] => {
    const [, rows = 0, vocabulary = 0] = logits.dims
    const data = logits.data as Float32Array
    if (rows < count) throw new EngineError('internal_error', `the model gave logits for ${rows} tokens, ${count} were asked for`)
    return Array.from({ length: count }, (_, i) => data.slice((rows - count + i) * vocabulary, (rows - count + i + 1) * vocabulary))
  }

  const embed = async (ids: readonly number[]): Promise<Float32Array> => {
    const feeds = { input_ids: new Make('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]) }
    const out = await embedder.run(feeds, ['inputs_embeds'])
    return (out.inputs_embeds as Tensor).data as Float32Array
  }

  return {
    width,
    empty: { length: 0, tensors: emptyTensors, bytes: 0 },
    embed,
    async read(past, embeddings) {
      let now = past
      for (let from = 0; from < embeddings.length; from += CHUNK * width) {
        const chunk = embeddings.slice(from, from + CHUNK * width)
        now = grown(now, chunk.length / width, await run(now, chunk, 1, presents))
      }
      return now
    },
    async next(past, ids, keep = false) {
      const out = await run(past, await embed(ids), 1, keep ? ['logits', ...presents] : ['logits'])
      const [logits] = rowsOf(out.logits as Tensor, 1)
      return { logits: logits as Float32Array, past: keep ? grown(past, ids.length, out) : past }
    },
    async each(past, ids) {
      const out = await run(past, await embed(ids), 0, ['logits'])
      return rowsOf(out.logits as Tensor, ids.length)
    },
    async close() {
      await embedder.release()
      await session.release()
    },
  }
}

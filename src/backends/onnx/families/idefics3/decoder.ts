// Token ids behind a kept past to logits and a longer past. Two decoders do it: plain.ts on a graph as it came, cascade.ts on a graph in which many rows may
// stand behind one past (patches/cascade.ts). What they say is the same.
import { EngineError } from '../../../../errors.ts'
import { LOGIT_ROWS } from '../../patch.ts'
import { LOCAL_BIAS } from '../../patches/cascade.ts'
import { inputsOf, type Runtime, type Session, type Tensor } from '../../session.ts'
import { makeCascadeDecoder } from './cascade.ts'
import type { Past } from './past.ts'
import { makePlainDecoder } from './plain.ts'

/** Tokens behind a past, and for how many of the last ones logits are wanted (from 1 to all). */
export interface Row {
  readonly ids: readonly number[]
  readonly last: number
}

/** What is said behind a token: logits over the vocabulary, and the log of the sum of their exponentials. */
export interface Said {
  readonly logits: Float32Array
  readonly norm: number
}

/** One call is one pass of the model, unless it says more. No call changes a past that it is given. */
export interface Decoder {
  /** Numbers in one embedding. */
  readonly width: number
  readonly empty: Past
  /** Most tokens that one `read` should be given. */
  readonly chunk: number
  /** Whether rows of `tails` and `lasts` go in one pass; else each takes one of its own. */
  readonly sharesPasses: boolean
  /** Ids to embeddings, [token][width]. */
  embed(ids: readonly number[]): Promise<Float32Array>
  /** Reads embeddings behind the past. `room`: tokens that will be held when all is read; saves copying as it grows. */
  read(past: Past, embeddings: Float32Array, room?: number): Promise<Past>
  /** The first tokens of a past. */
  cut(past: Past, length: number): Past
  /** What was read behind `base` up to `past` is not needed any more by anyone: its room may be used again. */
  release(past: Past, base: Past): void
  /** Logits behind the last of the ids, and the past with them in it when `keep`. */
  next(past: Past, ids: readonly number[], keep?: boolean): Promise<{ logits: Float32Array; past: Past }>
  /** Each row behind the past on its own: what is said behind its last tokens, [row][token]. */
  tails(past: Past, rows: readonly Row[]): Promise<Said[][]>
  /** Each row behind the past on its own: logits behind its last token, [row][vocabulary]. */
  lasts(past: Past, rows: readonly (readonly number[])[]): Promise<Float32Array[]>
  /** Logits behind each of the ids, [token][vocabulary]. */
  each(past: Past, ids: readonly number[]): Promise<Float32Array[]>
  close(): Promise<void>
}

export interface Embedder {
  readonly width: number
  embed(ids: readonly number[]): Promise<Float32Array>
  release(): Promise<void>
}

const OTHERS = ['inputs_embeds', 'attention_mask', 'position_ids', 'num_logits_to_keep', LOGIT_ROWS, LOCAL_BIAS]
const isPast = (name: string): boolean => name.startsWith('past_key_values.')

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
  const width = Number(inputs.find(({ name }) => name === 'inputs_embeds')?.shape.at(-1))
  if (!Number.isInteger(width))
    throw new EngineError('model_not_available', 'decoder_model_merged does not declare the width of inputs_embeds; export it again')
  const make = inputs.some(({ name }) => name === LOCAL_BIAS) ? makeCascadeDecoder : makePlainDecoder
  return make(runtime, { width, embed: embedWith(runtime, embedder), release: () => embedder.release() }, session)
}

function embedWith({ Tensor: Make }: Runtime, embedder: Session): Embedder['embed'] {
  return async (ids) => {
    const feeds = { input_ids: new Make('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]) }
    const out = await embedder.run(feeds, ['inputs_embeds'])
    return (out.inputs_embeds as Tensor).data as Float32Array
  }
}

/** Embeddings behind a past in chunks. `turn` runs one pass, at its own time. */
export async function readAll(
  decoder: Decoder,
  past: Past,
  embeddings: Float32Array,
  turn: <T>(pass: () => Promise<T>) => Promise<T> = (pass) => pass(),
): Promise<Past> {
  const room = past.length + embeddings.length / decoder.width
  let now = past
  for (let from = 0; from < embeddings.length; from += decoder.chunk * decoder.width) {
    const chunk = embeddings.subarray(from, from + decoder.chunk * decoder.width)
    now = await turn(() => decoder.read(now, chunk, room))
  }
  return now
}

/**
 * Logits of a fixed probe, [token][vocabulary], for the comparison of a changed graph with the graph as it came: what a state, rows behind it and rows
 * behind nothing say.
 */
export async function probeLogits(decoder: Decoder, ids: readonly number[]): Promise<Float32Array[]> {
  const half = ids.length >> 1
  const [state, question] = [ids.slice(0, half), ids.slice(half)]
  const past = await readAll(decoder, decoder.empty, await decoder.embed(state))
  const rows = [question, question.slice(0, 3), question.slice(1)].filter(({ length }) => length > 0)
  const behind = await decoder.tails(
    past,
    rows.map((row) => ({ ids: row, last: row.length })),
  )
  return [...(await decoder.each(decoder.empty, state)), ...behind.flat().map(({ logits }) => logits)]
}

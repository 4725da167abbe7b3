// Token ids behind a kept past to logits and a longer past. Two decoders do it: plain.ts on a graph as it came, cascade.ts on a graph in which many rows may
// stand behind one past (patches/cascade.ts). What they say is the same (contract.ts).
import { EngineError } from '../../../core/errors.ts'
import { LOGIT_ROWS } from '../runtime/patch.ts'
import { LOCAL_BIAS } from '../runtime/patches/cascade.ts'
import { inputsOf, type Runtime, type Session, type Tensor } from '../runtime/session.ts'
import { ints } from '../runtime/tensors.ts'
import type { FairScheduler } from '../scheduling/fair-scheduler.ts'
import { makeCascadeDecoder } from './cascade.ts'
import type { Decoder, Embedder, Row } from './contract.ts'
import type { Past } from './kv-cache.ts'
import { isPast, makePlainDecoder } from './plain.ts'

export type { Decoder, Row, Said } from './contract.ts'

const OTHERS = ['inputs_embeds', 'attention_mask', 'position_ids', 'num_logits_to_keep', LOGIT_ROWS, LOCAL_BIAS]

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

function embedWith(runtime: Runtime, embedder: Session): Embedder['embed'] {
  return async (ids) => {
    const feeds = { input_ids: ints(runtime, ids, [1, ids.length]) }
    const out = await embedder.run(feeds, ['inputs_embeds'])
    return (out.inputs_embeds as Tensor).data as Float32Array
  }
}

/** Embeddings behind a past in chunks. */
export async function readAll(decoder: Decoder, past: Past, embeddings: Float32Array): Promise<Past> {
  const room = past.length + embeddings.length / decoder.width
  let now = past
  for (let from = 0; from < embeddings.length; from += decoder.chunk * decoder.width) {
    now = await decoder.read(now, embeddings.subarray(from, from + decoder.chunk * decoder.width), room)
  }
  return now
}

/** Tokens behind a past in chunks, each at its turn. Of a read that fails, nothing is kept. */
export async function readBehind(
  decoder: Decoder,
  scheduler: FairScheduler,
  past: Past,
  ids: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Past> {
  const room = past.length + ids.length
  let now = past
  try {
    for (let from = 0; from < ids.length; from += decoder.chunk) {
      const chunk = ids.slice(from, from + decoder.chunk)
      now = await scheduler.run(async () => decoder.read(now, await decoder.embed(chunk), room), signal)
    }
    return now
  } catch (error) {
    decoder.release(now, past)
    throw error
  }
}

/** Whether a row is too long for one pass: others would wait for it, and its memory grows with the square of its tokens. */
export const isLong = ({ chunk }: Decoder, { ids }: Row): boolean => ids.length > 2 * chunk

/** How many of the first tokens of a row are read in chunks before the others are run: none of one that is not long. */
export function readFirst(decoder: Decoder, row: Row): number {
  return isLong(decoder, row) ? Math.floor((row.ids.length - row.last) / decoder.chunk) * decoder.chunk : 0
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

// Opens a decoder graph as a `Decoder`: plain.ts runs a graph as it came, cascade.ts one in which many rows may stand
// behind one KV cache (patches/cascade.ts). Both give the same logits. What is here holds for both.
import { EngineError } from '../../../core/errors.ts'
import { LOGIT_ROWS } from '../runtime/patch.ts'
import { LOCAL_BIAS } from '../runtime/patches/cascade.ts'
import { inputsOf, outputsOf, type Runtime, type Session } from '../runtime/session.ts'
import type { FairScheduler } from '../scheduling/fair-scheduler.ts'
import { makeCascadeDecoder } from './cascade.ts'
import type { Decoder, TokenRow } from './contract.ts'
import { deepStackValues, withDeepStack } from './deepstack.ts'
import { idRows } from './embeddings.ts'
import type { KvCache } from './kv-cache.ts'
import { layeredRows, PER_LAYER } from './per-layer.ts'
import { isCacheInput, makePlainDecoder } from './plain.ts'

export type { Decoder, NextTokenLogits, TokenRow } from './contract.ts'

const NAMES = ['input_ids', 'inputs_embeds', PER_LAYER, 'attention_mask', 'position_ids', 'num_logits_to_keep']
const KNOWN_INPUTS = [...NAMES, LOGIT_ROWS, LOCAL_BIAS]

/**
 * @param embedder the graph that turns ids into embeddings; null when the decoder graph takes ids itself.
 * @param graphName the name of the decoder graph in messages.
 * Throws `model_not_available` when the graph asks for something else. `close` of the decoder releases both sessions.
 */
export function makeDecoder(runtime: Runtime, embedder: Session | null, session: Session, graphName = 'the decoder graph'): Decoder {
  const inputs = inputsOf(session)
  const known = [...KNOWN_INPUTS, ...deepStackValues(inputs, graphName).names]
  const unknown = inputs.filter(({ name }) => !isCacheInput(name) && !known.includes(name))
  if (unknown.length > 0 || !inputs.some(({ name }) => isCacheInput(name))) {
    const what = unknown.length > 0 ? `asks for ${unknown.map(({ name }) => name).join(', ')}` : 'keeps no keys and values'
    throw new EngineError(
      'model_not_available',
      `${graphName} ${what}, which this engine cannot feed; export it as transformers.js expects it`,
    )
  }
  const logits = outputsOf(session).find(({ name }) => name === 'logits')
  if (logits?.type !== 'float32') {
    const what = logits === undefined ? 'gives no logits' : `gives logits as ${logits.type}`
    throw new EngineError('model_not_available', `${graphName} ${what}, float32 was expected; use another dtype of this model`)
  }
  const make = inputs.some(({ name }) => name === LOCAL_BIAS) ? makeCascadeDecoder : makePlainDecoder
  if (embedder === null) {
    if (!inputs.some(({ name }) => name === 'input_ids'))
      throw new EngineError('model_not_available', `${graphName} takes no input_ids, and there is no graph that makes embeddings of them`)
    return make(runtime, idRows(runtime), session)
  }
  const width = Number(inputs.find(({ name }) => name === 'inputs_embeds')?.shape.at(-1))
  if (!Number.isInteger(width))
    throw new EngineError('model_not_available', `${graphName} does not declare the width of inputs_embeds; export it again`)
  return make(runtime, withDeepStack(runtime, layeredRows(runtime, embedder, session, width, graphName), inputs, graphName), session)
}

/** Reads embeddings behind a cache in chunks. */
export async function prefillAll(decoder: Decoder, cache: KvCache, embeddings: Float32Array): Promise<KvCache> {
  const room = cache.length + embeddings.length / decoder.width
  let now = cache
  for (let from = 0; from < embeddings.length; from += decoder.chunk * decoder.width) {
    now = await decoder.prefill(now, embeddings.subarray(from, from + decoder.chunk * decoder.width), room)
  }
  return now
}

/** Reads tokens behind a cache in chunks, each in its turn. When a chunk fails, what was read before it is released. */
export async function prefillBehind(
  decoder: Decoder,
  scheduler: FairScheduler,
  cache: KvCache,
  ids: readonly number[],
  signal: AbortSignal | undefined,
): Promise<KvCache> {
  const room = cache.length + ids.length
  let now = cache
  try {
    for (let from = 0; from < ids.length; from += decoder.chunk) {
      const chunk = ids.slice(from, from + decoder.chunk)
      now = await scheduler.run(async () => decoder.prefill(now, await decoder.embed(chunk), room), signal)
    }
    return now
  } catch (error) {
    decoder.release(now, cache)
    throw error
  }
}

/**
 * Whether a row is too long for one pass: others would wait for it, and its memory grows with the square of its tokens.
 */
export const isLong = ({ chunk }: Decoder, { ids }: TokenRow): boolean => ids.length > 2 * chunk

/**
 * How many of the first tokens of a row are prefilled in chunks before the rest is run: none unless the row is long.
 */
export function prefilledTokens(decoder: Decoder, row: TokenRow): number {
  return isLong(decoder, row) ? Math.floor((row.ids.length - row.last) / decoder.chunk) * decoder.chunk : 0
}

/** Logits behind each of the ids, [token][vocabulary], in one pass. */
export async function logitsOfAll(decoder: Decoder, cache: KvCache, ids: readonly number[]): Promise<Float32Array[]> {
  const [found = []] = await decoder.rowLogits(cache, [{ ids, last: ids.length }])
  return found.map(({ logits }) => logits)
}

/**
 * Logits of a fixed probe, [token][vocabulary], to compare a patched graph with the graph as it came: those of a state,
 * of rows behind it, and of rows behind nothing.
 */
export async function probeLogits(decoder: Decoder, ids: readonly number[]): Promise<Float32Array[]> {
  const half = ids.length >> 1
  const [state, question] = [ids.slice(0, half), ids.slice(half)]
  const cache = await prefillAll(decoder, decoder.empty, await decoder.embed(state))
  const rows = [question, question.slice(0, 3), question.slice(1)].filter(({ length }) => length > 0)
  const behind = await decoder.rowLogits(
    cache,
    rows.map((row) => ({ ids: row, last: row.length })),
  )
  return [...(await logitsOfAll(decoder, decoder.empty, state)), ...behind.flat().map(({ logits }) => logits)]
}

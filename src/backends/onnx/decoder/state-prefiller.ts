// Prefills states, each once: in chunks of a fixed grid, so that other requests have their turns in between, and from
// where a cached state with the same beginning ends. An image is encoded only where its tokens are read.
import { EngineError } from '../../../core/errors.ts'
import type { Piece } from '../../../core/types.ts'
import type { CacheCounts } from '../../backend.ts'
import { promptKey } from '../../prompt-key.ts'
import { PrefixCache } from '../caching/prefix-cache.ts'
import type { FairScheduler } from '../scheduling/fair-scheduler.ts'
import type { Decoder } from './decoder.ts'
import type { KvCache } from './kv-cache.ts'
import { positionsBetween } from './positions.ts'
import type { EncodedPrompt, PromptBuilder } from './prompt-builder.ts'

export interface StatePrefiller {
  /** Throws `context_length_exceeded`. Rejects with the signal's reason when that aborts, after the pass under way. */
  open(pieces: readonly Piece[], signal?: AbortSignal): Promise<{ readonly cache: KvCache; readonly cachedTokens: number }>
  readonly counts: CacheCounts
  clear(): void
}

export interface StatePrefillerOptions {
  readonly prompts: Pick<PromptBuilder, 'encodeState'>
  readonly decoder: Pick<
    Decoder,
    'width' | 'featureWidth' | 'empty' | 'chunk' | 'embed' | 'prefill' | 'truncatesTo' | 'truncate' | 'release'
  >
  readonly scheduler: FairScheduler
  readonly cacheBytes: number
  /** Throws when a state of so many tokens is too long. */
  fits(tokens: number): void
}

/** Features of an image, [position][width], and where its tokens stand. */
interface PlacedFeatures {
  readonly at: readonly number[]
  readonly features: Float32Array
}

export function makeStatePrefiller({ prompts, decoder, scheduler, cacheBytes, fits }: StatePrefillerOptions): StatePrefiller {
  const states = new PrefixCache<KvCache>(cacheBytes, decoder.chunk, decoder.truncatesTo)

  /** Features of the images that have tokens behind `from`. */
  async function featuresBehind(from: number, { images }: EncodedPrompt, signal: AbortSignal): Promise<PlacedFeatures[]> {
    const found: PlacedFeatures[] = []
    for (const image of images) {
      const { at } = image
      if (!at.some((position) => position >= from)) continue
      const features = await image.features(signal)
      if (features.length !== at.length * decoder.featureWidth) {
        const rows = features.length / decoder.featureWidth
        throw new EngineError('internal_error', `vision_encoder gave ${rows} rows for ${at.length} image tokens`)
      }
      found.push({ at, features })
    }
    return found
  }

  /** Rows of the tokens from `from` to `to`: embeddings, and image features in place of those of image tokens. */
  async function rowsBetween(from: number, to: number, { ids }: EncodedPrompt, images: readonly PlacedFeatures[]): Promise<Float32Array> {
    const { width, featureWidth } = decoder
    const rows = await decoder.embed(ids.slice(from, to))
    for (const { at, features } of images) {
      at.forEach((position, i) => {
        if (position < from || position >= to) return
        rows.set(features.subarray(i * featureWidth, (i + 1) * featureWidth), (position - from) * width)
      })
    }
    return rows
  }

  async function prefill(state: EncodedPrompt, signal: AbortSignal) {
    const { ids } = state
    const tokens = tokensOf(state)
    const begun = states.beginningOf(tokens)
    const cachedTokens = begun?.tokens ?? 0
    const base = begun === null ? decoder.empty : decoder.truncate(begun.value, begun.tokens)
    let cache = base
    const images = await featuresBehind(cachedTokens, state, signal)
    try {
      for (let from = cachedTokens; from < ids.length; from += decoder.chunk) {
        const to = Math.min(from + decoder.chunk, ids.length)
        const positions = positionsBetween(state.positions, from, to)
        const read = async () => decoder.prefill(cache, await rowsBetween(from, to, state, images), ids.length, positions)
        cache = await scheduler.run(read, signal)
      }
    } catch (error) {
      // So that the cached state has its room back.
      decoder.release(cache, base)
      throw error
    }
    return { value: cache, bytes: cache.bytes, tokens, cachedTokens }
  }

  return {
    async open(pieces, signal) {
      const make = async (stop: AbortSignal) => {
        const state = prompts.encodeState(pieces)
        fits(state.ids.length)
        return prefill(state, stop)
      }
      const { value, cachedTokens } = await states.through(promptKey(pieces, 'content'), make, signal)
      return { cache: value, cachedTokens }
    },
    get counts() {
      return states.counts
    },
    clear: () => states.clear(),
  }
}

/**
 * Ids, with the key of the image in place of image tokens: which row of its features a token stands for follows from
 * how many came before.
 */
function tokensOf({ ids, images }: EncodedPrompt): (number | string)[] {
  const tokens: (number | string)[] = [...ids]
  for (const { key, at } of images) for (const position of at) tokens[position] = key
  return tokens
}

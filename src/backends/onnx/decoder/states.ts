// States to what the decoder made of them, read once: in chunks of a fixed grid, so that other requests take turns between them, and from where a kept state
// with the same beginning ends. A picture is looked at only where its tokens are read.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../core/errors.ts'
import type { Piece } from '../../../core/types.ts'
import type { CachesOfBackend } from '../../backend.ts'
import { PrefixCache } from '../caching/prefix-cache.ts'
import type { Chat, EncodedState } from '../families/idefics3/chat.ts'
import { pictureKey, type Vision } from '../families/idefics3/vision.ts'
import type { FairScheduler } from '../scheduling/fair-scheduler.ts'
import type { Decoder } from './decoder.ts'
import type { Past } from './kv-cache.ts'

export interface States {
  /** Throws `context_length_exceeded`. Rejects with the signal's reason when that aborts, after the pass under way. */
  open(pieces: readonly Piece[], signal?: AbortSignal): Promise<{ readonly past: Past; readonly cachedTokens: number }>
  readonly caches: CachesOfBackend
  clear(): void
}

export interface StatesParts {
  readonly chat: Pick<Chat, 'encodeState'>
  readonly vision: Pick<Vision, 'features' | 'counts'>
  readonly decoder: Pick<Decoder, 'width' | 'empty' | 'chunk' | 'embed' | 'read' | 'cut' | 'release'>
  readonly scheduler: FairScheduler
  readonly cacheBytes: number
  /** Refuses a state of so many tokens. */
  fits(tokens: number): void
}

export function makeStates({ chat, vision, decoder, scheduler, cacheBytes, fits }: StatesParts): States {
  const kept = new PrefixCache<Past>(cacheBytes, decoder.chunk)

  /** Rows of pictures in place of their tokens, for the tokens from `from` to `to`. */
  async function placePictures(
    { pictures }: EncodedState,
    embeddings: Float32Array,
    from: number,
    to: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { width } = decoder
    for (const { picture, rule, at } of pictures) {
      if (!at.some((position) => position >= from && position < to)) continue
      const features = await vision.features(picture, rule, signal)
      if (features.length !== at.length * width) {
        throw new EngineError('internal_error', `vision_encoder gave ${features.length / width} rows for ${at.length} image tokens`)
      }
      at.forEach((position, i) => {
        if (position < from || position >= to) return
        embeddings.set(features.subarray(i * width, (i + 1) * width), (position - from) * width)
      })
    }
  }

  async function read(state: EncodedState, signal: AbortSignal) {
    const { ids } = state
    const tokens = tokensOf(state)
    const begun = kept.beginningOf(tokens)
    const cachedTokens = begun?.tokens ?? 0
    const base = begun === null ? decoder.empty : decoder.cut(begun.value, begun.tokens)
    let past = base
    const { width, chunk } = decoder
    const embeddings = await scheduler.run(() => decoder.embed(ids.slice(cachedTokens)), signal)
    await placePictures(state, embeddings, cachedTokens, ids.length, signal)
    try {
      for (let from = cachedTokens; from < ids.length; from += chunk) {
        const to = Math.min(from + chunk, ids.length)
        const part = embeddings.slice((from - cachedTokens) * width, (to - cachedTokens) * width)
        past = await scheduler.run(() => decoder.read(past, part, ids.length), signal)
      }
    } catch (error) {
      // The kept state has its room back.
      decoder.release(past, base)
      throw error
    }
    return { value: past, bytes: past.bytes, tokens, cachedTokens }
  }

  return {
    async open(pieces, signal) {
      const make = async (stop: AbortSignal) => {
        const state = chat.encodeState(pieces)
        fits(state.ids.length)
        return read(state, stop)
      }
      const { value, cachedTokens } = await kept.through(keyOf(pieces), make, signal)
      return { past: value, cachedTokens }
    },
    get caches() {
      return { states: kept.counts, pictures: vision.counts }
    },
    clear: () => kept.clear(),
  }
}

/** Ids of pictures are not in it: where they can be read, they stand in the text. */
function keyOf(pieces: readonly Piece[]): string {
  const said = pieces.map((piece) =>
    piece.type === 'text' ? ['text', piece.text] : ['image', piece.picture.sha256, piece.picture.width, piece.picture.height],
  )
  return createHash('sha256').update(JSON.stringify(said)).digest('hex')
}

/** Ids, and in the place of image tokens what they show: which rows of it they stand for follows from how many came before. */
function tokensOf({ ids, pictures }: EncodedState): (number | string)[] {
  const tokens: (number | string)[] = [...ids]
  for (const { picture, rule, at } of pictures) {
    const name = pictureKey(picture, rule)
    for (const position of at) tokens[position] = name
  }
  return tokens
}

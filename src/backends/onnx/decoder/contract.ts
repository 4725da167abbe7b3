// What a decoder does, whichever graph it runs on: token ids behind a KV cache to logits and a longer KV cache.
import type { Feeds } from '../runtime/session.ts'
import type { KvCache } from './kv-cache.ts'
import type { AxisPositions } from './positions.ts'

/** Tokens behind a KV cache, and for how many of the last ones logits are wanted (from 1 to all). */
export interface TokenRow {
  readonly ids: readonly number[]
  readonly last: number
}

/** Logits over the vocabulary for the token that comes next, and the log of the sum of their exponentials. */
export interface NextTokenLogits {
  readonly logits: Float32Array
  readonly norm: number
}

/** Each call is one pass of the model, unless it says otherwise. No call changes a KV cache that it is given. */
export interface Decoder {
  /** Numbers in one row of embeddings. */
  readonly width: number
  /** How many of them, from the first, the features of a picture take the place of. */
  readonly featureWidth: number
  /** The KV cache of no tokens. */
  readonly empty: KvCache
  /** The most tokens that one `prefill` should be given. */
  readonly chunk: number
  /** Whether several rows of `rowLogits` share one pass; otherwise each takes a pass of its own. */
  readonly sharesPasses: boolean
  /** Ids to embeddings, [token][width]. */
  embed(ids: readonly number[]): Promise<Float32Array>
  /**
   * Reads embeddings, [token][width], behind the cache.
   * @param room how many tokens the cache will hold in the end, where that is known; saves copying while it grows.
   * @param positions where the tokens stand; counted where there are none.
   */
  prefill(cache: KvCache, embeddings: Float32Array, room?: number, positions?: AxisPositions | null): Promise<KvCache>
  /** Whether `truncate` can give the cache of so many tokens: hybrid graphs can at some lengths only. */
  truncatesTo(cache: KvCache, length: number): boolean
  /** The cache of the first `length` tokens. */
  truncate(cache: KvCache, length: number): KvCache
  /**
   * Frees the room that was used behind `base` up to `cache`, unless other caches stand on it. `cache` must not be used
   * any more.
   */
  release(cache: KvCache, base: KvCache): void
  /** Logits behind the last of the ids; with `keep`, also the cache with the ids in it. */
  next(cache: KvCache, ids: readonly number[], keep?: boolean): Promise<{ logits: Float32Array; cache: KvCache }>
  /** Each row behind the cache on its own: logits behind its last tokens, [row][token]. */
  rowLogits(cache: KvCache, rows: readonly TokenRow[]): Promise<NextTokenLogits[][]>
  close(): Promise<void>
}

/** Token ids to the rows that a decoder graph takes, and those rows to inputs of the graph. */
export interface Embedder {
  /** Numbers in one row. */
  readonly width: number
  /** How many of them, from the first, the features of a picture take the place of. */
  readonly featureWidth: number
  /** [token][width] */
  embed(ids: readonly number[]): Promise<Float32Array>
  /** `data` is [row][token][width]. */
  feeds(data: Float32Array, rows: number, tokens: number): Feeds
  release(): Promise<void>
}

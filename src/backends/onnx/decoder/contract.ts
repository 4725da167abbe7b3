// What a decoder does, whichever graph it runs on: token ids behind a kept past to logits and a longer past.
import type { Past } from './kv-cache.ts'

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
  /** What was read behind `base` up to `past` is not needed any more, but by what stands on it in the same place: else its room may be used again. */
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

// What a family gives to the decoder: how a state and a question become token ids, and the features of images where it
// has any.
import type { Piece } from '../../../core/types.ts'
import type { CacheCounts } from '../../backend.ts'
import type { AxisPositions, GridTokens } from './positions.ts'

/** An image in an encoded state: its features take the place of the embeddings at these positions. */
export interface PlacedImage extends GridTokens {
  /** Images with the same key have the same features, and the same grid. */
  readonly key: string
  /** [position][width], from a cache or from the image encoder. */
  features(signal?: AbortSignal): Promise<Float32Array>
}

export interface EncodedPrompt {
  readonly ids: readonly number[]
  readonly images: readonly PlacedImage[]
  /** Null: tokens are counted. */
  readonly positions: AxisPositions | null
}

/**
 * A prompt is a state and a question behind it, each tokenised on its own, so that all questions about a state share
 * its KV cache.
 */
export interface PromptBuilder {
  /** Throws `capability_not_supported` for images in a model that sees none. */
  encodeState(pieces: readonly Piece[]): EncodedPrompt
  /** The ids behind a state: the question, and the opening of the answer. */
  encodeQuestion(question: string): number[]
  /** Whether frames of a video are read as one (`videos.ts`). Absent: no. */
  readonly joinsVideos?: boolean
  /** Whether the opening of the answer ends in white space, so that a first word needs no space of its own. */
  readonly opensWithSpace: boolean
}

/** Encodes the images of a family, and caches their features. */
export interface ImageEncoder {
  readonly counts: CacheCounts
  close(): Promise<void>
}

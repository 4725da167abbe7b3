// Pictures to the rows that take the place of image tokens, [token][width], from a cache or from the encoder. Each
// picture takes a pass of its own, so what else is in a state changes none of its features.
import type { Picture } from '../../../../core/types.ts'
import { cachedEncoder } from '../../decoder/feature-cache.ts'
import type { ImageEncoder } from '../../decoder/prompt-builder.ts'
import type { Session } from '../../runtime/session.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'

/** How a kind of Gemma reads pictures. */
export interface PictureReader {
  /** Numbers in a row, where the graph says it. */
  readonly width: number | null
  /** How many tokens a picture takes. */
  tokensOf(picture: Picture): number
  /** The pass of the encoder. */
  encode(picture: Picture): Promise<Float32Array>
}

export interface GemmaPictures extends PictureReader, ImageEncoder {
  /** Cached by `pictureKey`. */
  features(picture: Picture, signal?: AbortSignal): Promise<Float32Array>
}

/** Pictures with the same key have the same features. */
export const pictureKey = ({ sha256, width, height }: Picture): string => [sha256, width, height].join()

/** `session`: the encoder, which is released with it. */
export function makePictures(reader: PictureReader, session: Session, cacheBytes: number, scheduler: FairScheduler): GemmaPictures {
  return cachedEncoder(session, cacheBytes, (through) => ({
    ...reader,
    features: (picture: Picture, signal?: AbortSignal) =>
      through(pictureKey(picture), (stop) => scheduler.run(() => reader.encode(picture), stop), signal),
  }))
}

// Pictures to the rows that take the place of image tokens, [tile][token][width]. Each tile takes a pass of its own:
// tiles then do not depend on each other (a quantised graph would scale them together), and memory does not grow with
// the picture.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import { cachedEncoder } from '../../decoder/feature-cache.ts'
import type { ImageEncoder } from '../../decoder/prompt-builder.ts'
import { normaliseGrid, type TileRule, tilePicture } from '../../images/tiles.ts'
import { inputsOf, type Runtime, type Session, type Tensor } from '../../runtime/session.ts'
import { joined } from '../../runtime/tensors.ts'
import { type FairScheduler, makeFairScheduler } from '../../scheduling/fair-scheduler.ts'

export interface ImageFeatures {
  /**
   * Features of all tiles of a picture, one behind the other; each tile takes a turn. Cached by the hash of its pixels
   * and the rule.
   */
  features(picture: Picture, rule: TileRule, signal?: AbortSignal): Promise<Float32Array>
}

/** Pictures with the same key have the same features. */
export function imageKey({ sha256, width, height }: Picture, { longestEdge, tileSize, split, upscale }: TileRule): string {
  return [sha256, width, height, longestEdge, tileSize, split, upscale].join()
}

export function makeImageEncoder(
  runtime: Runtime,
  session: Session,
  cacheBytes: number,
  scheduler: FairScheduler = makeFairScheduler(),
): ImageEncoder & ImageFeatures {
  const { Tensor: Make } = runtime
  const takesMask = inputsOf(session).some(({ name }) => name === 'pixel_attention_mask')

  const encode = async (tile: Uint8Array, size: number): Promise<Float32Array> => {
    const feeds: Record<string, Tensor> = { pixel_values: new Make('float32', normaliseGrid([tile], size, 1), [1, 1, 3, size, size]) }
    if (takesMask) feeds.pixel_attention_mask = new Make('bool', new Uint8Array(size * size).fill(1), [1, 1, size, size])
    const out = await session.run(feeds, ['image_features'])
    return (out.image_features as Tensor).data as Float32Array
  }

  return cachedEncoder<ImageFeatures>(session, cacheBytes, (through) => ({
    features(picture, rule, signal) {
      const make = async (stop: AbortSignal) => {
        const { tiles, tileSize } = await tilePicture(picture, rule)
        const parts: Float32Array[] = []
        for (const tile of tiles) parts.push(await scheduler.run(() => encode(tile, tileSize), stop))
        const each = parts[0]?.length ?? 0
        if (parts.some((part) => part.length !== each))
          throw new EngineError('internal_error', 'vision_encoder gave tiles of unequal length')
        return joined(parts)
      }
      return through(imageKey(picture, rule), make, signal)
    },
  }))
}

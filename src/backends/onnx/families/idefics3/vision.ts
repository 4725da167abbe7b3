// Pictures to the rows that take the place of image tokens, [tile][token][width], one tile a run: tiles then do not depend on each other
// (a quantised graph would scale them together), and memory does not grow with the picture.
import { EngineError } from '../../../../errors.ts'
import type { Picture } from '../../../../types.ts'
import { ByteCache } from '../../cache.ts'
import { inputsOf, type Runtime, type Session, type Tensor } from '../../session.ts'
import { normaliseTiles, type TileRule, tilePicture } from '../../tiles.ts'

export interface Vision {
  /** Features of all tiles of a picture, one behind the other. Kept by the hash of its pixels and the rule. */
  features(picture: Picture, rule: TileRule): Promise<Float32Array>
  close(): Promise<void>
}

export function makeVision(runtime: Runtime, session: Session, cacheBytes: number): Vision {
  const { Tensor: Make } = runtime
  const takesMask = inputsOf(session).some(({ name }) => name === 'pixel_attention_mask')
  const cache = new ByteCache<Float32Array>(cacheBytes)

  const encode = async (tile: Uint8Array, size: number): Promise<Float32Array> => {
    const feeds: Record<string, Tensor> = { pixel_values: new Make('float32', normaliseTiles([tile], size), [1, 1, 3, size, size]) }
    if (takesMask) feeds.pixel_attention_mask = new Make('bool', new Uint8Array(size * size).fill(1), [1, 1, size, size])
    const out = await session.run(feeds, ['image_features'])
    return (out.image_features as Tensor).data as Float32Array
  }

  return {
    async features(picture, rule) {
      const key = [picture.sha256, picture.width, picture.height, rule.longestEdge, rule.tileSize, rule.split, rule.upscale].join()
      const kept = cache.get(key)
      if (kept !== undefined) return kept
      const { tiles, tileSize } = await tilePicture(picture, rule)
      const parts: Float32Array[] = []
      for (const tile of tiles) parts.push(await encode(tile, tileSize))
      const each = parts[0]?.length ?? 0
      if (parts.some((part) => part.length !== each)) throw new EngineError('internal_error', 'vision_encoder gave tiles of unequal length')
      const features = new Float32Array(each * parts.length)
      parts.forEach((part, i) => {
        features.set(part, i * each)
      })
      cache.set(key, features, features.byteLength)
      return features
    },
    async close() {
      cache.clear()
      await session.release()
    },
  }
}

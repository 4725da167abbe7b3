// Features of pictures, from a cache or from the encoder that makes them, which is released with it.
import { ByteCache } from '../caching/byte-cache.ts'
import type { Session } from '../runtime/session.ts'
import type { ImageEncoder } from './prompt-builder.ts'

/** The features that are kept by `key`, or what `make` gives. */
export type ThroughCache = (
  key: string,
  make: (signal: AbortSignal) => Promise<Float32Array>,
  signal: AbortSignal | undefined,
) => Promise<Float32Array>

/** `read`: what a family does with pictures, through the cache. `session`: the encoder. */
export function cachedEncoder<Read extends object>(
  session: Session,
  cacheBytes: number,
  read: (through: ThroughCache) => Read,
): ImageEncoder & Read {
  const cache = new ByteCache<Float32Array>(cacheBytes)
  const through: ThroughCache = async (key, make, signal) => {
    const sized = async (stop: AbortSignal) => {
      const value = await make(stop)
      return { value, bytes: value.byteLength }
    }
    return (await cache.through(key, sized, signal)).value
  }
  // Assigned to this object, so that `counts` stays a getter.
  const encoder: ImageEncoder = {
    get counts() {
      return cache.counts
    },
    async close() {
      cache.clear()
      await session.release()
    },
  }
  return Object.assign(encoder, read(through))
}

// A picture to rows of patches, one row of floats a patch, for encoders that take pictures of many sizes.
import type { Raster } from './resample.ts'

/** How 8-bit levels become floats: (level / 255 - mean) / deviation, by channel (red, green, blue). */
export interface Normalisation {
  readonly mean: readonly [number, number, number]
  readonly deviation: readonly [number, number, number]
}

/** [channel][level] */
export function floatsOfLevels({ mean, deviation }: Normalisation): readonly Float32Array[] {
  return mean.map((centre, channel) =>
    Float32Array.from({ length: 256 }, (_, level) => (level / 255 - centre) / (deviation[channel] as number)),
  )
}

/**
 * Rows of square patches, row-major. Within a row y, x, channel (the order of transformers, Lfm2VlImageProcessor). The
 * rows behind them up to `count` are zeros.
 */
export function plainPatches({ width, height, data }: Raster, patch: number, count: number, floats: readonly Float32Array[]): Float32Array {
  const across = width / patch
  const each = 3 * patch * patch
  const rows = new Float32Array(count * each)
  for (let one = 0; one < across * (height / patch); one++) {
    const [top, left] = [Math.floor(one / across) * patch, (one % across) * patch]
    let at = one * each
    for (let y = top; y < top + patch; y++) {
      for (let from = (y * width + left) * 3, end = from + patch * 3; from < end; from++, at++)
        rows[at] = (floats[at % 3] as Float32Array)[data[from] as number] as number
    }
  }
  return rows
}

export interface BlockPatches {
  /** Sides of a patch, pixels; both sides of the picture are a multiple of it and of `merge`. */
  readonly patch: number
  /** Sides of a block of patches that are merged into one token. */
  readonly merge: number
  /** How many frames of a video stand in a patch; a picture stands there as often. */
  readonly frames: number
}

/**
 * Rows in blocks that are merged: blocks row-major, and within each its patches. Within a row channel, frame, y, x (the
 * order of transformers, Qwen2VLImageProcessor). `rasters`: the frames, all of one size; where there are fewer than
 * stand in a patch, the last one stands for the others.
 */
export function blockPatches(rasters: readonly Raster[], rule: BlockPatches, floats: readonly Float32Array[]): Float32Array {
  const { patch, merge, frames } = rule
  const { width, height } = rasters[0] as Raster
  const [across, down] = [width / patch, height / patch]
  const square = patch * patch
  const rows = new Float32Array(across * down * 3 * frames * square)
  let at = 0
  for (let block = 0; block < (across * down) / (merge * merge); block++) {
    const [blockY, blockX] = [Math.floor(block / (across / merge)) * merge, (block % (across / merge)) * merge]
    for (let one = 0; one < merge * merge; one++) {
      const top = (blockY + Math.floor(one / merge)) * patch
      const left = (blockX + (one % merge)) * patch
      for (let channel = 0; channel < 3; channel++) {
        const float = floats[channel] as Float32Array
        for (const { data } of rasters) {
          for (let y = top; y < top + patch; y++) {
            for (let from = (y * width + left) * 3 + channel, end = from + patch * 3; from < end; from += 3)
              rows[at++] = float[data[from] as number] as number
          }
        }
        for (let frame = rasters.length; frame < frames; frame++, at += square) rows.copyWithin(at, at - square, at)
      }
    }
  }
  return rows
}

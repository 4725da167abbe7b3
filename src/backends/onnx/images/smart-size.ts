// The size that a picture is brought to for encoders that take pictures of many sizes: both sides a multiple of one
// number, an area between two bounds, the aspect almost as sent (`smart_resize` of transformers, qwen2_vl).
import { EngineError } from '../../../core/errors.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

export interface SizeRule {
  /** Both sides become a multiple of it. */
  readonly factor: number
  /** Bounds of the area. */
  readonly minPixels: number
  readonly maxPixels: number
}

/** The reference takes no longer pictures. */
const MOST_ASPECT = 200

/** To the nearest whole number, halves to the even one, as in Python. */
export function roundHalfToEven(value: number): number {
  const below = Math.floor(value)
  const over = value - below
  return over < 0.5 || (over === 0.5 && below % 2 === 0) ? below : below + 1
}

/** Throws `invalid_request` for a picture more than 200 times as long as wide. */
export function smartSize({ width, height }: Size, { factor, minPixels, maxPixels }: SizeRule): Size {
  if (Math.max(width, height) / Math.min(width, height) > MOST_ASPECT) {
    throw new EngineError(
      'invalid_request',
      `a picture has ${Math.round(width)} x ${Math.round(height)} pixels; this model takes pictures at most ${MOST_ASPECT} times as long as wide, cut it`,
    )
  }
  const rounded = (side: number): number => roundHalfToEven(side / factor) * factor
  const area = rounded(width) * rounded(height)
  if (area > maxPixels) {
    const shrink = Math.sqrt((height * width) / maxPixels)
    const smaller = (side: number): number => Math.max(factor, Math.floor(side / shrink / factor) * factor)
    return { width: smaller(width), height: smaller(height) }
  }
  if (area < minPixels) {
    const grow = Math.sqrt(minPixels / (height * width))
    const larger = (side: number): number => Math.ceil((side * grow) / factor) * factor
    return { width: larger(width), height: larger(height) }
  }
  return { width: rounded(width), height: rounded(height) }
}

// The size that a picture is brought to for encoders that take pictures of many sizes: both sides a multiple of one
// number, an area between two bounds, the aspect almost as sent (`smart_resize` of transformers, qwen2_vl).
export interface Size {
  readonly width: number
  readonly height: number
}

export interface SizeRule {
  /** Both sides become a multiple of it. */
  readonly factor: number
  /** What a side is rounded to at least, before the area is looked at: 0 (Qwen-VL), or the factor (LFM2-VL). */
  readonly leastSide: number
  /** Bounds of the area. */
  readonly minPixels: number
  readonly maxPixels: number
}

/** To the nearest whole number, halves to the even one, as in Python. */
export function roundHalfToEven(value: number): number {
  const below = Math.floor(value)
  const over = value - below
  return over < 0.5 || (over === 0.5 && below % 2 === 0) ? below : below + 1
}

/** How many pictures share the bounds of the area, and how many of them the rounded sides are counted for. */
export interface SharedBounds {
  readonly pictures: number
  readonly counted: number
}
const ONE_PICTURE: SharedBounds = { pictures: 1, counted: 1 }

export function smartSize({ width, height }: Size, rule: SizeRule, { pictures, counted }: SharedBounds = ONE_PICTURE): Size {
  const { factor, leastSide, minPixels, maxPixels } = rule
  const rounded = (side: number): number => Math.max(leastSide, roundHalfToEven(side / factor) * factor)
  const area = counted * rounded(width) * rounded(height)
  if (area > maxPixels) {
    const shrink = Math.sqrt((pictures * height * width) / maxPixels)
    const smaller = (side: number): number => Math.max(factor, Math.floor(side / shrink / factor) * factor)
    return { width: smaller(width), height: smaller(height) }
  }
  if (area < minPixels) {
    const grow = Math.sqrt(minPixels / (pictures * height * width))
    const larger = (side: number): number => Math.ceil((side * grow) / factor) * factor
    return { width: larger(width), height: larger(height) }
  }
  return { width: rounded(width), height: rounded(height) }
}

/** The size of a picture whose longest side is at most so long, where the caller limits it. */
export function withinEdge({ width, height }: Size, longestEdge: number | null): Size {
  const shrink = Math.min(1, (longestEdge ?? Infinity) / Math.max(width, height))
  return { width: width * shrink, height: height * shrink }
}

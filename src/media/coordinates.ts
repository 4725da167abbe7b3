// Fractions of the upright image, which the model sees, to pixels of the image as it was sent, which the caller has.
// The two differ by the EXIF orientation (1 to 8, Exif 2.32 section 4.6.4 A, tag 0x0112).

/** The pixel grid an image was sent in, and the EXIF orientation that makes it upright (1: it already is). */
export interface SentImage {
  readonly sentWidth: number
  readonly sentHeight: number
  readonly orientation: number
}

/** Left, top, right, bottom. */
export type Edges = readonly [number, number, number, number]

/** A point of the upright image (u right, v down, 0 to 1) as a point of the sent image. */
function toSentPoint(u: number, v: number, orientation: number): readonly [number, number] {
  switch (orientation) {
    case 2:
      return [1 - u, v]
    case 3:
      return [1 - u, 1 - v]
    case 4:
      return [u, 1 - v]
    case 5:
      return [v, u]
    case 6:
      return [v, 1 - u]
    case 7:
      return [1 - v, 1 - u]
    case 8:
      return [1 - v, u]
    default:
      return [u, v]
  }
}

/** To a thousandth of a pixel, so that 1 − 0.9 of 640 is 64 and not 63.99…; clamped to the side. */
function pixels(fraction: number, side: number): number {
  return Math.min(side, Math.max(0, Math.round(fraction * side * 1000) / 1000))
}

/**
 * A box in fractions of the upright image to `[x1, y1, x2, y2]` in pixels of the sent image: edges of the pixel grid,
 * so the whole image is `[0, 0, sentWidth, sentHeight]`. Clamped, with x1 ≤ x2 and y1 ≤ y2. Throws RangeError
 * when an edge is not a finite number.
 */
export function toSentPixels(edges: Edges, image: SentImage): [number, number, number, number] {
  if (!edges.every(Number.isFinite)) throw new RangeError(`box edges must be finite, got [${edges.join(', ')}]`)
  const [left, top, right, bottom] = edges
  const [s1, t1] = toSentPoint(left, top, image.orientation)
  const [s2, t2] = toSentPoint(right, bottom, image.orientation)
  return [
    pixels(Math.min(s1, s2), image.sentWidth),
    pixels(Math.min(t1, t2), image.sentHeight),
    pixels(Math.max(s1, s2), image.sentWidth),
    pixels(Math.max(t1, t2), image.sentHeight),
  ]
}

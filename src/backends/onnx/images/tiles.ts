// A picture to the square tiles a vision encoder takes: the Idefics3 rule of the Python reference (transformers,
// Idefics3ImageProcessorPil: Lanczos, 8 bits between the steps), with two switches. Tiles are row-major; the whole
// picture squeezed into one tile comes last.
import type { Picture } from '../../../core/types.ts'
import { type Raster, resample } from './resample.ts'

/** How a family cuts pictures. All lengths are pixels. */
export interface TileRule {
  /** The longest side before the cut. */
  readonly longestEdge: number
  /** The side of a tile. */
  readonly tileSize: number
  /** False: one squashed tile, whatever the size. */
  readonly split: boolean
  /**
   * True (Idefics3): small pictures are enlarged to `longestEdge`. False: the longest side is never enlarged before the
   * cut.
   */
  readonly upscale: boolean
}

/**
 * `tiles`: each tileSize x tileSize x 3, RGB. Split: rows * cols tiles row-major, then the global view. Not split: rows
 * = cols = 0, one tile.
 */
export interface Tiles {
  readonly rows: number
  readonly cols: number
  readonly tiles: readonly Uint8Array[]
  readonly tileSize: number
}

/** The reference never lets a side exceed this, whatever the rule says. */
const LARGEST_SIDE = 4096

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * The size after the first resize: the longest side at `longestEdge`, the other truncated and made even, both at most
 * 4096.
 */
function firstSize({ width, height }: Size, rule: TileRule): Size {
  if (!rule.upscale && Math.max(width, height) <= rule.longestEdge) return { width, height }
  const aspect = width / height
  const even = (side: number) => Math.max(1, side + (side % 2))
  const long = rule.longestEdge
  const first =
    width >= height ? { width: long, height: even(Math.trunc(long / aspect)) } : { width: even(Math.trunc(long * aspect)), height: long }
  if (Math.max(first.width, first.height) <= LARGEST_SIDE) return first
  const capped = first.width / first.height
  return first.width >= first.height
    ? { width: LARGEST_SIDE, height: Math.max(1, Math.trunc(LARGEST_SIDE / capped)) }
    : { width: Math.max(1, Math.trunc(LARGEST_SIDE * capped)), height: LARGEST_SIDE }
}

/** The size that is cut: both sides whole tiles (the aspect is slightly distorted). */
function gridSize({ width, height }: Size, tileSize: number): Size {
  const whole = (side: number) => Math.max(1, Math.ceil(side / tileSize)) * tileSize
  const aspect = width / height
  if (width >= height) {
    const wide = whole(width)
    return { width: wide, height: whole(Math.trunc(wide / aspect)) }
  }
  const tall = whole(height)
  return { width: whole(Math.trunc(tall * aspect)), height: tall }
}

/** The grid a picture of this size is cut into, without touching pixels; `count` includes the global view. */
export function tileGrid(size: Size, rule: TileRule): { rows: number; cols: number; count: number } {
  const { tileSize } = rule
  const small = !rule.upscale && Math.max(size.width, size.height) <= tileSize
  if (!rule.split || small) return { rows: 0, cols: 0, count: 1 }
  const grid = gridSize(firstSize(size, rule), tileSize)
  const rows = grid.height / tileSize
  const cols = grid.width / tileSize
  return rows * cols === 1 ? { rows: 0, cols: 0, count: 1 } : { rows, cols, count: rows * cols + 1 }
}

/** The square of a picture with this corner, side x side x 3. */
export function crop(picture: Raster, left: number, top: number, side: number): Uint8Array {
  const tile = new Uint8Array(side * side * 3)
  for (let y = 0; y < side; y++) {
    const from = ((top + y) * picture.width + left) * 3
    tile.set(picture.data.subarray(from, from + side * 3), y * side * 3)
  }
  return tile
}

/** Cuts a picture. The same picture and rule always give the same bytes. */
export async function tilePicture(picture: Picture, rule: TileRule): Promise<Tiles> {
  const { tileSize } = rule
  const one = { width: tileSize, height: tileSize }
  const { rows, cols, count } = tileGrid(picture, rule)
  const squeeze = (from: Raster, size: Size) => resample(from, size.width, size.height)
  const first = squeeze(picture, firstSize(picture, rule))
  if (count === 1) return { rows, cols, tiles: [squeeze(first, one).data], tileSize }

  const whole = squeeze(first, { width: cols * tileSize, height: rows * tileSize })
  const tiles: Uint8Array[] = []
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) tiles.push(crop(whole, col * tileSize, row * tileSize, tileSize))
  }
  // The reference squeezes the distorted whole, not the picture as sent.
  tiles.push(squeeze(whole, one).data)
  return { rows, cols, tiles, tileSize }
}

/** The encoder's float for each 8-bit level. */
const FLOAT_OF_LEVEL = Float32Array.from({ length: 256 }, (_, level) => (level / 255 - 0.5) / 0.5)

/**
 * Tiles of `cols` columns, row-major, as the one picture they were cut from, in the encoder's floats: (x / 255 - 0.5) /
 * 0.5, laid out [channel][y][x]. Every tile must be tileSize x tileSize x 3.
 */
export function normaliseGrid(tiles: readonly Uint8Array[], tileSize: number, cols: number): Float32Array {
  const width = cols * tileSize
  const plane = (tiles.length / cols) * tileSize * width
  const out = new Float32Array(3 * plane)
  tiles.forEach((tile, index) => {
    if (tile.length !== tileSize * tileSize * 3)
      throw new RangeError(`tile ${index} has ${tile.length} bytes, ${tileSize * tileSize * 3} expected`)
    const left = (index % cols) * tileSize
    const top = Math.floor(index / cols) * tileSize
    for (let y = 0, from = 0; y < tileSize; y++) {
      for (let at = (top + y) * width + left, end = at + tileSize; at < end; at++, from += 3) {
        out[at] = FLOAT_OF_LEVEL[tile[from] as number] as number
        out[at + plane] = FLOAT_OF_LEVEL[tile[from + 1] as number] as number
        out[at + 2 * plane] = FLOAT_OF_LEVEL[tile[from + 2] as number] as number
      }
    }
  })
  return out
}

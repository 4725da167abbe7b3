// An RGB picture to another size with Lanczos 3, bit for bit as Pillow 13 does it (libImaging/Resample.c, 8 bits per channel): the reference
// processors resize with Pillow, and libvips enlarges with another kernel (bicubic), which moves pixels by tens of levels.

/** Row-major RGB bytes: [height][width][3]. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

const SUPPORT = 3
/** Pillow's fixed point: 32 bits less 8 of the pixel and 2 of headroom. */
const PRECISION_BITS = 22

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function lanczos(x: number): number {
  return x > -SUPPORT && x < SUPPORT ? sinc(x) * sinc(x / SUPPORT) : 0
}

/** Where each output position reads from: `first[i]`, `count[i]` and `count[i]` weights at `i * width` in fixed point. */
interface Taps {
  readonly width: number
  readonly first: Int32Array
  readonly count: Int32Array
  readonly weights: Int32Array
}

function taps(from: number, to: number): Taps {
  const scale = from / to
  const stretch = Math.max(1, scale)
  const support = SUPPORT * stretch
  const width = Math.ceil(support) * 2 + 1
  const first = new Int32Array(to)
  const count = new Int32Array(to)
  const weights = new Int32Array(to * width)
  const row = new Float64Array(width)
  for (let i = 0; i < to; i++) {
    const centre = (i + 0.5) * scale
    const low = Math.max(0, Math.trunc(centre - support + 0.5))
    const n = Math.min(from, Math.trunc(centre + support + 0.5)) - low
    let sum = 0
    for (let k = 0; k < n; k++) {
      const w = lanczos((k + low - centre + 0.5) * (1 / stretch))
      row[k] = w
      sum += w
    }
    for (let k = 0; k < n; k++) {
      const w = (row[k] as number) * (sum === 0 ? 1 : 1 / sum) * (1 << PRECISION_BITS)
      weights[i * width + k] = Math.trunc(w < 0 ? w - 0.5 : w + 0.5)
    }
    first[i] = low
    count[i] = n
  }
  return { width, first, count, weights }
}

const HALF = 1 << (PRECISION_BITS - 1)

function clip(sum: number): number {
  const level = sum >> PRECISION_BITS
  return Math.min(255, Math.max(0, level))
}

function horizontally({ width, height, data }: Raster, to: number): Raster {
  const { width: step, first, count, weights } = taps(width, to)
  const out = new Uint8Array(to * height * 3)
  for (let y = 0; y < height; y++) {
    const line = y * width * 3
    let at = y * to * 3
    for (let x = 0; x < to; x++) {
      let r = HALF
      let g = HALF
      let b = HALF
      let from = line + (first[x] as number) * 3
      const base = x * step
      const n = count[x] as number
      for (let k = 0; k < n; k++) {
        const w = weights[base + k] as number
        r = (r + (data[from] as number) * w) | 0
        g = (g + (data[from + 1] as number) * w) | 0
        b = (b + (data[from + 2] as number) * w) | 0
        from += 3
      }
      out[at] = clip(r)
      out[at + 1] = clip(g)
      out[at + 2] = clip(b)
      at += 3
    }
  }
  return { width: to, height, data: out }
}

function vertically({ width, height, data }: Raster, to: number): Raster {
  const { width: step, first, count, weights } = taps(height, to)
  const stride = width * 3
  const out = new Uint8Array(to * stride)
  // Whole lines at a time, so that memory is read in order.
  const sums = new Int32Array(stride)
  for (let y = 0; y < to; y++) {
    sums.fill(HALF)
    const n = count[y] as number
    for (let k = 0; k < n; k++) {
      const w = weights[y * step + k] as number
      const from = ((first[y] as number) + k) * stride
      for (let i = 0; i < stride; i++) sums[i] = (sums[i] as number) + (data[from + i] as number) * w
    }
    const at = y * stride
    for (let i = 0; i < stride; i++) out[at + i] = clip(sums[i] as number)
  }
  return { width, height: to, data: out }
}

/**
 * Resizes; a side that does not change is left alone, as in Pillow. Both sides must be at least one pixel.
 * Each pass rounds to 8 bits, so their order shows: Pillow 13 goes vertically first when the height loses more than twice the pixels of
 * the width (Pillow 12 and older always start horizontally).
 */
export function resample(picture: Raster, width: number, height: number): Raster {
  if (!(width >= 1 && height >= 1)) throw new RangeError(`cannot resize to ${width} x ${height}`)
  const wide = (from: Raster) => (width === from.width ? from : horizontally(from, width))
  const tall = (from: Raster) => (height === from.height ? from : vertically(from, height))
  const verticalFirst = picture.height - height > 2 * Math.max(0, picture.width - width)
  return verticalFirst ? wide(tall(picture)) : tall(wide(picture))
}

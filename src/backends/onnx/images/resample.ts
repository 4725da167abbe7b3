// An RGB picture to another size, bit for bit as Pillow 13 does it (libImaging/Resample.c, 8 bits per channel): the
// reference processors resize with Pillow, and libvips enlarges with other kernels than it shrinks with, which moves
// pixels by tens of levels. There are two implementations: `resamplePlainly` is the plain one,
// `resampleInVectors` computes the same about ten times faster, a row at a time.
import { type Kernels, loadKernels, PAIR, putPair, SLACK } from './resample-simd.ts'

/** Row-major RGB bytes: [height][width][3]. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** Pillow's filters that models ask for. */
export type Filter = 'lanczos' | 'bicubic' | 'bilinear'

/** Pillow's fixed point: 32 bits less 8 of the pixel and 2 of headroom. */
const PRECISION_BITS = 22

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** Of Pillow's cubic; other libraries take -0.75. */
const CUBIC_SLOPE = -0.5

function cubic(x: number): number {
  const [a, t] = [CUBIC_SLOPE, Math.abs(x)]
  if (t < 1) return ((a + 2) * t - (a + 3)) * t * t + 1
  return t < 2 ? (((t - 5) * t + 8) * t - 4) * a : 0
}

/** How far a filter reaches, in pixels of the smaller of both pictures, and its weight at a distance. */
const FILTERS: Readonly<Record<Filter, { readonly support: number; weight(x: number): number }>> = {
  lanczos: { support: 3, weight: (x) => (x > -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0) },
  bicubic: { support: 2, weight: cubic },
  bilinear: { support: 1, weight: (x) => Math.max(0, 1 - Math.abs(x)) },
}

/**
 * Where each output position reads from: `first[i]`, `count[i]` and `count[i]` weights at `i * width` in fixed point.
 */
interface Taps {
  readonly width: number
  readonly first: Int32Array
  readonly count: Int32Array
  readonly weights: Int32Array
}

function taps(from: number, to: number, filter: Filter): Taps {
  const { support: reach, weight } = FILTERS[filter]
  const scale = from / to
  const stretch = Math.max(1, scale)
  const support = reach * stretch
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
      const w = weight((k + low - centre + 0.5) * (1 / stretch))
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

function horizontally({ width, height, data }: Raster, to: number, filter: Filter): Raster {
  const { width: step, first, count, weights } = taps(width, to, filter)
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
        r = (r + Math.imul(data[from] as number, w)) | 0
        g = (g + Math.imul(data[from + 1] as number, w)) | 0
        b = (b + Math.imul(data[from + 2] as number, w)) | 0
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

function vertically({ width, height, data }: Raster, to: number, filter: Filter): Raster {
  const { width: step, first, count, weights } = taps(height, to, filter)
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
      for (let i = 0; i < stride; i++) sums[i] = (sums[i] as number) + Math.imul(data[from + i] as number, w)
    }
    const at = y * stride
    for (let i = 0; i < stride; i++) out[at + i] = clip(sums[i] as number)
  }
  return { width, height: to, data: out }
}

/**
 * Each pass rounds to 8 bits, so their order shows: Pillow 13 goes vertically first when the height loses more than
 * twice the pixels of the width (Pillow 12 and older always start horizontally).
 */
function isVerticalFirst(picture: Raster, width: number, height: number): boolean {
  return picture.height - height > 2 * Math.max(0, picture.width - width)
}

/**
 * The plain implementation, for machines without vectors, for rows too long for their memory, and for the test of the
 * other.
 */
export function resamplePlainly(picture: Raster, width: number, height: number, filter: Filter = 'lanczos'): Raster {
  const wide = (from: Raster) => (width === from.width ? from : horizontally(from, width, filter))
  const tall = (from: Raster) => (height === from.height ? from : vertically(from, height, filter))
  return isVerticalFirst(picture, width, height) ? wide(tall(picture)) : tall(wide(picture))
}

/** Loaded at the first picture of a thread. */
let kernels: Kernels | null | undefined
/**
 * The memory of the kernels never shrinks. Pictures of 40 million pixels whose sides have at most 65,535 need below 4
 * MiB.
 */
const MOST_MEMORY = 16 * 1024 * 1024
const PAGE = 65_536

/** How many pairs of weights hold the taps of any output position. */
function pairsOf(all: Taps): number {
  return Math.ceil(all.count.reduce((most, n) => Math.max(most, n), 1) / 2)
}

function putWeights(view: DataView, at: number, { width, count, weights }: Taps, index: number, pairs: number): void {
  const n = count[index] as number
  const weight = (k: number): number => (k < n ? (weights[index * width + k] as number) : 0)
  for (let pair = 0; pair < pairs; pair++) putPair(view, at + pair * PAIR, weight(2 * pair), weight(2 * pair + 1))
}

/**
 * A row at a time through both passes: rows of the first wait in a ring for as long as the second reads them, so that
 * little memory is touched. Null when the memory would grow beyond `MOST_MEMORY`.
 */
function resampleInVectors(
  { memory, across, down }: Kernels,
  picture: Raster,
  { width, height }: { readonly width: number; readonly height: number },
  filter: Filter,
): Raster | null {
  const { width: fromWidth, height: fromHeight, data } = picture
  const isAcross = width !== fromWidth
  const isDown = height !== fromHeight
  const verticalFirst = isVerticalFirst(picture, width, height)
  const columns = isAcross ? taps(fromWidth, width, filter) : null
  const lines = isDown ? taps(fromHeight, height, filter) : null
  const acrossPairs = columns === null ? 0 : pairsOf(columns)
  const downPairs = lines === null ? 1 : pairsOf(lines)

  // Addresses in memory. Rows in the ring are narrow already, unless the vertical pass comes first.
  let end = 0
  const room = (bytes: number): number => {
    const at = end
    end += Math.ceil((bytes + SLACK) / 16) * 16
    return at
  }
  const sentBytes = fromWidth * 3
  const outBytes = width * 3
  const ringBytes = verticalFirst || !isAcross ? sentBytes : outBytes
  const firsts = room(isAcross ? width * 4 : 0)
  const acrossWeights = room(isAcross ? width * acrossPairs * PAIR : 0)
  const downWeights = room(downPairs * PAIR)
  const pointers = room(downPairs * 8)
  // A row is read past its end, by whole pairs of the widest tap.
  const sent = room(sentBytes + acrossPairs * 6)
  const between = room(Math.max(sentBytes, outBytes) + acrossPairs * 6)
  const result = room(Math.max(sentBytes, outBytes))
  const slots = downPairs * 2
  const stride = Math.ceil((ringBytes + SLACK) / 16) * 16
  const ring = room(isDown ? slots * stride : 0)
  if (end > MOST_MEMORY) return null
  const lacking = end - memory.buffer.byteLength
  if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE))
  const bytes = new Uint8Array(memory.buffer)
  const view = new DataView(memory.buffer)

  if (columns !== null) {
    for (let x = 0; x < width; x++) {
      view.setInt32(firsts + x * 4, (columns.first[x] as number) * 3, true)
      putWeights(view, acrossWeights + x * acrossPairs * PAIR, columns, x, acrossPairs)
    }
  }
  const put = (y: number, at: number): void => bytes.set(data.subarray(y * sentBytes, (y + 1) * sentBytes), at)
  const squeeze = (row: number, to: number): void => across(row, to, width, firsts, acrossWeights, acrossPairs)

  const out = new Uint8Array(height * outBytes)
  const give = (y: number, at: number): void => out.set(bytes.subarray(at, at + outBytes), y * outBytes)
  if (lines === null) {
    for (let y = 0; y < height; y++) {
      put(y, sent)
      if (isAcross) squeeze(sent, result)
      give(y, isAcross ? result : sent)
    }
    return { width, height, data: out }
  }

  let held = 0
  for (let y = 0; y < height; y++) {
    const first = lines.first[y] as number
    const n = lines.count[y] as number
    for (held = Math.max(held, first); held < first + n; held++) {
      const slot = ring + (held % slots) * stride
      if (verticalFirst || !isAcross) put(held, slot)
      else {
        put(held, sent)
        squeeze(sent, slot)
      }
    }
    // A row beyond the taps has weight zero; its address only has to be readable.
    for (let k = 0; k < slots; k++) view.setInt32(pointers + k * 4, ring + ((first + Math.min(k, n - 1)) % slots) * stride, true)
    putWeights(view, downWeights, lines, y, downPairs)
    const narrowing = verticalFirst && isAcross
    down(pointers, downWeights, downPairs, narrowing ? between : result, ringBytes)
    if (narrowing) squeeze(between, result)
    give(y, result)
  }
  return { width, height, data: out }
}

/** Resizes; a side that does not change is left alone, as in Pillow. Both sides must be at least one pixel. */
export function resample(picture: Raster, width: number, height: number, filter: Filter = 'lanczos'): Raster {
  if (!(width >= 1 && height >= 1)) throw new RangeError(`cannot resize to ${width} x ${height}`)
  if (width === picture.width && height === picture.height) return picture
  if (kernels === undefined) kernels = loadKernels(PRECISION_BITS)
  return (kernels && resampleInVectors(kernels, picture, { width, height }, filter)) ?? resamplePlainly(picture, width, height, filter)
}

// Pixels of a decoded video frame (planes of luma and chroma) to upright RGB, 8 bits a channel.
import type { Pixmap } from './pixmaps.ts'

/** Where a plane stands in the data of a frame, in bytes. */
export interface Plane {
  readonly offset: number
  readonly stride: number
}

export interface PlanarFrame {
  /** As WebCodecs names it: `I420`, `I422`, `I444`, `NV12`, `RGBA`, `BGRA`, `RGBX` or `BGRX`. */
  readonly format: string
  readonly data: Uint8Array
  readonly planes: readonly Plane[]
  readonly width: number
  readonly height: number
  /** BT.709 in place of BT.601. */
  readonly isHd: boolean
  /** Luma from 0 to 255 in place of 16 to 235. */
  readonly isFullRange: boolean
  /** Clockwise degrees that make it upright: 0, 90, 180 or 270. */
  readonly rotation: number
}

/** By how many bits columns and rows are shifted to find the chroma of a pixel; its planes; bytes between values. */
const CHROMA: Readonly<Record<string, readonly [columns: number, rows: number, cb: number, cr: number, step: number]>> = {
  I420: [1, 1, 1, 2, 1],
  I422: [1, 0, 1, 2, 1],
  I444: [0, 0, 1, 2, 1],
  NV12: [1, 1, 1, 1, 2],
}

/** Null for formats that are not read. The factors are those of ITU-R BT.601 and BT.709. */
export function rgbOf(frame: PlanarFrame): Pixmap | null {
  const { format, data: from, planes, width, height, isHd, isFullRange } = frame
  const data = new Uint8Array(width * height * 3)
  const place = placeOf(frame)
  const isTurned = frame.rotation % 180 !== 0
  const size = isTurned ? { width: height, height: width } : { width, height }
  const packed = /^(RGB|BGR)[AX]$/.exec(format)?.[1]
  if (packed !== undefined) {
    const { offset, stride } = planes[0] as Plane
    const [red, blue] = packed === 'RGB' ? [0, 2] : [2, 0]
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = offset + y * stride + 4 * x
        const to = place(x, y)
        data[to] = from[at + red] as number
        data[to + 1] = from[at + 1] as number
        data[to + 2] = from[at + blue] as number
      }
    }
    return { ...size, data }
  }
  const chroma = CHROMA[format]
  if (chroma === undefined) return null
  const [columns, rows, cbPlane, crPlane, step] = chroma
  const [luma, cb, cr] = [planes[0] as Plane, planes[cbPlane] as Plane, planes[crPlane] as Plane]
  const crOffset = cr.offset + (cbPlane === crPlane ? 1 : 0)
  const [kr, kb] = isHd ? [0.2126, 0.0722] : [0.299, 0.114]
  const [lumaGain, chromaGain, black] = isFullRange ? [1, 1, 0] : [255 / 219, 255 / 224, 16]
  const redOfCr = 2 * (1 - kr) * chromaGain
  const blueOfCb = 2 * (1 - kb) * chromaGain
  const greenOfCb = (-blueOfCb * kb) / (1 - kr - kb)
  const greenOfCr = (-redOfCr * kr) / (1 - kr - kb)
  const pixels = new Uint8ClampedArray(data.buffer)
  for (let y = 0; y < height; y++) {
    const lumaRow = luma.offset + y * luma.stride
    const cbRow = cb.offset + (y >> rows) * cb.stride
    const crRow = crOffset + (y >> rows) * cr.stride
    for (let x = 0; x < width; x++) {
      const light = ((from[lumaRow + x] as number) - black) * lumaGain
      const u = (from[cbRow + (x >> columns) * step] as number) - 128
      const v = (from[crRow + (x >> columns) * step] as number) - 128
      const to = place(x, y)
      pixels[to] = light + redOfCr * v
      pixels[to + 1] = light + greenOfCb * u + greenOfCr * v
      pixels[to + 2] = light + blueOfCb * u
    }
  }
  return { ...size, data }
}

/** The byte of the upright picture where a pixel goes. */
function placeOf({ width, height, rotation }: PlanarFrame): (x: number, y: number) => number {
  switch (((rotation % 360) + 360) % 360) {
    case 90:
      return (x, y) => 3 * (x * height + (height - 1 - y))
    case 180:
      return (x, y) => 3 * ((height - 1 - y) * width + (width - 1 - x))
    case 270:
      return (x, y) => 3 * ((width - 1 - x) * height + y)
    default:
      return (x, y) => 3 * (y * width + x)
  }
}

// Animations for tests: each frame is of one colour.
import sharp from 'sharp'

export const COLOURS = { red: [255, 0, 0], lime: [0, 255, 0], blue: [0, 0, 255], white: [255, 255, 255] } as const
export type Colour = keyof typeof COLOURS

/** An animation with one frame of each colour, each shown for so many milliseconds. */
export async function animation(
  format: 'gif' | 'webp',
  colours: readonly Colour[],
  delays: readonly number[],
  [width, height]: readonly [number, number] = [16, 12],
): Promise<Buffer> {
  const raw = Buffer.concat(colours.map((colour) => Buffer.alloc(width * height * 3, Buffer.from(COLOURS[colour]))))
  const image = sharp(raw, { raw: { width, height: height * colours.length, channels: 3, pageHeight: height } as never })
  return format === 'gif'
    ? image.gif({ delay: [...delays], loop: 0 }).toBuffer()
    : image.webp({ delay: [...delays], loop: 0, lossless: true }).toBuffer()
}

/** The colour that a picture has in its middle, or at a place. */
export function colourOf(
  { width, height, data }: { readonly width: number; readonly height: number; readonly data: Uint8Array },
  x = width >> 1,
  y = height >> 1,
): string {
  const at = 3 * (y * width + x)
  const pixel = [...data.subarray(at, at + 3)]
  const near = Object.entries(COLOURS).find(([, colour]) => colour.every((value, i) => Math.abs(value - (pixel[i] as number)) < 24))
  return near?.[0] ?? pixel.join()
}

/** A GIF of one pixel with so many frames, written block by block. */
export function gifOfFrames(frames: number, [width, height]: readonly [number, number] = [1, 1]): Buffer {
  const head = Buffer.from('47494638396101000100800000', 'hex')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const colours = Buffer.from('000000ffffff', 'hex')
  const frame = Buffer.from('21f904000a0000002c0000000001000100000202440100', 'hex')
  return Buffer.concat([head, colours, ...new Array<Buffer>(frames).fill(frame), Buffer.from('3b', 'hex')])
}

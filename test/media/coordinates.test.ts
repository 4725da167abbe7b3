import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { toSentPixels } from '../../src/media/coordinates.ts'

const WIDTH = 40
const HEIGHT = 24
/** The marked box in the sent image: x1, y1, x2, y2. Near no axis of symmetry. */
const BOX = [4, 2, 12, 8] as const

/** The edges of the dark pixels, as fractions. */
function darkBox(data: Uint8Array, width: number, height: number): [number, number, number, number] {
  let [x1, y1, x2, y2] = [width, height, 0, 0]
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((data[(y * width + x) * 3] as number) > 127) continue
      x1 = Math.min(x1, x)
      y1 = Math.min(y1, y)
      x2 = Math.max(x2, x + 1)
      y2 = Math.max(y2, y + 1)
    }
  }
  return [x1 / width, y1 / height, x2 / width, y2 / height]
}

describe('toSentPixels', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('undoes EXIF orientation %i as an image library applies it', async (orientation) => {
    const pixels = new Uint8Array(WIDTH * HEIGHT * 3).fill(255)
    for (let y = BOX[1]; y < BOX[3]; y++) pixels.fill(0, (y * WIDTH + BOX[0]) * 3, (y * WIDTH + BOX[2]) * 3)
    const sent = await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
      .withMetadata({ orientation })
      .png()
      .toBuffer()
    const upright = await sharp(sent).autoOrient().raw().toBuffer({ resolveWithObject: true })
    expect(upright.info.width).toBe(orientation >= 5 ? HEIGHT : WIDTH)
    const edges = darkBox(upright.data, upright.info.width, upright.info.height)
    expect(toSentPixels(edges, { sentWidth: WIDTH, sentHeight: HEIGHT, orientation })).toEqual([...BOX])
  })

  it('clamps to the image and keeps the corners in order, in every orientation', () => {
    const edge = fc.double({ min: -0.5, max: 1.5, noNaN: true })
    fc.assert(
      fc.property(fc.tuple(edge, edge, edge, edge), fc.integer({ min: 1, max: 8 }), ([a, b, c, d], orientation) => {
        const image = { sentWidth: 1920, sentHeight: 1080, orientation }
        const box = toSentPixels([a, b, c, d], image)
        const [x1, y1, x2, y2] = box
        expect(box.every(Number.isFinite)).toBe(true)
        expect(x1 >= 0 && x1 <= x2 && x2 <= 1920).toBe(true)
        expect(y1 >= 0 && y1 <= y2 && y2 <= 1080).toBe(true)
      }),
      { seed: 3, numRuns: 200 },
    )
    expect(toSentPixels([0, 0, 1, 1], { sentWidth: 7, sentHeight: 5, orientation: 6 })).toEqual([0, 0, 7, 5])
  })

  it('does not turn whole pixels into almost whole ones', () => {
    expect(toSentPixels([0.9, 0, 1, 0.1], { sentWidth: 640, sentHeight: 640, orientation: 2 })).toEqual([0, 0, 64, 64])
  })

  it('refuses edges that are not numbers', () => {
    expect(() => toSentPixels([Number.NaN, 0, 1, 1], { sentWidth: 7, sentHeight: 5, orientation: 1 })).toThrow(RangeError)
  })
})

import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { readState } from '../shared/read-state.ts'

const WARNING = 'of one colour all over, so there is nothing to see; check that it is what was meant to be sent.'

async function png(change: (pixels: Uint8Array) => void = () => {}): Promise<Uint8Array> {
  const pixels = new Uint8Array(40 * 30 * 3).fill(255)
  change(pixels)
  return sharp(pixels, { raw: { width: 40, height: 30, channels: 3 } })
    .png()
    .toBuffer()
}

describe('pictures of one colour', () => {
  let [white, blue, dotted]: Uint8Array[] = []
  beforeAll(async () => {
    white = await png()
    blue = await png((pixels) => {
      for (const i of pixels.keys()) pixels[i] = i % 3 === 2 ? 200 : 16
    })
    dotted = await png((pixels) => pixels.set([254], pixels.length - 1))
  })
  const source = (bytes: Uint8Array | undefined) => ({ type: 'bytes', bytes })
  const warningsOf = async (state: unknown) => (await readState(state)).warnings

  it('are named with their colour', async () => {
    expect(await warningsOf([{ type: 'image', source: source(white) }])).toEqual([`The picture "image_1" (#ffffff) is ${WARNING}`])
    expect(
      await warningsOf([
        { type: 'image', id: 'page', source: source(blue) },
        { type: 'image', source: source(dotted) },
        { type: 'image', source: source(white) },
      ]),
    ).toEqual([`The pictures "page" (#1010c8), "image_3" (#ffffff) are ${WARNING}`])
  })

  it('are few in a warning, also of a video', async () => {
    const frames = Array.from({ length: 12 }, (_, i) => ({ source: source(white), t_ms: 100 * i }))
    const [warning, ...others] = await warningsOf([{ type: 'video', frames }])
    expect(others).toEqual([])
    expect(warning).toContain('"video_1#8" (#ffffff) and 4 more are of one colour')
  })

  it('are not those in which a single pixel differs', async () => {
    expect(await warningsOf([{ type: 'image', source: source(dotted) }])).toEqual([])
  })
})

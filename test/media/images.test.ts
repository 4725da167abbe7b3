import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import { decodeImage, IMAGE_LIMITS, type ImageLimits, readImageHeader } from '../../src/media/images.ts'

const read = async (data: Uint8Array, limits: ImageLimits = IMAGE_LIMITS) => {
  const header = await readImageHeader(data, limits, '/state/0/source')
  return { header, picture: await decodeImage(data, header, '/state/0/source') }
}

async function refusal(data: Uint8Array, limits?: ImageLimits): Promise<EngineError> {
  const error = await read(data, limits).then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof EngineError)) throw error
  expect(error.param).toBe('/state/0/source')
  return error
}

const plain = (width: number, height: number, background: string) => sharp({ create: { width, height, channels: 3, background } })
/** Something that compresses badly, so that a cut file lacks pixels. */
const noise = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 60 } } })
const pixel = ({ data, width }: { data: Uint8Array; width: number }, x: number, y: number) => [
  ...data.slice((y * width + x) * 3, (y * width + x) * 3 + 3),
]

describe('decodeImage', () => {
  it.each(['jpeg', 'png', 'webp', 'gif'] as const)('reads %s', async (format) => {
    const { header, picture } = await read(await plain(30, 20, '#c81e3c').toFormat(format).toBuffer())
    expect(header).toEqual({ mediaType: `image/${format}`, sentWidth: 30, sentHeight: 20, orientation: 1 })
    expect([picture.width, picture.height, picture.data.length]).toEqual([30, 20, 1800])
    pixel(picture, 7, 7).forEach((value, i) => {
      expect(Math.abs(value - ([200, 30, 60][i] as number))).toBeLessThan(6)
    })
  })

  it('turns the picture upright and keeps the size as sent', async () => {
    const left = await plain(20, 40, '#000').png().toBuffer()
    const sent = await plain(60, 40, '#fff')
      .composite([{ input: left, left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const { header, picture } = await read(sent)
    expect(header).toMatchObject({ sentWidth: 60, sentHeight: 40, orientation: 6 })
    expect([picture.width, picture.height]).toEqual([40, 60])
    // A quarter turn clockwise brings the left side to the top.
    expect((pixel(picture, 20, 5)[0] as number) < 20 && (pixel(picture, 20, 50)[0] as number) > 235).toBe(true)
  })

  it('lays transparency on white', async () => {
    const clear = await sharp({ create: { width: 4, height: 4, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
      .png()
      .toBuffer()
    expect(pixel((await read(clear)).picture, 1, 1)).toEqual([255, 255, 255])
    const half = await sharp({ create: { width: 4, height: 4, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } } })
      .webp({ lossless: true })
      .toBuffer()
    const [red, green] = pixel((await read(half)).picture, 1, 1)
    expect(red).toBe(255)
    expect(Math.abs((green as number) - 127)).toBeLessThan(3)
  })

  it('brings gray, gray with alpha, palette, 16-bit and CMYK to 8-bit RGB', async () => {
    const gray = await plain(5, 5, '#505050').toColourspace('b-w').png().toBuffer()
    expect(pixel((await read(gray)).picture, 2, 2)).toEqual([80, 80, 80])
    const grayAlpha = await sharp({ create: { width: 5, height: 5, channels: 4, background: { r: 80, g: 80, b: 80, alpha: 1 } } })
      .toColourspace('b-w')
      .png()
      .toBuffer()
    expect(pixel((await read(grayAlpha)).picture, 2, 2)).toEqual([80, 80, 80])
    const palette = await plain(5, 5, '#0a64c8').png({ palette: true }).toBuffer()
    expect(pixel((await read(palette)).picture, 2, 2)).toEqual([10, 100, 200])
    const deep = await plain(5, 5, '#0a64c8').toColourspace('rgb16').png().toBuffer()
    expect((await sharp(deep).metadata()).depth).toBe('ushort')
    expect(pixel((await read(deep)).picture, 2, 2)).toEqual([10, 100, 200])
    const deepGray = await plain(5, 5, '#505050').toColourspace('grey16').png().toBuffer()
    expect((await sharp(deepGray).metadata()).depth).toBe('ushort')
    expect(pixel((await read(deepGray)).picture, 2, 2)).toEqual([80, 80, 80])
    const cmyk = await plain(8, 8, '#e02020').toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()
    expect((await sharp(cmyk).metadata()).channels).toBe(4)
    const [red, green] = pixel((await read(cmyk)).picture, 4, 4)
    expect((red as number) - (green as number)).toBeGreaterThan(120)
  })

  it('takes the first picture of an animation', async () => {
    const frames = Buffer.concat([Buffer.alloc(4 * 4 * 3, 255), Buffer.alloc(4 * 4 * 3, 0)])
    const gif = await sharp(frames, { raw: { width: 4, height: 8, channels: 3, pageHeight: 4 } })
      .gif({ delay: [100, 100] })
      .toBuffer()
    expect((await sharp(gif).metadata()).pages).toBe(2)
    const { header, picture } = await read(gif)
    expect([header.sentWidth, header.sentHeight, picture.height]).toEqual([4, 4, 4])
    expect(pixel(picture, 0, 0)).toEqual([255, 255, 255])
  })

  it('names equal pixels equally, whatever the file, and other shapes differently', async () => {
    const png = await read(await plain(6, 4, '#123456').png().toBuffer())
    const webp = await read(await plain(6, 4, '#123456').webp({ lossless: true }).toBuffer())
    const turned = await read(await plain(4, 6, '#123456').png().toBuffer())
    expect(webp.picture.sha256).toBe(png.picture.sha256)
    expect(turned.picture.sha256).not.toBe(png.picture.sha256)
  })

  it.each(['jpeg', 'png', 'webp', 'gif'] as const)('refuses a %s that is cut short', async (format) => {
    const whole = await noise(120, 120).toFormat(format).toBuffer()
    await read(whole)
    for (const part of [0.9, 0.5, 0.1]) {
      const error = await refusal(whole.subarray(0, Math.floor(whole.length * part)))
      expect(error.code, `${format} ${part}`).toBe('invalid_image')
    }
    expect((await refusal(whole.subarray(0, 16))).code).toBe('invalid_image')
  })

  it('refuses damaged pixels', async () => {
    const png = Buffer.from(await noise(64, 64).png().toBuffer())
    png.fill(0x55, 200, 400)
    const error = await refusal(png)
    expect(error.code).toBe('invalid_image')
    expect(error.message).not.toMatch(/\/(?:home|work|tmp|usr)\//)
  })

  it('refuses other formats by their bytes, and says which they are', async () => {
    const svg = await refusal(Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'))
    expect(svg).toMatchObject({ code: 'unsupported_media_type', message: expect.stringContaining('SVG') })
    const tiff = await refusal(await plain(4, 4, '#fff').tiff().toBuffer())
    expect(tiff).toMatchObject({ code: 'unsupported_media_type', message: expect.stringContaining('TIFF') })
    expect((await refusal(Buffer.from('hello, I am no image'))).code).toBe('unsupported_media_type')
    expect((await refusal(new Uint8Array(0))).code).toBe('invalid_image')
  })

  it('refuses too many bytes and too many pixels with the numbers, before decoding', async () => {
    const png = await noise(50, 40).png().toBuffer()
    const small: ImageLimits = { imageBytes: 1024, imagePixels: 40e6 }
    expect(await refusal(png, small)).toMatchObject({
      code: 'image_too_large',
      message: expect.stringContaining('bytes, at most 1024 are taken'),
    })
    const few: ImageLimits = { imageBytes: 16e6, imagePixels: 1999 }
    expect(await refusal(png, few)).toMatchObject({ code: 'image_too_large', message: expect.stringContaining('50 x 40 = 2000') })
    await read(png, { imageBytes: png.length, imagePixels: 2000 })

    // A file of some kilobytes that claims 60 000 x 60 000 pixels is refused by its header.
    const bomb = Buffer.from(png)
    bomb.writeUInt32BE(60_000, 16)
    bomb.writeUInt32BE(60_000, 20)
    const { crc32 } = await import('node:zlib')
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29)
    expect(await refusal(bomb)).toMatchObject({ code: 'image_too_large', message: expect.stringContaining('3600000000') })
  })

  it('refuses sides that no picture has, however few pixels there are', async () => {
    const strip = await sharp({ create: { width: 70_000, height: 1, channels: 3, background: '#fff' } })
      .png()
      .toBuffer()
    expect(await refusal(strip)).toMatchObject({
      code: 'image_too_large',
      message: expect.stringContaining('70000 x 1 pixels, at most 65535'),
    })
  })

  it('names a picture of many megabytes as one hash over its size and pixels', async () => {
    const { picture } = await read(await noise(1800, 1000).png().toBuffer())
    const { createHash } = await import('node:crypto')
    expect(picture.data.length).toBeGreaterThan(5e6)
    expect(picture.sha256).toBe(createHash('sha256').update('1800x1000\n').update(picture.data).digest('hex'))
  })
})

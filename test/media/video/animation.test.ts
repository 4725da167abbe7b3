import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { IMAGE_LIMITS } from '../../../src/media/images.ts'
import { openAnimation } from '../../../src/media/video/animation.ts'
import { frameDelays } from '../../../src/media/video/animation-header.ts'
import { animation, colourOf, gifOfFrames } from './clips.ts'

const LIMITS = { ...IMAGE_LIMITS, videoBytes: 2 ** 24, videoMs: 20_000 }
const open = (format: 'gif' | 'webp', data: Uint8Array, limits = LIMITS) => openAnimation(format, data, limits, '/x')
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('was not refused'),
    (error: unknown) => error,
  )
const all = (indices: readonly number[]) => ({ indices, mostPixels: 1e9, signal: undefined })

describe.each(['gif', 'webp'] as const)('an animated %s', (format) => {
  it('gives each frame with the time at which it is shown', async () => {
    const data = await animation(format, ['red', 'lime', 'blue', 'white'], [200, 50, 1000, 300])
    const video = await open(format, data)
    expect(video.timeline).toEqual({ timesMs: [0, 200, 250, 1250], durationMs: 1550 })
    expect([video.width, video.height]).toEqual([16, 12])
    const pictures = await video.decode(all([0, 2, 3]))
    expect(pictures.map((picture) => colourOf(picture))).toEqual(['red', 'blue', 'white'])
    expect(pictures.map(({ width, height, data }) => [width, height, data.length])).toEqual(new Array(3).fill([16, 12, 576]))
    expect(new Set(pictures.map(({ sha256 }) => sha256)).size).toBe(3)
  })

  it('has the times that sharp reads', async () => {
    const data = await animation(format, ['red', 'lime', 'blue', 'red', 'white'], [30, 500, 70, 110, 90])
    expect(await frameDelays(format, data, 100, '/x')).toEqual((await sharp(data).metadata()).delay)
  })

  it('of one picture is one frame', async () => {
    const data = await sharp({ create: { width: 9, height: 5, channels: 3, background: 'lime' } })
      .toFormat(format)
      .toBuffer()
    const video = await open(format, data)
    expect(video.timeline.timesMs).toEqual([0])
    expect((await video.decode(all([0]))).map((picture) => colourOf(picture))).toEqual(['lime'])
  })

  it('that is cut short is refused, or answered from the frames that are whole', async () => {
    const data = await animation(format, ['red', 'lime', 'blue', 'white'], [200, 200, 200, 200], [64, 64])
    for (const bytes of [0, 13, 40, data.length >> 1]) {
      const cut = data.subarray(0, bytes)
      const work = open(format, cut).then((video) => video.decode(all(video.timeline.timesMs.map((_, i) => i))))
      const outcome = await work.catch((error: unknown) => error)
      if (!Array.isArray(outcome)) expect(outcome, `${bytes}`).toMatchObject({ code: 'invalid_video', param: '/x' })
    }
  })
})

describe('an animation that is too much', () => {
  it('of frames is refused before a decoder sees it', async () => {
    expect(await refusal(open('gif', gifOfFrames(10_001)))).toMatchObject({
      code: 'request_too_large',
      message: 'The animation has more than 10000 frames, which is the most; send a shorter one.',
    })
    expect((await open('gif', gifOfFrames(10_000))).timeline.timesMs).toHaveLength(10_000)
  })

  it('of pixels is refused before one is decoded', async () => {
    const data = await animation('webp', ['red', 'lime'], [100, 100], [64, 64])
    expect(await refusal(open('webp', data, { ...LIMITS, imagePixels: 4095 }))).toMatchObject({ code: 'image_too_large' })
  })

  it('of frames of many pixels is refused before one is decoded', async () => {
    // 900 frames of 1500 x 1200 pixels in a few kilobytes.
    const one = await animation('gif', ['red', 'lime'], [100, 100], [1500, 1200])
    const from = one.indexOf(Buffer.from([0x21, 0xf9]))
    const second = one.indexOf(Buffer.from([0x21, 0xf9]), from + 4)
    const frame = one.subarray(second, -1)
    const bomb = Buffer.concat([one.subarray(0, -1), ...new Array<Buffer>(898).fill(frame), Buffer.from([0x3b])])
    const video = await open('gif', bomb)
    expect(video.timeline.timesMs).toHaveLength(900)
    expect(await refusal(video.decode(all([899])))).toMatchObject({
      code: 'image_too_large',
      message: expect.stringContaining('900 frames up to the last that is looked at'),
    })
    expect(await video.decode(all([3]))).toHaveLength(1)
  })

  it('has 0 frames', async () => {
    expect(await refusal(open('gif', gifOfFrames(0)))).toMatchObject({
      code: 'invalid_video',
      message: expect.stringContaining('0 frames'),
    })
  })

  it('stops between stretches when its request is given up', async () => {
    const video = await open('gif', await animation('gif', ['red', 'lime'], [100, 100]))
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(video.decode({ indices: [0], mostPixels: 1e9, signal: gone })).rejects.toThrow('gone')
  })
})

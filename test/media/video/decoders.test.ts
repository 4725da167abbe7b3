// Real clips by the decoders that are here; where there is none, these are skipped. `test/golden/video/make.sh` made
// the clips: three seconds of 64 x 48 pixels, red, then green, then blue, ten frames each.
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { arePackagesInstalled } from '../../../src/core/optional-packages.ts'
import { IMAGE_LIMITS } from '../../../src/media/images.ts'
import { ffmpegCommand } from '../../../src/media/video/ffmpeg.ts'
import { findDecoder } from '../../../src/media/video/find-decoder.ts'
import { openByProcess } from '../../../src/media/video/process-decoder.ts'
import { webcodecsCommand } from '../../../src/media/video/webcodecs.ts'
import { colourOf } from './clips.ts'

const LIMITS = { ...IMAGE_LIMITS, videoBytes: 2 ** 24, videoMs: 60_000 }
const clip = (name: string): Buffer => readFileSync(new URL(`../../golden/video/${name}`, import.meta.url))

const found = await findDecoder(process.env, '/x').catch(() => null)
const isBuilt = existsSync(fileURLToPath(new URL('../../../dist/media/video/webcodecs-process.js', import.meta.url)))
const DECODERS = [
  ['ffmpeg', found?.type === 'ffmpeg' ? ffmpegCommand(found.program) : null],
  ['the packages', arePackagesInstalled('video') && isBuilt ? webcodecsCommand() : null],
] as const

describe.each(DECODERS)('%s', (_name, command) => {
  const open = (name: string, data: Buffer = clip(name)) =>
    openByProcess(command!, { data, container: name.endsWith('webm') ? 'webm' : 'mp4', limits: LIMITS, param: '/x', signal: undefined })
  const seen = async (name: string, indices: readonly number[]) => {
    const video = await open(name)
    const pictures = await video.decode({ indices, mostPixels: 1e8, signal: undefined })
    await video.close()
    return { video, pictures }
  }

  it.skipIf(command === null).each(['colours.mp4', 'colours.webm'])('reads the frames of %s', async (name) => {
    const { video, pictures } = await seen(name, [0, 9, 10, 19, 20, 29])
    expect(video.timeline.timesMs.map(Math.round)).toEqual(Array.from({ length: 30 }, (_, i) => i * 100))
    expect(Math.round(video.timeline.durationMs)).toBe(3000)
    expect(pictures.map((picture) => colourOf(picture))).toEqual(['red', 'red', 'lime', 'lime', 'blue', 'blue'])
    expect([video.width, video.height, pictures[0]?.width, pictures[0]?.height]).toEqual([64, 48, 64, 48])
  })

  it.skipIf(command === null)('reads frames that follow one another unevenly', async () => {
    const { video, pictures } = await seen('uneven.mp4', [0, 1, 2, 3, 4])
    expect(video.timeline.timesMs.map(Math.round)).toEqual([0, 400, 1300, 2100, 2900])
    expect(pictures.map((picture) => colourOf(picture))).toEqual(['red', 'red', 'lime', 'blue', 'blue'])
  })

  it.skipIf(command === null)('turns what was filmed on its side', async () => {
    const { pictures } = await seen('turned.mp4', [2])
    expect(pictures.map(({ width, height }) => [width, height])).toEqual([[48, 64]])
    expect([colourOf(pictures[0]!, 24, 8), colourOf(pictures[0]!, 24, 56)]).toEqual(['white', '0,0,0'])
  })

  const whole = clip('colours.mp4')
  it.skipIf(command === null).each<readonly [name: string, data: Buffer]>([
    ['sound.mp4', clip('sound.mp4')],
    ['cut.mp4', whole.subarray(0, whole.length >> 1)],
    ['head.mp4', whole.subarray(0, 32)],
    ['cut.webm', clip('colours.webm').subarray(0, 300)],
    ['zip.mp4', Buffer.concat([whole.subarray(0, 32), Buffer.from('PK\x03\x04'), Buffer.alloc(500, 7)])],
    ['playlist.webm', Buffer.concat([clip('colours.webm').subarray(0, 4), Buffer.from('#EXTM3U\nhttps://example.com/a.ts\n')])],
  ])('refuses sound, and what is cut short or something else: %s', async (name, data) => {
    const error = await open(name, data).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_video', param: '/x', message: expect.not.stringMatching(/\/(proc|tmp|dev)/) })
  })
})

describe('the decoder that is used', () => {
  it('is the one of FFMPEG_PATH, then ffmpeg on PATH, then the packages, or none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'find-'))
    const program = join(folder, 'ffmpeg')
    await writeFile(program, '#!/bin/sh\n')
    await chmod(program, 0o700)
    await mkdir(join(folder, 'empty', 'ffmpeg'), { recursive: true })
    expect(await findDecoder({ FFMPEG_PATH: program, PATH: '' }, '/x')).toEqual({ type: 'ffmpeg', program })
    const onPath = findDecoder({ PATH: `.:${join(folder, 'empty')}:${folder}` }, '/x')
    if (process.platform !== 'win32') expect(await onPath).toEqual({ type: 'ffmpeg', program })
    const none = await findDecoder({ PATH: join(folder, 'empty') }, '/x').catch((error: unknown) => error)
    if (arePackagesInstalled('video')) expect(none).toEqual({ type: 'packages' })
    else {
      expect(none).toMatchObject({
        code: 'unsupported_media_type',
        message: expect.stringMatching(/FFMPEG_PATH.*ffmpeg on PATH.*npm install mediabunny node-webcodecs/),
      })
    }
    const wrong = findDecoder({ FFMPEG_PATH: join(folder, 'none'), PATH: folder }, '/x')
    await expect(wrong).rejects.toMatchObject({
      code: 'unsupported_media_type',
      message: expect.stringContaining('FFMPEG_PATH does not name'),
    })
    await rm(folder, { recursive: true })
  })
})

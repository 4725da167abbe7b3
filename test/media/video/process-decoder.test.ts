import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE_LIMITS } from '../../../src/media/images.ts'
import { ffmpegCommand } from '../../../src/media/video/ffmpeg.ts'
import { runLimited } from '../../../src/media/video/limited-process.ts'
import { openByProcess, type VideoFile } from '../../../src/media/video/process-decoder.ts'

const standIn = ffmpegCommand(fileURLToPath(new URL('stand-in.mjs', import.meta.url)))
const LIMITS = { ...IMAGE_LIMITS, videoBytes: 2 ** 20, videoMs: 30_000 }

/** What the stand-in does with this file. */
function file(script: object, more: Partial<VideoFile> = {}): VideoFile {
  const head = Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41', 'latin1')
  const data = Buffer.concat([head, Buffer.from(JSON.stringify(script))])
  return { container: 'mp4', data, limits: LIMITS, param: '/x', signal: undefined, ...more }
}
const open = (script: object, more: Partial<VideoFile> = {}) => openByProcess(standIn, file(script, more))
const decode = async (
  script: object,
  indices: readonly number[],
  { mostPixels = 1e9, ...more }: Partial<VideoFile> & { mostPixels?: number } = {},
) => {
  const video = await open(script, more)
  try {
    return await video.decode({ indices, mostPixels, signal: more.signal })
  } finally {
    await video.close()
  }
}
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('was not refused'),
    (error: unknown) => error,
  )
const leftBehind = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('assay-video-'))

let before: readonly string[]
beforeAll(async () => {
  before = await leftBehind()
})
// Whatever happened to the videos above, nothing of them is on the disk.
afterAll(async () => {
  expect((await leftBehind()).filter((name) => !before.includes(name))).toEqual([])
})

describe.skipIf(process.platform === 'win32')('a video that a program decodes', () => {
  it('is listed in the order in which its frames are shown', async () => {
    const video = await open({ frames: 7 })
    expect(video.timeline.timesMs.map(Math.round)).toEqual([0, 100, 200, 300, 400, 500, 600])
    expect([Math.round(video.timeline.durationMs), video.width, video.height]).toEqual([700, 4, 2])
    await video.close()
  })

  it('gives the frames that were chosen, by the times of the file', async () => {
    const pictures = await decode({ width: 300, height: 200 }, [0, 4, 29])
    expect(pictures.map(({ data }) => data[0])).toEqual([0, 4, 29])
    expect(pictures.map(({ width, height, data }) => [width, height, data.length])).toEqual(new Array(3).fill([300, 200, 180_000]))
  })

  it.each([
    ['fails', { list: { die: 'moov atom not found' } }, 'invalid_video', 'cannot be decoded (moov atom not found); it may be cut short'],
    ['fails while it decodes', { decode: { die: 'bad' } }, 'invalid_video', 'cannot be decoded (bad)'],
    ['crashes', { decode: { kill: true } }, 'invalid_video', 'cannot be decoded; it may be cut short or damaged'],
    [
      'says that the file is cut short',
      { list: { says: '[x @ 0x1] File ended prematurely\n' } },
      'invalid_video',
      '(File ended prematurely)',
    ],
    ['names files', { list: { die: '/proc/self/fd/0: no' } }, 'invalid_video', 'The video cannot be decoded; it may'],
    ['finds no pictures', { list: { says: "Stream map '0:v:0' matches no streams.\n", code: 1 } }, 'invalid_video', 'no pictures in it'],
    ['lists no frames', { frames: 0 }, 'invalid_video', 'The video has 0 frames'],
    ['decodes none', { most: 0 }, 'invalid_video', 'No frame of the video can be decoded'],
    ['decodes more than was asked for', { more: true }, 'invalid_video', 'more frames than it says'],
    ['decodes larger pictures than are taken', { realWidth: 6000 }, 'image_too_large', '6000 x 2 pixels'],
    ['decodes more pixels than are taken', { realWidth: 400 }, 'image_too_large', 'or of all of them (1000)'],
    ['lists frames without end', { endless: true }, 'request_too_large', 'more than 180000 frames'],
  ])('is refused when the program %s', async (_what, script, code, message) => {
    const error = await refusal(decode(script, [1, 2], { mostPixels: 1000, limits: { ...LIMITS, imagePixels: 10_000 } }))
    expect(error).toMatchObject({ code, param: '/x', message: expect.stringContaining(message) })
  })

  it.each([{ list: { hang: true } }, { decode: { spin: true } }])('is refused when its time is over: %j', async (script) => {
    const limits = { ...LIMITS, videoMs: 5000 }
    expect(await refusal(decode(script, [1], { limits }))).toMatchObject({
      code: 'invalid_video',
      message: expect.stringContaining('within 5 s; send a shorter or smaller one'),
    })
  })

  it('is given up with its request, and with its turn', async () => {
    const abort = new AbortController()
    // Two run, the third waits.
    const works = [1, 2, 3].map(() => refusal(open({ list: { hang: true } }, { signal: abort.signal })))
    setTimeout(() => abort.abort(new Error('gone')), 100)
    expect(await Promise.all(works)).toEqual(new Array(3).fill(new Error('gone')))
    expect(await decode({}, [1])).toHaveLength(1)
  })

  it('says so when the program is not there, or is none', async () => {
    const nothing = openByProcess(ffmpegCommand('/nowhere/ffmpeg'), file({}))
    expect(await refusal(nothing)).toMatchObject({ code: 'capability_not_supported', message: expect.not.stringContaining('nowhere') })
    const folder = await mkdtemp(join(tmpdir(), 'video-test-'))
    await writeFile(join(folder, 'ffmpeg'), 'x')
    await chmod(join(folder, 'ffmpeg'), 0o600)
    expect(await refusal(openByProcess(ffmpegCommand(join(folder, 'ffmpeg')), file({})))).toMatchObject({
      code: 'capability_not_supported',
    })
    await rm(folder, { recursive: true })
  })
})

describe.skipIf(process.platform !== 'linux')('a limited process', () => {
  it('has the limits of memory, processor time and files', async () => {
    const { open: openFile } = await import('node:fs/promises')
    const handle = await openFile('/dev/null')
    let output = ''
    const end = await runLimited({
      program: '/bin/sh',
      arguments: ['-c', 'ulimit -v; ulimit -t; ulimit -f; ulimit -c; env | grep -c SECRET'],
      input: handle.fd,
      timeoutMs: 7000,
      memoryBytes: 512 * 2 ** 20,
      signal: undefined,
      onOutput: (chunk) => {
        output += chunk.toString()
      },
    })
    await handle.close()
    expect([output.trim().split('\n'), end.code]).toEqual([['524288', '15', '0', '0', '0'], 1])
  })
})

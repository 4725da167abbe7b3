// Video files over HTTP: however they come they are answered as their frames would be, and what is refused is not
// charged. GIF and WebP need no decoder; for MP4 a stand-in of ffmpeg is used.
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { animation } from '../media/video/clips.ts'
import { QUESTION, type Running, startRunning } from './running.ts'

const STAND_IN = fileURLToPath(new URL('../media/video/stand-in.mjs', import.meta.url))
const mp4 = (script: object) => Buffer.from(`\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41${JSON.stringify(script)}`, 'latin1')

let running: Running
let gif: Buffer
let webp: Buffer
beforeAll(async () => {
  gif = await animation('gif', ['red', 'lime', 'blue'], [1000, 1000, 1000])
  webp = await animation('webp', ['red', 'lime', 'blue'], [1000, 1000, 1000])
  running = await startRunning({ settings: { prices: { '*': 1_000_000_000n }, videoBytes: 100_000, images: 2, videoFrames: 8 } })
  await running.store.ledger.credit('main', 1_000_000_000n, 'test')
})
afterAll(() => running.end())
afterEach(() => {
  vi.unstubAllEnvs()
})

const base64 = (data: Uint8Array) => ({ type: 'base64', media_type: 'video/mp4', data: Buffer.from(data).toString('base64') })
const ask = (part: object) => running.ask({ ...QUESTION, state: [part] })
const balance = async () => {
  const reply = await running.ask(QUESTION)
  return { left: Number(reply.headers.get('x-service-balance-usd')), cost: Number(reply.headers.get('x-service-cost-usd')) }
}

describe('a video file', () => {
  it('is answered as its frames are, whichever way it comes', async () => {
    const tokens: number[] = []
    const answers: unknown[] = []
    const keep = async (reply: Awaited<ReturnType<typeof ask>>) => {
      const { usage, answers: given, simo } = await reply.json()
      tokens.push(usage.input_tokens)
      answers.push(given)
      expect(simo.warnings).toEqual([expect.stringMatching(/^The pictures "video_1#1" .* are of one colour/)])
    }
    const url = `data:image/gif;base64,${gif.toString('base64')}`
    await keep(await ask({ type: 'video', source: base64(gif) }))
    await keep(await ask({ type: 'video', source: url, fps: 1 }))
    await keep(await ask({ type: 'video', source: base64(webp), max_frames: 3 }))
    await keep(await ask({ type: 'file', mediaType: 'video/mp4', data: gif.toString('base64'), filename: 'clip.gif' }))
    await keep(await ask({ type: 'file', mediaType: 'video/*', data: url }))
    const form = new FormData()
    form.set('request', JSON.stringify({ ...QUESTION, state: [{ type: 'video', source: { type: 'part', name: 'clip' } }] }))
    form.set('clip', new Blob([new Uint8Array(gif)]), 'clip.gif')
    const headers = { authorization: `Bearer ${running.secret}` }
    await keep((await fetch(`${running.url}/v1/ask`, { method: 'POST', body: form, headers })) as never)
    expect(new Set(tokens).size).toBe(1)
    expect(answers).toEqual(answers.map(() => answers[0]))
  })

  it('says in a warning when fewer frames were looked at than fps asks for', async () => {
    const { simo } = await (await ask({ type: 'video', source: base64(gif), fps: 20, max_frames: 2 })).json()
    expect(simo.warnings[0]).toBe(
      'video_1: 20 frames a second would be 60; 2 were looked at, evenly. Take more by max_frames, or less of it by start_ms and end_ms.',
    )
  })

  it('is decoded by ffmpeg where it is no animation', async () => {
    vi.stubEnv('FFMPEG_PATH', STAND_IN)
    const reply = await ask({ type: 'video', source: base64(mp4({})), max_frames: 2 })
    expect(reply.status).toBe(200)
  })

  it('is refused with the way out, and not charged', async () => {
    vi.stubEnv('FFMPEG_PATH', STAND_IN)
    const { left, cost } = await balance()
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(100)])
    const cases: readonly (readonly [object, number, string, string])[] = [
      [{ type: 'video', source: base64(zip) }, 415, 'unsupported_media_type', 'are a ZIP archive; send one of video/mp4'],
      [
        { type: 'video', source: base64(Buffer.from('#EXTM3U\nhttp://127.0.0.1/a.ts\n')) },
        415,
        'unsupported_media_type',
        'a playlist (HLS)',
      ],
      [{ type: 'video', source: base64(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')) }, 415, 'unsupported_media_type', 'SVG'],
      [{ type: 'video', source: base64(Buffer.alloc(100_004)) }, 413, 'request_too_large', 'bytes, at most 100000 are taken'],
      [{ type: 'video', source: base64(gif), max_frames: 9 }, 413, 'request_too_large', 'have 9 frames, at most 8 are taken'],
      [{ type: 'video', source: base64(gif), start_ms: 3000 }, 400, 'invalid_video', '3000 ms long, and start_ms is 3000'],
      [{ type: 'video', source: base64(gif.subarray(0, 30)) }, 400, 'invalid_video', 'cut short'],
      [{ type: 'video', source: base64(mp4({ list: { die: 'moov atom not found' } })) }, 400, 'invalid_video', '(moov atom not found)'],
      [{ type: 'video', source: base64(mp4({ frames: 0 })) }, 400, 'invalid_video', '0 frames'],
      [{ type: 'video', source: base64(mp4({ frames: 40_000 })) }, 400, 'invalid_video', '66.7 minutes long, at most 60 minutes'],
      [{ type: 'video', source: base64(mp4({ width: 100_000, height: 100_000 })) }, 413, 'image_too_large', '100000 x 100000'],
      [{ type: 'video', source: { type: 'path', path: '/etc/passwd' } }, 400, 'invalid_request', 'Files of this machine are not read'],
      [{ type: 'image', source: base64(mp4({})) }, 415, 'unsupported_media_type', 'send them as a part of type video'],
    ]
    for (const [part, status, code, words] of cases) {
      const reply = await ask(part)
      expect([reply.status, (await reply.json()).error], words).toMatchObject([status, { code, message: expect.stringContaining(words) }])
    }
    expect((await balance()).left).toBeCloseTo(left - cost, 9)
  })

  it('is refused where nothing decodes it, with the ways to have it decoded', async () => {
    vi.stubEnv('FFMPEG_PATH', '/nowhere/ffmpeg')
    const reply = await ask({ type: 'video', source: base64(mp4({})) })
    const { error } = await reply.json()
    expect([reply.status, error.code]).toEqual([415, 'unsupported_media_type'])
    expect(error.message).toContain('FFMPEG_PATH does not name a program')
    expect((await ask({ type: 'video', source: base64(gif) })).status).toBe(200)
  })
})

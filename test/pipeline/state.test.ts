import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import { toSentPixels } from '../../src/media/coordinates.ts'
import { type ReadState, type StateOptions, timeText } from '../../src/pipeline/state/state.ts'
import { readState } from '../shared/read-state.ts'

let png: Buffer
let turned: Buffer
let folder: string

beforeAll(async () => {
  png = await sharp({ create: { width: 8, height: 6, channels: 3, background: '#336699' } })
    .png()
    .toBuffer()
  turned = await sharp({ create: { width: 8, height: 6, channels: 3, background: '#996633' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  folder = await mkdtemp(join(tmpdir(), 'state-'))
})
afterAll(() => rm(folder, { recursive: true }))

const base64 = (data: Buffer = png) => ({ type: 'base64', media_type: 'image/png', data: data.toString('base64') })
const image = (extra: object = {}) => ({ type: 'image', source: base64(), ...extra })

/** The prompt as one text, with pictures as `<id>`. */
const shown = ({ prompt }: ReadState) => prompt.pieces.map((piece) => (piece.type === 'text' ? piece.text : `<${piece.id}>`)).join('')

async function refusal(state: unknown, options?: StateOptions): Promise<EngineError> {
  const error = await readState(state, options).then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof EngineError) return error
  throw error
}

describe('a state', () => {
  it('takes a string as one quotable text', async () => {
    expect((await readState('Hello <|im_end|>')).prompt.pieces).toEqual([
      { type: 'text', text: 'Hello <|im_end|>', source: { part: 0, path: null } },
    ])
    expect((await readState('')).prompt.pieces).toEqual([])
  })

  it('says how a list of JSON is sent whose elements have the type of a part', async () => {
    const form = [{ type: 'text', name: 'email', value: 'ann@example.com' }]
    expect(await refusal(form)).toMatchObject({
      param: '/state/0/name',
      message: expect.stringContaining('[{"type": "json", "value": […]}]'),
    })
    expect(shown(await readState([{ type: 'json', value: form }]))).toBe('- type: text, name: email, value: ann@example.com')
  })

  it('takes objects and other arrays as JSON', async () => {
    const state = await readState({ user: { name: 'Ann' } })
    expect(shown(state)).toBe('user:\n  name: Ann')
    expect(state.prompt.pieces.at(-1)).toEqual({ type: 'text', text: 'Ann', source: { part: 0, path: '/user/name' } })
    expect(shown(await readState([]))).toBe('[]')
    for (const [value, text] of [
      [null, 'null'],
      [true, 'true'],
      [-0.5, '-0.5'],
    ] as const)
      expect(shown(await readState(value))).toBe(text)
    expect(shown(await readState([{ type: 'text', text: 'a' }, { type: 'note' }]))).toBe('- type: text, text: a\n- type: note')
  })

  it('puts parts one under the other and knows which part each text is from', async () => {
    const state = await readState([
      { type: 'text', text: 'Look:' },
      image(),
      { type: 'json', value: { total: 12 } },
      { type: 'text', text: '' },
      { type: 'text', text: 'end' },
    ])
    expect(shown(state)).toBe('Look:\n<image_1>\ntotal: 12\n\nend')
    expect(state.prompt.pieces.flatMap((piece) => (piece.type === 'text' && piece.source ? [piece.source] : []))).toEqual([
      { part: 0, path: null },
      { part: 2, path: '/total' },
      { part: 4, path: null },
    ])
    const scaffold = state.prompt.pieces.map((piece) => piece.type === 'text' && piece.source === null)
    expect(scaffold.some((isScaffold, i) => isScaffold && scaffold[i + 1])).toBe(false)
  })

  it('names a picture when there are several, or its sender did', async () => {
    expect(shown(await readState([image()]))).toBe('<image_1>')
    expect(shown(await readState([image({ id: 'before' })]))).toBe('Image before:\n<before>')
    expect(shown(await readState([image({ id: 'before' }), image()]))).toBe('Image before:\n<before>\nImage image_2:\n<image_2>')
  })

  it('gives the images with their grid as sent', async () => {
    const { images, prompt } = await readState([
      { type: 'text', text: 'x' },
      { type: 'image', source: base64(turned) },
    ])
    expect(images).toEqual([{ id: 'image_1', part: 1, timeMs: null, mediaType: 'image/jpeg', sentWidth: 8, sentHeight: 6, orientation: 6 }])
    const piece = prompt.pieces.at(-1)
    expect(piece?.type === 'image' && [piece.picture.width, piece.picture.height]).toEqual([6, 8])
    expect(toSentPixels([0, 0, 1, 0.5], images[0]!)).toEqual([0, 0, 4, 6])
  })

  it('takes all the ways to send a picture to the same pixels', async () => {
    const path = join(folder, 'a.png')
    await writeFile(path, png)
    const url = `data:image/png;base64,${png.toString('base64')}`
    const wrapped = png.toString('base64').replace(/.{40}/g, '$&\r\n')
    const states = [
      [image()],
      [{ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: wrapped } }],
      [{ type: 'image', source: { type: 'bytes', bytes: new Uint8Array(png) } }],
      [{ type: 'image', source: { type: 'path', path } }],
      [{ type: 'image', source: { type: 'part', name: 'shot' } }],
      [{ type: 'image', source: { type: 'url', url } }],
      [{ type: 'image', source: url }],
      [{ type: 'image_url', image_url: { url, detail: 'high' } }],
      [{ type: 'image_url', image_url: url }],
      [{ type: 'input_image', image_url: url, detail: 'auto' }],
    ]
    const read = await Promise.all(states.map((state) => readState(state, { files: new Map([['shot', png]]) })))
    const hashes = read.map(({ prompt: { pieces } }) => pieces.map((piece) => (piece.type === 'image' ? piece.picture.sha256 : piece)))
    expect(new Set(hashes.flat()).size).toBe(1)
    expect(read.every(({ images }) => images[0]?.mediaType === 'image/png')).toBe(true)
  })

  it('takes a video as frames with their times', async () => {
    const frames = [0, 3200, 3_725_040].map((t_ms) => ({ source: base64(), t_ms }))
    const state = await readState([
      { type: 'text', text: 'Clip' },
      { type: 'video', frames },
    ])
    expect(shown(state)).toBe('Clip\nFrame at 00:00.0:\n<video_1#1>\nFrame at 00:03.2:\n<video_1#2>\nFrame at 1:02:05.0:\n<video_1#3>')
    expect(state.images.map(({ id, part, timeMs }) => [id, part, timeMs])).toEqual([
      ['video_1#1', 1, 0],
      ['video_1#2', 1, 3200],
      ['video_1#3', 1, 3_725_040],
    ])
    const named = await readState([{ type: 'video', id: 'door', frames: frames.slice(0, 2) }, image()])
    expect(shown(named)).toBe('Video door:\nFrame at 00:00.0:\n<door#1>\nFrame at 00:03.2:\n<door#2>\nImage image_1:\n<image_1>')
    // For models with a video input: which pictures are frames of what, and what the texts say of their times.
    expect(named.prompt.pieces.map((piece) => (piece.type === 'image' ? piece.frame : piece.text.slice(piece.frameTimeFrom)))).toEqual([
      'Frame at 00:00.0:\n',
      { video: 'door', timeMs: 0 },
      '\nFrame at 00:03.2:\n',
      { video: 'door', timeMs: 3200 },
      '\nImage image_1:\n',
      undefined,
    ])
  })

  it('warns when pictures would be read as text', async () => {
    expect((await readState([image(), { type: 'txt', text: 'a' }])).warnings).toEqual([expect.stringMatching(/element 1 .*"txt".*"text"/)])
    expect((await readState([image(), 'a'])).warnings).toEqual([expect.stringContaining('element 1 has no part type')])
    expect((await readState(image())).warnings).toEqual([expect.stringContaining('put it in an array')])
    expect((await readState([{ type: 'image', name: 'x' }, 1])).warnings).toEqual([])
    expect((await readState([image()])).warnings).toEqual([expect.stringContaining('"image_1" (#')])
  })

  it.each([
    ['data:image/png;base64,iVBORw0KGgo=', '[{"type": "image", "source": {"type": "base64", "data": "…"}}]'],
    ['./shop.png', '[{"type": "image", "source": {"type": "path", "path": "…"}}]'],
    ['C:\\My pictures\\shop.JPG\n', '[{"type": "image", "source": {"type": "path", "path": "…"}}]'],
    ['https://shop.example/a.png?size=2', '[{"type": "image", "source": {"type": "url", "url": "…"}}]'],
    ['clip.mp4', '[{"type": "video", "source": {"type": "path", "path": "…"}}]'],
  ])('warns when the text %j is a picture that would be read as text, and says how it is sent', async (state, sent) => {
    const { warnings, prompt } = await readState(state)
    expect(warnings).toEqual([expect.stringContaining(`was read as text; to have it seen, send ${sent}`)])
    expect(/hosts/.test(warnings[0]!)).toBe(sent.includes('"url"'))
    expect(prompt.pieces).toHaveLength(1)
  })

  it.each([
    'I attached shop.png',
    'see https://shop.example/a.png',
    'shop.png is broken',
    '/help',
    'a.png\nb.png',
    'https://shop.example/',
  ])('takes the text %j for a text', async (state) => expect((await readState(state)).warnings).toEqual([]))

  it.each<[string, unknown, string, string]>([
    ['an endless number', Number.POSITIVE_INFINITY, 'invalid_request', '/state'],
    ['nothing', undefined, 'invalid_request', '/state'],
    ['bytes', new Uint8Array(4), 'invalid_request', '/state'],
    ['a date in JSON', { at: new Date(0) }, 'invalid_request', '/state/at'],
    ['a text part without text', [{ type: 'text', txt: 'a' }], 'invalid_request', '/state/0/txt'],
    ['an unknown field', [{ type: 'text', text: 'a', lang: 'en' }], 'invalid_request', '/state/0/lang'],
    ['a json part without value', [{ type: 'json' }], 'invalid_request', '/state/0/value'],
    ['a bigint inside a json part', [{ type: 'json', value: { a: 1n } }], 'invalid_request', '/state/0/value/a'],
    ['an image without source', [{ type: 'image' }], 'invalid_request', '/state/0/source'],
    ['an unknown source', [{ type: 'image', source: { type: 'ftp', url: 'x' } }], 'invalid_request', '/state/0/source/type'],
    ['a source without type', [{ type: 'image', source: { data: 'x' } }], 'invalid_request', '/state/0/source/type'],
    ['a typo in a source', [{ type: 'image', source: { type: 'base64', dat: 'x' } }], 'invalid_request', '/state/0/source/dat'],
    [
      'a web address',
      [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
      'invalid_request',
      '/state/0/source/url',
    ],
    [
      'a web address in an alias',
      [{ type: 'image_url', image_url: { url: 'http://10.0.0.1/' } }],
      'invalid_request',
      '/state/0/image_url/url',
    ],
    ['a data URL without base64', [{ type: 'image', source: 'data:image/svg+xml,<svg/>' }], 'invalid_image', '/state/0/source'],
    ['no base64', [{ type: 'image', source: { type: 'base64', data: 'ab*d' } }], 'invalid_image', '/state/0/source/data'],
    ['cut base64', [{ type: 'image', source: { type: 'base64', data: 'abcde' } }], 'invalid_image', '/state/0/source/data'],
    [
      'base64 of no image',
      [{ type: 'image', source: { type: 'base64', data: 'aGVsbG8=' } }],
      'unsupported_media_type',
      '/state/0/source/data',
    ],
    ['bytes as numbers', [{ type: 'image', source: { type: 'bytes', bytes: [1, 2] } }], 'invalid_request', '/state/0/source/bytes'],
    ['a file that did not come', [{ type: 'image', source: { type: 'part', name: 'b' } }], 'invalid_request', '/state/0/source/name'],
    ['an id that is no name', [{ type: 'image', id: 'a\nb', source: 'data:x;base64,' }], 'invalid_request', '/state/0/id'],
    [
      'a video file that is not there',
      [{ type: 'video', source: { type: 'path', path: '/none.mp4' } }],
      'invalid_video',
      '/state/0/source/path',
    ],
    ['a video of no frames a second', [{ type: 'video', source: 'data:video/mp4;base64,AAAA', fps: 0 }], 'invalid_video', '/state/0/fps'],
    ['half a frame', [{ type: 'video', source: 'data:video/mp4;base64,AAAA', max_frames: 0.5 }], 'invalid_video', '/state/0/max_frames'],
    [
      'a time before the start',
      [{ type: 'video', source: 'data:video/mp4;base64,AAAA', start_ms: -1 }],
      'invalid_video',
      '/state/0/start_ms',
    ],
    [
      'a stretch that ends before it begins',
      [{ type: 'video', source: 'data:video/mp4;base64,AAAA', start_ms: 5, end_ms: 5 }],
      'invalid_video',
      '/state/0/end_ms',
    ],
    ['bytes that are no video', [{ type: 'video', source: 'data:video/mp4;base64,AAAA' }], 'unsupported_media_type', '/state/0/source'],
    ['a file of sound', [{ type: 'file', mediaType: 'audio/wav', data: 'AAAA' }], 'unsupported_media_type', '/state/0/mediaType'],
    ['a file without a type', [{ type: 'file', data: 'AAAA' }], 'invalid_request', '/state/0/mediaType'],
    ['a file without data', [{ type: 'file', mediaType: 'video/mp4' }], 'invalid_request', '/state/0/data'],
    ['a video with nothing', [{ type: 'video' }], 'invalid_video', '/state/0'],
    ['a video without frames', [{ type: 'video', frames: [] }], 'invalid_video', '/state/0/frames'],
    ['fps with frames', [{ type: 'video', fps: 2, frames: [{ source: 'data:x;base64,', t_ms: 0 }] }], 'invalid_video', '/state/0/fps'],
    ['a frame without time', [{ type: 'video', frames: [{ source: 'data:x;base64,' }] }], 'invalid_video', '/state/0/frames/0/t_ms'],
    [
      'frames out of order',
      [
        {
          type: 'video',
          frames: [
            { source: 'data:x;base64,', t_ms: 5 },
            { source: 'data:x;base64,', t_ms: 4 },
          ],
        },
      ],
      'invalid_video',
      '/state/0/frames/1/t_ms',
    ],
  ])('refuses %s with the place', async (_what, state, code, param) => {
    expect(await refusal(state)).toMatchObject({ code, param })
  })

  it('reports everything that is wrong with the shapes at once, with near names', async () => {
    const error = await refusal([{ type: 'text', text: 1 }, image({ ide: 'x' }), { type: 'video', frames: [] }])
    expect(error.problems.map(({ param }) => param)).toEqual(['/state/0/text', '/state/1/ide', '/state/2/frames'])
    expect(error.problems[1]?.message).toContain('"id"')
  })

  it('refuses two pictures of one name', async () => {
    expect(await refusal([image({ id: 'a' }), image({ id: 'a' })])).toMatchObject({ code: 'invalid_request', param: '/state/1/id' })
    expect(await refusal([image({ id: 'image_2' }), image()])).toMatchObject({ code: 'invalid_request', param: '/state/1' })
  })

  it('holds its limits and says the numbers', async () => {
    expect(await refusal([image(), image(), image()], { images: 2 })).toMatchObject({
      code: 'request_too_large',
      message: expect.stringMatching(/3 images.* 2 /),
    })
    const frames = [1, 2, 3].map((t_ms) => ({ source: base64(), t_ms }))
    expect(await refusal([{ type: 'video', frames }], { videoFrames: 2 })).toMatchObject({ code: 'request_too_large' })
    expect(await refusal([image(), image()], { totalPixels: 95 })).toMatchObject({
      code: 'image_too_large',
      message: expect.stringMatching(/96 pixels.* 95 /),
    })
    expect(await refusal([image()], { imageBytes: 20 })).toMatchObject({ code: 'image_too_large', param: '/state/0/source/data' })
    expect((await readState([image(), image()], { images: 2, totalPixels: 96, imagePixels: 48 })).images).toHaveLength(2)
  })

  it('names the picture that is broken', async () => {
    const broken = { type: 'image', source: base64(png.subarray(0, png.length - 20)) }
    expect(await refusal([image(), broken])).toMatchObject({ code: 'invalid_image', param: '/state/1/source/data' })
  })

  it('reads files of the machine unless told not to, and never says their path', async () => {
    const path = join(folder, 'secret.png')
    await writeFile(path, 'no image')
    const at = (where: string) => [{ type: 'image', source: { type: 'path', path: where } }]
    const closed = await refusal(at(path), { localFiles: false })
    expect(closed).toMatchObject({ code: 'invalid_request', param: '/state/0/source/path' })
    const errors = [closed, await refusal(at(path)), await refusal(at(join(folder, 'missing.png'))), await refusal(at(folder))]
    expect(errors.map(({ code }) => code)).toEqual(['invalid_request', 'unsupported_media_type', 'invalid_image', 'invalid_image'])
    for (const { message } of errors) expect(message).not.toContain(folder)
    await writeFile(path, new Uint8Array(64))
    expect(await refusal(at(path), { imageBytes: 63 })).toMatchObject({ code: 'image_too_large' })
  })
})

describe('timeText', () => {
  it('rounds to tenths and carries', () => {
    expect([0, 49, 50, 59_949, 59_950, 3_599_990, 36_000_000].map(timeText)).toEqual([
      '00:00.0',
      '00:00.0',
      '00:00.1',
      '00:59.9',
      '01:00.0',
      '1:00:00.0',
      '10:00:00.0',
    ])
  })
})

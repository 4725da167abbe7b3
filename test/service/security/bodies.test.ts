// Bodies that are traps: forms that never end or never begin, compressed ones, pictures that unfold, sources that point
// into the network.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Running, startRunning } from '../running.ts'
import { exchange, openSocket, rawRequest } from './raw.ts'
import { PNG } from './seeds.ts'

const QUESTIONS = { late: { type: 'noul' } }
const REQUEST = JSON.stringify({ state: 'It is late.', questions: QUESTIONS })

let running: Running
beforeAll(async () => {
  running = await startRunning({ settings: { bodyTimeoutMs: 5000 } })
})
afterAll(() => running.end())
afterEach(async () => {
  await expect.poll(() => running.service.context.answerer.load, { timeout: 10_000 }).toEqual({ running: 0, waiting: 0 })
})

interface Said {
  readonly status: number
  readonly code: string | null
  readonly message: string
  readonly ms: number
}

async function send(body: NonNullable<RequestInit['body']>, headers: Record<string, string>): Promise<Said> {
  const begun = performance.now()
  const response = await fetch(`${running.url}/v1/ask`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${running.secret}`, ...headers },
    signal: AbortSignal.timeout(30_000),
  })
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return { status: response.status, code: error?.code ?? null, message: error?.message ?? '', ms: performance.now() - begun }
}

const sendForm = (body: string | Buffer, boundary = 'edge') =>
  send(Buffer.from(body as string) as never, { 'content-type': `multipart/form-data; boundary=${boundary}` })
const part = (head: string, body: string, boundary = 'edge') => `--${boundary}\r\n${head}\r\n\r\n${body}\r\n`
const JSON_PART = part('Content-Disposition: form-data; name="request"', REQUEST)
const END = '--edge--\r\n'

describe('forms', () => {
  it('are read when they are right', async () => {
    expect(await sendForm(JSON_PART + END)).toMatchObject({ status: 200 })
  })

  it.each<[string, () => string, string]>([
    [
      'of ten thousand parts',
      () =>
        Array.from({ length: 10_000 }, (_, i) => part(`Content-Disposition: form-data; name="p${i}"; filename="x"`, 'x')).join('') + END,
      'request_too_large',
    ],
    [
      'of ten thousand fields',
      () => Array.from({ length: 10_000 }, (_, i) => part(`Content-Disposition: form-data; name="p${i}"`, 'x')).join('') + END,
      'request_too_large',
    ],
    [
      'with a name of a megabyte',
      () => JSON_PART + part(`Content-Disposition: form-data; name="${'n'.repeat(2 ** 20)}"; filename="x"`, 'x') + END,
      'invalid_request',
    ],
    [
      'with a thousand headers a part',
      () => part(`Content-Disposition: form-data; name="request"\r\n${'X: y\r\n'.repeat(1000)}Z: z`, 'x') + END,
      'invalid_json',
    ],
    ['without an end', () => JSON_PART, 'invalid_request'],
    ['without any part', () => 'x'.repeat(2 ** 20), 'invalid_request'],
    ['that end at once', () => END, 'invalid_request'],
    [
      'of one form inside another',
      () =>
        part(
          'Content-Disposition: form-data; name="request"\r\nContent-Type: multipart/mixed; boundary=inner',
          `--inner\r\n\r\n${REQUEST}\r\n--inner--`,
        ) + END,
      'invalid_json',
    ],
    ['with a megabyte before the first part', () => `${'-'.repeat(2 ** 20)}\r\n${JSON_PART}`, 'invalid_request'],
    ['of nearly nothing but boundaries', () => `${'--edg\r\n'.repeat(150_000)}${END}`, 'invalid_request'],
    [
      'of boundaries that nearly match, in the part',
      () => part('Content-Disposition: form-data; name="request"', '\r\n--edg'.repeat(150_000)) + END,
      'invalid_json',
    ],
    ['with two requests', () => JSON_PART + JSON_PART + END, 'invalid_request'],
    [
      'with a reserved name',
      () => JSON_PART + part('Content-Disposition: form-data; name="__proto__"; filename="x"', 'x') + END,
      'invalid_request',
    ],
    ['with a part that is not finished', () => `${JSON_PART}--edge\r\nContent-Disposition: form-data; name="a"`, 'invalid_request'],
  ])('are refused soon: %s', async (_what, body, code) => {
    expect(await sendForm(body())).toMatchObject({ code })
  })

  // A part that is skipped once stopped the parser for good when it was larger than a buffer of 16 KiB.
  it.each([100, 17_000, 70_000, 2_000_000])('are refused at once when a part of %i bytes has no name', async (bytes) => {
    for (const head of [
      'Content-Disposition',
      'X: y',
      'Content-Disposition: attachment; name="a"',
      'Content-Disposition: form-data; name="a\nb"',
    ]) {
      const said = await sendForm(part(head, 'x'.repeat(bytes)) + END)
      expect(said, head).toMatchObject({ status: 400, code: 'invalid_request' })
      expect(said.message, head).not.toContain('did not come in')
    }
  })

  it('with a file that nobody asks for are answered', async () => {
    expect(
      await sendForm(JSON_PART + part('Content-Disposition: form-data; name="extra"; filename="../../x"', 'x'.repeat(100_000)) + END),
    ).toMatchObject({ status: 200 })
  })
})

describe('compressed bodies', () => {
  const bomb = Buffer.from(`{"state":"${' '.repeat(30 * 2 ** 20)}","questions":{}}`)
  it.each<[string, () => Buffer]>([
    ['gzip', () => gzipSync(bomb)],
    ['br', () => brotliCompressSync(Buffer.from(REQUEST))],
    ['deflate', () => deflateSync(bomb)],
    ['gzip, gzip', () => gzipSync(gzipSync(bomb))],
    ['identity, gzip', () => gzipSync(bomb)],
    ['x-unknown', () => Buffer.from(REQUEST)],
  ])('are refused before they are read: %s', async (encoding, body) => {
    const said = await send(body() as never, { 'content-type': 'application/json', 'content-encoding': encoding })
    expect(said).toMatchObject({ status: 415, code: 'unsupported_media_type' })
  })

  it('inside a form are bytes like any other', async () => {
    const zipped = gzipSync(Buffer.from(REQUEST))
    const body = Buffer.concat([
      Buffer.from('--edge\r\nContent-Disposition: form-data; name="request"\r\nContent-Encoding: gzip\r\n\r\n'),
      zipped,
      Buffer.from(`\r\n${END}`),
    ])
    expect(await sendForm(body)).toMatchObject({ status: 400, code: 'invalid_json' })
  })
})

/** A PNG that says it is this large, and holds nothing. */
function hollowPng(width: number, height: number): Buffer {
  const hollow = Buffer.from(PNG)
  hollow.writeUInt32BE(width, 16)
  hollow.writeUInt32BE(height, 20)
  // The checksum of the header, so that a reader which checks it goes on.
  hollow.writeUInt32BE(crc32(hollow.subarray(12, 29)), 29)
  return hollow
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

/** A PNG with one more chunk after its header. */
function withChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return Buffer.concat([PNG.subarray(0, 33), chunk, PNG.subarray(33)])
}

const withImages = (...images: Buffer[]) =>
  JSON.stringify({
    state: images.map((image) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.toString('base64') } })),
    questions: QUESTIONS,
  })
const sendImages = (...images: Buffer[]) => send(withImages(...images), { 'content-type': 'application/json' })

describe('pictures', () => {
  it.each<[string, number, number]>([
    ['two thousand million pixels', 46_000, 46_000],
    ['the largest numbers', 2 ** 31 - 1, 2 ** 31 - 1],
    ['a line without end', 2 ** 31 - 1, 1],
    ['just too many pixels', 8000, 5001],
  ])('that claim %s are refused by their header', async (_what, width, height) => {
    const said = await sendImages(hollowPng(width, height))
    expect(said.status).toBeGreaterThanOrEqual(400)
    expect(said.status).toBeLessThan(500)
    expect(['image_too_large', 'invalid_image']).toContain(said.code)
  })

  it('that unfold to more pixels together than are taken are refused', async () => {
    const large = await sharp({ create: { width: 6000, height: 6000, channels: 3, background: '#888' } })
      .png({ compressionLevel: 9 })
      .toBuffer()
    expect(large.length).toBeLessThan(500_000)
    expect(await sendImages(large, large, large, large, large)).toMatchObject({ status: 413, code: 'image_too_large' })
  })

  it('with texts and profiles that unfold to hundreds of megabytes do not unfold them', async () => {
    const zeros = deflateSync(Buffer.alloc(300 * 2 ** 20))
    const before = process.resourceUsage().maxRSS
    for (const [type, head] of [
      ['zTXt', 'Comment\u0000\u0000'],
      ['iTXt', 'Comment\u0000\u0001\u0000\u0000\u0000'],
      ['iCCP', 'profile\u0000\u0000'],
    ] as const) {
      const said = await sendImages(withChunk(type, Buffer.concat([Buffer.from(head, 'latin1'), zeros])))
      expect([200, 400, 413], type).toContain(said.status)
    }
    // Kibibytes, the most there ever were; unfolding one of them would add three hundred thousand.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(200 * 1024)
  })

  it.each<[string, string]>([
    [
      'a drawing that loads files',
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd" width="9" height="9"/></svg>',
    ],
    [
      'a drawing with entities',
      '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>',
    ],
    ['PostScript', '%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n'],
    ['PDF', '%PDF-1.7\n1 0 obj <<>> endobj'],
    ['a TIFF', 'II*\u0000\u0008\u0000\u0000\u0000'],
    ['a page', '<html><img src="http://127.0.0.1/"></html>'],
    ['nothing', ''],
  ])('that are none of ours are not opened: %s', async (_what, text) => {
    const said = await sendImages(Buffer.from(text, 'latin1'))
    expect(said.status).toBeGreaterThanOrEqual(400)
    expect(said.status).toBeLessThan(500)
  })
})

describe('sources', () => {
  it('that point into the network are refused, and nobody is asked', async () => {
    let visits = 0
    const inside = createServer((_request, response) => {
      visits++
      response.end(PNG)
    })
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
    const { port } = inside.address() as AddressInfo
    const urls = [
      `http://127.0.0.1:${port}/x.png`,
      `https://127.0.0.1:${port}/x.png`,
      `http://localhost:${port}/`,
      `//127.0.0.1:${port}/x`,
      `ftp://127.0.0.1:${port}/`,
    ]
    try {
      for (const url of urls) {
        const bodies: [string, unknown][] = [
          ['/v1/ask', { state: [{ type: 'image', source: { type: 'url', url } }], questions: QUESTIONS }],
          ['/v1/ask', { state: [{ type: 'image', source: url }], questions: QUESTIONS }],
          ['/v1/ask', { state: [{ type: 'image_url', image_url: { url } }], questions: QUESTIONS }],
          ['/v1/ask', { state: [{ type: 'video', frames: [{ source: { type: 'url', url }, t_ms: 0 }] }], questions: QUESTIONS }],
          ['/v1/systemone', { state: [{ type: 'input_image', image_url: url }], questions: QUESTIONS }],
          [
            '/v1/decisions',
            {
              input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
              questions: [{ type: 'predicate', instructions: 'It is late.' }],
            },
          ],
        ]
        for (const [path, body] of bodies) {
          const response = await running.post(path, body)
          expect(response.status, `${path} ${url}`).toBe(400)
          expect(((await response.json()) as { error: { param: string } }).error.param).toMatch(/\/(url|image_url|source)/)
        }
      }
      expect(visits).toBe(0)
    } finally {
      inside.close()
    }
  })

  it('that are files of the machine are refused, whether they exist or not, in the same words', async () => {
    const said = await Promise.all(
      ['/etc/passwd', '/none', '../package.json', 'C:\\boot.ini', '/proc/self/environ'].map(async (path) => {
        const response = await running.ask({ state: [{ type: 'image', source: { type: 'path', path } }], questions: QUESTIONS })
        const { error } = (await response.json()) as { error: { message: string } }
        return `${response.status} ${error.message}`
      }),
    )
    expect(new Set(said).size).toBe(1)
    expect(said[0]).toMatch(/^400 /)
  })
})

describe('bodies that say one length and have another', () => {
  const head = (length: number) =>
    rawRequest('POST /v1/ask HTTP/1.1', [
      'Host: x',
      `Authorization: Bearer ${running.secret}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
    ])

  it('are not answered when they are shorter, and give their place back when the client goes', async () => {
    const socket = await openSocket(running.url)
    socket.write(head(1000) + REQUEST)
    await expect.poll(() => running.service.context.queue.arriving).toBe(1)
    socket.destroy()
    await expect.poll(() => running.service.context.queue.arriving).toBe(0)
  })

  it('are refused unread when they are announced as too large', async () => {
    const { replies, isClosed } = await exchange(running.url, head(40 * 2 ** 20))
    expect(replies.map(({ status }) => status)).toEqual([413])
    expect(isClosed || replies[0]?.headers.connection !== undefined).toBe(true)
  })

  it('are refused when they come in chunks that are too many', async () => {
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(2 ** 20, 0x20), Buffer.from('\r\n')])
    const chunked = rawRequest('POST /v1/ask HTTP/1.1', [
      'Host: x',
      `Authorization: Bearer ${running.secret}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ])
    const { replies } = await exchange(running.url, [chunked, ...Array.from({ length: 34 }, () => piece)], { patienceMs: 3000 })
    expect(replies[0]?.status).toBe(413)
  })
})

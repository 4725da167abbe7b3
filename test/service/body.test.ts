import sharp from 'sharp'
import { afterEach, describe, expect, it } from 'vitest'
import { createGate, until } from './gate.ts'
import { QUESTION, type Running, startRunning, type Wire } from './running.ts'
import { postHead, sendRaw } from './wire.ts'

let running: Running
afterEach(() => running.end())

const png = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 10, b: 30 } } })
    .png()
    .toBuffer()

const PICTURE = {
  state: [{ type: 'image', id: 'photo', source: { type: 'part', name: 'photo' } }],
  questions: { box: { type: 'extract', kind: 'coordinates', instructions: 'the mug' } },
}

/** A form with the JSON and files, in this order. */
function form(request: unknown, files: Readonly<Record<string, Uint8Array>> = {}): FormData {
  const data = new FormData()
  data.append('request', JSON.stringify(request))
  for (const [name, bytes] of Object.entries(files)) data.append(name, new Blob([Buffer.from(bytes)]), `${name}.png`)
  return data
}

function postForm(body: FormData, headers: Readonly<Record<string, string>> = {}): Promise<Wire> {
  return fetch(`${running.url}/v1/ask`, { method: 'POST', body, headers: { authorization: `Bearer ${running.secret}`, ...headers } })
}

/** A multipart body by hand. */
function rawForm(parts: string, boundary = 'x'): RequestInit {
  return { body: parts, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}
const rawPart = (disposition: string, content: string, more = '') =>
  `--x\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`

async function codeOf(response: Wire): Promise<[number, string]> {
  return [response.status, (await response.json()).error.code]
}

describe('a multipart body', () => {
  it('brings pictures, and boxes are in their pixels as sent', async () => {
    running = await startRunning()
    const response = await postForm(form(PICTURE, { photo: await png(640, 360) }))
    expect(response.status).toBe(200)
    const { box } = (await response.json()).answers
    expect(box.image_size).toEqual([640, 360])
    if (box.coordinates !== null) {
      const [left, top, right, bottom] = box.coordinates
      expect(left >= 0 && top >= 0 && right <= 640 && bottom <= 360 && left < right && top < bottom).toBe(true)
    }
  })

  it('answers as the same picture in base64 does', async () => {
    running = await startRunning()
    const photo = await png(320, 200)
    const source = { type: 'base64', media_type: 'image/png', data: photo.toString('base64') }
    const inline = await (await running.ask({ ...PICTURE, state: [{ ...PICTURE.state[0], source }] })).json()
    const files = await (await postForm(form(PICTURE, { photo }))).json()
    expect(files.answers).toEqual(inline.answers)
  })

  it('may send the JSON as a file part of type application/json, after the files', async () => {
    running = await startRunning()
    const data = new FormData()
    data.append('photo', new Blob([Buffer.from(await png(8, 8))]), 'a.png')
    data.append('request', new Blob([JSON.stringify(PICTURE)], { type: 'application/json' }), 'request.json')
    expect((await postForm(data)).status).toBe(200)
  })

  it('that is sent again with another boundary and order is the same request', async () => {
    running = await startRunning()
    const photo = await png(8, 8)
    const other = await png(9, 9)
    const key = { 'idempotency-key': 'one' }
    expect((await postForm(form(PICTURE, { photo, other }), key)).status).toBe(200)
    const again = await postForm(form(PICTURE, { other, photo }), key)
    expect([again.status, again.headers.get('x-service-idempotent-replayed')]).toEqual([200, 'true'])
    expect(await codeOf(await postForm(form(PICTURE, { photo: other, other: photo }), key))).toEqual([422, 'idempotency_mismatch'])
  })

  it('names a file that did not come', async () => {
    running = await startRunning()
    const response = await postForm(form(PICTURE, { picture: await png(8, 8) }))
    const { error } = await response.json()
    expect(error).toMatchObject({ code: 'invalid_request', param: '/state/0/source/name' })
    expect(error.message).toContain('"picture"')
  })

  it.each([
    ['has no part "request"', rawPart('name="photo"', 'x'), 400, 'invalid_request'],
    ['has two parts of one name', rawPart('name="request"', '{}') + rawPart('name="request"', '{}'), 400, 'invalid_request'],
    ['has two files of one name', rawPart('name="a"; filename="a"', '1') + rawPart('name="a"; filename="b"', '2'), 400, 'invalid_request'],
    ['has a part without a name', rawPart('filename="a"', '1') + rawPart('name="request"', '{}'), 400, 'invalid_request'],
    ['names a part __proto__', rawPart('name="__proto__"', '1') + rawPart('name="request"', '{}'), 400, 'invalid_request'],
    ['has JSON that is none', rawPart('name="request"', '{"a":', 'Content-Type: application/json\r\n'), 400, 'invalid_json'],
    ['has JSON that is no UTF-8', rawPart('name="request"', '"\u00c3("', ''), 400, 'invalid_request'],
  ])('that %s is refused', async (_, parts, status, code) => {
    running = await startRunning()
    expect(await codeOf(await running.ask(null, rawForm(`${parts}--x--\r\n`)))).toEqual([status, code])
  })

  it.each([
    ['ends early', `${rawPart('name="request"', JSON.stringify(QUESTION))}--x\r\nContent-Disp`],
    ['is nothing of the kind', 'hello'],
    ['is empty', ''],
  ])('that %s is refused', async (_, text) => {
    running = await startRunning()
    expect(await codeOf(await running.ask(null, rawForm(text)))).toEqual([400, 'invalid_request'])
  })

  it('that names no boundary is refused', async () => {
    running = await startRunning()
    const init = { body: 'x', headers: { 'content-type': 'multipart/form-data' } }
    expect(await codeOf(await running.ask(null, init))).toEqual([400, 'invalid_request'])
  })

  it('of thousands of parts is refused at the limit', async () => {
    running = await startRunning({ settings: { images: 2 } })
    const parts = Array.from({ length: 5000 }, (_, i) => rawPart(`name="f${i}"; filename="f"`, 'x')).join('')
    expect(await codeOf(await running.ask(null, rawForm(`${rawPart('name="request"', '{}')}${parts}--x--\r\n`)))).toEqual([
      413,
      'request_too_large',
    ])
  })

  it('whose parts have thousands of headers costs no more than others', async () => {
    running = await startRunning()
    const headers = Array.from({ length: 5000 }, (_, i) => `X-${i}: y\r\n`).join('')
    const response = await running.ask(null, rawForm(`${rawPart('name="request"', JSON.stringify(QUESTION), headers)}--x--\r\n`))
    expect(response.status).toBeLessThan(500)
  })

  it('with a file beyond the limit of one picture is image_too_large', async () => {
    running = await startRunning({ settings: { imageBytes: 1000 } })
    const response = await postForm(form(PICTURE, { photo: new Uint8Array(1001) }))
    const { error } = await response.json()
    expect([response.status, error.code]).toEqual([413, 'image_too_large'])
    expect(error.message).toContain('1001 bytes, at most 1000')
  })
})

describe('a body', () => {
  it('announced as larger than is taken is 413 before it is sent', async () => {
    running = await startRunning({ settings: { bodyBytes: 1000 } })
    const { socket, received } = sendRaw(running.url, postHead('/v1/ask', running.secret, { 'content-length': 1001 }))
    await until(() => received().includes('request_too_large'))
    expect(received()).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })

  it('that turns out larger than is taken is 413, though nothing was announced', async () => {
    running = await startRunning({ settings: { bodyBytes: 1000 } })
    const head = postHead('/v1/ask', running.secret, { 'transfer-encoding': 'chunked' })
    const { socket, received } = sendRaw(running.url, `${head}200\r\n"${'x'.repeat(511)}\r\n${`200\r\n${'x'.repeat(512)}\r\n`.repeat(2)}`)
    await until(() => received().includes('request_too_large'))
    expect(received()).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })

  it('of several files is held to the same limit', async () => {
    running = await startRunning({ settings: { bodyBytes: 10_000 } })
    const head = postHead('/v1/ask', running.secret, {
      'transfer-encoding': 'chunked',
      'content-type': 'multipart/form-data; boundary=x',
    })
    const part = rawPart('name="a"; filename="a"', 'y'.repeat(12_000))
    const { socket, received } = sendRaw(running.url, `${head}${part.length.toString(16)}\r\n${part}\r\n`)
    await until(() => received().includes('request_too_large'))
    expect(received()).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })

  it('that comes too slowly is ended with the numbers, and its place is free', async () => {
    running = await startRunning({ settings: { bodyTimeoutMs: 60 } })
    const { socket, received } = sendRaw(running.url, `${postHead('/v1/ask', running.secret, { 'content-length': 500 })}{"state":`)
    await until(() => received().includes('deadline_exceeded'))
    expect(received()).toMatch(/^HTTP\/1\.1 504 /)
    expect(received()).toContain('within 60 ms: 9 bytes came of 500')
    await until(() => running.service.context.queue.arriving === 0)
    socket.destroy()
  })

  it('whose sender goes away gives its place back', async () => {
    running = await startRunning()
    const { socket } = sendRaw(running.url, `${postHead('/v1/ask', running.secret, { 'content-length': 500 })}{"state":`)
    await until(() => running.service.context.queue.arriving === 1)
    socket.destroy()
    await until(() => running.service.context.queue.arriving === 0)
    expect((await running.ask(QUESTION)).status).toBe(200)
  })

  it('is not taken when those that are coming in already fill the memory for them', async () => {
    running = await startRunning({ settings: { bodyBytes: 1000, queue: 100 } })
    const { secret } = await running.newKey({ account: 'other' })
    const heads = [running.secret, secret].map((from) => postHead('/v1/ask', from, { 'content-length': 1000 }))
    const slow = Array.from({ length: 8 }, (_, i) => sendRaw(running.url, `${heads[i % 2]}"${'x'.repeat(998)}`))
    await until(() => running.service.context.queue.arriving === 8)
    let refused: Wire
    do refused = await running.ask(QUESTION)
    while (refused.status === 200)
    expect(await codeOf(refused)).toEqual([503, 'overloaded'])
    for (const { socket } of slow) socket.destroy()
    await until(async () => (await running.ask(QUESTION)).status === 200)
  })

  it('that is small is taken even so: large ones do not keep others out', async () => {
    const bodyBytes = 200_000
    running = await startRunning({ settings: { bodyBytes, queue: 100 } })
    const { secret } = await running.newKey({ account: 'other' })
    const heads = [running.secret, secret].map((from) => postHead('/v1/ask', from, { 'content-length': bodyBytes }))
    const slow = Array.from({ length: 8 }, (_, i) => sendRaw(running.url, `${heads[i % 2]}"${'x'.repeat(bodyBytes - 2)}`))
    await until(() => running.service.context.queue.arriving === 8)
    const large = { ...QUESTION, padding: 'x'.repeat(10_000) }
    await until(async () => (await running.ask(large)).status === 503)
    expect((await running.ask(QUESTION)).status).toBe(200)
    for (const { socket } of slow) socket.destroy()
  })

  it('that is large is still taken when one account has all the memory it may', async () => {
    const bodyBytes = 200_000
    running = await startRunning({ settings: { bodyBytes, queue: 100 } })
    const { secret } = await running.newKey({ account: 'other' })
    const head = postHead('/v1/ask', running.secret, { 'content-length': bodyBytes })
    const slow = Array.from({ length: 7 }, () => sendRaw(running.url, `${head}"${'x'.repeat(bodyBytes - 2)}`))
    await until(() => running.service.context.queue.arriving === 7)
    const large = { ...QUESTION, padding: 'x'.repeat(bodyBytes / 2) }
    await until(async () => (await running.ask(large)).status === 503)
    expect((await running.ask(large, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(200)
    for (const { socket } of slow) socket.destroy()
    await until(async () => (await running.ask(large)).status === 200)
  })

  it('is not taken when those that wait have as many values as memory is for one account, however few bytes they are', async () => {
    const gate = createGate()
    running = await startRunning({ fake: gate.fake, settings: { concurrency: 1 } })
    const first = running.ask(QUESTION)
    await gate.reached(1)
    const body = `{"padding":[${'{},'.repeat(22_500)}1],${JSON.stringify(QUESTION).slice(1)}`
    const headers = { authorization: `Bearer ${running.secret}`, 'content-type': 'application/json' }
    const post = () => fetch(`${running.url}/v1/ask`, { method: 'POST', headers, body }) as Promise<Wire>
    const eight = Array.from({ length: 8 }, post)
    // The only one that can be answered before the gate is open.
    expect(await codeOf(await Promise.race(eight))).toEqual([503, 'overloaded'])
    gate.open()
    expect((await first).status).toBe(200)
    expect((await Promise.all(eight)).filter(({ status }) => status === 200)).toHaveLength(7)
    expect((await post()).status).toBe(200)
  })

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], ['application/json; charset=latin1'], ['application/jsonp']])(
    'of type %s is 415',
    async (type) => {
      running = await startRunning()
      expect(await codeOf(await running.ask(QUESTION, { headers: { 'content-type': type } }))).toEqual([415, 'unsupported_media_type'])
    },
  )

  it('that is compressed is 415', async () => {
    running = await startRunning()
    expect(await codeOf(await running.ask(QUESTION, { headers: { 'content-encoding': 'gzip' } }))).toEqual([415, 'unsupported_media_type'])
  })

  it('without a type is 415', async () => {
    running = await startRunning()
    const { closed } = sendRaw(
      running.url,
      `POST /v1/ask HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${running.secret}\r\ncontent-length: 2\r\n\r\n{}`,
    )
    expect(await closed).toMatch(/^HTTP\/1\.1 415 /)
  })

  it('of type application/json in UTF-8 is taken however it is written', async () => {
    running = await startRunning()
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      expect((await running.ask(QUESTION, { headers: { 'content-type': type } })).status).toBe(200)
    }
  })

  it('that is empty is invalid_json', async () => {
    running = await startRunning()
    expect(await codeOf(await running.ask(null, { body: '' }))).toEqual([400, 'invalid_json'])
  })
})

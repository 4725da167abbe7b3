// Clients that take their time: they end in time, and while they last they take nobody else's place.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { QUESTION, type Running, startRunning } from '../running.ts'
import { exchange, openSocket, rawRequest } from './raw.ts'

/** Places: one runs, seven wait; of one account at most seven. */
const SETTINGS = { concurrency: 1, queue: 7, bodyTimeoutMs: 400 }

let running: Running
beforeAll(async () => {
  running = await startRunning({ settings: SETTINGS })
  // Of the server itself; fifteen seconds are long in a test.
  running.service.app.server.headersTimeout = 300
})
afterAll(() => running.end())
afterEach(async () => {
  await expect.poll(() => running.service.context.answerer.load, { timeout: 10_000 }).toEqual({ running: 0, waiting: 0 })
})

const head = (more: readonly string[], key = running.secret) =>
  rawRequest('POST /v1/ask HTTP/1.1', ['Host: x', `Authorization: Bearer ${key}`, ...more])
const JSON_HEAD = ['Content-Type: application/json', 'Content-Length: 1000']
const FORM_HEAD = ['Content-Type: multipart/form-data; boundary=edge', 'Content-Length: 1000']

const codeIn = (body: string | undefined) => (JSON.parse(body ?? '{}') as { error?: { code: string } }).error?.code

describe('slow clients', () => {
  it('that never finish their headers are ended', async () => {
    const trickle = Array.from({ length: 100 }, (_, i) => `X-${i}: y\r\n`)
    const { replies, isClosed } = await exchange(running.url, ['POST /v1/ask HTTP/1.1\r\nHost: x\r\n', ...trickle], {
      pauseMs: 50,
      patienceMs: 5000,
    })
    expect(isClosed).toBe(true)
    expect(replies.map(({ status }) => status)).toEqual([504])
    expect(codeIn(replies[0]?.body)).toBe('deadline_exceeded')
  })

  it.each([
    ['JSON', JSON_HEAD, ['{', ...Array.from({ length: 20 }, () => ' ')]],
    ['a form', FORM_HEAD, ['--edge\r\nContent-Disposition: form-data; name="request"\r\n\r\n', ...Array.from({ length: 20 }, () => ' ')]],
    ['nothing at all', JSON_HEAD, Array.from({ length: 20 }, () => '')],
  ] as const)('that never finish their body are ended, however steadily it comes: %s', async (_what, headers, pieces) => {
    const { replies } = await exchange(running.url, [head(headers), ...pieces], { pauseMs: 50, patienceMs: 1000 })
    expect(replies.map(({ status }) => status)).toEqual([504])
    expect(codeIn(replies[0]?.body)).toBe('deadline_exceeded')
    expect(replies[0]?.body).toContain('400 ms')
  })

  it('that never finish their body are ended on every route', async () => {
    const { server } = running.service.app
    const { requestTimeout } = server
    server.requestTimeout = 500
    const outcomes = rawRequest('POST /v1/outcomes HTTP/1.1', ['Host: x', `Authorization: Bearer ${running.secret}`, ...JSON_HEAD])
    const { replies, isClosed } = await exchange(running.url, [outcomes, ...Array.from({ length: 100 }, () => ' ')], {
      pauseMs: 50,
      patienceMs: 5000,
    })
    server.requestTimeout = requestTimeout
    expect(replies.map(({ status }) => status)).toEqual([504])
    expect(isClosed).toBe(true)
  })

  it('fill no line: others are answered while two accounts hold as many bodies open as they may', async () => {
    // Long enough for all of them to be there at the same time.
    const patient = await startRunning({ settings: { ...SETTINGS, arrivals: 10, bodyTimeoutMs: 8000 } })
    const [slow, other] = await Promise.all(['slow', 'other'].map((account) => patient.newKey({ account })))
    const sockets = await Promise.all(Array.from({ length: 30 }, () => openSocket(patient.url)))
    const heard = sockets.map((socket) => {
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('error', () => {})
      return chunks
    })
    const refused = () => heard.filter((chunks) => Buffer.concat(chunks).toString().startsWith('HTTP/1.1 429')).length
    for (const [i, socket] of sockets.entries()) socket.write(`${head(JSON_HEAD, i % 2 === 0 ? patient.secret : slow!.secret)}{`)
    await expect.poll(() => patient.service.context.queue.arriving, { timeout: 6000 }).toBe(20)
    await expect.poll(refused, { timeout: 6000 }).toBe(10)
    expect(patient.service.context.answerer.load).toEqual({ running: 0, waiting: 0 })
    expect((await patient.ask(QUESTION, { headers: { authorization: `Bearer ${other!.secret}` } })).status).toBe(200)
    const own = await patient.ask(QUESTION)
    expect([own.status, own.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await own.text()).toContain('Your account has 10 requests whose bodies are still coming in, at most 10 may')
    await expect.poll(() => patient.service.context.queue.arriving, { timeout: 15_000 }).toBe(0)
    expect((await patient.ask(QUESTION)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await patient.end()
  })

  it('hold at most so many connections of one address, and are told so', async () => {
    const few = await startRunning({ settings: { connectionsPerAddress: 3 } })
    const sockets = await Promise.all([1, 2, 3].map(() => openSocket(few.url)))
    const refused = await few.ask(QUESTION, { headers: { connection: 'close' } })
    expect([refused.status, refused.headers.get('connection')]).toEqual([429, 'close'])
    expect(await refused.text()).toContain('Your address holds 4 connections open, at most 3 may be')
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await few.ask(QUESTION)).status, { timeout: 5000 }).toBe(200)
    await few.end()
  })

  it('without a key are refused before their body, and not listened to for long', async () => {
    const { replies, isClosed } = await exchange(running.url, [head(JSON_HEAD, 'service_sk_none'), '{'], { patienceMs: 9000 })
    expect(replies.map(({ status }) => status)).toEqual([401])
    expect(isClosed).toBe(true)
    expect(running.service.context.answerer.load.waiting).toBe(0)
  })

  it('that only hold connections keep nobody from being answered', async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => openSocket(running.url)))
    expect((await running.ask(QUESTION)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  it('that never read are not waited for', async () => {
    const body = JSON.stringify(QUESTION)
    const socket = await openSocket(running.url)
    socket.pause()
    for (let i = 0; i < 50; i++) {
      socket.write(head(['Content-Type: application/json', `Content-Length: ${body.length}`]) + body)
    }
    await sleep(300)
    await expect.poll(() => running.service.context.answerer.load, { timeout: 10_000 }).toEqual({ running: 0, waiting: 0 })
    expect((await running.ask(QUESTION)).status).toBe(200)
    socket.destroy()
  })
})

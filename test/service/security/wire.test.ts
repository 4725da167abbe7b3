// HTTP itself, abused: smuggled requests, headers that are too many or no headers, paths that lead elsewhere, methods
// nobody serves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HTTP_STATUS, type WireErrorCode } from '../../../src/service/errors.ts'
import { type Running, startRunning } from '../running.ts'
import { LEAKS } from './fuzz.ts'
import { exchange, type RawReply, rawRequest } from './raw.ts'

const BODY = JSON.stringify({ state: 'It is late.', questions: { late: { type: 'noul' } } })

let running: Running
let key: string
beforeAll(async () => {
  running = await startRunning()
  key = `Authorization: Bearer ${running.secret}`
})
afterAll(() => running.end())

/** An error in our shape, or a failed test. */
function codeOf(reply: RawReply | undefined): WireErrorCode {
  const { error } = JSON.parse(reply?.body ?? '{}') as { error: { code: WireErrorCode; message: string; request_id: string } }
  expect(HTTP_STATUS[error.code]).toBe(reply?.status)
  expect(error.message.length).toBeGreaterThan(10)
  expect(error.request_id).toBe(reply?.headers['x-request-id'])
  for (const leak of LEAKS) expect(reply?.body).not.toMatch(leak)
  return error.code
}

const JSON_TYPE = 'Content-Type: application/json'
const post = (headers: readonly string[], body = BODY) => rawRequest('POST /v1/ask HTTP/1.1', ['Host: x', key, JSON_TYPE, ...headers], body)
/** What a smuggler wants answered. */
const SMUGGLED = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n'

describe('smuggled requests', () => {
  const length = `Content-Length: ${BODY.length}`
  it.each<[string, () => string]>([
    ['Content-Length and Transfer-Encoding', () => post([length, 'Transfer-Encoding: chunked'], `0\r\n\r\n${SMUGGLED}`)],
    ['two lengths', () => post([length, 'Content-Length: 0'], `${BODY}${SMUGGLED}`)],
    ['a length with a sign', () => post(['Content-Length: +5'], `12345${SMUGGLED}`)],
    ['a length in hex', () => post(['Content-Length: 0x5'], `12345${SMUGGLED}`)],
    ['a length beyond numbers', () => post([`Content-Length: ${'9'.repeat(30)}`], SMUGGLED)],
    ['a list of lengths', () => post(['Content-Length: 5, 5'], `12345${SMUGGLED}`)],
    ['an encoding that is not the last', () => post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${SMUGGLED}`)],
    ['an encoding that looks like one', () => post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${SMUGGLED}`)],
    ['a space before the colon', () => post(['Transfer-Encoding : chunked'], `0\r\n\r\n${SMUGGLED}`)],
    ['an encoding on a folded line', () => post(['X: y', ' Transfer-Encoding: chunked', length], `${BODY}${SMUGGLED}`)],
    ['a tab in the name', () => post(['Transfer-\tEncoding: chunked', length], `${BODY}${SMUGGLED}`)],
    ['a chunk that is no number', () => post(['Transfer-Encoding: chunked'], `zz\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
    ['a chunk beyond numbers', () => post(['Transfer-Encoding: chunked'], `fffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
    ['a chunk with a sign', () => post(['Transfer-Encoding: chunked'], `-5\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
    ['a chunk that is longer than it says', () => post(['Transfer-Encoding: chunked'], `1\r\n${BODY}\r\n0\r\n\r\n${SMUGGLED}`)],
    ['a chunk that ends without a return', () => post(['Transfer-Encoding: chunked'], `5\n12345\n0\n\n${SMUGGLED}`)],
  ])('are not answered: %s', async (_what, bytes) => {
    const { replies, isClosed } = await exchange(running.url, bytes())
    expect(replies.length).toBeLessThanOrEqual(1)
    expect(isClosed).toBe(true)
    if (replies.length === 1) expect(['invalid_request', 'request_too_large']).toContain(codeOf(replies[0]))
  })

  it.each([
    ['is damaged', 'Transfer-Encoding: chunked', 'zz\r\n'],
    ['goes on as another request', 'Transfer-Encoding: chunked', SMUGGLED],
    ['never comes', 'Content-Length: 1000', ''],
  ])('are answered once when they are answered before their body, which %s', async (_what, header, rest) => {
    const { server } = running.service.app
    const { requestTimeout, headersTimeout } = server
    server.headersTimeout = 400
    server.requestTimeout = 500
    const early = rawRequest('GET /v1/models HTTP/1.1', ['Host: x', header])
    const { replies, isClosed } = await exchange(running.url, [early, rest], { pauseMs: 200, patienceMs: 4000 })
    server.headersTimeout = headersTimeout
    server.requestTimeout = requestTimeout
    expect(replies.map(({ status }) => status)).toEqual([200])
    expect(isClosed).toBe(true)
  })

  it('leave nothing in the line and nothing in the books', async () => {
    expect(running.service.context.answerer.load).toEqual({ running: 0, waiting: 0 })
    expect(await running.store.requests.list({ limit: 5 })).toEqual([])
  })
})

describe('headers', () => {
  it.each<[string, readonly string[]]>([
    ['more bytes than are taken', [`X-Long: ${'x'.repeat(20_000)}`]],
    ['very many', Array.from({ length: 5000 }, (_, i) => `X-${i}: y`)],
    ['a control character', ['X: a\u0001b']],
    ['a NUL', ['X: a\u0000b']],
    ['a lone return', ['X: a\rInjected: b']],
    ['no name', [': x']],
    ['a name with spaces', ['X Y: z']],
    ['no host, and bad syntax', ['no colon here']],
  ])('that are none are refused: %s', async (_what, headers) => {
    const { replies } = await exchange(running.url, rawRequest('GET /v1/models HTTP/1.1', ['Host: x', ...headers]))
    expect(replies).toHaveLength(1)
    expect(['invalid_request', 'request_too_large']).toContain(codeOf(replies[0]))
  })

  it('need a host, a version and a method that are known', async () => {
    for (const line of [
      'GET /v1/models HTTP/1.1',
      'GET /v1/models HTTP/9.9',
      'get /v1/models HTTP/1.1',
      'GET  HTTP/1.1',
      '\u0016\u0003\u0001',
    ]) {
      const { replies } = await exchange(running.url, rawRequest(line, []))
      expect(replies, line).toHaveLength(1)
      expect(codeOf(replies[0]), line).toBe('invalid_request')
    }
  })

  it('give a key once: a second one does not take its place', async () => {
    const { replies } = await exchange(
      running.url,
      post([`Authorization: Bearer service_sk_${'x'.repeat(43)}`, `Content-Length: ${BODY.length}`, 'Connection: close']),
    )
    expect(replies[0]?.status).toBe(200)
    const second = rawRequest(
      'POST /v1/ask HTTP/1.1',
      ['Host: x', 'Authorization: Basic eA==', key, JSON_TYPE, `Content-Length: ${BODY.length}`, 'Connection: close'],
      BODY,
    )
    expect(codeOf((await exchange(running.url, second)).replies[0])).toBe('missing_api_key')
  })

  it('with an expectation nobody has are answered as without it', async () => {
    const { replies } = await exchange(running.url, post(['Expect: the-unexpected', `Content-Length: ${BODY.length}`, 'Connection: close']))
    expect(replies.map(({ status }) => status)).toEqual([200])
  })

  it('that ask for another protocol are answered in this one', async () => {
    const upgrade = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13']
    const { replies } = await exchange(running.url, rawRequest('GET /v1/models HTTP/1.1', upgrade))
    expect(replies[0]?.status).not.toBe(101)
    expect(replies[0]?.status).toBeLessThan(500)
  })
})

describe('paths', () => {
  it.each([
    '/v1/../v1/models/..',
    '/v1/%2e%2e/v1/ask/x',
    '/v1%2fmodels',
    '/v1/models%2f..',
    '//v1/models',
    '/v1//models',
    '/./v1/models',
    '/v1/models;x=1',
    '/v1/models%00',
    '/V1/MODELS',
    '/v1/models/%',
    '/%',
    '/%zz',
    '/%c0%ae%c0%ae/etc/passwd',
    '/..%5c..%5cetc%5cpasswd',
    '/console/../../../etc/passwd',
    '/console/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/__proto__',
    '/constructor',
    `/${'a'.repeat(12_000)}`,
    `/v1/${'../'.repeat(3000)}etc/passwd`,
    '/\u00e9\u00ff',
    '/<script>alert(1)</script>',
    'http://169.254.169.254/latest',
    '*',
  ])('that lead nowhere are refused: %#', async (path) => {
    const { replies } = await exchange(running.url, rawRequest(`GET ${path} HTTP/1.1`, ['Host: x', 'Connection: close']))
    expect(replies).toHaveLength(1)
    expect(['not_found', 'invalid_request', 'method_not_allowed']).toContain(codeOf(replies[0]))
    expect(replies[0]!.body.length).toBeLessThan(2000)
    expect(replies[0]!.headers['content-type']).toMatch(/^application\/json/)
  })

  it('with another method than theirs say which they take', async () => {
    const routes = [
      ['/v1/ask', 'POST'],
      ['/v1/systemone', 'POST'],
      ['/v1/decisions', 'POST'],
      ['/v1/outcomes', 'POST'],
      ['/v1/models', 'GET, HEAD'],
      ['/health', 'GET, HEAD'],
    ] as const
    for (const [path, allow] of routes) {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'POST', 'TRACE', 'PROPFIND', 'M-SEARCH']) {
        if (allow.includes(method)) continue
        const { replies } = await exchange(
          running.url,
          rawRequest(`${method} ${path} HTTP/1.1`, ['Host: x', 'Connection: close', 'Content-Length: 0']),
        )
        const where = `${method} ${path}`
        expect(replies, where).toHaveLength(1)
        expect(codeOf(replies[0]), where).toBe('method_not_allowed')
        expect(replies[0]?.headers.allow, where).toBe(allow)
      }
    }
  })

  it('are not tunnels', async () => {
    const { replies } = await exchange(running.url, rawRequest('CONNECT 169.254.169.254:80 HTTP/1.1', ['Host: x']))
    expect(replies.map(({ status }) => status)).not.toContain(200)
  })

  it('with a query are the same paths', async () => {
    expect((await fetch(`${running.url}/v1/models?${'a=b&'.repeat(500)}__proto__=1`)).status).toBe(200)
  })
})

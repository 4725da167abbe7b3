import { afterEach, describe, expect, it } from 'vitest'
import { until } from './gate.ts'
import { QUESTION, type Running, startRunning, type Wire } from './running.ts'
import { sendRaw } from './wire.ts'

let running: Running
afterEach(() => running.end())

const get = (path: string, init?: RequestInit): Promise<Wire> => fetch(`${running.url}${path}`, init)

describe('GET /v1/models', () => {
  it('lists what may be asked and what is announced, without a key', async () => {
    running = await startRunning({ now: () => Date.UTC(2026, 1, 3, 4) })
    const response = await get('/v1/models')
    const listed = { object: 'model', created: 1_770_091_200, release_date: '2026-02-03', owned_by: 'assay' }
    const models = [
      {
        id: 'service-1-pro',
        name: 'Fake',
        available: true,
        status: 'available',
        description: expect.stringContaining('questions'),
        ...listed,
      },
      {
        id: 'service-1',
        name: 'Service 1',
        available: false,
        status: 'coming_soon',
        description: expect.stringContaining('yet'),
        ...listed,
      },
    ]
    expect([response.status, await response.json()]).toEqual([200, { object: 'list', models, data: models }])
  })
})

describe('GET /', () => {
  const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

  it('leads browsers to the console', async () => {
    running = await startRunning({ settings: { console: true } })
    const response = await get('/', { headers: BROWSER, redirect: 'manual' })
    expect([response.status, response.headers.get('location'), response.headers.get('vary')]).toEqual([
      303,
      '/console',
      expect.stringMatching(/accept/i),
    ])
    expect((await get('/', { headers: BROWSER })).headers.get('content-type')).toContain('text/html')
  })

  it('names the routes to everything else, and to browsers where no console is served', async () => {
    running = await startRunning()
    for (const headers of [{}, BROWSER, { accept: 'application/json' }]) {
      const response = await get('/', { headers, redirect: 'manual' })
      const found = await response.json()
      expect([response.status, found.console, found.openapi]).toEqual([200, null, '/openapi.json'])
      for (const { method, path, summary } of found.routes) {
        expect(summary).toMatch(/\S/)
        expect((await get(path, { method, redirect: 'manual' })).status, path).not.toBe(404)
      }
      expect(found.routes.map(({ path }: { path: string }) => path)).toEqual(expect.arrayContaining(['/', '/v1/ask', '/v1/systemone']))
    }
  })
})

describe('GET /health', () => {
  it('is 200 while the database answers, without a key', async () => {
    running = await startRunning()
    const response = await get('/health')
    expect([response.status, await response.json()]).toEqual([200, { ok: true, service: 'assay', db: true }])
  })

  it('is 503 when the database does not answer, and 200 when it is back', async () => {
    running = await startRunning()
    const { ping } = running.store
    Object.assign(running.store, { ping: async () => Promise.reject(new Error('gone')) })
    const response = await get('/health')
    expect([response.status, await response.json()]).toEqual([503, { ok: false, service: 'assay', db: false }])
    Object.assign(running.store, { ping })
    await expect.poll(async () => (await get('/health')).status, { timeout: 20_000 }).toBe(200)
  })

  it('asks the database once for any number of callers', async () => {
    running = await startRunning()
    const { ping } = running.store
    let asked = 0
    const counted = () => {
      asked += 1
      return ping()
    }
    Object.assign(running.store, { ping: counted })
    const first = await Promise.all(Array.from({ length: 20 }, () => get('/health')))
    const second = await Promise.all(Array.from({ length: 20 }, () => get('/health')))
    Object.assign(running.store, { ping })
    expect(new Set([...first, ...second].map(({ status }) => status))).toEqual(new Set([200]))
    expect(asked).toBe(1)
  })

  it('is 503 when the database hangs', async () => {
    running = await startRunning()
    const { ping } = running.store
    Object.assign(running.store, { ping: () => new Promise(() => {}) })
    const response = await get('/health')
    Object.assign(running.store, { ping })
    expect(response.status).toBe(503)
  })
})

describe('every reply', () => {
  it('has an id of its own, whatever the client sends as one', async () => {
    running = await startRunning()
    const ids = await Promise.all(
      ['/health', '/v1/models', '/nowhere'].map(async (path) => {
        const { headers } = await get(path, { headers: { 'x-request-id': 'mine' } })
        return headers.get('x-request-id')
      }),
    )
    for (const id of ids) expect(id).toMatch(/^evt_[0-9a-f]{24}$/)
    expect(new Set(ids).size).toBe(3)
  })

  it('is neither kept by caches nor taken for another type', async () => {
    running = await startRunning()
    for (const response of [await running.ask(QUESTION), await get('/nowhere')]) {
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })

  it('is counted by the pattern of its route, and logged by its id', async () => {
    running = await startRunning()
    const response = await running.ask({})
    await response.text()
    await get('/nowhere/secret')
    await until(() => running.finished.length === 2)
    expect(running.finished.map(({ route, method, status, code }) => [route, method, status, code])).toEqual([
      ['/v1/ask', 'POST', 400, 'invalid_request'],
      ['(none)', 'GET', 404, 'not_found'],
    ])
    const line = running.log.find(({ message }) => message === 'request')
    expect(line?.fields).toMatchObject({ id: response.headers.get('x-request-id'), status: 400, account: 'main', key: running.key.id })
    expect(JSON.stringify(running.log)).not.toContain('/nowhere/secret')
  })
})

describe('the log', () => {
  it('is not filled by probes that are well', async () => {
    running = await startRunning()
    await get('/health')
    await get('/v1/models')
    await until(() => running.finished.length === 2)
    const lines = running.log.filter(({ message }) => message === 'request')
    expect(lines.map(({ level, fields }) => [level, (fields as { route: string }).route])).toEqual([
      ['debug', '/health'],
      ['info', '/v1/models'],
    ])
  })
})

describe('a path that is not served', () => {
  it('is 404 in the one shape, and names those like it', async () => {
    running = await startRunning()
    const response = await running.post('/v1/aks', QUESTION)
    const { error } = await response.json()
    expect([response.status, error.code]).toEqual([404, 'not_found'])
    expect(error.message).toContain('/v1/ask')
    expect(error.request_id).toBe(response.headers.get('x-request-id'))
  })

  it('is 404 whatever body is sent there', async () => {
    running = await startRunning()
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'application/json' }]) {
      const response = await running.post('/v1/aks', null, { body: '{"no JSON', headers })
      expect([response.status, (await response.json()).error.code]).toEqual([404, 'not_found'])
    }
    expect((await running.post('/health', null, { body: '{"no JSON' })).status).toBe(405)
  })

  it.each([
    ['GET', '/v1/ask', 'POST'],
    ['DELETE', '/v1/models', 'GET, HEAD'],
    ['PUT', '/v1/systemone/', 'POST'],
    ['POST', '/health?x=1', 'GET, HEAD'],
  ])('with %s but otherwise is 405 with Allow: %s', async (method, path, allow) => {
    running = await startRunning()
    const response = await get(path, { method })
    expect([response.status, response.headers.get('allow'), (await response.json()).error.code]).toEqual([405, allow, 'method_not_allowed'])
  })

  it('ends with a slash and is served without', async () => {
    running = await startRunning()
    expect((await get('/v1/models/')).status).toBe(200)
  })

  it.each([
    ['/%', 400, 'invalid_request'],
    ['/%00', 404, 'not_found'],
    [`/${'a'.repeat(5000)}`, 404, 'not_found'],
    ['/v1/../v1/%2e%2e/etc/passwd', 404, 'not_found'],
    ['/__proto__', 404, 'not_found'],
    ['//v1/models', 404, 'not_found'],
  ])('and is odd, %s, is refused in the one shape', async (path, status, code) => {
    running = await startRunning()
    const { closed } = sendRaw(running.url, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    const reply = await closed
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(reply).toContain(`"code":"${code}"`)
    expect(reply).toMatch(/x-request-id: evt_/)
  })
})

describe('what is no HTTP', () => {
  it.each([
    ['a line that is no request', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost x\r\n\r\n', 400, 'invalid_request'],
    ['headers beyond the limit', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 413, 'request_too_large'],
    ['two lengths', 'POST /v1/ask HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx', 400, 'invalid_request'],
    [
      'a length and chunks',
      'POST /v1/ask HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'invalid_request',
    ],
  ])('is refused in the one shape: %s', async (_, text, status, code) => {
    running = await startRunning()
    const reply = await sendRaw(running.url, text).closed
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const body = JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4))
    expect(body.error).toMatchObject({ code, param: null, request_id: expect.stringMatching(/^evt_[0-9a-f]{24}$/) })
  })

  it.each([
    ['of an older version', 'GET /nowhere HTTP/1.0\r\n\r\n'],
    ['with an expectation that nobody meets', 'GET /nowhere HTTP/1.1\r\nhost: x\r\nexpect: tea\r\nconnection: close\r\n\r\n'],
    ['with a method of its own', 'PROPFIND /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'],
  ])('may be odd but readable, and is answered like any other: a request %s', async (_, text) => {
    running = await startRunning()
    const reply = await sendRaw(running.url, text).closed
    expect(reply).toMatch(/^HTTP\/1\.1 404 /)
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4)).error.code).toBe('not_found')
  })

  it('does not disturb others', async () => {
    running = await startRunning()
    await sendRaw(running.url, '\u0000\u0000\r\n\r\n').closed
    expect((await running.ask(QUESTION)).status).toBe(200)
  })
})

describe('a browser', () => {
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization, idempotency-key' }

  it('of any origin may ask, and sends no cookies', async () => {
    running = await startRunning()
    const response = await get('/v1/ask', { method: 'OPTIONS', headers: { origin: 'https://a.example', ...preflight } })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization, idempotency-key')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('of a listed origin may ask, of others not', async () => {
    running = await startRunning({ settings: { corsOrigins: ['https://a.example'] } })
    const allowed = async (origin: string) => (await get('/health', { headers: { origin } })).headers.get('access-control-allow-origin')
    expect(await allowed('https://a.example')).toBe('https://a.example')
    expect(await allowed('https://b.example')).toBeNull()
  })

  it('may read why it was refused', async () => {
    running = await startRunning()
    const response = await get('/v1/ask', { method: 'POST', headers: { origin: 'https://a.example' } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
  })
})

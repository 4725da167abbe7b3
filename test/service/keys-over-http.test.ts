import { afterEach, describe, expect, it } from 'vitest'
import { openStore } from '../../src/service/store/open.ts'
import { QUESTION, type Running, startRunning, type Wire } from './running.ts'
import { postHead, sendRaw } from './wire.ts'

let running: Running
afterEach(() => running.end())

const withKey = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })

async function said(response: Wire): Promise<[number, string]> {
  return [response.status, (await response.json()).error.code]
}

describe('an API key', () => {
  it.each([
    ['is not there', undefined],
    ['comes in another scheme', 'Basic YTpi'],
    ['is empty', 'Bearer '],
    ['comes bare', 'service_sk_x'],
  ])('that %s is 401 missing_api_key', async (_, authorization) => {
    running = await startRunning()
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) }
    const response = await fetch(`${running.url}/v1/ask`, { method: 'POST', body: 'no JSON', headers })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await said(response)).toEqual([401, 'missing_api_key'])
  })

  it.each([['service_sk_none'], [`service_sk_${'a'.repeat(64)}`], ['other'], ["service_sk_' or 1=1 --aaaaaaaaaaa".replaceAll(' ', '+')]])(
    'that is unknown is 401 invalid_api_key: %s',
    async (secret) => {
      running = await startRunning()
      expect(await said(await running.ask(QUESTION, withKey(secret)))).toEqual([401, 'invalid_api_key'])
    },
  )

  it('is taken in any case of the scheme', async () => {
    running = await startRunning()
    expect((await running.ask(QUESTION, { headers: { authorization: `bearer ${running.secret}` } })).status).toBe(200)
  })

  it('that was revoked is refused from the next request on', async () => {
    running = await startRunning()
    const { key, secret } = await running.newKey()
    expect((await running.ask(QUESTION, withKey(secret))).status).toBe(200)
    await running.store.keys.revoke(key.id)
    expect(await said(await running.ask(QUESTION, withKey(secret)))).toEqual([401, 'invalid_api_key'])
  })

  it.each([
    ['/v1/ask', QUESTION],
    ['/v1/outcomes', { event: 'evt_none', outcomes: { here: true } }],
  ])('that is revoked while the body of %s comes in is refused, and nothing is asked', async (path, request) => {
    let asked = 0
    const score = () => {
      asked += 1
      return null
    }
    running = await startRunning({ fake: { score } })
    const { key, secret } = await running.newKey()
    const body = JSON.stringify(request)
    const connection = sendRaw(running.url, postHead(path, secret, { 'content-length': body.length, connection: 'close' }))
    connection.socket.write(body.slice(0, 10))
    // The key was looked up when another request that came later has been answered.
    await running.ask(QUESTION)
    await running.store.keys.revoke(key.id)
    const before = asked
    connection.socket.write(body.slice(10))
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 401 [\s\S]*"code":"invalid_api_key"/)
    expect(asked).toBe(before)
    expect(running.service.context.answerer.load).toEqual({ running: 0, waiting: 0 })
  })

  it('without the scope is 403, and the message says which it needs', async () => {
    running = await startRunning()
    const { secret } = await running.newKey({ scopes: ['outcomes'] })
    const response = await running.ask(QUESTION, withKey(secret))
    const { error } = await response.json()
    expect([response.status, error.code]).toEqual([403, 'permission_denied'])
    expect(error.message).toContain('ask')
    const asks = await running.newKey({ scopes: ['ask'] })
    expect(await said(await running.post('/v1/outcomes', {}, withKey(asks.secret)))).toEqual([403, 'permission_denied'])
  })

  // The id of a request may hold a few of these letters by chance.
  it('is never said back', async () => {
    running = await startRunning()
    const secret = `service_sk_${'b'.repeat(43)}`
    expect(await (await running.ask(QUESTION, withKey(secret))).text()).not.toContain('b'.repeat(8))
  })

  it('that cannot be looked up is 503 with Retry-After, not 401', async () => {
    running = await startRunning()
    const { find } = running.store.keys
    Object.assign(running.store.keys, { find: async () => Promise.reject(new Error('connection refused to 10.0.0.1')) })
    const response = await running.ask(QUESTION)
    Object.assign(running.store.keys, { find })
    const text = await response.text()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(text).not.toContain('10.0.0.1')
  })
})

describe('the limit of requests', () => {
  it('of a key is 429 with Retry-After and the numbers', async () => {
    running = await startRunning()
    const { secret } = await running.newKey({ requestsPerMinute: 2 })
    const first = await running.ask(QUESTION, withKey(secret))
    expect([first.status, first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining')]).toEqual([200, '2', '1'])
    await running.ask(QUESTION, withKey(secret))
    const third = await running.ask(QUESTION, withKey(secret))
    const { headers } = third
    expect(await said(third)).toEqual([429, 'rate_limited'])
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['2', '0'])
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(0)
    expect(headers.get('retry-after')).toBe(headers.get('x-ratelimit-reset'))
  })

  it('is counted over all routes of a key, and for each key alone', async () => {
    running = await startRunning({ settings: { requestsPerMinute: 1 } })
    await running.ask(QUESTION)
    expect((await running.post('/v1/outcomes', {})).status).toBe(429)
    const { secret } = await running.newKey()
    expect((await running.ask(QUESTION, withKey(secret))).status).toBe(200)
  })

  it('of a key goes before that of the service', async () => {
    running = await startRunning({ settings: { requestsPerMinute: 1 } })
    const { secret } = await running.newKey({ requestsPerMinute: 100 })
    for (let i = 0; i < 3; i++) expect((await running.ask(QUESTION, withKey(secret))).status).toBe(200)
  })

  it('has a default, and is not there when it is turned off', async () => {
    running = await startRunning()
    expect((await running.ask(QUESTION)).headers.get('x-ratelimit-limit')).toBe('3000')
    await running.end()
    running = await startRunning({ settings: { requestsPerMinute: 0, questionsPerMinute: 0 } })
    expect((await running.ask(QUESTION)).headers.get('x-ratelimit-limit')).toBeNull()
  })

  it('is one for all replicas, until the minute is over', async () => {
    let now = 1_000_000
    const store = await openStore(':memory:')
    const settings = { requestsPerMinute: 3 }
    running = await startRunning({ store, settings, now: () => now })
    const other = await startRunning({ store, settings, now: () => now })
    const { secret } = await running.newKey()
    for (const { ask } of [running, other, running]) expect((await ask(QUESTION, withKey(secret))).status).toBe(200)
    for (const { ask } of [running, other]) expect(await said(await ask(QUESTION, withKey(secret)))).toEqual([429, 'rate_limited'])
    now += 60_000
    expect((await other.ask(QUESTION, withKey(secret))).status).toBe(200)
    await other.end()
    await running.end()
    await store.close()
  })

  it('asks the store no more for a key that has used everything', async () => {
    running = await startRunning({ settings: { requestsPerMinute: 1 } })
    const { rates } = running.store
    const { count } = rates
    let counted = 0
    Object.assign(rates, { count: (...given: Parameters<typeof count>) => ++counted && count(...given) })
    for (const status of [200, 429, 429, 429]) expect((await running.ask(QUESTION)).status).toBe(status)
    expect(counted).toBe(2)
  })

  it('does not keep an answer back when its questions cannot be counted', async () => {
    running = await startRunning()
    Object.assign(running.store.rates, { answered: async () => Promise.reject(new Error('away')) })
    expect((await running.ask(QUESTION)).status).toBe(200)
  })

  it('also counts questions', async () => {
    running = await startRunning({ settings: { questionsPerMinute: 3 } })
    const { here } = QUESTION.questions
    expect((await running.ask({ ...QUESTION, questions: { a: here, b: here, c: here } })).status).toBe(200)
    const refused = await running.ask(QUESTION)
    expect(await refused.text()).toContain('its 3 questions a minute')
    expect(refused.status).toBe(429)
  })
})

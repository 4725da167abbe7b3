import { afterEach, describe, expect, it } from 'vitest'
import { QUESTION, type Running, startRunning, type Wire } from './running.ts'

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

  it('is never said back', async () => {
    running = await startRunning()
    const secret = `service_sk_${'b'.repeat(43)}`
    expect(await (await running.ask(QUESTION, withKey(secret))).text()).not.toContain('bbbb')
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

  it('is not there unless it is set', async () => {
    running = await startRunning()
    expect((await running.ask(QUESTION)).headers.get('x-ratelimit-limit')).toBeNull()
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../src/service/settings.ts'
import type { Running } from '../running.ts'
import { ADMIN_TOKEN, codeOf, cookieOf, login, type SignedIn, startConsole, startSignedIn } from './signed-in.ts'

let running: Running | SignedIn
afterEach(() => running.end())

describe('the login of the console', () => {
  it('opens a session for the standing token, kept in a cookie that scripts and other sites do not get', async () => {
    running = await startConsole()
    const reply = await login(running.url, ADMIN_TOKEN)
    expect(reply.status).toBe(200)
    const [pair, ...rest] = reply.headers.get('set-cookie')!.split('; ')
    expect(pair).toMatch(/^console_session=[\w-]{20,}$/)
    expect(rest.sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/console', 'SameSite=Strict'])
    expect(await reply.json()).toMatchObject({ csrf_token: expect.stringMatching(/.{20,}/), service: { database: 'libsql' } })
  })

  it.each([
    ['https', true],
    ['https,http', true],
    ['HTTPS, http', true],
    ['http,https', false],
  ])('keeps the cookie to https where a browser reaches the service over it, as proxies say: %s', async (protocol, isSecure) => {
    running = await startConsole()
    const reply = await login(running.url, ADMIN_TOKEN, { 'x-forwarded-proto': protocol })
    expect(reply.headers.get('set-cookie')!.includes('; Secure')).toBe(isSecure)
  })

  it('opens one session for a link, and none for it afterwards', async () => {
    running = await startConsole()
    const token = await running.store.admin.issueLink(60_000)
    expect((await login(running.url, token)).status).toBe(200)
    const again = await login(running.url, token)
    expect([again.status, await codeOf(again), again.headers.get('set-cookie')]).toEqual([401, 'wrong_token', null])
  })

  it('opens none for a link that has expired', async () => {
    let time = 1_000_000
    running = await startConsole({ now: () => time })
    const token = await running.store.admin.issueLink(60_000)
    time += 60_001
    expect(await codeOf(await login(running.url, token))).toBe('wrong_token')
  })

  it.each(['', 'x', ADMIN_TOKEN.slice(0, -1), `${ADMIN_TOKEN}x`, 'null', 'x'.repeat(600)])('refuses %j', async (token) => {
    running = await startConsole()
    const reply = await login(running.url, token)
    expect([400, 401]).toContain(reply.status)
    expect(reply.headers.get('set-cookie')).toBeNull()
  })

  it('takes no standing token where none is set', async () => {
    running = await startConsole({ settings: { adminToken: DEFAULT_SETTINGS.adminToken } })
    for (const token of ['null', 'undefined', ADMIN_TOKEN]) expect((await login(running.url, token)).status).toBe(401)
  })

  it('takes ten wrong tokens a minute from one address, and right ones besides', async () => {
    running = await startConsole()
    for (let i = 0; i < 10; i++) expect((await login(running.url, `guess ${i}`)).status).toBe(401)
    const reply = await login(running.url, 'another guess')
    expect([reply.status, await codeOf(reply)]).toEqual([429, 'rate_limited'])
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await login(running.url, ADMIN_TOKEN)).status).toBe(200)
    const link = await running.store.admin.issueLink(60_000)
    expect((await login(running.url, link)).status).toBe(200)
  })

  it('counts no right token as one that was tried', async () => {
    running = await startConsole()
    for (let i = 0; i < 11; i++) expect((await login(running.url, ADMIN_TOKEN)).status).toBe(200)
    expect((await login(running.url, 'guess')).status).toBe(401)
  })

  it('reads no more of a stranger than a token takes', async () => {
    running = await startConsole()
    const body = JSON.stringify({ token: 'guess', padding: 'x'.repeat(5000) })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${running.url}/console/api/login`, { method: 'POST', body, headers })
    expect([reply.status, await codeOf(reply)]).toEqual([413, 'request_too_large'])
  })

  it('refuses requests of other sites, even with the right token', async () => {
    running = await startConsole()
    const own = { origin: running.url }
    const foreign: Record<string, string>[] = [
      { origin: 'https://elsewhere.example' },
      { origin: `${running.url}0` },
      { origin: 'null' },
      { ...own, 'sec-fetch-site': 'cross-site' },
      { ...own, 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      const reply = await login(running.url, ADMIN_TOKEN, headers)
      expect([reply.status, await codeOf(reply)]).toEqual([403, 'foreign_request'])
    }
  })

  it('takes requests of its own page, also where a proxy gives the service another name', async () => {
    running = await startConsole()
    expect((await login(running.url, ADMIN_TOKEN, { origin: running.url })).status).toBe(200)
    const behindProxy = { origin: 'https://console.example', 'sec-fetch-site': 'same-origin' }
    expect((await login(running.url, ADMIN_TOKEN, behindProxy)).status).toBe(200)
  })

  it('says nothing of tokens in the log', async () => {
    running = await startConsole()
    const token = await running.store.admin.issueLink(60_000)
    const cookie = cookieOf(await login(running.url, token))
    const lines = JSON.stringify(running.log)
    expect(lines).toContain('console login')
    expect(lines).not.toContain(token)
    expect(lines).not.toContain(cookie.split('=')[1])
  })
})

describe('a session of the console', () => {
  it('is asked for by everything but the page and the login', async () => {
    const signedIn = await startSignedIn()
    running = signedIn
    for (const path of ['session', 'keys', 'accounts', 'ledger?account=main', 'requests', 'event?id=evt_1', 'calibration']) {
      const reply = await fetch(`${running.url}/console/api/${path}`)
      expect([path, reply.status, await codeOf(reply)]).toEqual([path, 401, 'not_signed_in'])
    }
    const posts = ['logout', 'keys', 'keys/revoke', 'credits', 'outcomes', 'calibration/fit', 'calibration/rollback', 'ask?account=main']
    for (const path of posts) {
      const reply = await signedIn.send(path, {}, { cookie: '' })
      expect([path, reply.status, await codeOf(reply)]).toEqual([path, 401, 'not_signed_in'])
    }
  })

  it('changes nothing without its own token, or from another site', async () => {
    const signedIn = await startSignedIn()
    running = signedIn
    const key = { account: 'main', name: 'x', scopes: ['ask'], requests_per_minute: null }
    const before = (await running.store.keys.list()).length
    for (const csrfToken of ['', 'x', signedIn.csrfToken.slice(0, -1)]) {
      const reply = await signedIn.send('keys', key, { 'x-csrf-token': csrfToken })
      expect([reply.status, await codeOf(reply)]).toEqual([403, 'unknown_session_token'])
    }
    const foreign = await signedIn.send('keys', key, { origin: 'https://elsewhere.example' })
    expect([foreign.status, await codeOf(foreign)]).toEqual([403, 'foreign_request'])
    expect((await running.store.keys.list()).length).toBe(before)
  })

  it('does not take the token of another session', async () => {
    const signedIn = await startSignedIn()
    running = signedIn
    const other = (await (await login(running.url, ADMIN_TOKEN)).json()) as { csrf_token: string }
    const reply = await signedIn.send('logout', {}, { 'x-csrf-token': other.csrf_token })
    expect(await codeOf(reply)).toBe('unknown_session_token')
  })

  it('ends when it is logged out', async () => {
    const signedIn = await startSignedIn()
    running = signedIn
    expect((await signedIn.read('session')).status).toBe(200)
    const reply = await signedIn.send('logout')
    expect(reply.headers.get('set-cookie')).toContain('console_session=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0')
    expect(await codeOf(await signedIn.read('session'))).toBe('not_signed_in')
  })

  it('ends after twelve hours', async () => {
    let time = 1_000_000
    const signedIn = await startSignedIn({ now: () => time })
    running = signedIn
    time += 12 * 3_600_000 + 1
    expect(await codeOf(await signedIn.read('session'))).toBe('not_signed_in')
  })

  it('opens nothing of the service itself, and no API key opens the console', async () => {
    const signedIn = await startSignedIn()
    running = signedIn
    const asked = await fetch(`${running.url}/v1/ask`, {
      method: 'POST',
      headers: { cookie: signedIn.cookie, 'content-type': 'application/json' },
    })
    expect(asked.status).toBe(401)
    const read = await fetch(`${running.url}/console/api/keys`, { headers: { authorization: `Bearer ${running.secret}` } })
    expect(await codeOf(read)).toBe('not_signed_in')
  })
})

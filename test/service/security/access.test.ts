// Who may do what, route by route: strangers, keys without the scope, and other accounts. A route that is added later
// is closed until it is listed here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES, type Scope } from '../../../src/service/store/store.ts'
import { QUESTION, type Running, startRunning } from '../running.ts'
import { LEAKS } from './fuzz.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning({ settings: { console: true } })
})
afterAll(() => running.end())

/** What everyone may read; and where one signs in. */
const OPEN = [
  '/',
  '/health',
  '/metrics',
  '/openapi.json',
  '/v1/models',
  '/console',
  '/console/app.js',
  '/console/app.css',
  '/console/api/login',
]
/** Which scope a route needs; null: any key. */
const SCOPE_OF: Readonly<Record<string, Scope | null>> = {
  '/v1/ask': 'ask',
  '/v1/systemone': 'ask',
  '/v1/decisions': 'ask',
  '/v1/outcomes': 'outcomes',
  '/v1/calibration': null,
  '/v1/calibration/fit': 'calibration',
  '/v1/calibration/rollback': 'calibration',
}

interface Route {
  readonly path: string
  readonly method: string
}

/** Every route there is, as the framework prints them: a tree, four columns a level. */
function routesOf({ service }: Running): Route[] {
  const above: string[] = []
  return service.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const match = /^(.*?)[├└]── (\S+) \(([A-Z, ]+)\)$/.exec(line)
      if (match === null) return []
      const [, indent = '', own = '', methods = ''] = match
      const path = (above[indent.length / 4 - 1] ?? '') + own
      above[indent.length / 4] = path
      return methods.split(', ').map((method) => ({ path, method }))
    })
    .filter(({ method }) => method !== 'OPTIONS')
}

async function send(
  { path, method }: Route,
  headers: Record<string, string> = {},
  body = JSON.stringify(QUESTION),
): Promise<{ status: number; code: string; text: string }> {
  const isPost = method === 'POST'
  const response = await fetch(running.url + path, {
    method,
    headers: { ...(isPost ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(isPost ? { body } : {}),
  })
  const text = await response.text()
  const code = text.startsWith('{"error"') ? (JSON.parse(text) as { error: { code: string } }).error.code : ''
  return { status: response.status, code, text }
}

describe('routes', () => {
  it('are closed to strangers, but for those that are open', async () => {
    const routes = routesOf(running)
    expect(routes.length).toBeGreaterThan(20)
    expect(routes).toContainEqual({ path: '/console/api/calibration/fit', method: 'POST' })
    for (const route of routes.filter(({ path }) => !OPEN.includes(path))) {
      const said = await send(route)
      expect(said.status, `${route.method} ${route.path} is closed, or stands in OPEN of this test`).toBe(401)
    }
  })

  it('of the service are closed to keys without their scope', async () => {
    const routes = routesOf(running).filter(({ path, method }) => path.startsWith('/v1/') && !OPEN.includes(path) && method !== 'HEAD')
    expect(routes.map(({ path }) => path).sort(), 'every route of a key stands in SCOPE_OF of this test').toEqual(
      Object.keys(SCOPE_OF).sort(),
    )
    for (const scope of SCOPES) {
      const { secret } = await running.newKey({ scopes: [scope] })
      for (const route of routes) {
        const said = await send(route, { authorization: `Bearer ${secret}` })
        const needs = SCOPE_OF[route.path]
        const isRefused = said.code === 'permission_denied'
        expect(isRefused, `${scope} ${route.path}: ${said.text.slice(0, 100)}`).toBe(needs !== null && needs !== scope)
      }
    }
  })

  it('of the console are closed to keys, and those of the service to sessions', async () => {
    for (const route of routesOf(running).filter(({ path }) => path.startsWith('/console/api/') && !OPEN.includes(path))) {
      expect((await send(route, { authorization: `Bearer ${running.secret}` })).status, route.path).toBe(401)
    }
    const link = await running.store.admin.issueLink(60_000)
    const session = await running.store.admin.redeem(link, 60_000)
    const cookie = `console_session=${session!.session}`
    expect((await send({ path: '/console/api/session', method: 'GET' }, { cookie })).status).toBe(200)
    expect((await send({ path: '/v1/ask', method: 'POST' }, { cookie })).status).toBe(401)
  })

  it('of the console that change something need the token of the session, and no other site', async () => {
    const { session, state } = (await running.store.admin.open(60_000))!
    const cookie = `console_session=${session}`
    const own = { cookie, 'x-csrf-token': state.csrfToken }
    const wrong = state.csrfToken.slice(0, -1) + (state.csrfToken.endsWith('x') ? 'y' : 'x')
    const changing = routesOf(running).filter(
      ({ path, method }) => path.startsWith('/console/api/') && method === 'POST' && !OPEN.includes(path),
    )
    for (const route of changing) {
      expect((await send(route, { cookie })).status, route.path).toBe(403)
      expect((await send(route, { cookie, 'x-csrf-token': wrong })).status, route.path).toBe(403)
      expect((await send(route, { ...own, origin: 'https://evil.example' })).status, route.path).toBe(403)
      expect((await send(route, { ...own, origin: 'null' })).status, route.path).toBe(403)
      expect((await send(route, { ...own, 'sec-fetch-site': 'cross-site' })).status, route.path).toBe(403)
    }
  })

  it('of the console say what is wrong with what they are sent, and nothing of themselves', async () => {
    const { session, state } = (await running.store.admin.open(60_000))!
    const headers = { cookie: `console_session=${session}`, 'x-csrf-token': state.csrfToken }
    const odd = ['', '\u0000', '__proto__', '1e999', 'x'.repeat(3000), "'; --"]
    for (const { path, method } of routesOf(running).filter(({ path }) => path.startsWith('/console/api/') && !path.endsWith('/logout'))) {
      for (const text of odd) {
        const query = new URLSearchParams({ account: text, before: text, id: text, limit: text, from: text, to: text, [text]: text })
        const body = JSON.stringify({
          account: text,
          id: text,
          name: text,
          amount: text,
          scopes: [text],
          event: text,
          outcomes: { [text]: text },
          token: text,
        })
        for (const sent of method === 'POST' ? [body, '[]', 'null', '{', `"${'x'.repeat(100)}"`] : ['']) {
          const said = await send({ path: method === 'POST' ? path : `${path}?${query}`, method }, headers, sent)
          const where = `${method} ${path} ${JSON.stringify(text).slice(0, 20)} ${sent.slice(0, 20)}: ${said.text.slice(0, 200)}`
          expect(said.status, where).toBeLessThan(500)
          if (said.status >= 400) for (const leak of LEAKS) expect(said.text, where).not.toMatch(leak)
        }
      }
    }
  })
})

describe('other accounts', () => {
  it('do not see an event, not even that it is there', async () => {
    const asked = await running.ask(QUESTION)
    const { id } = (await asked.json()) as { id: string }
    const { secret } = await running.newKey({ account: 'other' })
    const record = async (event: string, key: string) => {
      const response = await running.post(
        '/v1/outcomes',
        { event, outcomes: { here: true } },
        { headers: { authorization: `Bearer ${key}` } },
      )
      return `${response.status} ${(await response.text()).replaceAll(/evt_[0-9a-f]{24}/g, 'evt')}`
    }
    expect(await record(id, secret)).toBe(await record('evt_0123456789abcdef01234567', secret))
    expect(await record(id, secret)).toMatch(/^404 /)
    expect(await record(id, running.secret)).toMatch(/^200 /)
  })
})

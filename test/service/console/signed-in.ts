// A running service with somebody signed in to its console, and requests as its page makes them.
import { type Running, type RunningOptions, startRunning } from '../running.ts'

export const ADMIN_TOKEN = 'the standing token of this test'

export interface SignedIn extends Running {
  readonly cookie: string
  readonly csrfToken: string
  /** GETs /console/api/{path}. */
  read(path: string): Promise<Response>
  /** POSTs JSON to /console/api/{path}; `headers` go over those of the page. */
  send(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
}

export function startConsole(options: RunningOptions = {}): Promise<Running> {
  return startRunning({ ...options, settings: { console: true, adminToken: ADMIN_TOKEN, ...options.settings } })
}

export function login(url: string, token: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ token })
  return fetch(`${url}/console/api/login`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
}

/** `name=value` of the cookie that a reply sets. */
export function cookieOf(reply: Response): string {
  return reply.headers.get('set-cookie')?.split(';')[0] ?? ''
}

export async function startSignedIn(options: RunningOptions = {}): Promise<SignedIn> {
  const running = await startConsole(options)
  const reply = await login(running.url, ADMIN_TOKEN)
  const cookie = cookieOf(reply)
  const { csrf_token: csrfToken } = (await reply.json()) as { csrf_token: string }
  return {
    ...running,
    cookie,
    csrfToken,
    read: (path) => fetch(`${running.url}/console/api/${path}`, { headers: { cookie } }),
    send: (path, body = {}, headers = {}) =>
      fetch(`${running.url}/console/api/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { cookie, 'x-csrf-token': csrfToken, origin: running.url, 'content-type': 'application/json', ...headers },
      }),
  }
}

export async function codeOf(reply: Response): Promise<string> {
  return ((await reply.json()) as { error: { code: string } }).error.code
}

// Signing in to the console: a token opens a session, a cookie keeps it, and every request that changes something must
// also prove that it comes from our page.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceContext } from '../context.ts'
import { ServiceRefusal } from '../errors.ts'
import { fromStore } from '../from-store.ts'
import type { AdminSession } from '../store/store.ts'
import { ConsoleError } from './errors.ts'
import { fields, text } from './fields.ts'
import type { ServiceReply, SessionReply } from './replies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of a request of the console; null elsewhere, and before it was looked up. */
    admin: AdminSession | null
  }
}

const COOKIE = 'console_session'
const SESSION_MS = 12 * 3_600_000
/**
 * Wrong tokens from one address. Right ones always pass: behind a proxy all clients share one address, and tokens are
 * too long to be guessed.
 */
const WRONG_PER_MINUTE = 10
const LONGEST_TOKEN = 512
/** Of a login, which anyone may send: its token, escaped. */
const LOGIN_BYTES = 4096

const login = fields({ token: text(LONGEST_TOKEN) })

/**
 * Admits requests with a session. Those that change something must come from our own page and carry the session's
 * token.
 */
export function sessionGuard({ store }: Pick<ServiceContext, 'store'>): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (request.method !== 'GET') requireOwnOrigin(request)
    const cookie = sessionOf(request)
    const session = cookie === null ? null : await fromStore(store.admin.find(cookie))
    if (session === null) throw new ConsoleError('not_signed_in', 'You are not signed in, or your session has ended.')
    if (request.method !== 'GET' && !isSame(String(request.headers['x-csrf-token'] ?? ''), session.csrfToken)) {
      throw new ConsoleError('unknown_session_token', 'This request does not carry the token of your session; load the page again.')
    }
    request.admin = session
  }
}

/** `service`: the part of the reply that is the same for every session. */
export function sessionRoutes(app: FastifyInstance, { store, settings, log }: ServiceContext, service: () => ServiceReply): void {
  const guard = sessionGuard({ store })
  const countWrong = app.createRateLimit({
    max: WRONG_PER_MINUTE,
    timeWindow: 60_000,
    keyGenerator: (request: FastifyRequest) => `console ${request.ip}`,
  })
  const replyOf = ({ csrfToken, expiresAt }: AdminSession): SessionReply => ({
    csrf_token: csrfToken,
    expires_at: expiresAt,
    service: service(),
  })

  app.post(
    '/console/api/login',
    { onRequest: async (request) => requireOwnOrigin(request), bodyLimit: LOGIN_BYTES },
    async (request, reply) => {
      const { token } = login(request.body)
      const isStanding = settings.adminToken !== null && isSame(token, settings.adminToken)
      const opened = isStanding ? await fromStore(store.admin.open(SESSION_MS)) : await fromStore(store.admin.redeem(token, SESSION_MS))
      const counted = opened === null ? await countWrong(request) : null
      if (counted !== null && !counted.isAllowed && counted.isExceeded) {
        const message = `${counted.max} wrong tokens were tried from this address within a minute, and this one is wrong too; wait ${counted.ttlInSeconds} s.`
        throw new ServiceRefusal('rate_limited', message, { retryAfterMs: counted.ttl })
      }
      log.info({ id: request.id, isOpened: opened !== null, address: request.ip }, 'console login')
      if (opened === null) {
        const message =
          'This token opens nothing: it is wrong, spent, or expired. One-time links work once; a new one is printed by assay admin link, and when the service starts in a terminal without a standing token.'
        throw new ConsoleError('wrong_token', message)
      }
      const before = sessionOf(request)
      if (before !== null) await fromStore(store.admin.end(before))
      setCookie(request, reply, opened.session, Math.floor(SESSION_MS / 1000))
      return replyOf(opened.state)
    },
  )

  app.get('/console/api/session', { onRequest: guard }, async ({ admin }) => replyOf(admin!))

  app.post('/console/api/logout', { onRequest: guard }, async (request, reply) => {
    await fromStore(store.admin.end(sessionOf(request)!))
    setCookie(request, reply, '', 0)
    return {}
  })
}

/**
 * A browser says whether a request comes from our own page: by Sec-Fetch-Site over https and on localhost, else by
 * Origin (which looks foreign behind a proxy that changes Host). A client that sends neither is no browser, and still
 * needs the session's token.
 */
function requireOwnOrigin({ headers }: FastifyRequest): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site === undefined ? origin === undefined || (URL.canParse(origin) && new URL(origin).host === host) : site === 'same-origin') return
  throw new ConsoleError('foreign_request', 'This request comes from another site; the console takes requests of its own page only.')
}

function sessionOf({ headers }: FastifyRequest): string | null {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=')
    if (name === COOKIE && /^[\w-]{1,200}$/.test(value)) return value
  }
  return null
}

function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
  // A proxy that terminates TLS says so. A client that lies about it only keeps its own cookie off plain http.
  const isSecure = request.protocol === 'https' || firstProtocol(request.headers['x-forwarded-proto']) === 'https'
  const rest = `Path=/console; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`
  reply.header('set-cookie', `${COOKIE}=${value}; ${rest}`)
}

/** Of several proxies, the first speaks with the browser. */
function firstProtocol(header: string | string[] | undefined): string | undefined {
  return String(header ?? '')
    .split(',')[0]
    ?.trim()
    .toLowerCase()
}

/** Whether two secrets are equal, in constant time. */
function isSame(given: string, secret: string): boolean {
  const [a, b] = [given, secret].map((value) => createHash('sha256').update(value).digest())
  return timingSafeEqual(a!, b!)
}

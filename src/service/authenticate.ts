// Authenticates a request by its Bearer key, before a body is read. The key is looked up in the store every time, so
// that a revoked key is refused at once on every replica. Then its scope is checked, and its requests of this minute on
// this replica.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal, ServiceContext } from './context.ts'
import { ServiceRefusal } from './errors.ts'
import { fromStore } from './from-store.ts'
import type { Scope } from './store/store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null where no key is asked for. */
    principal: Principal | null
  }
}

const WINDOW_MS = 60_000

/**
 * The hook that lets only keys with `scope` in, or any key when it is null: `app.post(url, { onRequest: keyGuard(app,
 * context, 'outcomes') }, …)`. It sets `request.principal`, and throws `missing_api_key`, `invalid_api_key`,
 * `permission_denied` or `rate_limited`.
 */
export function keyGuard(
  app: FastifyInstance,
  { store, settings }: Pick<ServiceContext, 'store' | 'settings'>,
  scope: Scope | null,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const count = app.createRateLimit()
  return async (request, reply) => {
    const secret = bearer(request.headers.authorization)
    const key = await fromStore(store.keys.find(secret))
    if (key === null) {
      throw new ServiceRefusal('invalid_api_key', 'There is no such API key, or it was revoked; make one in the console, under API keys.')
    }
    request.principal = { account: key.account, key }
    if (scope !== null && !key.scopes.includes(scope)) {
      const scopes = key.scopes.length === 0 ? 'none' : key.scopes.join(', ')
      throw new ServiceRefusal('permission_denied', `The key ${key.name} has not the scope ${scope}, which this needs; it has ${scopes}.`)
    }
    if ((key.requestsPerMinute ?? settings.requestsPerMinute) === 0) return
    const counted = await count(request)
    if (counted.isAllowed) return
    const headers = {
      'x-ratelimit-limit': String(counted.max),
      'x-ratelimit-remaining': String(counted.remaining),
      'x-ratelimit-reset': String(counted.ttlInSeconds),
    }
    reply.headers(headers)
    if (!counted.isExceeded) return
    const message = `The key ${key.name} has used its ${counted.max} requests a minute; the next are taken in ${counted.ttlInSeconds} s.`
    throw new ServiceRefusal('rate_limited', message, { retryAfterMs: counted.ttl, headers })
  }
}

/**
 * How requests are counted: one window a key, shared by all routes. For `@fastify/rate-limit`, before any `keyGuard` is
 * made.
 */
export function rateLimitOptions({ settings }: Pick<ServiceContext, 'settings'>) {
  const keyOf = ({ principal }: FastifyRequest) => principal?.key ?? null
  return {
    global: false,
    timeWindow: WINDOW_MS,
    cache: 50_000,
    keyGenerator: (request: FastifyRequest) => keyOf(request)?.id ?? '',
    max: (request: FastifyRequest) => keyOf(request)?.requestsPerMinute ?? settings.requestsPerMinute,
  }
}

function bearer(header: string | undefined): string {
  const match = /^bearer +(\S+) *$/i.exec(header ?? '')
  if (match !== null) return match[1]!
  const received = header === undefined ? 'there is none' : 'it has another form'
  throw new ServiceRefusal('missing_api_key', `Requests need the header "Authorization: Bearer service_sk_…"; ${received}.`)
}

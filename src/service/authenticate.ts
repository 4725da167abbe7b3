// Authenticates a request by its Bearer key, before a body is read. The key is looked up in the store every time, so
// that a revoked key is refused at once on every replica. Then its scope is checked, and what it has asked within a
// minute.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal, ServiceContext } from './context.ts'
import { ServiceRefusal } from './errors.ts'
import { fromStore } from './from-store.ts'
import type { ApiKey, Scope, Store } from './store/store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null where no key is asked for. */
    principal: Principal | null
  }
}

/**
 * The hook that lets only keys with `scope` in, or any key when it is null: `app.post(url, { onRequest:
 * keyGuard(context, 'outcomes') }, …)`. It sets `request.principal`, and throws `missing_api_key`, `invalid_api_key`,
 * `permission_denied` or `rate_limited`.
 */
export function keyGuard(
  { store, rates }: Pick<ServiceContext, 'store' | 'rates'>,
  scope: Scope | null,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const key = await keyOf(request, store)
    request.principal = { account: key.account, key }
    if (scope !== null && !key.scopes.includes(scope)) {
      const scopes = key.scopes.length === 0 ? 'none' : key.scopes.join(', ')
      const message =
        `The key ${key.name} has not the scope ${scope}, which this needs; it has ${scopes}. ` +
        `A key has the scopes it was made with: make one with it, by assay keys create --account ${key.account} --name NAME --scope ${[...key.scopes, scope].join(',')}, or in the console under API keys.`
      throw new ServiceRefusal('permission_denied', message)
    }
    const used = await rates.request(key)
    if (used === null) return
    const seconds = Math.max(1, Math.ceil(used.resetMs / 1000))
    const headers = {
      'x-ratelimit-limit': String(used.most),
      'x-ratelimit-remaining': String(used.left),
      'x-ratelimit-reset': String(seconds),
    }
    reply.headers(headers)
    if (used.exceeded === null) return
    const { most, noun } = used.exceeded
    const message = `The key ${key.name} has used its ${most} ${noun} a minute; the next are taken in ${seconds} s.`
    throw new ServiceRefusal('rate_limited', message, { retryAfterMs: seconds * 1000, headers })
  }
}

/**
 * Looks a key up again once a body has come in, which may take long. Throws `invalid_api_key` when it was revoked
 * meanwhile.
 */
export async function requireUnrevoked({ principal, headers }: FastifyRequest, { store }: Pick<ServiceContext, 'store'>): Promise<void> {
  if (principal !== null && principal.key !== null) await keyOf({ headers }, store)
}

async function keyOf({ headers }: Pick<FastifyRequest, 'headers'>, store: Store): Promise<ApiKey> {
  const key = await fromStore(store.keys.find(bearer(headers.authorization)))
  if (key !== null) return key
  throw new ServiceRefusal('invalid_api_key', 'There is no such API key, or it was revoked; make one in the console, under API keys.')
}

function bearer(header: string | undefined): string {
  const match = /^bearer +(\S+) *$/i.exec(header ?? '')
  if (match !== null) return match[1]!
  const received = header === undefined ? 'there is none' : 'it has another form'
  throw new ServiceRefusal('missing_api_key', `Requests need the header "Authorization: Bearer service_sk_…"; ${received}.`)
}

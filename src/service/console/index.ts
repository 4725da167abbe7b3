// The console's side of the service: its page, its session, and what the page asks for. Everything lies under /console,
// in a scope of its own.
import type { FastifyInstance } from 'fastify'
import { ENGINE_VERSION } from '../../pipeline/response.ts'
import type { ServiceContext } from '../context.ts'
import { dollarsText } from '../money.ts'
import { sendError } from '../refuse.ts'
import { SCOPES } from '../store/store.ts'
import { accountRoutes } from './account-routes.ts'
import { aliasRoutes } from './alias-routes.ts'
import { consoleAskRoute } from './ask-route.ts'
import { assetRoutes } from './assets.ts'
import { ConsoleError } from './errors.ts'
import type { ErrorReplyBody, ServiceReply } from './replies.ts'
import { requestRoutes } from './request-routes.ts'
import { sessionGuard, sessionRoutes } from './session.ts'

/**
 * Pictures that are dropped into the page have blob: addresses; the empty icon is data:. Nothing else is loaded from
 * elsewhere or inlined.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Serves the console on `app`. Its hooks, headers and error replies hold for /console only. */
export async function registerConsole(app: FastifyInstance, context: ServiceContext): Promise<void> {
  await app.register(async (scope) => {
    scope.decorateRequest('admin', null)
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(HEADERS)
      // Pages of other origins have no business here, whatever they may do with the API.
      for (const header of ['access-control-allow-origin', 'access-control-expose-headers']) reply.removeHeader(header)
    })
    scope.setErrorHandler((error, request, reply) => {
      if (!(error instanceof ConsoleError)) return sendError(context.log, error, request, reply)
      const { code, status, message } = error
      const body: ErrorReplyBody = { error: { code, message, param: null, request_id: request.id } }
      reply.errorCode = code
      return reply.code(status).send(body)
    })
    assetRoutes(scope)
    sessionRoutes(scope, context, () => encodeService(context))
    await scope.register(async (signedIn) => {
      signedIn.addHook('onRequest', sessionGuard(context))
      accountRoutes(signedIn, context)
      aliasRoutes(signedIn, context)
      requestRoutes(signedIn, context)
      await consoleAskRoute(signedIn, context)
    })
  })
}

function encodeService({ engine, store, settings }: ServiceContext): ServiceReply {
  const { prices, requestsPerMinute, bodyBytes, images, imageBytes, questions } = settings
  return {
    engine: `assay-engine/${ENGINE_VERSION}`,
    database: store.kind,
    models: engine.models().map(({ id, available }) => ({ id, is_available: available })),
    prices: Object.fromEntries(Object.entries(prices).map(([model, price]) => [model, dollarsText(price)])),
    scopes: SCOPES,
    requests_per_minute: requestsPerMinute,
    limits: { body_bytes: bodyBytes, images, image_bytes: imageBytes, questions },
  }
}

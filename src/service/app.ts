// The HTTP side of a service: one fastify app with our ids, headers, errors and time limits. Routes register on it;
// what they throw becomes a reply here.
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { boundConnections } from './connections.ts'
import type { ServiceContext, ServiceState } from './context.ts'
import { CLIENT_GONE, ServiceRefusal } from './errors.ts'
import { parseJson } from './json.ts'
import { watchRoutes } from './known-routes.ts'
import { refuseBelow, sendError } from './refuse.ts'
import { makeStoreId } from './store/secrets.ts'
import type { TlsPair } from './tls.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** `performance.now()` when it came in. */
    receivedAt: number
  }
  interface FastifyContextConfig {
    /** Served while the service drains. */
    isServedToTheEnd?: boolean
    /** Asked by machines every few seconds: its successes are logged as `debug`. */
    isProbed?: boolean
  }
}

/** Bytes of a body where a route does not say otherwise. */
const BODY_BYTES = 2 ** 20
const HEADERS_MS = 15_000
/** Longer than proxies keep theirs, so that they do not send into a connection that is being closed. */
const KEEP_ALIVE_MS = 65_000
const CHECK_CONNECTIONS_MS = 1000
const GRACE_MS = 10_000
const PREFLIGHT_SECONDS = 86_400
/** Of a drain: when to come back, hopefully to another replica. */
const RETRY_AFTER_MS = 1000

/** What a browser may read of a reply. */
const EXPOSED = [
  'x-request-id',
  'x-service-cost-usd',
  'x-service-balance-usd',
  'x-service-latency-ms',
  'x-service-idempotent-replayed',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]

const makeId = () => makeStoreId('evt_')

export type AppContext = Pick<ServiceContext, 'settings' | 'store' | 'log' | 'metrics'>

/** An app without routes. */
export async function createApp(context: AppContext, state: ServiceState, tls: TlsPair | null = null): Promise<FastifyInstance> {
  const { settings, log, metrics } = context
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => sendError(log, error, request, reply)
  // Connections whose last request has been answered while its body is still coming. An error of that body must not
  // become a second reply.
  const answered = new WeakSet<Socket>()
  // Node would refuse a missing Host without a body; the hook below refuses it with one.
  const http = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: CHECK_CONNECTIONS_MS, requireHostHeader: false }
  const app = Fastify({
    genReqId: makeId,
    requestIdHeader: false,
    logger: false,
    bodyLimit: BODY_BYTES,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: settings.bodyTimeoutMs + GRACE_MS,
    connectionTimeout: settings.bodyTimeoutMs + settings.deadlineMs + GRACE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The type of the app is that of one without TLS, which differs in nothing that is used here.
    ...(tls === null ? { http } : { https: { ...http, ...tls, handshakeTimeout: HEADERS_MS } as unknown as null }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    frameworkErrors: refuse,
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket) {
      if (answered.has(socket)) return void socket.destroy()
      const reply = refuseBelow(error, socket, makeId)
      if (reply === null) return
      const { status, body } = reply
      metrics.finished({ route: '(unreadable)', method: 'OTHER', status, code: body.error.code, latencyMs: 0 })
    },
  })
  const requireFewConnections = boundConnections(app.server, settings.connectionsPerAddress)
  app.decorateRequest('receivedAt', 0)
  app.decorateRequest('principal', null)
  app.decorateReply('errorCode', null)

  app.addHook('onRequest', async (request, reply) => {
    request.receivedAt = performance.now()
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    state.open += 1
    const { raw } = request
    answered.delete(raw.socket)
    reply.raw.once('finish', () => {
      if (!raw.complete) answered.add(raw.socket)
    })
    reply.raw.once('close', () => {
      state.open -= 1
      finished(context, request, reply)
    })
  })
  await app.register(cors, {
    origin: settings.corsOrigins.includes('*') ? '*' : [...settings.corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    credentials: false,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  })
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    // Probes are answered even so.
    if (routeOptions.config.isProbed !== true) requireFewConnections(raw.socket)
    if (raw.headers.host !== undefined || raw.httpVersion === '1.0') return
    throw new ServiceRefusal(
      'invalid_request',
      'The header Host is missing, which HTTP/1.1 asks for; let an HTTP library write the request.',
    )
  })
  // An unknown Expect header changes nothing about the request; Node would refuse it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', async (request, reply) => {
    if (!state.isDraining) return
    reply.header('connection', 'close')
    if (request.routeOptions.config.isServedToTheEnd) return
    throw new ServiceRefusal('overloaded', 'The service is shutting down; nothing was charged. Try again after Retry-After.', {
      retryAfterMs: RETRY_AFTER_MS,
    })
  })
  await app.register(rateLimit, { global: false })

  const routes = watchRoutes(app)
  // Before a body is read: errors in it do not matter when no route takes it.
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw routes.refusal(request.method, request.url)
  })
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply))
  app.setNotFoundHandler((request, reply) => refuse(routes.refusal(request.method, request.url), request, reply))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  return app
}

/** Counts and logs a request that is over, answered or not. */
function finished({ log, metrics }: AppContext, request: FastifyRequest, reply: FastifyReply): void {
  const isAnswered = reply.raw.writableFinished
  const route = request.routeOptions.url ?? '(none)'
  const { method, principal } = request
  const { status, code } = isAnswered ? { status: reply.statusCode, code: reply.errorCode } : CLIENT_GONE
  const latencyMs = performance.now() - request.receivedAt
  metrics.finished({ route, method, status, code, latencyMs })
  const who = principal === null ? {} : { account: principal.account, key: principal.key?.id ?? null }
  const fields = { id: request.id, method, route, status, code, latencyMs: Math.round(latencyMs), ...who }
  // Those that probes ask every few seconds would fill a log.
  if (request.routeOptions.config.isProbed === true && status < 400) log.debug(fields, 'request')
  else log.info(fields, 'request')
}

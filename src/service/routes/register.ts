// Routes to handlers of a fastify app: who may call, how the body is read, and the flags that the app's hooks look at.
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { keyGuard, requireUnrevoked } from '../authenticate.ts'
import type { ServiceContext } from '../context.ts'
import { pathOf, type Route } from './route.ts'

/**
 * Registers the routes that these settings serve. Those that read their bodies themselves get a scope in which fastify
 * reads none.
 */
export async function registerRoutes(app: FastifyInstance, context: ServiceContext, routes: readonly Route[]): Promise<void> {
  const served = routes.filter(({ isServed }) => isServed?.(context.settings) ?? true)
  for (const route of served.filter(({ body }) => body !== 'streamed')) register(app, context, route)
  await app.register(async (scope) => {
    await takeStreamedBodies(scope)
    for (const route of served.filter(({ body }) => body === 'streamed')) register(scope, context, route)
  })
}

/** Has fastify read no bodies in a scope; whoever answers there reads them by `readBody`. */
export async function takeStreamedBodies(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  await scope.register(multipart)
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

function register(app: FastifyInstance, context: ServiceContext, route: Route): void {
  const { method, access, body, headers, isServedToTheEnd = false, isProbed = false } = route
  const { admit, answer } = route.open(context)
  const onRequest: Hook[] = []
  if (headers !== undefined) onRequest.push(async ({ id, headers: asked }, reply) => void reply.headers(headers(id, asked)))
  if (access !== 'everyone') onRequest.push(keyGuard(context, access === 'every key' ? null : access))
  if (admit !== undefined) onRequest.push(admit)
  const reader = body === 'streamed' ? null : body
  const isKeyed = reader !== null && access !== 'everyone'
  app.route({
    method,
    url: pathOf(route, context.settings),
    onRequest,
    preHandler: isKeyed ? [(request) => requireUnrevoked(request, context)] : [],
    ...(reader === null ? {} : { bodyLimit: reader.bytes }),
    config: { isServedToTheEnd, isProbed },
    handler: async (request, reply) => answer({ body: reader?.read(request.body), request, reply }),
  })
}

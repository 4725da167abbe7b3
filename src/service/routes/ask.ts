// POST /v1/ask, /v1/{legacyName} and /v1/decisions: one handler, three dialects. Whoever is refused is refused before the body is read.
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AdmissionQueue } from '../admission-queue.ts'
import { type Admission, answerAdmitted, enterQueue } from '../admitted.ts'
import { keyGuard } from '../authenticate.ts'
import { createBodyMemory, mediaKind, requireLength } from '../body.ts'
import type { ServiceContext } from '../context.ts'
import { requireCredit } from '../credit.ts'
import { ask } from '../dialects/ask.ts'
import { decisions } from '../dialects/decisions.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { systemone } from '../dialects/systemone.ts'
import { ServiceRefusal } from '../errors.ts'
import { isNothingFree } from '../models.ts'

/** Bodies that may be in memory at the same time, in largest ones; smaller ones are as many as fit. */
const LARGEST_BODIES = 8

/** Registers the routes in a scope of their own: their bodies are read by themselves. */
export async function askRoutes(app: FastifyInstance, context: ServiceContext, queue: AdmissionQueue): Promise<void> {
  const memory = createBodyMemory(context.settings.bodyBytes * LARGEST_BODIES)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    await scope.register(multipart)
    const guard = keyGuard(scope, context, 'ask')
    const admissions = new WeakMap<FastifyRequest, Admission>()
    const admit = async (request: FastifyRequest, reply: FastifyReply) => {
      admissions.set(request, await letIn(request, reply, context, queue))
    }
    const serve = (path: string, dialect: Dialect) => {
      // Refusals have them too: clients name the request in their errors by them.
      const name = async (request: FastifyRequest, reply: FastifyReply) => {
        reply.headers(dialect.headers?.(request.id) ?? {})
      }
      scope.post(path, { onRequest: [name, guard, admit] }, (request, reply) =>
        answerAdmitted(request, reply, admissions.get(request)!, dialect, context, memory),
      )
    }
    serve('/v1/ask', ask)
    serve('/v1/decisions', decisions)
    serve(`/v1/${context.settings.legacyName}`, systemone)
  })
}

async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { store, settings }: ServiceContext,
  queue: AdmissionQueue,
): Promise<Admission> {
  const { headers, principal } = request
  requireLength(headers, settings.bodyBytes)
  const kind = mediaKind(headers)
  const idempotencyKey = readIdempotencyKey(headers['idempotency-key'])
  // A retry of what was answered before costs nothing, so that who has an idempotency key is asked for money later.
  if (idempotencyKey === null && isNothingFree(settings.prices)) await requireCredit(store, principal!.account)
  return { kind, idempotencyKey, principal: principal!, ...enterQueue(queue, principal!.account, reply) }
}

/** Throws `invalid_request`. */
function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const key = Array.isArray(header) ? header.join(', ') : header
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  const message = `The Idempotency-Key is 1 to 255 visible ASCII characters without spaces, received ${key.length}.`
  throw new ServiceRefusal('invalid_request', message)
}

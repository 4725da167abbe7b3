// POST /v1/ask, /v1/{legacyName} and /v1/decisions: one handler, three dialects. Whoever is refused is refused before the body is read; whoever has a place
// in the line gives it back when the response is over, however it ends.
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { keyGuard } from '../authenticate.ts'
import { type BodyMemory, createBodyMemory, holdLength, type MediaKind, mediaKind, readBody } from '../body.ts'
import { holdCredit } from '../credit.ts'
import { ask } from '../dialects/ask.ts'
import { decisions } from '../dialects/decisions.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { systemone } from '../dialects/systemone.ts'
import { ServiceError } from '../errors.ts'
import type { Line, Place } from '../line.ts'
import { isNothingFree } from '../models.ts'
import type { Parts } from '../parts.ts'

/** What a request was let in with. */
interface Admission {
  readonly kind: MediaKind
  readonly idempotencyKey: string | null
  readonly place: Place
  readonly signal: AbortSignal
}

/** Bodies that may be in memory at the same time, in largest ones; smaller ones are as many as fit. */
const LARGEST_BODIES = 8
/** Frames of videos that may come as files besides the images. */
const FRAME_FILES = 64

/** Registers the routes in a scope of their own: their bodies are read by themselves. */
export async function askRoutes(app: FastifyInstance, parts: Parts, line: Line): Promise<void> {
  const memory = createBodyMemory(parts.settings.bodyBytes * LARGEST_BODIES)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    await scope.register(multipart)
    const guard = keyGuard(scope, parts, 'ask')
    const admissions = new WeakMap<FastifyRequest, Admission>()
    const admit = async (request: FastifyRequest, reply: FastifyReply) => {
      admissions.set(request, await letIn(request, reply, parts, line))
    }
    const serve = (path: string, dialect: Dialect) => {
      // Refusals have them too: clients name the request in their errors by them.
      const name = async (request: FastifyRequest, reply: FastifyReply) => {
        reply.headers(dialect.headers?.(request.id) ?? {})
      }
      scope.post(path, { onRequest: [name, guard, admit] }, (request, reply) =>
        answer(request, reply, admissions.get(request)!, dialect, parts, memory),
      )
    }
    serve('/v1/ask', ask)
    serve('/v1/decisions', decisions)
    serve(`/v1/${parts.settings.legacyName}`, systemone)
  })
}

async function letIn(request: FastifyRequest, reply: FastifyReply, { store, settings }: Parts, line: Line): Promise<Admission> {
  const { headers, principal } = request
  holdLength(headers, settings.bodyBytes)
  const kind = mediaKind(headers)
  const idempotencyKey = readIdempotencyKey(headers['idempotency-key'])
  const { account } = principal!
  // A retry of what was answered before costs nothing, so that who has an idempotency key is asked for money later.
  if (idempotencyKey === null && isNothingFree(settings.prices)) await holdCredit(store, account)
  const place = line.enter(account)
  const client = new AbortController()
  const onGone = () => {
    client.abort()
    place.leave()
  }
  reply.raw.once('close', onGone)
  // It may have gone while the store was asked.
  if (reply.raw.destroyed) onGone()
  return { kind, idempotencyKey, place, signal: client.signal }
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, idempotencyKey, place, signal }: Admission,
  dialect: Dialect,
  { answerer, settings }: Parts,
  memory: BodyMemory,
): Promise<FastifyReply> {
  const limits = {
    bytes: settings.bodyBytes,
    timeoutMs: settings.bodyTimeoutMs,
    files: settings.images + FRAME_FILES,
    fileBytes: settings.imageBytes,
  }
  const { body, release } = await readBody(request, kind, limits, memory).catch((error: unknown) => {
    place.leave()
    throw error
  })
  try {
    const { id, receivedAt } = request
    const call = {
      id,
      principal: request.principal!,
      dialect,
      body: body.json,
      files: body.files,
      bodyHash: body.hash,
      idempotencyKey,
      signal,
      receivedAt,
    }
    const { status, headers, body: text } = await answerer.answer(call, place)
    if (status >= 400) reply.errorCode = (JSON.parse(text) as { error: { code: string } }).error.code
    return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(text)
  } finally {
    release()
  }
}

/** Throws `invalid_request`. */
function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const key = Array.isArray(header) ? header.join(', ') : header
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  const message = `The Idempotency-Key is 1 to 255 visible ASCII characters without spaces, received ${key.length}.`
  throw new ServiceError('invalid_request', message)
}

// Takes an admitted request to its reply. Its slot in the queue is given back when the response is over, however it
// ends. A client that has gone by then gets no answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdmissionQueue, QueueSlot } from './admission-queue.ts'
import { type MediaKind, readBody } from './body.ts'
import { clientGone } from './call-deadline.ts'
import type { Principal, ServiceContext } from './context.ts'
import type { Dialect } from './dialects/dialect.ts'

/** A slot in the admission queue for as long as the client is connected. */
export interface Held {
  readonly slot: QueueSlot
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

/** What a request was let in with. */
export interface Admission extends Held {
  readonly kind: MediaKind
  readonly idempotencyKey: string | null
  readonly principal: Principal
}

/** Takes a slot before a body is read. Throws `overloaded`. */
export function enterQueue(queue: AdmissionQueue, account: string, { raw }: FastifyReply): Held {
  const slot = queue.enter(account)
  const client = new AbortController()
  const onGone = () => {
    client.abort(clientGone())
    slot.leave()
  }
  raw.once('close', onGone)
  // It may have gone while the store was asked.
  if (raw.destroyed) onGone()
  return { slot, signal: client.signal }
}

/** Reads the body, has it answered, and sends the answer. */
export async function answerAdmitted(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, idempotencyKey, principal, slot, signal }: Admission,
  dialect: Dialect,
  { answerer, settings, bodies }: Pick<ServiceContext, 'answerer' | 'settings' | 'bodies'>,
): Promise<FastifyReply> {
  const limits = {
    bytes: settings.bodyBytes,
    timeoutMs: settings.bodyTimeoutMs,
    files: settings.images + settings.videoFrames,
    fileBytes: settings.imageBytes,
  }
  const { body, release } = await readBody(request, kind, limits, bodies.of(principal.account)).catch((error: unknown) => {
    slot.leave()
    throw error
  })
  try {
    const { id, receivedAt } = request
    const call = {
      ...{ id, principal, dialect, idempotencyKey, signal, receivedAt },
      body: body.json,
      files: body.files,
      bodyHash: body.hash,
    }
    const { status, headers, body: text } = await answerer.answer(call, slot)
    if (status >= 400) reply.errorCode = (JSON.parse(text) as { error: { code: string } }).error.code
    return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(text)
  } finally {
    release()
  }
}

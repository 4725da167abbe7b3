// Takes an admitted request to its reply. Its place in the line is given back when the response is over, however it
// ends. A client that has gone by then gets no answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdmissionQueue, Arrival, QueueSlot } from './admission-queue.ts'
import { requireUnrevoked } from './authenticate.ts'
import { type MediaKind, readBody } from './body.ts'
import { clientGone } from './call-deadline.ts'
import type { Principal, ServiceContext } from './context.ts'
import type { Dialect } from './dialects/dialect.ts'

/** A place among the bodies that come in, and then in the line, for as long as the client is connected. */
export interface Held {
  readonly arrival: Arrival
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

/** What a request was let in with. */
export interface Admission extends Held {
  readonly kind: MediaKind
  readonly idempotencyKey: string | null
  readonly principal: Principal
}

/** Lets the body of a request come in. Throws `overloaded` or `rate_limited`. */
export function letIn(queue: AdmissionQueue, account: string, { raw }: FastifyReply): Held {
  const arriving = queue.arrive(account)
  const client = new AbortController()
  let slot: QueueSlot | null = null
  const onGone = () => {
    client.abort(clientGone())
    arriving.leave()
    slot?.leave()
  }
  raw.once('close', onGone)
  // It may have gone while the store was asked.
  if (raw.destroyed) onGone()
  const arrival: Arrival = {
    leave: () => arriving.leave(),
    enter() {
      slot = arriving.enter()
      if (client.signal.aborted) slot.leave()
      return slot
    },
  }
  return { arrival, signal: client.signal }
}

/** Reads the body, has it answered, and sends the answer. */
export async function answerAdmitted(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, idempotencyKey, principal, arrival, signal }: Admission,
  dialect: Dialect,
  { answerer, settings, bodies, store }: Pick<ServiceContext, 'answerer' | 'settings' | 'bodies' | 'store'>,
): Promise<FastifyReply> {
  const limits = {
    bytes: settings.bodyBytes,
    textBytes: settings.textBytes,
    timeoutMs: settings.bodyTimeoutMs,
    files: settings.images + settings.videoFrames,
    // Which of the files are images and which are videos is known later.
    fileBytes: Math.max(settings.imageBytes, settings.videoBytes),
  }
  const { body, release } = await readBody(request, kind, limits, bodies.of(principal.account)).catch((error: unknown) => {
    arrival.leave()
    throw error
  })
  try {
    await requireUnrevoked(request, { store }).catch((error: unknown) => {
      arrival.leave()
      throw error
    })
    const slot = arrival.enter()
    const { id, receivedAt } = request
    const call = {
      id,
      principal,
      dialect,
      idempotencyKey,
      signal,
      receivedAt,
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

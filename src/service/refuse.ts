// Turns errors of every source into replies of one shape: our own, the engine's, the framework's, and those of the HTTP
// parser below it.
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EngineError } from '../core/errors.ts'
import { type ErrorReply, errorReply, ServiceRefusal } from './errors.ts'
import type { Log } from './telemetry.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Code of the error that was said; null on success. */
    errorCode: string | null
  }
}

/** How long a refused client may go on sending a body that nobody reads, so that it can read the reply. */
const LINGER_MS = 5000

/** Says an error. */
export function sendError(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = translate(error)
  const { status, headers, body } = errorReply(known, request.id)
  const { cause } = known instanceof Error ? known : {}
  if (body.error.code === 'internal_error') log.error({ id: request.id, err: cause ?? known }, 'a request failed')
  else if (status >= 500 && cause !== undefined) log.warn({ id: request.id, err: cause }, 'a request was refused')
  reply.errorCode = body.error.code
  linger(request)
  return reply
    .code(status)
    .headers({ 'x-request-id': request.id, ...headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

/** The framework's own errors in our words. */
function translate(error: unknown): unknown {
  if (error instanceof ServiceRefusal || error instanceof EngineError) return error
  const { code, statusCode, message } = error as { code?: unknown; statusCode?: unknown; message?: unknown }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceRefusal('request_too_large', 'The body is larger than this route takes; send less at once.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceRefusal('unsupported_media_type', 'A body is application/json; say so in Content-Type.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ServiceRefusal('invalid_request', 'The body is not as long as its Content-Length says.')
    case 'FST_ERR_BAD_URL':
      return new ServiceRefusal('invalid_request', 'The URL cannot be read: it holds a % that encodes nothing.')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ServiceRefusal('not_found', 'Nothing is served at this URL: a part of it is too long.')
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new ServiceRefusal('invalid_request', typeof message === 'string' ? message : 'The request cannot be read.', { cause: error })
  }
  return error
}

function linger({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  const timer = setTimeout(() => {
    if (!raw.complete) raw.socket.destroy()
  }, LINGER_MS)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
}

const LOW_LEVEL: Readonly<Record<string, ServiceRefusal>> = {
  HPE_HEADER_OVERFLOW: new ServiceRefusal('request_too_large', 'The headers have more than 16384 bytes; send fewer.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ServiceRefusal('request_too_large', 'The chunk extensions of the body are too long.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ServiceRefusal('deadline_exceeded', 'The request did not come in in time; send it faster.'),
}
const UNREADABLE = new ServiceRefusal('invalid_request', 'This is no HTTP request that can be read.')

/** Answers what never became a request. `makeId` as for requests. Gives the reply, null when none could be written. */
export function refuseBelow(error: NodeJS.ErrnoException, socket: Socket, makeId: () => string): ErrorReply | null {
  // Bytes of another reply may be on their way already.
  const begun = (socket as Socket & { _httpMessage?: { _headerSent?: boolean } | null })._httpMessage?._headerSent === true
  if (error.code === 'ECONNRESET' || !socket.writable || begun) {
    socket.destroy()
    return null
  }
  const id = makeId()
  const reply = errorReply(LOW_LEVEL[error.code ?? ''] ?? UNREADABLE, id)
  const body = JSON.stringify(reply.body)
  const headers = {
    ...reply.headers,
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${reply.status} ${WORDS[reply.status] ?? 'Error'}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy())
  return reply
}

const WORDS: Readonly<Record<number, string>> = { 400: 'Bad Request', 413: 'Payload Too Large', 504: 'Gateway Timeout' }

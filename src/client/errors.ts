// What a service says instead of an answer to errors a caller can tell apart: the engine's refusals stay `EngineError`,
// the service's own are `ServiceError`, and where no reply came at all it is `ConnectionError` or `TimeoutError`.
import { EngineError, ERROR_CODES, type ErrorCode, type Problem, SERVICE_ERROR_CODES, type ServiceErrorCode } from '../core/errors.ts'

/** A reply as far as errors go. */
export interface RefusingReply {
  readonly status: number
  /** `x-request-id`; null when the reply had none. */
  readonly requestId: string | null
  /** When to come back, where the reply said so. */
  readonly retryAfterMs: number | null
  /** The body, parsed; undefined when it was no JSON. */
  readonly json: unknown
}

/** A refusal of the engine behind a service: code, param and problems as in process, and the reply it came in. */
export class RemoteEngineError extends EngineError {
  readonly status: number
  readonly requestId: string | null
  readonly retryAfterMs: number | null

  constructor(
    code: ErrorCode,
    message: string,
    reply: RefusingReply,
    at: { readonly param?: string; readonly problems?: readonly Problem[] },
  ) {
    super(code, message, at)
    this.name = 'RemoteEngineError'
    this.status = reply.status
    this.requestId = reply.requestId
    this.retryAfterMs = reply.retryAfterMs
  }
}

/**
 * `unexpected_reply`: it did not come from a service as we know it, but from a proxy, say. Codes of newer services stay
 * as they are.
 */
export type ServiceErrorName = ServiceErrorCode | 'unexpected_reply' | (string & Record<never, never>)

/** A refusal of the service itself: keys, credits, limits, idempotency, routes. Nothing was charged. */
export class ServiceError extends Error {
  readonly code: ServiceErrorName
  readonly status: number
  readonly param: string | null
  readonly requestId: string | null
  readonly retryAfterMs: number | null

  constructor(code: ServiceErrorName, message: string, reply: RefusingReply, param: string | null = null) {
    super(message)
    this.name = 'ServiceError'
    this.code = code
    this.status = reply.status
    this.param = param
    this.requestId = reply.requestId
    this.retryAfterMs = reply.retryAfterMs
  }
}

/** No reply came: no such host, refused, cut off. `attempts` counts how often it was tried. */
export class ConnectionError extends Error {
  readonly attempts: number

  constructor(message: string, attempts: number, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'ConnectionError'
    this.attempts = attempts
  }
}

/** No reply came in time, retries included. `cause` is what the last attempt failed with, if one did. */
export class TimeoutError extends Error {
  readonly timeoutMs: number
  readonly attempts: number

  constructor(timeoutMs: number, attempts: number, options?: { readonly cause?: unknown }) {
    const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
    super(`No answer within ${timeoutMs} ms (${tries}); raise timeoutMs, or ask for less at once.`, options)
    this.name = 'TimeoutError'
    this.timeoutMs = timeoutMs
    this.attempts = attempts
  }
}

/** The error that a reply other than 2xx says. */
export function errorOf(reply: RefusingReply): RemoteEngineError | ServiceError {
  const said = fieldsOf(fieldsOf(reply.json).error)
  const { code, message } = said
  if (typeof code !== 'string' || typeof message !== 'string') return unexpected(reply, 'an error that is none of a service')
  const param = typeof said.param === 'string' ? said.param : null
  if (!isEngineCode(code)) return new ServiceError(code, message, reply, param)
  const problems = problemsOf(said.problems)
  return new RemoteEngineError(code, message, reply, {
    ...(param === null ? {} : { param }),
    ...(problems.length === 0 ? {} : { problems }),
  })
}

/** A reply that no service gives, whatever its status. */
export function unexpected(reply: RefusingReply, what: string): ServiceError {
  const message = `The reply (status ${reply.status}) is ${what}; check that baseUrl leads to a service, and what stands before it.`
  return new ServiceError('unexpected_reply', message, reply)
}

/** Whether the body of a reply is an error in the service's own words. */
export function isServiceBody(json: unknown): boolean {
  const { code, message } = fieldsOf(fieldsOf(json).error)
  return typeof message === 'string' && typeof code === 'string' && (isEngineCode(code) || isServiceCode(code))
}

function isEngineCode(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code)
}

function isServiceCode(code: string): code is ServiceErrorCode {
  return (SERVICE_ERROR_CODES as readonly string[]).includes(code)
}

function problemsOf(said: unknown): Problem[] {
  if (!Array.isArray(said)) return []
  return said.flatMap((item: unknown) => {
    const { param, message } = fieldsOf(item)
    return typeof param === 'string' && typeof message === 'string' ? [{ param, message }] : []
  })
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

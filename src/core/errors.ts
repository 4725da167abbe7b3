// The error class of the engine. Codes are a closed list; adapters map them to HTTP statuses and exit codes, each from
// one table. The further codes of a service stand here too, because the service and its client share them.

export const ERROR_CODES = [
  'invalid_json',
  'invalid_request',
  'unknown_question_type',
  'invalid_question',
  'invalid_derive',
  'invalid_image',
  'invalid_video',
  'image_ambiguous',
  'context_length_exceeded',
  'model_not_found',
  'model_not_available',
  'request_too_large',
  'image_too_large',
  'too_many_questions',
  'unsupported_media_type',
  'capability_not_supported',
  'internal_error',
  'overloaded',
  'model_loading',
  'deadline_exceeded',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** Codes that only a service uses. */
export const SERVICE_ERROR_CODES = [
  'missing_api_key',
  'invalid_api_key',
  'insufficient_balance',
  'permission_denied',
  'not_found',
  'method_not_allowed',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'rate_limited',
] as const

export type ServiceErrorCode = (typeof SERVICE_ERROR_CODES)[number]
/** Every code that can stand in an error body. */
export type WireErrorCode = ErrorCode | ServiceErrorCode

/** One thing wrong with a request: where (a JSON Pointer), what, and what to do. */
export interface Problem {
  readonly param: string
  readonly message: string
}

export interface EngineErrorOptions {
  /** JSON Pointer to the field at fault, e.g. `/questions/tone/criteria`. */
  readonly param?: string
  /** Everything that is wrong, when more than one thing is; the first one is the message. */
  readonly problems?: readonly Problem[]
  readonly cause?: unknown
}

/**
 * Thrown for the caller's mistakes and for broken contracts. The message carries the numbers and the next step, never a
 * path of this machine.
 */
export class EngineError extends Error {
  readonly code: ErrorCode
  readonly param: string | null
  readonly problems: readonly Problem[]

  constructor(code: ErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'EngineError'
    this.code = code
    this.param = options.param ?? null
    this.problems = options.problems ?? (options.param === undefined ? [] : [{ param: options.param, message }])
  }
}

// What a service refuses besides what the engine refuses, and the one table from codes to HTTP statuses.
import { EngineError, ERROR_CODES, SERVICE_ERROR_CODES, type WireErrorCode } from '../core/errors.ts'
import { cut } from '../core/untrusted.ts'

export { SERVICE_ERROR_CODES, type ServiceErrorCode, type WireErrorCode } from '../core/errors.ts'

export const WIRE_ERROR_CODES: readonly WireErrorCode[] = [...ERROR_CODES, ...SERVICE_ERROR_CODES]

export const HTTP_STATUS: Readonly<Record<WireErrorCode, number>> = {
  invalid_json: 400,
  invalid_request: 400,
  unknown_question_type: 400,
  invalid_question: 400,
  invalid_derive: 400,
  invalid_image: 400,
  invalid_video: 400,
  image_ambiguous: 400,
  context_length_exceeded: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_balance: 402,
  permission_denied: 403,
  not_found: 404,
  model_not_found: 404,
  model_not_available: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  request_too_large: 413,
  image_too_large: 413,
  too_many_questions: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  capability_not_supported: 422,
  rate_limited: 429,
  internal_error: 500,
  overloaded: 503,
  model_loading: 503,
  deadline_exceeded: 504,
}

/** Status and code in the log of a call whose client went away; they never go over the wire. */
export const CLIENT_GONE = { status: 499, code: 'client_gone' }

export interface ServiceRefusalOptions {
  /** JSON Pointer to the field at fault. */
  readonly param?: string
  /** When to come back; said as Retry-After in whole seconds, rounded up. */
  readonly retryAfterMs?: number
  /** Headers of the reply besides, e.g. `allow`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** What the service refuses. The engine's own refusals stay `EngineError`; both are said by `errorReply`. */
export class ServiceRefusal extends Error {
  readonly code: WireErrorCode
  readonly param: string | null
  readonly retryAfterMs: number | null
  readonly headers: Readonly<Record<string, string>>

  constructor(code: WireErrorCode, message: string, options: ServiceRefusalOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceRefusal'
    this.code = code
    this.param = options.param ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
    this.headers = options.headers ?? {}
  }
}

/** An error as it goes over the wire. `problems`: everything that is wrong, when more than one thing is. */
export interface ErrorBody {
  readonly error: {
    readonly code: WireErrorCode
    readonly message: string
    readonly param: string | null
    readonly request_id: string
    readonly problems?: readonly { readonly param: string; readonly message: string }[]
  }
}

export interface ErrorReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ErrorBody
}

/** When to come back after a 503, where nothing better is known. */
const RETRY_AFTER_MS = 1000

/** Most problems that a reply lists; the rest are left out. */
const MOST_PROBLEMS = 20
/** What clients sent may stand in messages and pointers, but not all of it again. */
const MESSAGE_CHARACTERS = 2000
const PARAM_CHARACTERS = 1000

/** Any error to a reply. What is neither ours nor the engine's becomes `internal_error`, and says nothing of itself. */
export function errorReply(error: unknown, requestId: string): ErrorReply {
  const known =
    error instanceof ServiceRefusal || error instanceof EngineError
      ? error
      : new ServiceRefusal('internal_error', 'The service failed on this request; nothing was charged. Try again.', { cause: error })
  const { code, message, param } = known
  const problems =
    known instanceof EngineError && known.problems.length > 1
      ? known.problems
          .slice(0, MOST_PROBLEMS)
          .map((problem) => ({ param: cut(problem.param, PARAM_CHARACTERS), message: cut(problem.message, MESSAGE_CHARACTERS) }))
      : null
  const status = HTTP_STATUS[code]
  const retryAfterMs =
    known instanceof ServiceRefusal && known.retryAfterMs !== null ? known.retryAfterMs : status === 503 ? RETRY_AFTER_MS : null
  return {
    status,
    headers: {
      ...(retryAfterMs === null ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(known instanceof ServiceRefusal ? known.headers : {}),
    },
    body: {
      error: {
        code,
        message: cut(message, MESSAGE_CHARACTERS),
        param: param === null ? null : cut(param, PARAM_CHARACTERS),
        request_id: requestId,
        ...(problems === null ? {} : { problems }),
      },
    },
  }
}

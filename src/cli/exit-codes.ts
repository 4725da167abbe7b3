// The table from what went wrong to the exit code of the process.
import { EngineError, type ErrorCode } from '../core/errors.ts'

/**
 * ok; a fault of ours, or rows of `assay eval` that failed; wrong flags or an unreadable file; a request that must
 * change; a model that is missing, busy or late.
 */
export const EXIT = { ok: 0, internal: 1, failedRows: 1, usage: 2, request: 3, model: 4 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const CODES: Readonly<Record<ErrorCode, ExitCode>> = {
  invalid_json: EXIT.request,
  invalid_request: EXIT.request,
  unknown_question_type: EXIT.request,
  invalid_question: EXIT.request,
  invalid_derive: EXIT.request,
  invalid_image: EXIT.request,
  invalid_video: EXIT.request,
  image_ambiguous: EXIT.request,
  context_length_exceeded: EXIT.request,
  request_too_large: EXIT.request,
  image_too_large: EXIT.request,
  too_many_questions: EXIT.request,
  unsupported_media_type: EXIT.request,
  capability_not_supported: EXIT.request,
  model_not_found: EXIT.model,
  model_not_available: EXIT.model,
  model_loading: EXIT.model,
  overloaded: EXIT.model,
  deadline_exceeded: EXIT.model,
  internal_error: EXIT.internal,
}

/** Flags that do not go together, a file that cannot be read: said before anything is asked. */
export class UsageError extends Error {}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof EngineError ? CODES[error.code] : EXIT.internal
}

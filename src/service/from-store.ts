// Turns errors of the store into the error that clients get: the database cannot be reached right now.
import { EngineError } from '../core/errors.ts'
import { ServiceRefusal } from './errors.ts'

const RETRY_AFTER_MS = 2000

/** The work's result. Whatever the store throws, apart from refusals, becomes `overloaded` with this message. */
export async function fromStore<T>(
  work: Promise<T>,
  message = 'The service cannot reach its database right now; nothing was charged. Try again after Retry-After.',
): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof ServiceRefusal || cause instanceof EngineError) throw cause
    throw new ServiceRefusal('overloaded', message, { retryAfterMs: RETRY_AFTER_MS, cause })
  }
}

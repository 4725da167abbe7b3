// Collects what is wrong with one request, step after step, so that all of it is said together.
import { EngineError } from '../core/errors.ts'
import { didYouMean } from '../core/suggest.ts'
import type { Fault } from '../questions/shared/checked-question.ts'

/**
 * Throws one `EngineError` when there are faults: its code, message and param are those of the first. What is said
 * twice of one place, as of a name that an expression tears in two, is said once.
 */
export function refuse(faults: readonly Fault[]): void {
  const [first] = faults
  if (first === undefined) return
  const byWords = new Map(faults.map(({ param, message }) => [`${param} ${message}`, { param, message }]))
  const problems = [...byWords.values()]
  throw new EngineError(first.code, first.message, { param: first.param, problems })
}

/**
 * What the step gives. When it throws an `EngineError` for something the caller can change, its problems are added to
 * `faults`, and null is given.
 */
export async function gather<T>(faults: Fault[], step: () => T | Promise<T>): Promise<T | null> {
  try {
    return await step()
  } catch (error) {
    faults.push(...faultsOf(error))
    return null
  }
}

/** The faults that an `EngineError` tells of. Anything that is no fault of the caller is thrown again. */
export function faultsOf(error: unknown): readonly Fault[] {
  if (!(error instanceof EngineError) || error.param === null || error.code === 'internal_error') throw error
  const { code, problems } = error
  return problems.map(({ param, message }) => ({ code, param, message }))
}

/** Unknown fields that are named one by one. */
export const MOST_WARNED = 20

/** Says of each field of a request that is not known that it was ignored. */
export function ignoredFieldWarnings(fields: readonly string[], known: readonly string[]): string[] {
  const unknown = fields.filter((field) => !known.includes(field))
  const named = unknown.slice(0, MOST_WARNED).map((field) => {
    return `The field ${JSON.stringify(field.slice(0, 80))} is not known and was ignored.${didYouMean(field, known)}`
  })
  const rest = unknown.length - named.length
  return rest > 0 ? [...named, `${rest} more fields are not known and were ignored.`] : named
}

// Collects what is wrong with one request, step after step, so that all of it is said together.
import { EngineError } from '../core/errors.ts'
import type { Fault } from '../questions/shared/checked-question.ts'

/** Throws one `EngineError` when there are faults: its code, message and param are those of the first. */
export function refuse(faults: readonly Fault[]): void {
  const [first] = faults
  if (first === undefined) return
  const problems = faults.map(({ param, message }) => ({ param, message }))
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

// Checks the options that a caller hands to a function: an object, and no name in it that would be ignored.
import { EngineError } from './errors.ts'
import { didYouMean } from './suggest.ts'
import { isObject, jsonTypeOf } from './untrusted.ts'

/** The names of all options of a type. The compiler holds such a table to the type. */
export type OptionNames<T> = { readonly [K in keyof Required<T>]: true }

/**
 * Throws `invalid_request` for options that are no object, or hold a name that is not known: one that is misspelt would
 * be ignored, and look as if it were granted. `of`: whose options they are, as the caller writes it.
 */
export function checkOptionNames(options: unknown, of: string, known: object): void {
  const names = Object.keys(known)
  if (!isObject(options)) throw refused(`The options of ${of} are an object of ${names.join(', ')}; received ${jsonTypeOf(options)}.`)
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const hint = didYouMean(name, names) || ` It takes ${names.join(', ')}.`
    throw refused(`${of} has no option ${JSON.stringify(name.slice(0, 80))}.${hint}`)
  }
}

/** The options that say something: one that is undefined is as if it were not there, and hides no other. */
export function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}

/**
 * Throws `invalid_request` for what is no signal to stop by; undefined is none. Not by its class, of which there may be
 * several.
 */
export function checkSignal(signal: unknown): void {
  const isSignal =
    typeof signal === 'object' && signal !== null && 'aborted' in signal && 'addEventListener' in signal && 'removeEventListener' in signal
  if (signal === undefined || isSignal) return
  throw refused(
    `signal is an AbortSignal, such as new AbortController().signal or AbortSignal.timeout(5000); received ${jsonTypeOf(signal)}.`,
  )
}

function refused(message: string): EngineError {
  return new EngineError('invalid_request', message)
}

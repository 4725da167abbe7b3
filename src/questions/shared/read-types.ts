// Types of the answers of reads (`fill`, `extract`): which of their fields are there, by the literal question.
import type { FieldOf, Simplify } from './options.ts'

/**
 * A read, with the fields `Sure` there once `valid` is true: `if (answer.valid) answer.parsed + 1`. A read on which the
 * model failed has neither `parsed` nor `check`.
 */
type Validated<A, Sure extends keyof A> = [Sure] extends [never]
  ? A
  :
      | Simplify<Omit<A, Sure | 'valid' | 'error'> & { readonly valid: true; readonly error?: never } & Required<Pick<A, Sure>>>
      | Simplify<Omit<A, 'valid'> & { readonly valid: false }>

/** `check` comes with `self_check: true`, never without, and is open where the type does not say. */
export type Checked<A extends { readonly check?: number }, Q, Sure extends keyof A = never> = [FieldOf<Q, 'self_check'>] extends [true]
  ? Validated<A, Sure | 'check'>
  : [FieldOf<Q, 'self_check'>] extends [false | null | undefined]
    ? Validated<Simplify<Omit<A, 'check'>>, Exclude<Sure, 'check'>>
    : Validated<A, Sure>

export type Unparsed<A> = Simplify<Omit<A, 'parsed'>>

/** One answer, or the answer that holds all of them, by `many`. */
export type OneOrMany<Q, One, Many> = [FieldOf<Q, 'many'>] extends [true]
  ? Many
  : [FieldOf<Q, 'many'>] extends [false | null | undefined]
    ? One
    : One | Many

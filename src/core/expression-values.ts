// What an expression (`derive`) computes with, and what it throws: shared by the expressions and the kinds of questions
// they read.

/** A value in an expression. Null: there is none. */
export type Scalar = number | string | boolean | null

/** A mistake in an expression, in words for the person who wrote it. Both parsing and evaluating throw it. */
export class ExpressionError extends Error {}

/** A text that counts as a day, as a `fill` of kind `date` writes it: days are compared with days. */
export const PLAIN_DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

/**
 * A text that counts as a number: digits, with thousands commas in their places or without. Anything less plain
 * (1.234,56) could be read two ways.
 */
export const PLAIN_NUMBER = /^[+-]?(?:\d{1,300}|\d{1,3}(?:,\d{3}){1,100})(?:\.\d{1,300})?$/

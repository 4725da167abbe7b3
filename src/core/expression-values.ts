// What an expression (`derive`) computes with, and what it throws: shared by the expressions and the kinds of questions
// they read.

/** A value in an expression. Null: there is none. */
export type Scalar = number | string | boolean | null

/** A mistake in an expression, in words for the person who wrote it. Both parsing and evaluating throw it. */
export class ExpressionError extends Error {}

// Reads and checks the bodies and queries of the console's own page. All errors come at once, each at its field.
import { z } from 'zod'
import { EngineError, type Problem } from '../../core/errors.ts'
import { MOST_FAULTS } from '../../core/limits.ts'
import { pointer } from '../../core/pointer.ts'
import { isObject, jsonTypeOf } from '../../core/untrusted.ts'
import { unknownField } from '../routes/body-reader.ts'

/** A text without control characters, 1 to `most` characters; outer space is taken off. */
export function text(most: number) {
  return textOrNone(most).min(1, 'This must not be empty.')
}

/** The same, which may be empty. */
export function textOrNone(most: number) {
  return z
    .string()
    .trim()
    .max(most, `This has at most ${most} characters.`)
    .regex(/^\P{Cc}*$/u, 'This is one line, without control characters.')
}

/** A whole number of a query. */
export function wholeNumber(least: number, most: number) {
  const message = `This is a whole number from ${least} to ${most}.`
  return z.coerce.number(message).int(message).min(least, message).max(most, message)
}

/** Reads an object of these fields; throws `invalid_request`. Other fields are refused. */
export function fields<S extends z.core.$ZodLooseShape>(shape: S): (input: unknown) => z.output<z.ZodObject<S>> {
  const schema = z.strictObject(shape)
  return (given) => {
    const input = given ?? {}
    const result = schema.safeParse(input, { error: wordsFor })
    if (result.success) return result.data as z.output<z.ZodObject<S>>
    const problems = result.error.issues.flatMap((issue) => problemsOf(issue, input, Object.keys(shape)))
    const [first] = problems
    throw new EngineError('invalid_request', first!.message, { param: first!.param, problems })
  }
}

/** Words for what a field says nothing of itself; zod's own are for programmers. */
function wordsFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return `This must be ${NOUNS[issue.expected] ?? issue.expected}, received ${jsonTypeOf(issue.input)}.`
  if (issue.code === 'invalid_value') return `This must be one of ${issue.values.join(', ')}.`
  return undefined
}

const NOUNS: Readonly<Record<string, string>> = { string: 'a text', array: 'a list', object: 'an object', record: 'an object' }

/** Zod has one issue for all unknown fields; here each is a problem of its own. */
function problemsOf(issue: z.core.$ZodIssue, input: unknown, known: readonly string[]): Problem[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.slice(0, MOST_FAULTS).map((field) => unknownField(field, known))
  const [field] = issue.path
  const isMissing = issue.path.length === 1 && isObject(input) && !Object.hasOwn(input, field!)
  const message = isMissing ? `The field ${JSON.stringify(field)} is missing.` : issue.message
  return [{ param: pointer('', ...issue.path.map(String)), message }]
}

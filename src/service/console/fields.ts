// Reads and checks the bodies and queries of the console's own page. All errors come at once, each at its field.
import { z } from 'zod'
import { EngineError } from '../../core/errors.ts'
import { pointer } from '../../core/pointer.ts'

/** A text without control characters, 1 to `most` characters; outer space is taken off. */
export function text(most: number) {
  return z
    .string('This is a text.')
    .trim()
    .min(1, 'This must not be empty.')
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
  return (input) => {
    const result = schema.safeParse(input ?? {})
    if (result.success) return result.data as z.output<z.ZodObject<S>>
    const problems = result.error.issues.map(({ path, message }) => ({ param: pointer('', ...path.map(String)), message }))
    const [first] = problems
    throw new EngineError('invalid_request', first!.message, { param: first!.param, problems })
  }
}

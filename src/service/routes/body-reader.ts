// A zod schema to the reader of a route's body: what is wrong comes out as one `invalid_request` with a problem for
// each field.
import type { z } from 'zod'
import { EngineError, type Problem } from '../../core/errors.ts'
import { MOST_FAULTS } from '../../core/limits.ts'
import { pointer } from '../../core/pointer.ts'
import { didYouMean } from '../../core/suggest.ts'
import { isObject } from '../../core/untrusted.ts'
import type { BodyReader } from './route.ts'

export interface BodyReaderOptions {
  readonly bytes: number
  /** The message when the body is no object. */
  readonly notAnObject: string
  /** An absent body, and null, is read as `{}`. Default false. */
  readonly isOptional?: boolean
  /**
   * `first`: problems of unknown fields stand before all others. `in order`: all problems stand in the order of the
   * body's fields.
   */
  readonly unknownFields?: 'first' | 'in order'
}

/** Reads objects with the fields of `schema` and no others. */
export function bodyReader<S extends z.ZodObject>(
  schema: S,
  { bytes, notAnObject, isOptional = false, unknownFields = 'first' }: BodyReaderOptions,
): BodyReader<z.output<S>> {
  const known = Object.keys(schema.shape)
  return {
    bytes,
    read(given) {
      const body = isOptional ? (given ?? {}) : given
      if (!isObject(body)) throw new EngineError('invalid_request', notAnObject, { param: '' })
      const result = schema.safeParse(body)
      const fields = Object.keys(body)
      // Zod has one issue for all unknown fields; here each is a problem of its own, with the names that look like it.
      const strange = fields.filter((field) => !known.includes(field)).slice(0, MOST_FAULTS)
      const unknown = strange.map((field) => unknownField(field, known))
      const found = [...unknown, ...(result.success ? [] : firstOfEachField(result.error.issues))]
      const problems = unknownFields === 'first' ? found : inOrder(found, fields)
      const [first] = problems
      if (first !== undefined) throw new EngineError('invalid_request', first.message, { param: first.param, problems })
      return result.data as z.output<S>
    },
  }
}

/** The problem of a field that is not known, with those that look like it, or all that are. */
export function unknownField(field: string, known: readonly string[]): Problem {
  const hint = didYouMean(field, known) || ` Known here: ${known.join(', ')}.`
  return { param: pointer('', field), message: `The field ${JSON.stringify(field.slice(0, 80))} is not known.${hint}` }
}

/** Zod checks the length of an array where a text was wanted, too: what is said first of a field is enough. */
function firstOfEachField(issues: readonly z.core.$ZodIssue[]): readonly Problem[] {
  const problems = new Map<string, Problem>()
  for (const { path, message } of issues) {
    const param = pointer('', ...path.map(String))
    if (!problems.has(param)) problems.set(param, { param, message })
  }
  return [...problems.values()]
}

function inOrder(problems: readonly Problem[], fields: readonly string[]): readonly Problem[] {
  const placeOf = new Map(fields.map((field, place) => [pointer('', field), place]))
  return [...problems].sort((a, b) => (placeOf.get(a.param) ?? 0) - (placeOf.get(b.param) ?? 0))
}

// JSON Schema (2020-12, as OpenAPI 3.1 has it) in few words. Requests are closed objects, as the service refuses
// unknown fields; replies are open.

export type Schema = Readonly<Record<string, unknown>>
export type Schemas = Readonly<Record<string, Schema>>

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** An object that takes these fields and no others; those named in `required` must be there. */
export function closed(description: string, required: readonly string[], properties: Schemas, more: Schema = {}): Schema {
  return { ...open(description, required, properties), additionalProperties: false, ...more }
}

/** An object with at least these fields. */
export function open(description: string, required: readonly string[], properties: Schemas): Schema {
  return { type: 'object', description, ...(required.length === 0 ? {} : { required }), properties }
}

/** A reply whose every field is always there, but for those named in `optional`. */
export function reply(description: string, properties: Schemas, optional: readonly string[] = []): Schema {
  return open(
    description,
    Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
  )
}

/** `additionalProperties`: any name. */
export function map(description: string, values: Schema, more: Schema = {}): Schema {
  return { type: 'object', description, additionalProperties: values, ...more }
}

export function list(description: string, items: Schema, more: Schema = {}): Schema {
  return { type: 'array', description, items, ...more }
}

export function said(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

export function oneOf(description: string, ...schemas: readonly Schema[]): Schema {
  return { description, oneOf: schemas }
}

export function nullable(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

export const STRING: Schema = { type: 'string' }
export const BOOLEAN: Schema = { type: 'boolean' }
/** A string with something in it besides white space. */
export const NAME: Schema = { type: 'string', pattern: '\\S' }
export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const NUMBER: Schema = { type: 'number' }
/** Probabilities are never 0 or 1: nothing is ruled out. */
export const PROBABILITY: Schema = { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }
/** Any JSON value. */
export const JSON_VALUE: Schema = ref('Json')

/** Options or fields that clients may send as null for absent. */
export function optional(schema: Schema): Schema {
  return 'type' in schema && typeof schema.type === 'string' && !('enum' in schema)
    ? { ...schema, type: [schema.type, 'null'] }
    : nullable(schema)
}

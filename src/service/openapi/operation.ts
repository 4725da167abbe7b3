// One operation of the OpenAPI document from what a route says of itself: its request, its replies and the statuses of
// its refusals.
import { errorResponses, headerRefs } from './errors.ts'
import type { Schema } from './schema.ts'

export interface Operation {
  /** The operationId: unique, and what generators name functions after. */
  readonly id: string
  readonly tag: 'Questions' | 'Calibration' | 'Service'
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Schema[]
  readonly request?: Schema
  /** Replies that are no refusals, by status. */
  readonly replies: Readonly<Record<number, OperationReply>>
  /** Statuses of its refusals. Null: it refuses nothing. */
  readonly errors: readonly number[] | null
}

export interface OperationReply {
  readonly description: string
  /** Content by media type. */
  readonly content: Schema
  /** Names of headers besides x-request-id and those of a key with a limit. */
  readonly headers?: readonly string[]
}

/** Statuses of refusals of small JSON bodies. */
export const SMALL_ERRORS: readonly number[] = [400, 401, 403, 404, 413, 415, 429, 500, 503]

/** On replies of routes that need a key, when the key has a limit. */
const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

export function json(schema: Schema, more: Schema = {}): Schema {
  return { 'application/json': { schema, ...more } }
}

/** Examples by their summaries. */
export function withExamples(examples: Readonly<Record<string, unknown>>): Schema {
  return { examples: Object.fromEntries(Object.entries(examples).map(([summary, value]) => [summary, { summary, value }])) }
}

/** A JSON body with examples. */
export function jsonBody(schema: Schema, required: boolean, examples: Readonly<Record<string, unknown>>): Schema {
  return { required, content: json(schema, withExamples(examples)) }
}

/** The operation as OpenAPI has it. */
export function operationObject(
  { id, tag, summary, description, parameters, request, replies, errors }: Operation,
  needsKey: boolean,
): Schema {
  const responses = Object.entries(replies).map(([status, { description, content, headers = [] }]) => {
    const names = ['x-request-id', ...headers, ...(needsKey ? LIMIT_HEADERS : [])]
    return [status, { description, headers: headerRefs(...names), content }] as const
  })
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(needsKey ? {} : { security: [] }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(request === undefined ? {} : { requestBody: request }),
    responses: { ...Object.fromEntries(responses), ...(errors === null ? {} : errorResponses(...errors)) },
  }
}

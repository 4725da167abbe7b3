// Every error code with its meaning, and one response for each status, which lists its codes. Codes and statuses come
// from the table that the service itself uses.
import { ERROR_CODES, SERVICE_ERROR_CODES, type WireErrorCode } from '../../core/errors.ts'
import { HTTP_STATUS } from '../errors.ts'
import { list, ref, reply, type Schema, type Schemas, STRING } from './schema.ts'

const CODES: readonly WireErrorCode[] = [...ERROR_CODES, ...SERVICE_ERROR_CODES]

/** What a client should know of each code. */
const MEANINGS: Readonly<Record<WireErrorCode, string>> = {
  invalid_json: 'The body is no JSON in UTF-8.',
  invalid_request: 'Something in the request has the wrong shape; `problems` lists all of it.',
  unknown_question_type: 'There is no such type of question.',
  invalid_question: 'A question is not right: a field, its options, the picture it names.',
  invalid_derive: 'An expression cannot be read, or names something that is not there.',
  invalid_image: 'A picture cannot be read or fetched.',
  invalid_video: 'The frames of a video are not right.',
  image_ambiguous: 'Coordinates were asked, and the state has several pictures; name one in `image`.',
  context_length_exceeded: 'State and question are longer than the model takes. Nothing is ever cut off silently.',
  missing_api_key: 'No key came; send `Authorization: Bearer service_sk_…`.',
  invalid_api_key: 'The key is not known or was revoked.',
  insufficient_balance: 'The credits do not cover the request.',
  permission_denied: 'The key may not do this; it lacks the scope.',
  not_found: 'There is no such route, or no such event of this account.',
  model_not_found: 'There is no such model.',
  model_not_available: 'The model is announced and not there yet.',
  method_not_allowed: 'The route takes another method; the header `Allow` says which.',
  idempotency_in_progress: 'A request with this Idempotency-Key is being answered; try again in a moment.',
  request_too_large: 'The body, or something in it, is larger than is taken; the message has both numbers.',
  image_too_large: 'A picture has too many bytes or pixels.',
  too_many_questions: 'More questions than a request takes.',
  unsupported_media_type: 'The content type of the body, or the format of a picture, is not read.',
  idempotency_mismatch: 'This Idempotency-Key was used for another body.',
  capability_not_supported: 'The model, or this version, cannot do what was asked.',
  rate_limited:
    'Too many requests or questions of this key, bodies of this account or connections of this address; `Retry-After` says when to come back.',
  internal_error: 'The service failed on this request.',
  overloaded: 'The queue is full, no server of the model answers, or the service is about to stop; `Retry-After` says when to come back.',
  model_loading: 'The model is being loaded; try again in a moment.',
  deadline_exceeded: 'There was no answer in time.',
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
  504: 'DeadlineExceeded',
}

/** Headers that any refusal may have: those of the route, and of a key with a limit. */
const SHARED_HEADERS = ['x-request-id', 'x-typesafe-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** Headers besides, by status. */
const HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  405: ['allow'],
  409: ['retry-after'],
  429: ['retry-after'],
  503: ['retry-after'],
}

const STATUSES: readonly number[] = [...new Set(Object.values(HTTP_STATUS))].sort((a, b) => a - b)

function codesOf(status: number): readonly WireErrorCode[] {
  return CODES.filter((code) => HTTP_STATUS[code] === status)
}

function nameOf(status: number): string {
  const name = NAMES[status]
  if (name === undefined) throw new TypeError(`The status ${status} has no name among the responses.`)
  return name
}

/** References to headers of components by their names. */
export function headerRefs(...names: readonly string[]): Schema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** References to the responses of these statuses, for an operation. */
export function errorResponses(...statuses: readonly number[]): Schema {
  const refs = statuses.map((status) => [String(status), { $ref: `#/components/responses/${nameOf(status)}` }])
  return { ...Object.fromEntries(refs), default: { $ref: '#/components/responses/AnyError' } }
}

function response(description: string, codes: readonly WireErrorCode[], headers: readonly string[]): Schema {
  const error = { properties: { error: { properties: { code: { enum: codes } } } } }
  const examples = codes.map((code) => {
    const body = { error: { code, message: MEANINGS[code].replaceAll('`', ''), param: null, request_id: 'evt_5f0c2a9d8e7b6a5f4c3d2e1f' } }
    return [code, { summary: MEANINGS[code], value: body }]
  })
  return {
    description,
    headers: headerRefs(...SHARED_HEADERS, ...headers),
    content: { 'application/json': { schema: { allOf: [ref('Error'), error] }, examples: Object.fromEntries(examples) } },
  }
}

export const errorComponents: Schemas = {
  ...Object.fromEntries(
    STATUSES.map((status) => {
      const codes = codesOf(status)
      const lines = codes.map((code) => `- \`${code}\`: ${MEANINGS[code]}`)
      return [nameOf(status), response(`Nothing is charged.\n\n${lines.join('\n')}`, codes, HEADERS[status] ?? [])]
    }),
  ),
  AnyError: {
    description:
      'Any other error, of a route or method that is not there above all (`not_found`, `method_not_allowed`). Nothing is charged.',
    headers: headerRefs(...SHARED_HEADERS, 'allow'),
    content: { 'application/json': { schema: ref('Error') } },
  },
}

export const errorSchemas: Schemas = {
  Error: reply('What went wrong. Never a path or a stack.', {
    error: reply(
      'One error; when several things are wrong with a request, its first.',
      {
        code: ref('ErrorCode'),
        message: { ...STRING, description: 'For people: with the numbers and the next step.' },
        param: { type: ['string', 'null'], description: 'JSON Pointer into the body as sent. Null when it is about no field.' },
        request_id: { type: 'string', pattern: '^evt_', description: 'The same as the header `x-request-id`.' },
        problems: list(
          'Everything that is wrong, when it is more than one thing; at most 20.',
          reply('One of them.', { param: STRING, message: STRING }),
          {
            minItems: 2,
          },
        ),
      },
      ['problems'],
    ),
  }),
  ErrorCode: {
    enum: CODES,
    description: CODES.map((code) => `- \`${code}\` (${HTTP_STATUS[code]}): ${MEANINGS[code]}`).join('\n'),
  },
}

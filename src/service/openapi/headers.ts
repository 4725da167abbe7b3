// Headers of replies, and the request header that names a request for retries.
import { COUNT, NAME, NUMBER, type Schema, type Schemas, STRING } from './schema.ts'

function header(description: string, schema: Schema, more: Schema = {}): Schema {
  return { description, schema, ...more }
}

const DOLLARS: Schema = { type: 'string', pattern: '^-?\\d+\\.\\d{9}$' }

export const headers: Schemas = {
  'x-request-id': header('Names the request; on every reply. The `id` of a response.', NAME, { required: true }),
  'x-service-cost-usd': header('What the answer cost, US dollars with nine fractional digits.', DOLLARS, { required: true }),
  'x-service-balance-usd': header('What is left after it.', DOLLARS, { required: true }),
  'x-service-latency-ms': header('Milliseconds from the request to its reply.', COUNT, { required: true }),
  'x-service-idempotent-replayed': header('`true`: this is the stored reply to an earlier request; nothing was charged now.', {
    const: 'true',
  }),
  'x-typesafe-request-id': header(
    'For clients of the System One wire only: the same as `x-request-id`, where clients of that wire look for it.',
    NAME,
  ),
  'retry-after': header('Whole seconds until it is worth trying again.', { type: 'integer', minimum: 0 }),
  'x-ratelimit-limit': header('Requests a minute that this key has.', COUNT),
  'x-ratelimit-remaining': header('What is left of them.', COUNT),
  'x-ratelimit-reset': header('Seconds until there is more.', NUMBER),
  'www-authenticate': header('`Bearer`.', STRING),
  allow: header('Methods that the route takes.', STRING),
}

export const parameters: Schemas = {
  'idempotency-key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      '1 to 255 visible ASCII characters, kept 24 hours for each key. A retry with the same one and the same body is answered with the stored reply, and charged once.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
}

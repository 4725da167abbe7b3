// The routes that ask questions: one handler behind three dialects. Refusals happen before the body is read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Admission, answerAdmitted, letIn } from '../admitted.ts'
import { mediaKind, requireLength } from '../body.ts'
import type { ServiceContext } from '../context.ts'
import { requireCredit } from '../credit.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { ServiceRefusal } from '../errors.ts'
import { isNothingFree } from '../models.ts'
import { json, withExamples } from '../openapi/operation.ts'
import { ref, type Schema, type Schemas } from '../openapi/schema.ts'
import { defineRoute, type Route } from './route.ts'

export interface AskingRoute {
  readonly path: string
  /** The wire of a request, by its headers where the route has several. */
  readonly dialect: Dialect | ((asked: FastifyRequest['headers']) => Dialect)
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** Names of component schemas. */
  readonly request: string
  readonly response: string
  readonly schemas: Schemas
  /** Requests as JSON by their summaries. */
  readonly examples: Readonly<Record<string, unknown>>
  /** The multipart/form-data body. */
  readonly form: Schema
  /** Parameters besides those of every asking route. */
  readonly parameters?: readonly Schema[]
  /** Names of headers of the answer besides those of every answer. */
  readonly headers?: readonly string[]
}

/** What can happen to a question before and while it is answered. */
const ERRORS = [400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 500, 503, 504]
const CHARGE_HEADERS = ['x-service-cost-usd', 'x-service-balance-usd', 'x-service-latency-ms', 'x-service-idempotent-replayed']

/** A form whose field `request` is the JSON of the request. */
export function requestForm(schema: Schema, example: Readonly<Record<string, unknown>>): Schema {
  return { schema, encoding: { request: { contentType: 'application/json' } }, example }
}

export function askingRoute({ path, dialect, headers = [], parameters = [], ...described }: AskingRoute): Route {
  const dialectOf = typeof dialect === 'function' ? dialect : () => dialect
  const { operationId, summary, description, request, response, schemas, examples, form } = described
  return defineRoute({
    method: 'POST',
    path,
    access: 'ask',
    body: 'streamed',
    schemas,
    operation: {
      id: operationId,
      tag: 'Questions',
      summary,
      description,
      parameters: [{ $ref: '#/components/parameters/idempotency-key' }, ...parameters],
      request: { required: true, content: { ...json(ref(request), withExamples(examples)), 'multipart/form-data': form } },
      replies: { 200: { description: 'The answers.', content: json(ref(response)), headers: [...CHARGE_HEADERS, ...headers] } },
      errors: ERRORS,
    },
    // Refusals have them too: clients name the request in their errors by them.
    headers: (requestId, asked) => dialectOf(asked).headers?.(requestId) ?? {},
    open(context) {
      const admissions = new WeakMap<FastifyRequest, Admission>()
      return {
        async admit(request, reply) {
          admissions.set(request, await admit(request, reply, context))
        },
        answer: ({ request, reply }) => answerAdmitted(request, reply, admissions.get(request)!, dialectOf(request.headers), context),
      }
    },
  })
}

async function admit(request: FastifyRequest, reply: FastifyReply, { engine, store, settings, queue }: ServiceContext): Promise<Admission> {
  const { headers, principal } = request
  requireLength(headers, settings.bodyBytes)
  const kind = mediaKind(headers)
  const idempotencyKey = readIdempotencyKey(headers['idempotency-key'])
  // A retry of an answered request costs nothing, so with an idempotency key the balance is looked at later.
  const models = engine.models().filter(({ available }) => available)
  if (idempotencyKey === null && isNothingFree(settings.prices, models)) await requireCredit(store, principal!.account)
  return { kind, idempotencyKey, principal: principal!, ...letIn(queue, principal!.account, reply) }
}

/** Throws `invalid_request`. */
function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const key = Array.isArray(header) ? header.join(', ') : header
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  const wrong = key.length < 1 || key.length > 255 ? `${key.length} characters` : 'a space or another character'
  const message = `The Idempotency-Key is 1 to 255 visible ASCII characters without spaces, received ${wrong}.`
  throw new ServiceRefusal('invalid_request', message)
}

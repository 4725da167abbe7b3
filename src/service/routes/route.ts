// What a route of the service is: one file that says where it is, who may call it, what it takes and how it is
// described. `index.ts` lists them.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceContext } from '../context.ts'
import type { Operation } from '../openapi/operation.ts'
import type { Schemas } from '../openapi/schema.ts'
import type { ServiceSettings } from '../settings.ts'
import type { Scope } from '../store/store.ts'

/** A body that was parsed as JSON and read by the route's schema, and what fastify has of the request. */
export interface RouteCall<B> {
  readonly body: B
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** A route at work in one service. */
export interface RouteHandlers<B> {
  /** Runs once the caller is known to have access, before a body is read. What it throws is the reply. */
  admit?(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Gives the body of the reply, or sends it and gives `reply`. */
  answer(call: RouteCall<B>): unknown
}

/** How the body of a route is read and checked. */
export interface BodyReader<B> {
  /** Most bytes that are read. */
  readonly bytes: number
  /** Reads parsed JSON; undefined when there is no body. Throws `invalid_request` with everything that is wrong. */
  read(body: unknown): B
}

export interface Route<B = unknown> {
  readonly method: 'GET' | 'POST'
  /** The path, without parameters. `{legacyName}` stands for the setting of that name. */
  readonly path: string
  /** Who may call it: everyone, also without a key; every key; or the keys that have this scope. */
  readonly access: 'everyone' | 'every key' | Scope
  /** `streamed`: the route reads its body itself, by `readBody`. Null: it takes none. */
  readonly body: BodyReader<B> | 'streamed' | null
  readonly operation: Operation
  /** Schemas that the operation refers to, for the components of the OpenAPI document. */
  readonly schemas: Schemas
  /** Also served while the service ends. Default false. */
  readonly isServedToTheEnd?: boolean
  /** Asked by machines every few seconds, so its successes are logged as `debug`. Default false. */
  readonly isProbed?: boolean
  /** Whether a service with these settings has the route. Default: it has. */
  isServed?(settings: ServiceSettings): boolean
  /** Headers of every reply, refusals included. `asked`: those of the request. */
  headers?(requestId: string, asked: FastifyRequest['headers']): Readonly<Record<string, string>>
  /** Called once for each service. */
  open(context: ServiceContext): RouteHandlers<B>
}

/** The route as it is, with the type of its body inferred. */
export function defineRoute<B>(route: Route<B>): Route {
  // The registry calls `answer` with what the route's own reader read, so `B` is consistent within one route.
  return route as Route<unknown>
}

/** The path of a route in a service. */
export function pathOf({ path }: Pick<Route, 'path'>, { legacyName }: Pick<ServiceSettings, 'legacyName'>): string {
  return path.replace('{legacyName}', legacyName)
}

// What the rooms of a service hand each other: who asks, a call and its reply, and the parts every route leans on.
import type { EngineCore } from '../pipeline/engine.ts'
import type { QueueSlot } from './admission-queue.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { ServiceSettings } from './settings.ts'
import type { ApiKey, Store } from './store/store.ts'

/** Who asks, and who pays. `key` is null for the console. */
export interface Principal {
  readonly account: string
  readonly key: ApiKey | null
}

/** One request whose body has come in. */
export interface Call {
  /** `evt_…`: x-request-id, and the id of the response. */
  readonly id: string
  readonly principal: Principal
  readonly dialect: Dialect
  /** Parsed JSON, doubted by nobody yet. */
  readonly body: unknown
  /** Files of a multipart request, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Hex SHA-256 of what was asked: the same for the same question, whatever its multipart boundary. */
  readonly bodyHash: string
  readonly idempotencyKey: string | null
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
  /** `performance.now()` when the request came in; deadline and latency count from here. */
  readonly receivedAt: number
}

/** A reply, ready to be written. `body` is JSON text. */
export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Answers calls: translate, claim, wait for a turn, ask, settle, say. Never throws: what goes wrong is a reply, and nothing was charged then.
 * `place`: the one taken in the line before the body was read, given back here; without one, one is taken.
 */
export interface Answerer {
  answer(call: Call, slot?: QueueSlot): Promise<HttpReply>
  /** Requests that run or wait now. */
  readonly load: { readonly running: number; readonly waiting: number }
}

/** Structured lines. Never states, answers, keys or tokens. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** One finished HTTP request, for the numbers. `route` is the pattern, never the URL. */
export interface FinishedRequest {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly code: string | null
  readonly latencyMs: number
}

/** One answer of the engine, for the numbers. */
export interface AnsweredRequest {
  readonly model: string
  readonly dialect: string
  readonly questions: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly deliberated: number
  readonly askMs: number
  readonly waitMs: number
}

export interface Metrics {
  finished(request: FinishedRequest): void
  answered(answer: AnsweredRequest): void
  /** Read when the numbers are asked for: what runs and waits, and what the caches of the models did. */
  watch(load: () => Answerer['load'], caches: EngineCore['caches']): void
  /** The text Prometheus reads, and its content type. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>
}

/** What every route leans on. */
export interface ServiceContext {
  readonly engine: EngineCore
  readonly store: Store
  readonly settings: ServiceSettings
  readonly log: Log
  readonly metrics: Metrics
  readonly answerer: Answerer
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number
}

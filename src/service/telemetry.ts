// What a service tells about itself: log lines and numbers. The interfaces that the rest of the service writes to.
import type { EngineCore } from '../pipeline/engine.ts'
import type { StageReport } from '../wire/types.ts'

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
  /** Of a chain. */
  readonly stages: readonly StageReport[]
}

export interface Metrics {
  finished(request: FinishedRequest): void
  answered(answer: AnsweredRequest): void
  /** Read when the numbers are asked for: what runs and waits, and what the caches of the models did. */
  watch(load: () => { readonly running: number; readonly waiting: number }, caches: EngineCore['caches']): void
  /** The text Prometheus reads, and its content type. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>
}

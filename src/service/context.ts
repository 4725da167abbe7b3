// What the files of a service share: who asks, a call and its reply, and the context that every route gets.
import type { EngineCore } from '../pipeline/engine.ts'
import type { AdmissionQueue, QueueSlot } from './admission-queue.ts'
import type { ServiceAliases } from './aliases.ts'
import type { BodyMemory } from './body.ts'
import type { ServiceCalibrations } from './calibration/index.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { RateLimits } from './rate-limits.ts'
import type { ServiceSettings } from './settings.ts'
import type { ApiKey, Store } from './store/store.ts'
import type { Log, Metrics } from './telemetry.ts'

/** Who asks, and who pays. `key` is null for the console. */
export interface Principal {
  readonly account: string
  readonly key: ApiKey | null
}

/** One request whose body has been read. */
export interface Call {
  /** `evt_…`: the header x-request-id, and the id of the response. */
  readonly id: string
  readonly principal: Principal
  readonly dialect: Dialect
  /** Parsed JSON; nothing of it has been checked yet. */
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
 * Answers calls: translate, claim, wait for a turn, ask, settle, reply. Never throws: an error is a reply too, and then
 * nothing was charged. `slot`: the one taken in the admission queue, which is given back here.
 */
export interface Answerer {
  answer(call: Call, slot: QueueSlot): Promise<HttpReply>
  /** Requests that run or wait now. */
  readonly load: { readonly running: number; readonly waiting: number }
}

/** Whether a service is about to end. */
export interface ServiceState {
  /** Takes no new requests. */
  isDraining: boolean
  /** Requests whose replies have not been sent to their end. */
  open: number
}

/** What every route gets. */
export interface ServiceContext {
  readonly engine: EngineCore
  readonly store: Store
  readonly settings: ServiceSettings
  readonly log: Log
  readonly metrics: Metrics
  readonly answerer: Answerer
  readonly queue: AdmissionQueue
  readonly rates: RateLimits
  /** Bounds the memory of all bodies that the routes hold at the same time. */
  readonly bodies: BodyMemory
  readonly calibrations: ServiceCalibrations
  /** What names of models stand for now. */
  readonly aliases: ServiceAliases
  readonly state: Readonly<ServiceState>
  /** The OpenAPI document of this service, as JSON text. */
  readonly openApi: string
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number
}

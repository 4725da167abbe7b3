// A service that runs for one test: on a free port, over the fake model and a store in memory, with a key that may do
// everything.
import { createFakeBackend, type FakeOptions } from '../../src/backends/fake/index.ts'
import type { EngineOptions } from '../../src/pipeline/asking/options.ts'
import { createEngine, type EngineCore } from '../../src/pipeline/engine.ts'
import type { Route } from '../../src/service/routes/route.ts'
import { createService, type Service } from '../../src/service/service.ts'
import { DEFAULT_SETTINGS, requestLimits, type ServiceSettings } from '../../src/service/settings.ts'
import { openStore } from '../../src/service/store/open.ts'
import { type ApiKey, SCOPES, type Scope, type Store } from '../../src/service/store/store.ts'
import type { FinishedRequest, Log, Metrics } from '../../src/service/telemetry.ts'

export interface RunningOptions {
  readonly settings?: Partial<ServiceSettings>
  /** Of the fake model, which is called `service-1-pro` unless this says otherwise. */
  readonly fake?: FakeOptions
  /** In place of the fake model. */
  readonly models?: EngineOptions['models']
  /** In place of one in memory; it is not closed then. */
  readonly store?: Store
  readonly now?: () => number
  /** Served beside the service's own. */
  readonly moreRoutes?: readonly Route[]
  readonly calibrationLookMs?: number
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
}

/** A reply; its JSON is what a test expects of it, and the test fails where it is not. */
export type Wire = Omit<Response, 'json'> & {
  // biome-ignore lint/suspicious/noExplicitAny: a wire has no types
  json(): Promise<any>
}

export interface Running {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly service: Service
  readonly engine: EngineCore
  readonly store: Store
  /** A key of the account `main` with every scope, and its secret. */
  readonly key: ApiKey
  readonly secret: string
  /** Lines that were logged, and requests that were counted, in order. */
  readonly log: readonly LogLine[]
  readonly finished: readonly FinishedRequest[]
  /** Another key. */
  newKey(options?: { account?: string; scopes?: readonly Scope[]; requestsPerMinute?: number }): Promise<{ key: ApiKey; secret: string }>
  /** POSTs JSON with the key; `init` goes over it. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Wire>
  /** POSTs to /v1/ask. */
  ask(body: unknown, init?: RequestInit): Promise<Wire>
  end(): Promise<void>
}

/** A request that the fake model answers. */
export const QUESTION = { state: 'The parcel came today.', questions: { here: { type: 'noul', instructions: 'Is it here?' } } }

export async function startRunning(options: RunningOptions = {}): Promise<Running> {
  const settings: ServiceSettings = { ...DEFAULT_SETTINGS, console: false, ...options.settings, host: '127.0.0.1', port: 0 }
  const engine = await createEngine({
    models: options.models ?? [createFakeBackend({ id: 'service-1-pro', ...options.fake })],
    limits: requestLimits(settings),
    announced: settings.announcedModels,
  })
  const store = options.store ?? (await openStore(':memory:', options.now === undefined ? {} : { now: options.now }))
  const log: LogLine[] = []
  const finished: FinishedRequest[] = []
  const service = await createService({
    engine,
    store,
    settings,
    log: logInto(log),
    metrics: metricsInto(finished),
    moreRoutes: options.moreRoutes ?? [],
    ...(options.calibrationLookMs === undefined ? {} : { calibrationLookMs: options.calibrationLookMs }),
    ...(options.now === undefined ? {} : { now: options.now }),
  })
  const { url } = await service.listen()
  const newKey: Running['newKey'] = ({ account = 'main', scopes = SCOPES, requestsPerMinute = null } = {}) =>
    store.keys.create({ account, name: `of ${account}`, scopes, requestsPerMinute })
  const { key, secret } = await newKey()
  const post: Running['post'] = (path, body, { headers, ...init } = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...(headers as Record<string, string>) },
      ...init,
    })
  return {
    url,
    service,
    engine,
    store,
    key,
    secret,
    log,
    finished,
    newKey,
    post,
    ask: (body, init) => post('/v1/ask', body, init),
    async end() {
      await service.drain()
      await engine.close()
      if (options.store === undefined) await store.close()
    },
  }
}

function logInto(lines: LogLine[]): Log {
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message })
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function metricsInto(finished: FinishedRequest[]): Metrics {
  return {
    finished: (request) => finished.push(request),
    answered() {},
    watch() {},
    text: async () => ({ contentType: 'text/plain', body: '' }),
  }
}

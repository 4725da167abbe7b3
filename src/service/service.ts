// Puts the service together: an engine, a store and settings become an app that listens, and that ends without losing
// an answer.

import { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { within } from '../core/deadline.ts'
import type { EngineCore } from '../pipeline/engine.ts'
import { createAdmissionQueue } from './admission-queue.ts'
import { createAliases } from './aliases.ts'
import { createAnswerer } from './answer.ts'
import { createApp } from './app.ts'
import { createBodyMemory } from './body.ts'
import { createAnswering } from './calibration/answering.ts'
import { createServiceCalibrations } from './calibration/index.ts'
import { registerConsole } from './console/index.ts'
import type { ServiceContext, ServiceState } from './context.ts'
import { ServiceRefusal } from './errors.ts'
import { openApiDocument } from './openapi/document.ts'
import { createRateLimits } from './rate-limits.ts'
import { createRecentTurns } from './recent-turns.ts'
import { ROUTES } from './routes/index.ts'
import { registerRoutes } from './routes/register.ts'
import type { Route } from './routes/route.ts'
import type { ServiceSettings } from './settings.ts'
import type { Store } from './store/store.ts'
import type { Log, Metrics } from './telemetry.ts'
import { type TlsPair, watchConnections } from './tls.ts'

export interface ServiceOptions {
  /** Made with the limits of the settings. The caller closes it, and the store, after `drain`. */
  readonly engine: EngineCore
  readonly store: Store
  readonly settings: ServiceSettings
  readonly log: Log
  readonly metrics: Metrics
  /** Speaks https with it; default: http. */
  readonly tls?: TlsPair | null
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
  /** Served beside the service's own routes. */
  readonly moreRoutes?: readonly Route[]
  /** Time between two looks for calibrations and aliases that other replicas changed; default 5000. */
  readonly calibrationLookMs?: number
}

export interface Service {
  readonly app: FastifyInstance
  readonly context: ServiceContext
  /** Listens on `settings.host` and `settings.port`; gives the URL with the port it got. */
  listen(): Promise<{ readonly url: string }>
  /** New connections get this certificate. Only where the service was made with one. */
  renewTls(tls: TlsPair): void
  /**
   * Refuses new requests (503), waits for those in the queue, at most `settings.drainMs`, and closes. What runs longer
   * gets `overloaded` and is not charged. Calling it again has no effect.
   */
  drain(): Promise<void>
}

/** Memory for all incoming bodies, as a multiple of the largest body. */
const LARGEST_BODIES = 8
/** How long replies that were written may take to reach slow readers. */
const FLUSH_MS = 2000
const SWEEP_MS = 20

export async function createService({
  moreRoutes = [],
  now = Date.now,
  tls = null,
  calibrationLookMs = 5000,
  ...given
}: ServiceOptions): Promise<Service> {
  const { engine, store, settings, log, metrics } = given
  const state: ServiceState = { isDraining: false, open: 0 }
  const recentTurns = store.recentTurns === null ? null : createRecentTurns({ table: store.recentTurns, log })
  const queue = createAdmissionQueue(settings, recentTurns)
  const answering = createAnswering({ engine, store, log, now, everyMs: calibrationLookMs })
  const rates = createRateLimits(store, settings, now)
  const aliases = createAliases({ engine, store, settings, log, now, everyMs: calibrationLookMs })
  const answerer = createAnswerer({ engine, store, settings, log, metrics, queue, rates, answering, aliases, now })
  const calibrations = createServiceCalibrations({ engine, store, answering, settings, log, now })
  const bodies = createBodyMemory(settings.bodyBytes * LARGEST_BODIES)
  const routes = [...ROUTES, ...moreRoutes]
  const openApi = JSON.stringify(openApiDocument(settings.legacyName, routes))
  const context: ServiceContext = {
    engine,
    store,
    settings,
    log,
    metrics,
    answerer,
    queue,
    rates,
    bodies,
    calibrations,
    aliases,
    state,
    openApi,
    now,
  }
  metrics.watch(
    () => answerer.load,
    () => engine.caches(),
  )

  const app = await createApp(context, state, tls)
  const destroyConnections = tls === null ? () => {} : watchConnections(app.server)
  await registerRoutes(app, context, routes)
  if (settings.console) await registerConsole(app, context)
  // A fit is not waited for; what it holds must be let go of while the store is still open.
  app.addHook('preClose', async () => calibrations.stop())
  app.addHook('preClose', async () => recentTurns?.stop())

  async function drain(): Promise<void> {
    state.isDraining = true
    if (!(await within(settings.drainMs, queue.empty()))) {
      log.warn({ ...answerer.load }, 'requests still run at the end of the drain; they are stopped, and not charged')
      answerer.stopAll(new ServiceRefusal('overloaded', 'The service is shutting down; nothing was charged. Try again after Retry-After.'))
    }
    const closed = app.close()
    // No one else closes connections without a request, or with a body that is still being dropped.
    const sweep = setInterval(() => {
      if (state.open > 0) return
      app.server.closeAllConnections()
      destroyConnections()
    }, SWEEP_MS)
    if (!(await within(FLUSH_MS, closed))) {
      app.server.closeAllConnections()
      destroyConnections()
    }
    await closed
    clearInterval(sweep)
  }

  let draining: Promise<void> | null = null
  return {
    app,
    context,
    async listen() {
      await app.listen({ host: settings.host, port: settings.port })
      const { address, family, port } = app.server.address() as AddressInfo
      return { url: `${tls === null ? 'http' : 'https'}://${family === 'IPv6' ? `[${address}]` : address}:${port}` }
    },
    renewTls(renewed) {
      if (app.server instanceof HttpsServer) app.server.setSecureContext(renewed)
    },
    drain() {
      draining ??= drain()
      return draining
    },
  }
}

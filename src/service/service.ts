// The whole service put together: an engine, a store and settings to an app that listens, and that ends without losing an answer.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { EngineCore } from '../pipeline/engine.ts'
import { createAdmissionQueue } from './admission-queue.ts'
import { createAnswerer } from './answer.ts'
import { type AppState, createApp } from './app.ts'
import { registerConsole } from './console/index.ts'
import type { Log, Metrics, ServiceContext } from './context.ts'
import { ServiceRefusal } from './errors.ts'
import { askRoutes } from './routes/ask.ts'
import { calibrationRoutes } from './routes/calibration.ts'
import { healthRoute } from './routes/health.ts'
import { metricsRoute } from './routes/metrics.ts'
import { modelsRoute } from './routes/models.ts'
import { openApiRoute } from './routes/openapi.ts'
import { outcomesRoute } from './routes/outcomes.ts'
import type { ServiceSettings } from './settings.ts'
import type { Store } from './store/store.ts'
import { within } from './within.ts'

export interface ServiceOptions {
  /** Made with the limits of the settings. It and the store stay the caller's, to be closed after `drain`. */
  readonly engine: EngineCore
  readonly store: Store
  readonly settings: ServiceSettings
  readonly log: Log
  readonly metrics: Metrics
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
}

export interface Service {
  readonly app: FastifyInstance
  readonly context: ServiceContext
  /** Listens on `settings.host` and `settings.port`; gives the URL with the port it got. */
  listen(): Promise<{ readonly url: string }>
  /**
   * Refuses new requests (503), waits for those that are in the line, at most `settings.drainMs`, and closes. What runs longer is told `overloaded`
   * and not charged. Twice is once.
   */
  drain(): Promise<void>
}

/** How long replies that were written may take to reach slow readers. */
const FLUSH_MS = 2000
const SWEEP_MS = 20

export async function createService({ engine, store, settings, log, metrics, now = Date.now }: ServiceOptions): Promise<Service> {
  const state: AppState = { isDraining: false, open: 0 }
  const queue = createAdmissionQueue(settings)
  const answerer = createAnswerer({ engine, store, settings, log, metrics, queue, now })
  const context: ServiceContext = { engine, store, settings, log, metrics, answerer, now }
  metrics.watch(
    () => answerer.load,
    () => engine.caches(),
  )

  const app = await createApp(context, state)
  await askRoutes(app, context, queue)
  modelsRoute(app, context)
  healthRoute(app, context, state)
  outcomesRoute(app, context)
  calibrationRoutes(app, context)
  metricsRoute(app, context)
  openApiRoute(app, context)
  if (settings.console) await registerConsole(app, context, queue)

  async function drain(): Promise<void> {
    state.isDraining = true
    if (!(await within(settings.drainMs, queue.empty()))) {
      log.warn({ ...answerer.load }, 'requests still run at the end of the drain; they are stopped, and not charged')
      answerer.stopAll(new ServiceRefusal('overloaded', 'The service is shutting down; nothing was charged. Try again after Retry-After.'))
    }
    const closed = app.close()
    // Connections that never asked anything, or whose last request is still running out, are nobody else's to close.
    const sweep = setInterval(() => {
      if (state.open === 0) app.server.closeAllConnections()
    }, SWEEP_MS)
    if (!(await within(FLUSH_MS, closed))) app.server.closeAllConnections()
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
      return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}` }
    },
    drain() {
      draining ??= drain()
      return draining
    },
  }
}

// Starts a service from settings and models, and ends it: everything admitted is answered before the engine and the
// store are closed.

import { createServer } from 'node:net'
import type { Backend } from '../backends/backend.ts'
import { within } from '../core/deadline.ts'
import type { ModelChain } from '../pipeline/chain.ts'
import { loadParser } from '../pipeline/derive/read-expression.ts'
import { createEngine, type EngineCore } from '../pipeline/engine.ts'
import type { ModelSource } from '../pipeline/models.ts'
import { createMetrics } from '../service/metrics.ts'
import { startPurging } from '../service/purge.ts'
import { SettingsError } from '../service/read-settings.ts'
import { createService } from '../service/service.ts'
import { requestLimits, type ServiceSettings } from '../service/settings.ts'
import { openStore } from '../service/store/open.ts'
import type { Store } from '../service/store/store.ts'
import type { Log } from '../service/telemetry.ts'
import { readTls } from '../service/tls.ts'
import { UsageError } from './exit-codes.ts'
import { aboutDatabase } from './open-service-store.ts'

export interface RunServiceOptions {
  readonly settings: ServiceSettings
  readonly models: readonly (ModelSource | ModelChain)[]
  readonly log: Log
}

export interface RunningService {
  /** Where it listens: `http://127.0.0.1:8080`, or `https://…` with a certificate. */
  readonly url: string
  readonly store: Store
  readonly models: readonly string[]
  /**
   * Reads certificate and key again, for new connections; absent without TLS. Throws `UsageError`, and keeps the old
   * ones, when they cannot be used.
   */
  readonly renewTls?: () => Promise<void>
  /**
   * Stops accepting, answers what was admitted (for `drainMs` at most), closes. False when a model is still running an
   * abandoned request: the process should end without waiting for it.
   */
  end(): Promise<boolean>
}

/** An abandoned request runs until its current model call ends, which takes up to seconds. */
const CLOSE_MS = 5000

/**
 * Starts a service. What it opened is closed again when something fails. Throws `UsageError` when a setting names
 * something that cannot be used.
 */
export async function runService({ settings, models, log }: RunServiceOptions): Promise<RunningService> {
  // Before the models, which take seconds.
  const tls = await readTls(settings).catch(aboutTls)
  await tryListening(settings).catch((error: unknown) => aboutListening(error, settings))
  const opened: (() => Promise<unknown>)[] = []
  try {
    // The slow ones side by side: weights from disk, and a database that may be far away.
    const loading = loadEngine(
      models.map((model) => ('stages' in model ? model : telling(model, log))),
      settings,
    )
    opened.push(() => loading.then((engine) => engine.close()))
    const { keepsFeatures, keepMs, survivesPowerLoss, databaseConnections: poolSize } = settings
    const storing = openStore(settings.databaseUrl, { keepsFeatures, keepMs, survivesPowerLoss, poolSize }).catch(aboutDatabase)
    opened.push(() => storing.then((store) => store.close()))
    // Expressions too: the first request that derives something would hold up all others while their library loads.
    const [engine, store] = await Promise.all([loading, storing, loadParser()])

    const purging = startPurging(store, settings, log)
    opened.push(() => purging.stop())
    const service = await createService({ engine, store, settings, log, metrics: createMetrics(), tls })
    const { url } = await service.listen().catch((error: unknown) => aboutListening(error, settings))
    return {
      url,
      store,
      models: engine.models().flatMap(({ id, available }) => (available ? [id] : [])),
      ...(tls === null ? {} : { renewTls: async () => service.renewTls((await readTls(settings).catch(aboutTls)) ?? tls) }),
      async end() {
        await service.drain()
        return within(CLOSE_MS, closeAll(opened))
      },
    }
  } catch (error) {
    await closeAll(opened).catch(() => {})
    throw error
  }
}

/** The same source; the log hears when it is loaded, on which device, and why not on the one that was asked for. */
function telling(source: ModelSource, log: Log): ModelSource {
  return {
    ...source,
    async load() {
      const backend = await source.load()
      const { id, device } = backend.info
      if (device?.reason === undefined) log.info({ model: id, ...(device && { device: device.name }) }, 'a model is loaded')
      else log.warn({ model: id, device: device.name, why: device.reason }, 'a model runs on another device than was asked for')
      return backend
    },
  }
}

async function loadEngine(given: readonly (ModelSource | ModelChain)[], settings: ServiceSettings): Promise<EngineCore> {
  const chains = given.flatMap((one) => ('stages' in one ? [one] : []))
  const sources = given.flatMap((one) => ('stages' in one ? [] : [one]))
  const { modelBytes, modelIdleMs } = settings
  const shared = {
    deadlineMs: settings.deadlineMs,
    limits: requestLimits(settings),
    announced: settings.announcedModels,
  }
  if (modelBytes !== null || modelIdleMs !== null) {
    // Loaded when they are asked: what is let go would have to be loaded again anyway.
    const residing = { ...(modelBytes === null ? {} : { modelBytes }), ...(modelIdleMs === null ? {} : { modelIdleMs }) }
    return createEngine({ ...shared, ...residing, models: given })
  }
  const loaded = await Promise.allSettled(sources.map((source) => source.load()))
  const backends = loaded.flatMap((result): Backend[] => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = loaded.find((result) => result.status === 'rejected')
  if (failed !== undefined) {
    await Promise.allSettled(backends.map((backend) => backend.close()))
    throw failed.reason
  }
  // Calibrations come with each request: they are the account's.
  return createEngine({
    ...shared,
    models: [...backends, ...chains],
  })
}

/** The last opened first. Throws the first failure when all was tried. */
async function closeAll(opened: readonly (() => Promise<unknown>)[]): Promise<void> {
  let failure: { readonly error: unknown } | null = null
  for (const close of [...opened].reverse()) {
    await close().catch((error: unknown) => {
      failure ??= { error }
    })
  }
  if (failure !== null) throw (failure as { readonly error: unknown }).error
}

function aboutTls(error: unknown): never {
  throw error instanceof SettingsError ? new UsageError(error.problems.join('; ')) : error
}

/** Throws what listening would. The port is free again afterwards. */
async function tryListening({ host, port }: ServiceSettings): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}

function aboutListening(error: unknown, { host, port }: ServiceSettings): never {
  const code = (error as NodeJS.ErrnoException).code
  const where = `${host}:${port}`
  if (code === 'EADDRINUSE')
    throw new UsageError(`${where} is in use; stop what listens there, or give another --port (0 for any free one)`)
  if (code === 'EACCES') throw new UsageError(`${where} may not be listened on by this user; give a --port from 1024 on`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new UsageError(`${host} is no address of this machine; give another --host`)
  throw error
}

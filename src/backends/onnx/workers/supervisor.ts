// Supervises a model worker: one that has ended by itself (out of memory, say) is restarted with the next request.
import { EngineError } from '../../../core/errors.ts'
import type { Backend, CachesOfBackend } from '../../backend.ts'

/** A backend in a worker, which can end before it is closed. */
export interface RestartableBackend extends Backend {
  readonly isAlive: () => boolean
}

/**
 * Calls that were under way when a worker ended fail, and so do the states it held; states opened from then on are
 * opened by the next worker. Throws what `start` throws, and `model_not_available` when the files have changed: answers
 * and calibration are bound to those that were loaded.
 */
export async function superviseBackend(start: () => Promise<RestartableBackend>): Promise<Backend> {
  let current = await start()
  const { info } = current
  let starting: Promise<RestartableBackend> | null = null
  let isClosed = false

  async function startAgain(): Promise<RestartableBackend> {
    const next = await start()
    const isOther = next.info.revision !== info.revision || next.info.templateHash !== info.templateHash
    if (isOther || isClosed) {
      await next.close()
      const why = isClosed ? 'was closed' : 'has other files than when it was loaded'
      throw new EngineError('model_not_available', `the model ${info.id} ${why}; load it again`)
    }
    current = next
    return next
  }

  /** The running worker, restarted if need be; a closed one refuses by itself. */
  async function running(): Promise<RestartableBackend> {
    if (isClosed || current.isAlive()) return current
    starting ??= startAgain().finally(() => {
      starting = null
    })
    return starting
  }

  return {
    info,
    open: async (prompt, signal) => (await running()).open(prompt, signal),
    // A restarted worker loads the same model, so it has caches exactly if the first one had.
    ...(current.caches !== undefined && { caches: () => current.caches?.() as CachesOfBackend }),
    async close() {
      isClosed = true
      await starting?.catch(() => {})
      await current.close()
    },
  }
}

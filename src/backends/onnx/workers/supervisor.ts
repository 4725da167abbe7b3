// A model that outlives its worker: one that has ended by itself (out of memory, say) is started again with the next request.
import { EngineError } from '../../../core/errors.ts'
import type { Backend, CachesOfBackend } from '../../backend.ts'

/** A backend that can end before it is closed, as a worker can. */
export interface Mortal extends Backend {
  readonly isAlive: () => boolean
}

/**
 * What was under way when a worker ended fails, and so do the states it held; what is opened from then on is opened by the next one. Throws what `start`
 * throws, and `model_not_available` when the files are other ones by then: answers and calibration are bound to those that were loaded.
 */
export async function makeLasting(start: () => Promise<Mortal>): Promise<Backend> {
  let current = await start()
  const { info } = current
  let starting: Promise<Mortal> | null = null
  let isClosed = false

  async function startAgain(): Promise<Mortal> {
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

  /** The worker that lives; a closed one refuses by itself. */
  async function living(): Promise<Mortal> {
    if (isClosed || current.isAlive()) return current
    starting ??= startAgain().finally(() => {
      starting = null
    })
    return starting
  }

  return {
    info,
    open: async (prompt, signal) => (await living()).open(prompt, signal),
    // Whether a family keeps any stands with the model, which is the same one.
    ...(current.caches !== undefined && { caches: () => current.caches?.() as CachesOfBackend }),
    async close() {
      isClosed = true
      await starting?.catch(() => {})
      await current.close()
    },
  }
}

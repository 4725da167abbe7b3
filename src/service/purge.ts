// Deletes expired rows at the start and every hour. A purge that fails is logged and tried again the next time.

import type { ServiceSettings } from './settings.ts'
import type { Store } from './store/store.ts'
import type { Log } from './telemetry.ts'

const HOUR_MS = 3_600_000

export interface Purging {
  /** Starts no more; resolves when the one that runs is done. */
  stop(): Promise<void>
}

/** Starts. The timer keeps no process alive. */
export function startPurging(
  store: Pick<Store, 'purge'>,
  { keepMs }: Pick<ServiceSettings, 'keepMs'>,
  log: Log,
  everyMs = HOUR_MS,
): Purging {
  let running = Promise.resolve()
  const purge = (): void => {
    running = running
      .then(() => store.purge(keepMs))
      .catch((err: unknown) => log.warn({ err }, 'purging failed; the next try is in an hour'))
  }
  purge()
  const timer = setInterval(purge, everyMs)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      return running
    },
  }
}

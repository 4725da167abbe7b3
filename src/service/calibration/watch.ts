// Keeps an engine on the calibrations that the store serves. They are read at the start, and again whenever another
// replica has changed them.
import type { Calibration } from '../../calibration/calibration.ts'
import { servedFor } from '../../calibration/served.ts'
import { shippedCalibration } from '../../calibration/shipped.ts'
import type { EngineCore } from '../../pipeline/engine.ts'
import type { Store } from '../store/store.ts'
import type { Log } from '../telemetry.ts'

export interface Watched {
  readonly engine: Pick<EngineCore, 'calibrate' | 'loaded' | 'models'>
  readonly store: Pick<Store, 'calibrations'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

export interface WatchOptions extends Watched {
  /** Time between two looks; default 5000. */
  readonly everyMs?: number
}

export interface CalibrationWatch {
  /** When the first look is over. Never rejects: what fails is logged, and tried again at the next look. */
  readonly ready: Promise<void>
  /** No look begins after this, and one that is under way fails without a word. */
  stop(): void
}

const EVERY_MS = 5000

/**
 * Reads them now, and then every few seconds, without keeping the process alive. Models that are loaded later get
 * theirs at the next reading.
 */
export function watchCalibrations({ everyMs = EVERY_MS, ...watched }: WatchOptions): CalibrationWatch {
  const { engine, store, log } = watched
  let isStopped = false
  let timer: NodeJS.Timeout | null = null
  let seen: string | null = null

  const look = async (): Promise<void> => {
    try {
      const last = (await store.calibrations.history()).at(-1) ?? null
      const loaded = engine.loaded().map(({ id, revision, templateHash }) => [id, revision, templateHash])
      const now = JSON.stringify([last, loaded])
      if (now !== seen) await applyServed(watched)
      seen = now
    } catch (error) {
      // The store may be closed under a look that had begun.
      if (!isStopped) log.warn({ err: error }, 'calibrations could not be read from the store; the ones in use stay')
    }
    if (isStopped) return
    timer = setTimeout(look, everyMs)
    timer.unref()
  }

  return {
    ready: look(),
    stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/**
 * Tells the engine what the store serves for each of its models, or what comes with the model where nothing served was
 * made for it. The revision of a model that is not loaded yet is not known, so the engine gets every calibration that
 * may fit.
 */
export async function applyServed({ engine, store, log }: Watched): Promise<void> {
  const loaded = engine.loaded()
  const found: (Calibration | null)[] = []
  for (const model of loaded) {
    const { calibration, notes } = await servedFor(store.calibrations, model)
    for (const note of notes) log.warn({ model: model.id }, note)
    found.push(calibration)
  }
  const waiting = engine.models().filter(({ id, available }) => available && !loaded.some((model) => model.id === id))
  if (waiting.length > 0) found.push((await store.calibrations.current()).calibration)
  for (const { id } of waiting) found.push(await shippedCalibration(id))
  const calibrations = found.filter((calibration) => calibration !== null)
  engine.calibrate(calibrations)
  log.info({ versions: calibrations.map(({ version }) => version) }, 'calibrations in use')
}

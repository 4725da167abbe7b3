// The calibrations that an account is answered with: those that were fitted for it, else those that come with the
// models. They are read when the account asks, kept, and read again soon after any replica has changed them.
import type { Calibration } from '../../calibration/calibration.ts'
import { type ServedCalibration, servedFor } from '../../calibration/served.ts'
import { shippedCalibration } from '../../calibration/shipped.ts'
import type { EngineCore } from '../../pipeline/engine.ts'
import type { CalibratedModel } from '../../questions/shared/decision.ts'
import { createPeriodicLook } from '../periodic-look.ts'
import type { Store } from '../store/store.ts'
import type { Log } from '../telemetry.ts'

export interface AnsweringOptions {
  readonly engine: Pick<EngineCore, 'loaded' | 'models'>
  readonly store: Pick<Store, 'calibrations' | 'calibrationChanges'>
  readonly log: Pick<Log, 'warn'>
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number
  /** Time between two looks for what other replicas changed. */
  readonly everyMs: number
}

export interface AnsweringCalibrations {
  /** For the engine, of every model. Throws what the store throws when the account's were never read. */
  of(account: string): Promise<readonly Calibration[]>
  /** What answers an account for one loaded model. */
  served(account: string, model: CalibratedModel): Promise<ServedCalibration>
  /** Looks now for what was changed. What fails is logged, and those that are in use stay. */
  refresh(): Promise<void>
}

interface Kept {
  /** The models that were loaded then: what fits those that are not is not known. */
  readonly models: string
  readonly found: Promise<readonly ServedCalibration[]>
}

/** Accounts whose calibrations are kept, and those of them with calibrations of their own: some MiB each. */
const MOST_ACCOUNTS = 2000
const MOST_OWN = 50

export function createAnswering({ engine, store, log, now, everyMs }: AnsweringOptions): AnsweringCalibrations {
  // Maps keep the order of insertion: the first was used longest ago.
  const kept = new Map<string, Kept>()
  const own = new Set<string>()
  const said = new Set<string>()
  let seen = 0n

  const look = createPeriodicLook({
    now,
    everyMs,
    async run() {
      try {
        const { upTo, accounts } = await store.calibrationChanges(seen)
        seen = upTo
        for (const account of accounts ?? [...kept.keys()]) forget(account)
      } catch (error) {
        log.warn({ err: error }, 'calibrations could not be read from the store; the ones in use stay')
      }
    },
  })

  function forget(account: string): void {
    kept.delete(account)
    own.delete(account)
  }

  async function load(account: string): Promise<readonly ServedCalibration[]> {
    const versions = store.calibrations(account)
    const loaded = engine.loaded()
    const found: ServedCalibration[] = []
    for (const model of loaded) found.push(await servedFor(versions, model))
    // Chains have no calibration; their stages do.
    const models = engine.models().filter(({ available, stages }) => available && stages === undefined)
    const waiting = models.filter(({ id }) => !loaded.some((model) => model.id === id))
    if (waiting.length > 0) found.push({ ...(await versions.current()), isRefitted: true, servedSince: null })
    for (const { id } of waiting) {
      found.push({ calibration: await shippedCalibration(id), isRefitted: false, servedSince: null, notes: [] })
    }
    for (const note of found.flatMap(({ notes }) => notes)) {
      if (!said.has(note)) log.warn({ account }, note)
      said.add(note)
    }
    return found
  }

  async function all(account: string): Promise<readonly ServedCalibration[]> {
    await look.upToDate()
    const models = JSON.stringify(engine.loaded().map(identityOf))
    const before = kept.get(account)
    forget(account)
    const entry = before?.models === models ? before : { models, found: load(account) }
    kept.set(account, entry)
    if (kept.size > MOST_ACCOUNTS) forget(kept.keys().next().value as string)
    try {
      const found = await entry.found
      if (found.some(({ calibration, isRefitted }) => isRefitted && calibration !== null)) own.add(account)
      if (own.size > MOST_OWN) forget(own.values().next().value as string)
      return found
    } catch (error) {
      if (kept.get(account) === entry) forget(account)
      throw error
    }
  }

  return {
    async of(account) {
      return (await all(account)).flatMap(({ calibration }) => calibration ?? [])
    },
    async served(account, model) {
      const found = await all(account)
      const at = engine.loaded().findIndex((loaded) => identityOf(loaded) === identityOf(model))
      return found[at] ?? servedFor(store.calibrations(account), model)
    },
    refresh: look.refresh,
  }
}

/** Names a model with all that calibrations are bound to. */
export function identityOf({ id, revision, templateHash }: CalibratedModel): string {
  return `${id} ${revision} ${templateHash}`
}

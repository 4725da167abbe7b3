// The calibrations of the accounts of a service: which one answers, whether it still fits, refitting from the outcomes
// of the account, and rolling back. Routes and console both use it.

import { type ServedCalibration, servedFor } from '../../calibration/served.ts'
import { serial } from '../../core/serial.ts'
import { didYouMean } from '../../core/suggest.ts'
import type { EngineCore } from '../../pipeline/engine.ts'
import { defaultModelOf } from '../../pipeline/models.ts'
import type { CalibratedModel } from '../../questions/shared/decision.ts'
import { ServiceRefusal } from '../errors.ts'
import { fromStore } from '../from-store.ts'
import type { ServiceSettings } from '../settings.ts'
import type { Store } from '../store/store.ts'
import type { Log } from '../telemetry.ts'
import { type AnsweringCalibrations, identityOf } from './answering.ts'
import { changeReply, heldOutReply, modelReply } from './as-reply.ts'
import type { TaskResults } from './protocol.ts'
import type { CalibrationDiagrams, CalibrationReply, ChangeReply, FitReply } from './replies.ts'
import { WORK_TIMEOUT_MS, workOn } from './work.ts'

export interface ServiceCalibrations {
  /**
   * Which calibration answers an account for each loaded model. Cheap: outcomes are read once a minute at most, and
   * less often when reading takes long.
   */
  status(account: string): Promise<CalibrationReply>
  /**
   * Fits from the outcomes of an account, and from those that the accounts of its pool lend it, and serves the
   * candidate to this account if log-loss on its own held-out labels is not worse. One fit at a time over all replicas:
   * `overloaded` while another runs. Takes seconds, in a thread of its own. `model` null: the default one.
   */
  fit(account: string, model: string | null): Promise<FitReply>
  /** Serves what was served before. Throws `invalid_request` when nothing is served but what comes with the model. */
  rollBack(account: string, why: string): Promise<ChangeReply>
  /** Reliability diagrams with the calibration and without; as fresh as `status`. */
  diagrams(account: string, model: string | null): Promise<CalibrationDiagrams>
  /** Stops the work under way, whose callers then get `overloaded`, and starts no more. */
  stop(): void
}

/** A reading of a model's outcomes is reused for this long, and for at least so many times as long as it took. */
const FRESH_MS = 60_000
const FRESH_TIMES = 20
/** Longer than a fit can take; a replica that dies while fitting holds the others up for as long. */
const LEASE_MS = WORK_TIMEOUT_MS + 30_000
const RETRY_AFTER_MS = 5000
/** The database may have gone away during the commit, and asked again it would go back one calibration more. */
const PERHAPS_ROLLED_BACK =
  'The service cannot reach its database right now. It is not known whether the calibration was rolled back; look at what answers now before asking again.'

export interface ServiceCalibrationsOptions {
  readonly engine: EngineCore
  readonly store: Store
  readonly answering: AnsweringCalibrations
  readonly settings: Pick<ServiceSettings, 'pool'>
  readonly log: Log
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number
}

/** Routes and console share one, so that they share what was looked up. */
export function createServiceCalibrations({
  engine,
  store,
  answering,
  settings,
  log,
  now,
}: ServiceCalibrationsOptions): ServiceCalibrations {
  const fresh = freshFor(now)
  // Each piece of work is a thread, and every account may ask for one.
  const inTurn = serial()
  const stopping = new AbortController()

  function lendersOf(account: string): readonly string[] {
    return settings.pool.includes(account) ? settings.pool.filter((other) => other !== account) : []
  }

  function work<T extends keyof TaskResults>(task: T, account: string, model: CalibratedModel, found: ServedCalibration) {
    const outcomes = { own: store.outcomes(account), lenders: lendersOf(account).map((lender) => store.outcomes(lender)) }
    return workOn(task, outcomes, model, found, stopping.signal)
  }

  function loadedModel(asked: string | null): CalibratedModel {
    // A calibration is of a model; the stages of a chain are models.
    const models = engine.models().filter(({ available, stages }) => available && stages === undefined)
    const ids = models.map(({ id }) => id)
    const wanted = asked ?? defaultModelOf(models)
    if (!ids.includes(wanted)) {
      const message = `There is no model ${JSON.stringify(asked?.slice(0, 80))}.${didYouMean(asked ?? '', ids)} There is ${ids.join(', ')}.`
      throw new ServiceRefusal('model_not_found', message, { param: '/model' })
    }
    const model = engine.loaded().find(({ id }) => id === wanted)
    if (model !== undefined) return model
    throw new ServiceRefusal('model_loading', `The model ${wanted} is not loaded yet; try again once it has answered.`, { param: '/model' })
  }

  /** Runs one at a time over all replicas. No request can hold this claim, since its `key` is no id of an API key. */
  async function alone<T>(run: () => Promise<T>): Promise<T> {
    const claim = await store.idempotency.begin({ key: 'service', idempotencyKey: 'calibration fit', bodyHash: 'fit', leaseMs: LEASE_MS })
    if (claim.state !== 'begun') {
      const message = 'A calibration is being fitted already; ask again in some seconds.'
      throw new ServiceRefusal('overloaded', message, { retryAfterMs: RETRY_AFTER_MS })
    }
    try {
      return await run()
    } finally {
      await store.idempotency.abandon(claim.token)
    }
  }

  async function fitOnce(account: string, model: CalibratedModel): Promise<FitReply> {
    const versions = store.calibrations(account)
    const before = await servedFor(versions, model)
    const { candidate, decision, heldOut, reason } = await work('fit', account, model, before)
    const reply = { model: model.id, held_out: heldOut === null ? null : heldOutReply(heldOut) }
    const current = before.calibration?.version ?? null
    if (decision === 'keep' || candidate === null) return { ...reply, decision: 'keep', version: current, reason }
    const after = await servedFor(versions, model)
    if (after.calibration?.version !== before.calibration?.version) {
      const message = 'Another calibration came to be served during the fit, which the candidate was not held against; fit again.'
      return { ...reply, decision: 'keep', version: after.calibration?.version ?? null, reason: message }
    }
    await versions.serve(candidate, { at: now(), why: reason, heldOut })
    await answering.refresh()
    return { ...reply, decision: 'serve', version: candidate.version, reason }
  }

  return {
    async status(account) {
      await answering.refresh()
      const [history, models] = [await store.calibrations(account).history(), engine.loaded()]
      const looks: { readonly at: number; readonly value: TaskResults['look'] }[] = []
      const replies = []
      for (const model of models) {
        const found = await answering.served(account, model)
        const name = `look ${identityOf(model)} ${found.calibration?.version} ${account}`
        const look = await fresh(name, () => inTurn(() => work('look', account, model, found)))
        looks.push(look)
        replies.push(modelReply(model, found, look.value))
      }
      return {
        account,
        is_pooled: lendersOf(account).length > 0,
        models: replies,
        quarantined: await store.quarantine.count(account),
        history: history.map(changeReply).reverse(),
        looked_at: Math.min(now(), ...looks.map(({ at }) => at)),
      }
    },

    async fit(account, asked) {
      const model = loadedModel(asked)
      const reply = await alone(() => fitOnce(account, model))
      const { decision, version, reason } = reply
      log.info({ account, model: model.id, decision, version, reason }, 'calibration fitted')
      return reply
    },

    async rollBack(account, why) {
      const change = await fromStore(store.calibrations(account).rollBack({ at: now(), why }), PERHAPS_ROLLED_BACK)
      await answering.refresh()
      log.info({ account, version: change.version, from: change.from }, 'calibration rolled back')
      return changeReply(change)
    },

    async diagrams(account, asked) {
      const model = loadedModel(asked)
      await answering.refresh()
      const found = await answering.served(account, model)
      const version = found.calibration?.version ?? null
      const name = `diagrams ${identityOf(model)} ${version} ${account}`
      const { value } = await fresh(name, () => inTurn(() => work('diagrams', account, model, found)))
      return { model: model.id, version, is_unseen: value.isUnseen, readouts: value.readouts }
    },

    stop() {
      const message = 'The service is shutting down; nothing that is served was changed. Try again after Retry-After.'
      stopping.abort(new ServiceRefusal('overloaded', message, { retryAfterMs: RETRY_AFTER_MS }))
    },
  }
}

/** Caches one value for each name while it is fresh. Concurrent callers share one computation. */
function freshFor(now: () => number): <T>(name: string, make: () => Promise<T>) => Promise<{ readonly at: number; readonly value: T }> {
  const made = new Map<string, { until: number; readonly result: Promise<{ readonly at: number; readonly value: unknown }> }>()
  return async <T>(name: string, make: () => Promise<T>) => {
    for (const [other, { until }] of made) if (until <= now()) made.delete(other)
    const before = made.get(name)
    if (before !== undefined) return before.result as Promise<{ at: number; value: T }>
    const begun = now()
    const result = make().then((value) => ({ at: begun, value }))
    const entry = { until: Number.POSITIVE_INFINITY, result }
    made.set(name, entry)
    result.then(
      () => {
        entry.until = now() + Math.max(FRESH_MS, FRESH_TIMES * (now() - begun))
      },
      () => made.delete(name),
    )
    return result
  }
}

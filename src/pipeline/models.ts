// The models of an engine: they have ids, are loaded on first use, and are closed together.
import type { Backend, CachesOfBackend, DeviceReport, ModelInfo } from '../backends/backend.ts'
import { EngineError } from '../core/errors.ts'
import { didYouMean } from '../core/suggest.ts'
import { isObject, jsonTypeOf } from '../core/untrusted.ts'
import { type ModelChain, type NamedStage, stageId } from './chain.ts'
import type { ModelSource } from './model-source.ts'
import { createResidence, type Loan, type ResidenceOptions } from './residence.ts'

export type { ModelSource } from './model-source.ts'

export interface ModelListing {
  readonly id: string
  readonly name: string
  readonly available: boolean
  readonly status: 'available' | 'coming_soon'
  /** The ids of the models of a chain in their order; absent for a model. */
  readonly stages?: readonly string[]
  /** Of a model that is loaded and runs on this machine: where. */
  readonly device?: DeviceReport
}

/** Asked for when a request names no model. */
export const DEFAULT_MODEL = 'service-1-pro'

/** Models that ship later, id → name: what the package and the service announce unless they are told otherwise. */
export const ANNOUNCED_MODELS: Readonly<Record<string, string>> = { 'service-1': 'Service 1' }

/** What answers requests without a model: a chain where there is one, else the default model, else the first. */
export function defaultModelOf(models: readonly Pick<ModelListing, 'id' | 'stages'>[]): string {
  const chain = models.find(({ stages }) => stages !== undefined)
  if (chain !== undefined) return chain.id
  return models.some(({ id }) => id === DEFAULT_MODEL) ? DEFAULT_MODEL : (models[0]?.id ?? DEFAULT_MODEL)
}

export interface Models {
  /** The id of the model a request means. Throws `model_not_found` or `model_not_available`. */
  choose(asked: string | null): string
  /** The stages of a chain; null for a model. */
  stagesOf(id: string): readonly NamedStage[] | null
  /** The loaded model, until the loan is ended; concurrent callers share one load. */
  borrow(id: string): Promise<Loan>
  list(): readonly ModelListing[]
  /** What is known of the models that were loaded by now, in the order given. */
  loaded(): readonly ModelInfo[]
  /** What the caches of those that are loaded did so far, by id; of those that keep any. */
  caches(): Readonly<Record<string, CachesOfBackend>>
  /** Closes what is loaded or being loaded. */
  close(): Promise<void>
}

/** What an engine may be given: loaded models, models to load, and chains of both. */
export type GivenModel = Backend | ModelSource | ModelChain

/**
 * The models and chains of an engine. The stages of a chain are models like the others. Throws `invalid_request` when
 * two share an id, a stage is no model, or there is none.
 */
export function createModels(
  given: readonly GivenModel[],
  announced: Readonly<Record<string, string>>,
  residing: ResidenceOptions,
): Models {
  checkGiven(given)
  const chains = given.flatMap((one) => ('stages' in one ? [one] : []))
  const entries = new Map<string, Backend | ModelSource>()
  // A model may be given by itself and as a stage; it is one model.
  for (const model of new Set(given.flatMap(modelsIn))) {
    const { id } = 'info' in model ? model.info : model
    if (entries.has(id)) throw new EngineError('invalid_request', `Two models have the id ${JSON.stringify(id)}; each needs its own.`)
    entries.set(id, model)
  }
  const stages = new Map<string, readonly NamedStage[]>()
  for (const chain of chains) {
    if (entries.has(chain.id) || stages.has(chain.id)) {
      throw new EngineError('invalid_request', `A model or chain has the id ${JSON.stringify(chain.id)} already; give the chain its own.`)
    }
    stages.set(chain.id, namedStages(chain, [...entries.keys()]))
  }
  if (entries.size === 0)
    throw new EngineError('invalid_request', 'An engine needs at least one model; give it a backend or a source of one.')
  const present = [
    ...[...entries.values()].map((model): ModelListing => {
      const { id, name } = 'info' in model ? model.info : model
      return { id, name: name ?? id, available: true, status: 'available' }
    }),
    ...chains.map(({ id, name }): ModelListing => {
      const of = stages.get(id)!.map((stage) => stage.id)
      return { id, name: name ?? id, available: true, status: 'available', stages: of }
    }),
  ]
  const fallback = defaultModelOf(present)
  const residence = createResidence(entries, residing)
  const comingSoon = Object.entries(announced)
    .filter(([id]) => !entries.has(id) && !stages.has(id))
    .map(([id, name]): ModelListing => ({ id, name, available: false, status: 'coming_soon' }))

  return {
    choose(asked) {
      if (asked === null) return fallback
      if (entries.has(asked) || stages.has(asked)) return asked
      const there = present.map(({ id }) => id)
      if (comingSoon.some(({ id }) => id === asked)) {
        const message = `The model ${asked} is not available yet; use ${there.join(' or ')}.`
        throw new EngineError('model_not_available', message, { param: '/model' })
      }
      const message = `There is no model ${JSON.stringify(asked)}.${didYouMean(asked, there)} There is ${there.join(', ')}.`
      throw new EngineError('model_not_found', message, { param: '/model' })
    },
    stagesOf: (id) => stages.get(id) ?? null,
    borrow: (id) => residence.borrow(id),
    list() {
      const running = present.map((model): ModelListing => {
        const device = residence.present().find(({ info }) => info.id === model.id)?.info.device
        return device === undefined ? model : { ...model, device }
      })
      return [...running, ...comingSoon]
    },
    loaded: () => residence.known(),
    caches: () =>
      Object.fromEntries(
        residence.present().flatMap((backend) => {
          const counts = backend.caches?.()
          return counts === undefined ? [] : [[backend.info.id, counts]]
        }),
      ),
    close: () => residence.close(),
  }
}

/** Throws `invalid_request` for what is neither a backend, a source nor a chain. */
function checkGiven(given: readonly unknown[]): void {
  const what = 'a loaded backend, a source such as shippedModel() or localModel("folder"), or a chain of them'
  if (!Array.isArray(given)) throw new EngineError('invalid_request', `models is an array, each ${what}; received ${jsonTypeOf(given)}.`)
  for (const [i, model] of given.entries()) {
    if (isObject(model) && ('info' in model || 'load' in model || 'stages' in model)) continue
    const received = typeof model === 'string' ? JSON.stringify(model.slice(0, 80)) : jsonTypeOf(model)
    throw new EngineError('invalid_request', `models[${i}] is ${what}; received ${received}.`)
  }
}

/** The models of what was given; stages that are ids name others. */
function modelsIn(given: GivenModel): readonly (Backend | ModelSource)[] {
  if (!('stages' in given)) return [given]
  return given.stages.flatMap(({ model }) => (typeof model === 'string' ? [] : [model]))
}

function namedStages(chain: ModelChain, ids: readonly string[]): readonly NamedStage[] {
  return chain.stages.map((stage) => {
    const id = stageId(stage)
    const { model: _, ...settings } = stage
    if (ids.includes(id)) return { id, ...settings }
    const message = `The chain ${chain.id} has the stage ${JSON.stringify(id)}, and there is no such model.${didYouMean(id, ids)}`
    throw new EngineError('invalid_request', `${message} There is ${ids.join(', ')}.`)
  })
}

// The models of an engine: they have ids, are loaded on first use, and are closed together.
import type { Backend, CachesOfBackend, ModelInfo } from '../backends/backend.ts'
import { EngineError } from '../core/errors.ts'
import { didYouMean } from '../core/suggest.ts'

/** A model that is loaded when it is first asked. A failed load is tried again by the next request. */
export interface ModelSource {
  readonly id: string
  /** Default: the id. */
  readonly name?: string
  load(): Promise<Backend>
}

export interface ModelListing {
  readonly id: string
  readonly name: string
  readonly available: boolean
  readonly status: 'available' | 'coming_soon'
}

/** Asked for when a request names no model. */
export const DEFAULT_MODEL = 'service-1-pro'

/** Models that ship later, id → name: what the package and the service announce unless they are told otherwise. */
export const ANNOUNCED_MODELS: Readonly<Record<string, string>> = { 'service-1': 'Service 1' }

/** The model that requests without one are answered by: the default one where it is there, else the first. */
export function defaultModelOf(ids: readonly string[]): string {
  return ids.includes(DEFAULT_MODEL) ? DEFAULT_MODEL : (ids[0] ?? DEFAULT_MODEL)
}

export interface Models {
  /** The id of the model a request means. Throws `model_not_found` or `model_not_available`. */
  choose(asked: string | null): string
  /** The loaded model; concurrent callers share one load. */
  load(id: string): Promise<Backend>
  list(): readonly ModelListing[]
  /** What is known of the models that are loaded by now, in the order given. */
  loaded(): readonly ModelInfo[]
  /** What the caches of those that are loaded did so far, by id; of those that keep any. */
  caches(): Readonly<Record<string, CachesOfBackend>>
  /** Closes what is loaded or being loaded. */
  close(): Promise<void>
}

/** Throws `invalid_request` when two models share an id, or there is none. */
export function createModels(given: readonly (Backend | ModelSource)[], announced: Readonly<Record<string, string>> = {}): Models {
  const entries = new Map<string, ModelSource & { readonly name: string }>()
  // A backend that was handed in counts as loaded, so that it is closed with the others even if it is never asked.
  const loading = new Map<string, Promise<Backend>>()
  const ready = new Map<string, Backend>()
  for (const model of given) {
    const { id, name } = 'info' in model ? model.info : model
    if (entries.has(id)) throw new EngineError('invalid_request', `Two models have the id ${JSON.stringify(id)}; each needs its own.`)
    if ('info' in model) {
      loading.set(id, Promise.resolve(model))
      ready.set(id, model)
    }
    entries.set(id, { id, name: name ?? id, load: async () => ('info' in model ? model : model.load()) })
  }
  const [first] = entries.keys()
  if (first === undefined)
    throw new EngineError('invalid_request', 'An engine needs at least one model; give it a backend or a source of one.')
  const fallback = defaultModelOf([...entries.keys()])
  const comingSoon = Object.entries(announced)
    .filter(([id]) => !entries.has(id))
    .map(([id, name]): ModelListing => ({ id, name, available: false, status: 'coming_soon' }))

  return {
    choose(asked) {
      if (asked === null) return fallback
      if (entries.has(asked)) return asked
      const there = [...entries.keys()]
      if (comingSoon.some(({ id }) => id === asked)) {
        const message = `The model ${asked} is not available yet; use ${there.join(' or ')}.`
        throw new EngineError('model_not_available', message, { param: '/model' })
      }
      const message = `There is no model ${JSON.stringify(asked)}.${didYouMean(asked, there)} There is ${there.join(', ')}.`
      throw new EngineError('model_not_found', message, { param: '/model' })
    },
    load(id) {
      const started = loading.get(id)
      if (started) return started
      const load = entries.get(id)!.load()
      loading.set(id, load)
      load.then(
        (backend) => ready.set(id, backend),
        () => loading.delete(id),
      )
      return load
    },
    list() {
      const present = [...entries.values()].map(({ id, name }): ModelListing => ({ id, name, available: true, status: 'available' }))
      return [...present, ...comingSoon]
    },
    loaded: () => [...entries.keys()].flatMap((id) => ready.get(id)?.info ?? []),
    caches: () =>
      Object.fromEntries(
        [...ready].flatMap(([id, backend]) => {
          const caches = backend.caches?.()
          return caches === undefined ? [] : [[id, caches]]
        }),
      ),
    async close() {
      const backends = await Promise.allSettled(loading.values())
      const closed = await Promise.allSettled(
        backends.map((backend) => (backend.status === 'fulfilled' ? backend.value.close() : undefined)),
      )
      const failed = closed.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}

// The models of an engine that are in memory: loaded when they are first borrowed, let go when they were idle for long,
// or when another needs their room.
import type { Backend, ModelInfo } from '../backends/backend.ts'
import { EngineError } from '../core/errors.ts'
import { serial } from '../core/serial.ts'
import type { ModelSource } from './model-source.ts'

export interface ResidenceOptions {
  /** Most bytes of loaded models together, as their sources say what they take; null: no limit. */
  readonly budgetBytes: number | null
  /** A model that nobody borrowed for so long is let go; null: never. */
  readonly idleMs: number | null
  readonly now: () => number
  /** Runs something later, and gives the way to call it off. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** A loaded model that is not let go until `end`. */
export interface Loan {
  readonly backend: Backend
  /** The second time it does nothing. */
  end(): void
}

export interface Residence {
  /**
   * The loaded model; concurrent callers share one load. Waits for room where all that is loaded is in use. Throws what
   * loading throws, and `model_not_available` for a model that has no room even alone.
   */
  borrow(id: string): Promise<Loan>
  /** Those that are in memory now. */
  present(): readonly Backend[]
  /** What is known of every model that was loaded so far, in the order given. */
  known(): readonly ModelInfo[]
  /** Closes what is loaded or being loaded. */
  close(): Promise<void>
}

interface Place {
  readonly source: ModelSource
  /** A backend that was handed in: it is never let go before the end. */
  readonly isFixed: boolean
  loading: Promise<Backend> | null
  backend: Backend | null
  info: ModelInfo | null
  /** Of the budget, while it is loaded or being loaded. */
  bytes: number
  loans: number
  usedAt: number
  /** When it is being let go. */
  leaving: Promise<void> | null
  cancelIdle: () => void
}

const MEBI = 2 ** 20

/** `given` by id: sources, and backends that are loaded already. */
export function createResidence(given: ReadonlyMap<string, ModelSource | Backend>, options: ResidenceOptions): Residence {
  const { budgetBytes, idleMs, now, after } = options
  const places = new Map<string, Place>([...given].map(([id, model]) => [id, placeFor(model)]))
  // Loads make room one after the other, so that two do not count on the same bytes.
  const inTurn = serial()
  let wake: () => void = () => {}
  let isClosed = false

  function used(): number {
    return [...places.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  async function makeRoom(place: Place): Promise<void> {
    const bytes = (await place.source.bytes?.()) ?? 0
    if (budgetBytes !== null && bytes > budgetBytes) {
      const [needed, most] = [bytes, budgetBytes].map((count) => `${Math.ceil(count / MEBI)} MiB`)
      const message = `the model ${place.source.id} takes about ${needed}, and models may take ${most} together; raise that, or lower its caches and workers`
      throw new EngineError('model_not_available', message)
    }
    while (budgetBytes !== null && used() + bytes > budgetBytes) {
      const idle = [...places.values()].filter((one) => one.backend !== null && !one.isFixed && one.loans === 0 && one.bytes > 0)
      const [longest] = idle.sort((a, b) => a.usedAt - b.usedAt)
      // What its closing throws is not this request's to hear: it is gone either way.
      if (longest !== undefined) await letGo(longest).catch(() => {})
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (isClosed) throw new EngineError('model_not_available', 'This engine is closed; create a new one.')
    }
    place.bytes = bytes
  }

  async function load(place: Place): Promise<Backend> {
    try {
      await place.leaving?.catch(() => {})
      await inTurn(() => makeRoom(place))
      const backend = await place.source.load()
      place.backend = backend
      place.info = backend.info
      return backend
    } catch (error) {
      place.loading = null
      place.bytes = 0
      wake()
      throw error
    }
  }

  /** Its bytes count until it is closed. */
  function letGo(place: Place): Promise<void> {
    const { backend } = place
    place.cancelIdle()
    if (backend === null) return place.leaving ?? Promise.resolve()
    place.backend = null
    place.loading = null
    const leaving = backend.close().finally(() => {
      place.bytes = 0
      place.leaving = null
      wake()
    })
    place.leaving = leaving
    return leaving
  }

  function giveBack(place: Place): void {
    place.loans -= 1
    place.usedAt = now()
    wake()
    if (place.loans > 0 || place.isFixed || idleMs === null || isClosed || place.backend === null) return
    place.cancelIdle = after(idleMs, () => {
      if (place.loans === 0) letGo(place).catch(() => {})
    })
  }

  return {
    async borrow(id) {
      const place = places.get(id)!
      place.cancelIdle()
      place.loans += 1
      try {
        place.loading ??= load(place)
        const backend = await place.loading
        let isOver = false
        return {
          backend,
          end() {
            if (!isOver) giveBack(place)
            isOver = true
          },
        }
      } catch (error) {
        giveBack(place)
        throw error
      }
    },
    present: () => [...places.values()].flatMap(({ backend }) => backend ?? []),
    known: () => [...places.values()].flatMap(({ info }) => info ?? []),
    async close() {
      isClosed = true
      wake()
      const all = [...places.values()]
      const closed = await Promise.allSettled(
        all.map(async (place) => {
          place.cancelIdle()
          const backend = await place.loading?.catch(() => null)
          await place.leaving
          await backend?.close()
        }),
      )
      const failed = closed.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}

function placeFor(model: ModelSource | Backend): Place {
  const isFixed = 'info' in model
  return {
    source: isFixed ? { id: model.info.id, load: async () => model } : model,
    isFixed,
    // A backend that was handed in counts as loaded, so that it is closed with the others even if it is never asked.
    loading: isFixed ? Promise.resolve(model) : null,
    backend: isFixed ? model : null,
    info: isFixed ? model.info : null,
    bytes: 0,
    loans: 0,
    usedAt: 0,
    leaving: null,
    cancelIdle: () => {},
  }
}

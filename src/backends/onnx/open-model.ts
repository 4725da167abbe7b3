// The life of a loaded model: what runs on it is counted, closing waits for that, and prefixes stop with their state.
import { EngineError } from '../../core/errors.ts'
import type { Prefix } from '../backend.ts'
import type { FairScheduler } from './scheduling/fair-scheduler.ts'

/** An encoded state of a model. */
export type AskableState = Pick<Prefix, 'tokens' | 'score' | 'generate'>

export class OpenModel {
  readonly #id: string
  readonly #scheduler: FairScheduler
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | null = null

  constructor(id: string, scheduler: FairScheduler) {
    this.#id = id
    this.#scheduler = scheduler
  }

  /** Runs the task; `close` waits for it. Throws `model_not_available` once the model is closed. */
  async work<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw new EngineError('model_not_available', `the model ${this.#id} was closed; load it again`)
    const running = task()
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }

  /** Frees the model when nothing runs on it any more. Calling it again has no effect. */
  close(free: () => Promise<void>): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.allSettled([...this.#underWay])
      // A caller that was aborted may have left its pass running.
      await this.#scheduler.run(async () => {})
      await free()
    })()
    return this.#closing
  }

  /** The state as a caller holds it: it can be asked until it is closed. */
  prefix(state: AskableState, cachedTokens: number): Prefix {
    let isOpen = true
    const work = <T>(task: () => Promise<T>): Promise<T> =>
      this.work(async () => {
        if (!isOpen) throw new EngineError('internal_error', 'the prefix was closed; open the state again')
        return task()
      })
    return {
      tokens: state.tokens,
      cachedTokens,
      score: (branches, signal) => work(() => state.score(branches, signal)),
      generate: (branch, constraint, signal) => work(() => state.generate(branch, constraint, signal)),
      close: () => {
        isOpen = false
      },
    }
  }
}

// A state as it is decided on, and as it is quoted from, written from and pointed into: with the words that were read in its pictures. Decisions look at cells alone,
// which know letters and looks together; what was read is for answers that are made of it (training/README.md has the numbers).
import type { Branch, Constraint, Generated, Scores } from '../../../backend.ts'
import type { OpenState } from './open-state.ts'

export class Readings {
  readonly #decided: OpenState
  readonly #withWords: () => Promise<OpenState>
  #read: Promise<OpenState> | null = null
  readonly bytes: number

  /** `withWords` encodes the state with the words of its pictures: once, when the first read asks for it. `bytes`: of both. */
  constructor(decided: OpenState, withWords: () => Promise<OpenState>, bytes: number) {
    this.#decided = decided
    this.#withWords = withWords
    this.bytes = bytes
  }

  get tokens(): number {
    return this.#decided.tokens
  }

  score(branches: readonly Branch[], signal: AbortSignal | undefined): Promise<Scores[]> {
    return this.#decided.score(branches, signal)
  }

  async generate(branch: Branch, constraint: Constraint, signal: AbortSignal | undefined): Promise<Generated> {
    this.#read ??= this.#encode()
    return (await this.#read).generate(branch, constraint, signal)
  }

  /** What failed may be tried again. */
  async #encode(): Promise<OpenState> {
    try {
      return await this.#withWords()
    } catch (error) {
      this.#read = null
      throw error
    }
  }
}

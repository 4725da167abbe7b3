// A state as choices are made about it, and as everything else is answered: with the words that were read in its pictures. Choices look at cells alone, which know letters
// and looks together, until weights that know the words choose as well; of several pictures, as of a video, words are for reads only (training/README.md has the numbers).
import type { Branch, Constraint, Generated, Scores } from '../../../backend.ts'
import type { OpenState } from './open-state.ts'

export class Readings {
  readonly #cells: OpenState
  readonly #withWords: () => Promise<OpenState>
  readonly #isOnePicture: boolean
  #read: Promise<OpenState> | null = null
  readonly bytes: number

  /** `withWords` encodes the state with the words of its pictures: once, when the first question asks for it. `bytes`: of both. */
  constructor(cells: OpenState, withWords: () => Promise<OpenState>, bytes: number, isOnePicture: boolean) {
    this.#cells = cells
    this.#withWords = withWords
    this.#isOnePicture = isOnePicture
    this.bytes = bytes
  }

  get tokens(): number {
    return this.#cells.tokens
  }

  async score(branches: readonly Branch[], signal: AbortSignal | undefined): Promise<Scores[]> {
    const isByCells = ({ readout }: Branch): boolean => readout === 'exclusive' || !this.#isOnePicture
    const byCells = branches.filter(isByCells)
    const others = branches.filter((branch) => !isByCells(branch))
    const read = others.length === 0 ? this.#cells : await this.#words()
    if (read === this.#cells) return read.score(branches, signal)
    const [chosen, answered] = await Promise.all([
      byCells.length === 0 ? [] : this.#cells.score(byCells, signal),
      read.score(others, signal),
    ])
    const [ofCells, ofOthers] = [chosen.values(), answered.values()]
    return branches.map((branch) => (isByCells(branch) ? ofCells : ofOthers).next().value as Scores)
  }

  async generate(branch: Branch, constraint: Constraint, signal: AbortSignal | undefined): Promise<Generated> {
    return (await this.#words()).generate(branch, constraint, signal)
  }

  #words(): Promise<OpenState> {
    this.#read ??= this.#encode()
    return this.#read
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

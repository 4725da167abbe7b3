// A state as choices are made about it, and as everything else is answered: with the words that were read in its pictures. Choices look at cells alone, which know letters
// and looks together, until weights that know the words choose as well; of several pictures, as of a video, words are for reads only (training/README.md has the numbers).
import type { Branch, Constraint, Generated, Scores } from '../../../backend.ts'
import type { OpenState } from './open-state.ts'

type Encode = () => Promise<OpenState>

export interface ReadingsOptions {
  /** Of the state without words: what is charged for. */
  readonly tokens: number
  /** What is held when all of it has been encoded. */
  readonly bytes: number
  readonly cells: Encode
  /** The state with the words of its pictures; null where there are none, or no room for them. */
  readonly withWords: Encode | null
  readonly isOnePicture: boolean
}

/** Each way is encoded once, when the first question asks for it. */
export class Readings {
  readonly tokens: number
  readonly bytes: number
  readonly #cells: Encode
  readonly #words: Encode
  readonly #isByCells: (branch: Branch) => boolean

  constructor({ tokens, bytes, cells, withWords, isOnePicture }: ReadingsOptions) {
    this.tokens = tokens
    this.bytes = bytes
    this.#cells = once(cells)
    this.#words = withWords === null ? this.#cells : once(withWords)
    this.#isByCells = ({ readout }) => withWords === null || !isOnePicture || readout === 'exclusive'
  }

  async score(branches: readonly Branch[], signal: AbortSignal | undefined): Promise<Scores[]> {
    const part = async (encode: Encode, own: readonly Branch[]): Promise<Iterator<Scores>> =>
      (own.length === 0 ? [] : await (await encode()).score(own, signal)).values()
    const [byCells, byWords] = await Promise.all([
      part(this.#cells, branches.filter(this.#isByCells)),
      part(
        this.#words,
        branches.filter((branch) => !this.#isByCells(branch)),
      ),
    ])
    return branches.map((branch) => (this.#isByCells(branch) ? byCells : byWords).next().value as Scores)
  }

  async generate(branch: Branch, constraint: Constraint, signal: AbortSignal | undefined): Promise<Generated> {
    return (await this.#words()).generate(branch, constraint, signal)
  }
}

/** What failed may be tried again. */
function once(encode: Encode): Encode {
  let encoded: Promise<OpenState> | null = null
  const first = async (): Promise<OpenState> => {
    try {
      return await encode()
    } catch (error) {
      encoded = null
      throw error
    }
  }
  return () => {
    encoded ??= first()
    return encoded
  }
}

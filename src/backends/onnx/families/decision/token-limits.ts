// The context length of the decision model: refuses what cannot fit before anything is run.
import { EngineError } from '../../../../core/errors.ts'

/** The bytes of the longest piece of a vocabulary, and of the longest of only blanks. */
export interface PieceLengths {
  readonly longest: number
  readonly longestBlank: number
}

/**
 * The fewest tokens that a text can become, at most `most` + 1. Pieces never reach over a blank into the next word, so
 * each word takes at least one. `_` is read as a blank. In a run of blanks, two before each piece may become no token.
 */
export function leastTokens(text: string, { longest, longestBlank }: PieceLengths, most: number): number {
  let least = 0
  for (const { 0: run } of text.matchAll(/[\s_]+|[^\s_]+/gu)) {
    if (!/^[\s_]/u.test(run)) least += Math.ceil(run.length / longest)
    else least += Math.floor(run.length / ((/[^ \t\n\r_]/.test(run) ? longest : longestBlank) * 3))
    if (least > most) return most + 1
  }
  return least
}

export class TokenLimits {
  readonly #model: string
  readonly #contextLength: number
  readonly #lengths: PieceLengths

  constructor(model: string, contextLength: number, lengths: PieceLengths) {
    this.#model = model
    this.#contextLength = contextLength
    this.#lengths = lengths
  }

  /** Refuses texts that cannot fit without tokenising them: a megabyte takes seconds. */
  checkSize(texts: readonly string[], what: 'state' | 'question'): void {
    let least = 0
    for (const text of texts) {
      least += leastTokens(text, this.#lengths, this.#contextLength)
      if (least > this.#contextLength) this.#refuse(`the ${what} takes at least ${least} tokens`, what)
    }
  }

  /** `written`: tokens that may be written behind the question. */
  checkLength(state: number, question: number, written = 0): void {
    const needed = state + question + written
    if (needed <= this.#contextLength) return
    if (question === 0) this.#refuse(`the state takes ${state} tokens`, 'state')
    const asked = written === 0 ? ` and a question (${question})` : `, a question (${question}) and its answer (up to ${written})`
    this.#refuse(`the state (${state})${asked} take ${needed} tokens`, 'state or the question')
  }

  #refuse(taken: string, what: string): never {
    throw new EngineError('context_length_exceeded', `${taken}, the model ${this.#model} takes ${this.#contextLength}; shorten the ${what}`)
  }
}

// The context length of the decision model: refuses what cannot fit before anything is run.
import { EngineError } from '../../../../core/errors.ts'

export class TokenLimits {
  readonly #model: string
  readonly #contextLength: number
  readonly #longestPiece: number

  /** `longestPiece`: bytes of the longest token of the vocabulary. */
  constructor(model: string, contextLength: number, longestPiece: number) {
    this.#model = model
    this.#contextLength = contextLength
    this.#longestPiece = longestPiece
  }

  /** Refuses texts that cannot fit without tokenising them: a megabyte takes seconds. */
  checkSize(texts: readonly string[], what: 'state' | 'question'): void {
    const units = texts.reduce((sum, text) => sum + text.length, 0)
    // A token has at most so many bytes, and at most two lone spaces before it that become no token.
    const least = Math.floor(units / (this.#longestPiece * 3))
    if (least > this.#contextLength) this.#refuse(`the ${what} takes at least ${least} tokens`, what)
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

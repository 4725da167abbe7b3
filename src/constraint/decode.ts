// Greedy decoding under a constraint: logits of the next token in, a text that fits the constraint out. Which model
// gives the logits, and its KV cache, are the caller's concern.
import { EngineError } from '../core/errors.ts'
import { logSumExp } from '../core/math.ts'
import type { AutomatonState } from './automaton.ts'
import type { TokenConstraint } from './token-trie.ts'

/**
 * Logits over the vocabulary for the token behind `tokens`, which are all tokens decoded so far: one more than at the
 * call before.
 */
export type NextLogits = (tokens: readonly number[]) => Promise<Float32Array>

export interface DecodeOptions {
  /** Tokens the text may take; the end is not counted. */
  readonly maxTokens: number
  /**
   * Ids that end the text (end of sequence, end of turn, perhaps a newline). Where the constraint allows one of them as
   * text, it is text.
   */
  readonly endTokens: readonly number[]
}

/**
 * Log-probability of one step under the model's own distribution, and under the distribution of what was allowed (the
 * end included).
 */
export interface DecodedStep {
  readonly logProbability: number
  readonly constrainedLogProbability: number
}

export interface Decoded {
  readonly tokens: readonly number[]
  /** UTF-8 of the tokens; a character that the budget cut in two is left out. */
  readonly text: string
  /** The constraint's state before each token, and last the one after all of them: tokens.length + 1. */
  readonly states: readonly AutomatonState[]
  /** One step a token, and one for the end when it was reached. */
  readonly steps: readonly DecodedStep[]
  /** Sums over the steps. */
  readonly logProbability: number
  readonly constrainedLogProbability: number
  /**
   * The text ended by itself. False when the token budget was spent first, or no token of the vocabulary was allowed.
   */
  readonly complete: boolean
}

function gather(logits: Float32Array, ids: ArrayLike<number>): Float32Array {
  const values = new Float32Array(ids.length)
  for (let i = 0; i < ids.length; i++) {
    const logit = logits[ids[i] as number]
    if (logit === undefined) throw new EngineError('internal_error', `token ${ids[i]} is outside the ${logits.length} logits of the model`)
    values[i] = logit
  }
  return values
}

/** Index of the largest value, the first of equals. NaN is never largest. */
function argmax(values: Float32Array): number {
  let best = 0
  for (let i = 1; i < values.length; i++) if ((values[i] as number) > (values[best] as number) || Number.isNaN(values[best])) best = i
  return best
}

/**
 * Takes the likeliest allowed token at each step, or the end where the constraint may end and the end tokens together
 * are likelier than any token. Of equal logits the lower id wins, so the same logits give the same text. When
 * `maxTokens` are spent, one more call asks whether the text has ended. Throws `internal_error` when the logits are not
 * numbers (NaN) or too few.
 */
export async function decode(nextLogits: NextLogits, constraint: TokenConstraint, options: DecodeOptions): Promise<Decoded> {
  const tokens: number[] = []
  const states: AutomatonState[] = [constraint.start]
  const steps: DecodedStep[] = []
  const written: Uint8Array[] = []
  let state = constraint.start
  let complete = false

  for (;;) {
    const allowed = constraint.allowed(state)
    const ends = constraint.mayEnd(state) ? options.endTokens.filter((id) => !includes(allowed, id)) : []
    if (allowed.length === 0 && ends.length === 0) {
      // No text continues from here. Without end tokens this is how a closed grammar ends.
      complete = constraint.mayEnd(state)
      break
    }
    const logits = await nextLogits(tokens)
    const allowedLogits = gather(logits, allowed)
    const endLogit = logSumExp(gather(logits, ends))
    const modelNorm = logSumExp(logits)
    if (Number.isNaN(modelNorm))
      throw new EngineError('internal_error', `the model gave logits that are not numbers at token ${tokens.length + 1}`)
    const allowedNorm = logSumExp([logSumExp(allowedLogits), endLogit])
    const best = allowed.length === 0 ? -1 : argmax(allowedLogits)
    const bestLogit = best === -1 ? -Infinity : (allowedLogits[best] as number)

    const isEnd = ends.length > 0 && (best === -1 || endLogit >= bestLogit)
    if (!isEnd && tokens.length >= options.maxTokens) break
    const logit = isEnd ? endLogit : bestLogit
    steps.push({ logProbability: difference(logit, modelNorm), constrainedLogProbability: difference(logit, allowedNorm) })
    if (isEnd) {
      complete = true
      break
    }
    const token = allowed[best] as number
    const next = constraint.advance(state, token)
    if (next === null) throw new EngineError('internal_error', `the constraint allowed token ${token} and then refused it`)
    tokens.push(token)
    written.push(constraint.bytesOf(token))
    states.push(next)
    state = next
  }

  return {
    tokens,
    text: textOf(written),
    states,
    steps,
    logProbability: steps.reduce((sum, step) => sum + step.logProbability, 0),
    constrainedLogProbability: steps.reduce((sum, step) => sum + step.constrainedLogProbability, 0),
    complete,
  }
}

/**
 * logit − norm; for an impossible token a very small number rather than −Infinity or NaN, so that sums stay
 * finite.
 */
function difference(logit: number, norm: number): number {
  const LEAST_LOG_PROBABILITY = -1000
  return logit === -Infinity ? LEAST_LOG_PROBABILITY : Math.max(LEAST_LOG_PROBABILITY, Math.min(0, logit - norm))
}

/** Binary search in ascending ids. */
function includes(ids: Uint32Array, id: number): boolean {
  let low = 0
  let high = ids.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const value = ids[middle] as number
    if (value === id) return true
    if (value < id) low = middle + 1
    else high = middle - 1
  }
  return false
}

function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return parts.map((bytes) => decoder.decode(bytes, { stream: true })).join('')
}

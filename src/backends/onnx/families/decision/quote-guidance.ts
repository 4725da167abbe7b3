// A written answer mostly copies. The span that the same question would quote tells where copying begins, and when the
// answer ends.
import { logSoftmax, logSumExp } from '../../../../core/math.ts'
import type { ControlTokens } from './control-tokens.ts'
import { endLogits, type SpanPointers } from './span-finder.ts'

/** Pointers of a question as if it asked for a quote. */
export interface QuotePointers {
  /** [S] log-probability that the quote begins with this token of the state. */
  readonly logStarts: ArrayLike<number>
  /** Logits of its last token, for the tokens from `first` on, as many as a quote may have. */
  endsFrom(first: number): readonly number[]
}

/** `longest`: the most tokens of a quote. */
export function quotePointersOf(pointers: SpanPointers, longest: number): QuotePointers {
  const { start, absent } = pointers
  return {
    logStarts: logSoftmax([absent, ...Array.from(start)]).slice(1),
    endsFrom: (first) => endLogits(pointers, first, Math.min(first + longest, start.length) - 1),
  }
}

/**
 * Logits of the next token, as in a pointer-generator network: [id] of the vocabulary, [S] of copying each state token.
 */
export interface PointerGeneratorLogits {
  readonly vocabulary: Float32Array
  readonly copy: Float32Array
}

/** The least that the pointers may add to a copy logit, in nats, so that nothing becomes impossible. */
const LEAST_LOG_START = -8

/**
 * A product of two experts (Hinton 2002): copying a token is weighted by the probability that the quote begins where
 * the copy so far begins, and ending by the odds that the quote ends there. Copying as a whole stays as likely as it
 * was, so an answer in other words stays possible.
 */
export function guidedByQuote(
  next: PointerGeneratorLogits,
  written: readonly number[],
  ids: readonly number[],
  quote: QuotePointers,
  control: ControlTokens,
): PointerGeneratorLogits {
  const runs = runsOf(written, ids, control)
  const weighted = next.copy.map((logit) => logit + LEAST_LOG_START)
  for (const first of runs) {
    const at = first + written.length
    if (at < ids.length) weighted[at] = (next.copy[at] as number) + Math.max(LEAST_LOG_START, quote.logStarts[first] as number)
  }
  const shift = logCopyMass(next.copy, ids, control) - logCopyMass(weighted, ids, control)
  const copy = Number.isFinite(shift) ? weighted.map((logit) => logit + shift) : next.copy
  if (written.length === 0 || runs.length === 0) return { ...next, copy }
  const likeliest = runs.reduce((best, first) => ((quote.logStarts[first] as number) > (quote.logStarts[best] as number) ? first : best))
  const vocabulary = next.vocabulary.slice()
  const isAtEnd = likeliest + written.length === ids.length
  const odds = isAtEnd ? -LEAST_LOG_START : endingOdds(quote.endsFrom(likeliest), written.length)
  vocabulary[control.end] = (vocabulary[control.end] as number) + odds
  return { vocabulary, copy }
}

/** The tokens of the state from which it repeats everything that is written so far. */
function runsOf(written: readonly number[], ids: readonly number[], control: ControlTokens): number[] {
  const starts: number[] = []
  for (let first = 0; first + written.length <= ids.length; first++) {
    if ((ids[first] as number) < control.from && written.every((id, i) => ids[first + i] === id)) starts.push(first)
  }
  return starts
}

/** Log of the summed weights of copying any text token. */
function logCopyMass(copy: Float32Array, ids: readonly number[], control: ControlTokens): number {
  return logSumExp(copy.filter((_, at) => (ids[at] as number) < control.from))
}

/**
 * Log-odds that a quote ends with its token number `count`, if it does not end before; even beyond the longest quote.
 */
function endingOdds(ends: readonly number[], count: number): number {
  return count < ends.length ? (ends[count - 1] as number) - logSumExp(ends.slice(count)) : 0
}

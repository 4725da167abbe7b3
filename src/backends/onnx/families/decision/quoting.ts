// A written answer mostly copies, and what a quote of the same question would be says what: where to begin, and when to stop.
import { logSoftmax, logSumExp } from '../../../../core/math.ts'
import { CONTROL, VOCABULARY } from './control.ts'
import { endLogits, type Pointers } from './spans.ts'

/** What the pointers say of a question, were it asked for a quote. */
export interface Quote {
  /** [S] log-probability that the quote begins with this token of the state. */
  readonly logStarts: ArrayLike<number>
  /** Logits of its last token, for the tokens from `first` on, as many as a quote may have. */
  endsFrom(first: number): readonly number[]
}

/** `longest`: tokens of a quote at most. */
export function quoteOf(pointers: Pointers, longest: number): Quote {
  const { start, absent } = pointers
  return {
    logStarts: logSoftmax([absent, ...Array.from(start)]).slice(1),
    endsFrom: (first) => endLogits(pointers, first, Math.min(first + longest, start.length) - 1),
  }
}

/** Logits of the next token: [8192] of the vocabulary, [S] of copying each state token. */
export interface NextLogits {
  readonly vocabulary: Float32Array
  readonly copy: Float32Array
}

/** What the pointers think impossible may be copied all the same, at this many nats. */
const LEAST = -8

/**
 * Two experts multiplied (Hinton 2002): copying a token goes with the probability that the quote begins where the copy that has come so far begins, and
 * ending with the odds that the quote ends there. Copying as a whole stays as likely as it was, so what has to be put in other words still is.
 */
export function byQuote(next: NextLogits, written: readonly number[], ids: readonly number[], quote: Quote): NextLogits {
  const runs = runsOf(written, ids)
  const weighed = next.copy.map((logit) => logit + LEAST)
  for (const first of runs) {
    const at = first + written.length
    if (at < ids.length) weighed[at] = (next.copy[at] as number) + Math.max(LEAST, quote.logStarts[first] as number)
  }
  const shift = massOf(next.copy, ids) - massOf(weighed, ids)
  const copy = Number.isFinite(shift) ? weighed.map((logit) => logit + shift) : next.copy
  if (written.length === 0 || runs.length === 0) return { ...next, copy }
  const likeliest = runs.reduce((best, first) => ((quote.logStarts[first] as number) > (quote.logStarts[best] as number) ? first : best))
  const vocabulary = next.vocabulary.slice()
  const isAtEnd = likeliest + written.length === ids.length
  const odds = isAtEnd ? -LEAST : endingOdds(quote.endsFrom(likeliest), written.length)
  vocabulary[CONTROL.end] = (vocabulary[CONTROL.end] as number) + odds
  return { vocabulary, copy }
}

/** Where the state says all that is written so far. */
function runsOf(written: readonly number[], ids: readonly number[]): number[] {
  const starts: number[] = []
  for (let first = 0; first + written.length <= ids.length; first++) {
    if ((ids[first] as number) < VOCABULARY && written.every((id, i) => ids[first + i] === id)) starts.push(first)
  }
  return starts
}

/** Log of all that copying a token of a text is worth. */
function massOf(copy: Float32Array, ids: readonly number[]): number {
  return logSumExp(copy.filter((_, at) => (ids[at] as number) < VOCABULARY))
}

/** Log-odds that a quote ends with its token number `count`, if it does not end before; even beyond the longest quote. */
function endingOdds(ends: readonly number[], count: number): number {
  return count < ends.length ? (ends[count - 1] as number) - logSumExp(ends.slice(count)) : 0
}

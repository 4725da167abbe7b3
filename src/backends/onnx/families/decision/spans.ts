// Pointer logits over the state's tokens to verbatim spans. A span starts and ends at word boundaries of one of the user's strings, so what is
// answered stands there by construction; "nothing there" competes with every start.
import { findFormat } from '../../../../constraint/formats.ts'
import { type WordBoundaries, wordBoundaries } from '../../../../constraint/words.ts'
import { logSigmoid, logSumExp } from '../../../../math.ts'
import type { Span, SpanFormat } from '../../../backend.ts'
import type { Origin, PackedState } from './pack.ts'

/** Logits of one read over the S tokens of the state. `endsGiven(first)` is what a first token adds to the end logits of the tokens from it on. */
export interface Pointers {
  readonly start: ArrayLike<number>
  readonly end: ArrayLike<number>
  readonly absent: number
  endsGiven(first: number, last: number): ArrayLike<number>
}

interface Candidate {
  readonly first: number
  readonly last: number
  /** log P(last token | first token). */
  readonly logEnd: number
}

/** Starts that are followed to their ends; the others have lost already. */
const BEAM = 6

/** Knows which tokens may begin and end a span, for one state. */
export class SpanFinder {
  readonly #state: PackedState
  readonly #longest: number
  readonly #boundaries = new Map<string, WordBoundaries>()

  /** `longest`: tokens of a span at most, as in training. */
  constructor(state: PackedState, longest: number) {
    this.#state = state
    this.#longest = longest
  }

  /** The most probable span, or none. `logProbability` is that of the answer, also when it is "nothing". */
  one(pointers: Pointers, format: SpanFormat): { spans: Span[]; logProbability: number } {
    const places = this.#places(format)
    const starts = [...places.keys()]
    const norm = logSumExp([pointers.absent, ...starts.map((first) => pointers.start[first] as number)])
    const logAbsent = pointers.absent - norm
    let best: { candidate: Candidate; logProbability: number } | null = null
    const byStart = starts.sort((a, b) => (pointers.start[b] as number) - (pointers.start[a] as number) || a - b)
    for (const first of byStart.slice(0, BEAM)) {
      const candidate = this.#bestEnd(pointers, first, places.get(first) as readonly number[])
      const logProbability = (pointers.start[first] as number) - norm + candidate.logEnd
      if (best === null || logProbability > best.logProbability) best = { candidate, logProbability }
    }
    // Nothing is the answer when it is likelier than all starts together: a span split over two readings is still there.
    if (best === null || logAbsent >= Math.log(0.5)) return { spans: [], logProbability: logAbsent }
    return { spans: [this.#span(best.candidate, best.logProbability)], logProbability: best.logProbability }
  }

  /** Every start that is more likely than not, with its best end, in reading order and without overlaps. */
  every(pointers: Pointers, format: SpanFormat): { spans: Span[]; logProbability: number } {
    const places = this.#places(format)
    const spans: Span[] = []
    let logProbability = 0
    let free = 0
    for (const first of [...places.keys()].sort((a, b) => a - b)) {
      const logit = pointers.start[first] as number
      if (logit <= 0 || first < free) {
        logProbability += logSigmoid(-logit)
        continue
      }
      const candidate = this.#bestEnd(pointers, first, places.get(first) as readonly number[])
      const own = logSigmoid(logit) + candidate.logEnd
      spans.push(this.#span(candidate, own))
      logProbability += own
      free = candidate.last + 1
    }
    return { spans, logProbability }
  }

  #bestEnd(pointers: Pointers, first: number, lasts: readonly number[]): Candidate {
    const furthest = lasts.at(-1) as number
    const given = pointers.endsGiven(first, furthest)
    const logits = lasts.map((last) => (pointers.end[last] as number) + (given[last - first] as number))
    const norm = logSumExp(logits)
    let best = 0
    for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[best] as number)) best = i
    return { first, last: lasts[best] as number, logEnd: (logits[best] as number) - norm }
  }

  /** First token -> the tokens that may be the last one, ascending. */
  #places(format: SpanFormat): Map<number, readonly number[]> {
    return format === 'text' ? this.#words() : this.#formatted(format)
  }

  #words(): Map<number, readonly number[]> {
    const { origins } = this.#state
    const places = new Map<number, readonly number[]>()
    origins.forEach((origin, first) => {
      if (origin === null || origin.end === origin.start || this.#bounds(origin).starts[origin.start] !== 1) return
      const lasts: number[] = []
      for (let last = first; last < Math.min(first + this.#longest, origins.length); last++) {
        const other = origins[last] as Origin | null
        if (other === null || !isSame(origin, other)) break
        if (other.end > other.start && this.#bounds(other).ends[other.end] === 1) lasts.push(last)
      }
      if (lasts.length > 0) places.set(first, lasts)
    })
    return places
  }

  #formatted(format: Exclude<SpanFormat, 'text'>): Map<number, readonly number[]> {
    const { origins } = this.#state
    const places = new Map<number, readonly number[]>()
    let token = 0
    while (token < origins.length) {
      const origin = origins[token]
      if (origin == null) {
        token++
        continue
      }
      let after = token
      while (after < origins.length && origins[after] != null && isSame(origin, origins[after] as Origin)) after++
      for (const { start, end } of findFormat(format, origin.text)) {
        const inside = (i: number): boolean => (origins[i] as Origin).end > start && (origins[i] as Origin).start < end
        const tokens = Array.from({ length: after - token }, (_, i) => token + i).filter(inside)
        const [first, last] = [tokens[0], tokens.at(-1)]
        if (first !== undefined && last !== undefined) places.set(first, [last])
      }
      token = after
    }
    return places
  }

  #bounds({ text }: Origin): WordBoundaries {
    const known = this.#boundaries.get(text)
    if (known !== undefined) return known
    const boundaries = wordBoundaries(text)
    this.#boundaries.set(text, boundaries)
    return boundaries
  }

  #span({ first, last }: Candidate, logProbability: number): Span {
    const from = this.#state.origins[first] as Origin
    const { start } = from
    const { end } = this.#state.origins[last] as Origin
    return { text: from.text.slice(start, end), source: from.source, start, end, logProbability }
  }
}

function isSame(a: Origin, b: Origin): boolean {
  return a.source.part === b.source.part && a.source.path === b.source.path
}

// Pointer logits over the state's tokens to verbatim spans. A span starts and ends at word boundaries of one of the
// caller's strings, so the answer stands there by construction; "nothing there" competes with every start.
import { findFormat } from '../../../../constraint/formats.ts'
import { type WordBoundaries, wordBoundaries } from '../../../../constraint/words.ts'
import { logSigmoid, logSumExp } from '../../../../core/math.ts'
import type { Span, SpanFormat } from '../../../backend.ts'
import type { Origin, PackedState } from './pack.ts'
import { lineBox } from './text-lines.ts'

/** Logits of one read over the S tokens of the state. */
export interface SpanPointers {
  readonly start: ArrayLike<number>
  readonly end: ArrayLike<number>
  readonly absent: number
  /** What a first token adds to the end logits of the tokens from it to `last`. */
  endsGiven(first: number, last: number): ArrayLike<number>
}

/**
 * A stretch that may be a span: its first and last token, and its UTF-16 offsets. These are not always those of the
 * tokens: one token may reach further (`."` behind an address), and the underscores of `__init__` belong to no token.
 */
interface PossibleSpan {
  readonly first: number
  readonly last: number
  readonly start: number
  readonly end: number
}

/** First token -> the possible spans that begin with it, the nearest end first. */
type SpansByStart = ReadonlyMap<number, readonly PossibleSpan[]>

interface SpanCandidate {
  readonly span: PossibleSpan
  /** log P(last token | first token). */
  readonly logEnd: number
}

/** How many of the likeliest starts are followed to their ends. */
const BEAM_WIDTH = 6

/** Finds the spans of one state, by the tokens that may begin and end one. */
export class SpanFinder {
  readonly #state: PackedState
  readonly #longest: number
  readonly #boundaries = new Map<string, WordBoundaries>()
  readonly #possible = new Map<SpanFormat, SpansByStart>()

  /** `longest`: the most tokens of a span, as in training. */
  constructor(state: PackedState, longest: number) {
    this.#state = state
    this.#longest = longest
  }

  /** The most probable span, or none. `logProbability` is that of the answer, also when it is "nothing". */
  one(pointers: SpanPointers, format: SpanFormat): { spans: Span[]; logProbability: number } {
    const possible = this.#possibleSpans(format)
    const starts = [...possible.keys()]
    const norm = logSumExp([pointers.absent, ...starts.map((first) => pointers.start[first] as number)])
    const logAbsent = pointers.absent - norm
    let best: { candidate: SpanCandidate; logProbability: number } | null = null
    const byStart = starts.sort((a, b) => (pointers.start[b] as number) - (pointers.start[a] as number) || a - b)
    for (const first of byStart.slice(0, BEAM_WIDTH)) {
      const candidate = bestEnd(pointers, possible.get(first) as readonly PossibleSpan[])
      const logProbability = (pointers.start[first] as number) - norm + candidate.logEnd
      if (best === null || logProbability > best.logProbability) best = { candidate, logProbability }
    }
    // "Nothing there" is the answer when it is likelier than all starts together: two likely starts of one span are
    // still a span.
    if (best === null || logAbsent >= Math.log(0.5)) return { spans: [], logProbability: logAbsent }
    return { spans: [this.#span(best.candidate, best.logProbability)], logProbability: best.logProbability }
  }

  /** Every start that is more likely than not, with its best end, in reading order and without overlaps. */
  every(pointers: SpanPointers, format: SpanFormat): { spans: Span[]; logProbability: number } {
    const possible = this.#possibleSpans(format)
    const spans: Span[] = []
    let logProbability = 0
    let free = 0
    for (const first of [...possible.keys()].sort((a, b) => a - b)) {
      const logit = pointers.start[first] as number
      if (logit <= 0 || first < free) {
        logProbability += logSigmoid(-logit)
        continue
      }
      const candidate = bestEnd(pointers, possible.get(first) as readonly PossibleSpan[])
      const own = logSigmoid(logit) + candidate.logEnd
      spans.push(this.#span(candidate, own))
      logProbability += own
      free = candidate.span.last + 1
    }
    return { spans, logProbability }
  }

  #possibleSpans(format: SpanFormat): SpansByStart {
    const known = this.#possible.get(format)
    if (known !== undefined) return known
    const possible = format === 'text' ? this.#words() : this.#formatted(format)
    this.#possible.set(format, possible)
    return possible
  }

  #words(): SpansByStart {
    const { origins } = this.#state
    const possible = new Map<number, readonly PossibleSpan[]>()
    origins.forEach((origin, first) => {
      if (origin === null || origin.end === origin.start) return
      const { starts, ends } = this.#bounds(origin)
      const start = skipUnderscores(origin.text, origin.start, -1)
      if (starts[start] !== 1) return
      const own: PossibleSpan[] = []
      for (let last = first; last < Math.min(first + this.#longest, origins.length); last++) {
        const other = origins[last] as Origin | null
        if (other === null || !isSameText(origin, other)) break
        const end = skipUnderscores(other.text, other.end, 1)
        if (other.end > other.start && ends[end] === 1) own.push({ first, last, start, end })
      }
      if (own.length > 0) possible.set(first, own)
    })
    return possible
  }

  #formatted(format: Exclude<SpanFormat, 'text'>): SpansByStart {
    const { origins } = this.#state
    const possible = new Map<number, readonly PossibleSpan[]>()
    let token = 0
    while (token < origins.length) {
      const origin = origins[token]
      if (origin == null) {
        token++
        continue
      }
      let after = token
      while (after < origins.length && origins[after] != null && isSameText(origin, origins[after] as Origin)) after++
      for (const { start, end } of findFormat(format, origin.text)) {
        const inside = (i: number): boolean => (origins[i] as Origin).end > start && (origins[i] as Origin).start < end
        const tokens = Array.from({ length: after - token }, (_, i) => token + i).filter(inside)
        const [first, last] = [tokens[0], tokens.at(-1)]
        if (first !== undefined && last !== undefined) possible.set(first, [{ first, last, start, end }])
      }
      token = after
    }
    return possible
  }

  #bounds({ text }: Origin): WordBoundaries {
    const known = this.#boundaries.get(text)
    if (known !== undefined) return known
    const boundaries = wordBoundaries(text)
    this.#boundaries.set(text, boundaries)
    return boundaries
  }

  #span({ span: { first, start, end } }: SpanCandidate, logProbability: number): Span {
    const { text, source, inImage } = this.#state.origins[first] as Origin
    const span = { text: text.slice(start, end), source, start, end, logProbability }
    return inImage === undefined ? span : { ...span, seen: { image: inImage.image, edges: lineBox(inImage.line, start, end) } }
  }
}

/** Logits of the last token of a span that begins with `first`, for the tokens from it to `last`. */
export function endLogits({ end, endsGiven }: SpanPointers, first: number, last: number): number[] {
  return Array.from(endsGiven(first, last), (given, i) => (end[first + i] as number) + given)
}

function bestEnd(pointers: SpanPointers, spans: readonly PossibleSpan[]): SpanCandidate {
  const furthest = spans.at(-1) as PossibleSpan
  const ends = endLogits(pointers, furthest.first, furthest.last)
  const logits = spans.map(({ first, last }) => ends[last - first] as number)
  const norm = logSumExp(logits)
  let best = 0
  for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[best] as number)) best = i
  return { span: spans[best] as PossibleSpan, logEnd: (logits[best] as number) - norm }
}

/** The offset beyond the underscores at an edge of a word: no token holds them, and no word ends before them. */
function skipUnderscores(text: string, at: number, step: 1 | -1): number {
  while (text[step === 1 ? at : at - 1] === '_') at += step
  return at
}

function isSameText(a: Origin, b: Origin): boolean {
  return a.source.part === b.source.part && a.source.path === b.source.path && a.inImage?.line === b.inImage?.line
}

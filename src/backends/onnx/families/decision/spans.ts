// Pointer logits over the state's tokens to verbatim spans. A span starts and ends at word boundaries of one of the user's strings, so what is
// answered stands there by construction; "nothing there" competes with every start.
import { findFormat } from '../../../../constraint/formats.ts'
import { type WordBoundaries, wordBoundaries } from '../../../../constraint/words.ts'
import { logSigmoid, logSumExp } from '../../../../core/math.ts'
import type { Span, SpanFormat } from '../../../backend.ts'
import { lineBox } from './lines.ts'
import type { Origin, PackedState } from './pack.ts'

/** Logits of one read over the S tokens of the state. `endsGiven(first)` is what a first token adds to the end logits of the tokens from it on. */
export interface Pointers {
  readonly start: ArrayLike<number>
  readonly end: ArrayLike<number>
  readonly absent: number
  endsGiven(first: number, last: number): ArrayLike<number>
}

/**
 * A stretch that may be a span: its first and last token, and its UTF-16 offsets. These are not always those of the tokens: one token may
 * reach further (`."` behind an address), and the underscores of `__init__` belong to none.
 */
interface Place {
  readonly first: number
  readonly last: number
  readonly start: number
  readonly end: number
}

/** First token -> the places that begin with it, the nearest end first. */
type Places = ReadonlyMap<number, readonly Place[]>

interface Candidate {
  readonly place: Place
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
  readonly #known = new Map<SpanFormat, Places>()

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
      const candidate = bestEnd(pointers, places.get(first) as readonly Place[])
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
      const candidate = bestEnd(pointers, places.get(first) as readonly Place[])
      const own = logSigmoid(logit) + candidate.logEnd
      spans.push(this.#span(candidate, own))
      logProbability += own
      free = candidate.place.last + 1
    }
    return { spans, logProbability }
  }

  #places(format: SpanFormat): Places {
    const known = this.#known.get(format)
    if (known !== undefined) return known
    const places = format === 'text' ? this.#words() : this.#formatted(format)
    this.#known.set(format, places)
    return places
  }

  #words(): Places {
    const { origins } = this.#state
    const places = new Map<number, readonly Place[]>()
    origins.forEach((origin, first) => {
      if (origin === null || origin.end === origin.start) return
      const { starts, ends } = this.#bounds(origin)
      const start = skip(origin.text, origin.start, -1)
      if (starts[start] !== 1) return
      const own: Place[] = []
      for (let last = first; last < Math.min(first + this.#longest, origins.length); last++) {
        const other = origins[last] as Origin | null
        if (other === null || !isSame(origin, other)) break
        const end = skip(other.text, other.end, 1)
        if (other.end > other.start && ends[end] === 1) own.push({ first, last, start, end })
      }
      if (own.length > 0) places.set(first, own)
    })
    return places
  }

  #formatted(format: Exclude<SpanFormat, 'text'>): Places {
    const { origins } = this.#state
    const places = new Map<number, readonly Place[]>()
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
        if (first !== undefined && last !== undefined) places.set(first, [{ first, last, start, end }])
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

  #span({ place: { first, start, end } }: Candidate, logProbability: number): Span {
    const { text, source, seen } = this.#state.origins[first] as Origin
    const span = { text: text.slice(start, end), source, start, end, logProbability }
    return seen === undefined ? span : { ...span, seen: { image: seen.image, edges: lineBox(seen.line, start, end) } }
  }
}

/** Logits of the last token of what begins with `first`, for the tokens from it to `last`. */
export function endLogits({ end, endsGiven }: Pointers, first: number, last: number): number[] {
  return Array.from(endsGiven(first, last), (given, i) => (end[first + i] as number) + given)
}

function bestEnd(pointers: Pointers, places: readonly Place[]): Candidate {
  const furthest = places.at(-1) as Place
  const ends = endLogits(pointers, furthest.first, furthest.last)
  const logits = places.map(({ first, last }) => ends[last - first] as number)
  const norm = logSumExp(logits)
  let best = 0
  for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[best] as number)) best = i
  return { place: places[best] as Place, logEnd: (logits[best] as number) - norm }
}

/** Over the underscores at an edge of a word: no token holds them, and no word ends before them. */
function skip(text: string, at: number, step: 1 | -1): number {
  while (text[step === 1 ? at : at - 1] === '_') at += step
  return at
}

function isSame(a: Origin, b: Origin): boolean {
  return a.source.part === b.source.part && a.source.path === b.source.path && a.seen?.line === b.seen?.line
}

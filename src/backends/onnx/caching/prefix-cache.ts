// Encoded states by what they begin with: a state that goes on from one that is kept is read from where they part. Beginnings are reused in whole chunks of
// a grid that starts at the first token, which is how states are read; so what is reused is, to the last bit, what would be computed again.
import { createHash } from 'node:crypto'
import type { CacheCounts } from '../../backend.ts'
import { ByteCache, type Made } from './byte-cache.ts'

export interface EncodedTokens<P> {
  readonly value: P
  readonly bytes: number
  /** What each token is: its id, or a name for what stands in its place. Equal tokens mean equal states. */
  readonly tokens: readonly (number | string)[]
}

/** Tokens reused of a kept state, in whole chunks; `value` is all of that state. */
export interface Beginning<P> {
  readonly value: P
  readonly tokens: number
}

interface Held<P> extends EncodedTokens<P> {
  readonly key: string
  readonly marks: readonly string[]
}

/** How many of its last tokens a state may read differently, and still be the beginning of another: words that go on are cut in other pieces. */
const RAGGED_TOKENS = 8

export class PrefixCache<P> {
  readonly #chunk: number
  readonly #cache: ByteCache<Held<P>>
  // The kept states that begin with what a mark stands for; the one kept last is last.
  readonly #byMark = new Map<string, Held<P>[]>()
  // Counted when it is known which: what counts only goes up.
  #hits = 0
  #misses = 0

  constructor(limit: number, chunk: number) {
    this.#chunk = chunk
    this.#cache = new ByteCache(limit, (held) => this.#forget(held))
  }

  /** A state of which the beginning was there counts as a hit; one that could not be made does not count. */
  get counts(): CacheCounts {
    const { bytes, limitBytes } = this.#cache.counts
    return { hits: this.#hits, misses: this.#misses, bytes, limitBytes }
  }

  /**
   * The state kept under the key, a hash of all of it, or else what `make` gives; callers at the same time share one making. `cachedTokens`: how many were
   * not read for this caller.
   */
  async through(
    key: string,
    make: (signal: AbortSignal) => Promise<EncodedTokens<P> & { readonly cachedTokens: number }>,
    signal?: AbortSignal,
  ): Promise<{ readonly value: P; readonly cachedTokens: number }> {
    let reused = 0
    const { value: held, isKept } = await this.#cache.through(
      key,
      async (stop): Promise<Made<Held<P>>> => {
        const { cachedTokens, value, bytes, tokens } = await make(stop)
        reused = cachedTokens
        if (cachedTokens > 0) this.#hits += 1
        else this.#misses += 1
        const made = { key, value, bytes, tokens, marks: this.#marksOf(tokens) }
        this.#keep(made)
        return { value: made, bytes }
      },
      signal,
    )
    if (isKept) this.#hits += 1
    return { value: held.value, cachedTokens: isKept ? held.tokens.length : reused }
  }

  /** The kept state that begins with most of these tokens, if any begins with a chunk of them. At least one token is left to be read. */
  beginningOf(tokens: readonly (number | string)[]): Beginning<P> | null {
    const marks = this.#marksOf(tokens)
    const most = Math.min(marks.length, Math.ceil(tokens.length / this.#chunk) - 1)
    for (let chunks = most; chunks > 0; chunks--) {
      const held = this.#byMark.get(marks[chunks - 1] as string)?.at(-1)
      if (held === undefined) continue
      this.#cache.get(held.key)
      return { value: held.value, tokens: chunks * this.#chunk }
    }
    return null
  }

  clear(): void {
    this.#cache.clear()
  }

  /** One mark a whole chunk, for everything up to its end. */
  #marksOf(tokens: readonly (number | string)[]): string[] {
    const marks: string[] = []
    let before = ''
    for (let end = this.#chunk; end <= tokens.length; end += this.#chunk) {
      const hash = createHash('sha256').update(before)
      before = hash.update(JSON.stringify(tokens.slice(end - this.#chunk, end))).digest('base64')
      marks.push(before)
    }
    return marks
  }

  #keep(made: Held<P>): void {
    if (made.bytes > this.#cache.limit) return
    // What the new state begins with is in it: kept twice, a state that grows would fill the cache with itself.
    const alike = this.#byMark.get(made.marks[0] ?? '') ?? []
    for (const held of [...alike]) if (isBeginning(held.tokens, made.tokens)) this.#cache.delete(held.key)
    for (const mark of made.marks) {
      const others = this.#byMark.get(mark)
      if (others === undefined) this.#byMark.set(mark, [made])
      else others.push(made)
    }
  }

  #forget(held: Held<P>): void {
    for (const mark of held.marks) {
      const others = this.#byMark.get(mark)?.filter((other) => other !== held) ?? []
      if (others.length === 0) this.#byMark.delete(mark)
      else this.#byMark.set(mark, others)
    }
  }
}

function isBeginning(tokens: readonly (number | string)[], of: readonly (number | string)[]): boolean {
  if (tokens.length > of.length) return false
  // As long as each other and not the same, neither is what the other goes on from: they would push each other out for ever.
  const firm = tokens.length === of.length ? tokens.length : tokens.length - RAGGED_TOKENS
  for (let i = 0; i < firm; i++) if (tokens[i] !== of[i]) return false
  return true
}

// A cache of encoded states by their beginnings: a state that continues a cached one is read only from where they
// differ. Beginnings are reused in whole chunks of a grid that starts at the first token, which is how states are read;
// so the reused part is bit for bit what would be computed again.
import { createHash } from 'node:crypto'
import type { CacheCounts } from '../../backend.ts'
import { ByteCache, type CacheEntry } from './byte-cache.ts'

export interface EncodedTokens<P> {
  readonly value: P
  readonly bytes: number
  /** Per token its id, or a key for what stands in its place. Equal tokens mean equal states. */
  readonly tokens: readonly (number | string)[]
}

/** The first `tokens` of a cached state, in whole chunks; `value` is all of that state. */
export interface SharedBeginning<P> {
  readonly value: P
  readonly tokens: number
}

interface HeldState<P> extends EncodedTokens<P> {
  readonly key: string
  /** One per whole chunk, for everything up to its end. */
  readonly prefixHashes: readonly string[]
}

/**
 * How many last tokens of a state may differ in a state that continues it: a word that goes on is cut into other
 * tokens.
 */
const LAST_TOKENS_THAT_MAY_DIFFER = 8

export class PrefixCache<P> {
  readonly #chunk: number
  readonly #startsAt: (value: P, tokens: number) => boolean
  readonly #cache: ByteCache<HeldState<P>>
  // The cached states that begin with a prefix; the one cached last is last.
  readonly #byPrefixHash = new Map<string, HeldState<P>[]>()
  // Counted only once it is known whether it was a hit, so that counts never go down.
  #hits = 0
  #misses = 0

  /** `startsAt`: whether so many first tokens of a value can be used on their own. */
  constructor(limit: number, chunk: number, startsAt: (value: P, tokens: number) => boolean = () => true) {
    this.#chunk = chunk
    this.#startsAt = startsAt
    this.#cache = new ByteCache(limit, (held) => this.#forget(held))
  }

  /** A state whose beginning was cached counts as a hit; one that could not be made does not count. */
  get counts(): CacheCounts {
    const { bytes, limitBytes } = this.#cache.counts
    return { hits: this.#hits, misses: this.#misses, bytes, limitBytes }
  }

  /**
   * The state under the key, a hash of all of it, or else what `make` gives; callers at the same time share one call of
   * `make`. `cachedTokens`: how many tokens were not read for this caller.
   */
  async through(
    key: string,
    make: (signal: AbortSignal) => Promise<EncodedTokens<P> & { readonly cachedTokens: number }>,
    signal?: AbortSignal,
  ): Promise<{ readonly value: P; readonly cachedTokens: number }> {
    let reused = 0
    const { value: held, isKept } = await this.#cache.through(
      key,
      async (stop): Promise<CacheEntry<HeldState<P>>> => {
        const { cachedTokens, value, bytes, tokens } = await make(stop)
        reused = cachedTokens
        if (cachedTokens > 0) this.#hits += 1
        else this.#misses += 1
        const made = { key, value, bytes, tokens, prefixHashes: this.#prefixHashesOf(tokens) }
        this.#keep(made)
        return { value: made, bytes }
      },
      signal,
    )
    if (isKept) this.#hits += 1
    return { value: held.value, cachedTokens: isKept ? held.tokens.length : reused }
  }

  /**
   * The cached state with the longest beginning of these tokens that can be used, if one shares a whole chunk. At least
   * one token is left to be read.
   */
  beginningOf(tokens: readonly (number | string)[]): SharedBeginning<P> | null {
    const hashes = this.#prefixHashesOf(tokens)
    const most = Math.min(hashes.length, Math.ceil(tokens.length / this.#chunk) - 1)
    for (let chunks = most; chunks > 0; chunks--) {
      const tokens = chunks * this.#chunk
      const held = this.#byPrefixHash.get(hashes[chunks - 1] as string)?.findLast(({ value }) => this.#startsAt(value, tokens))
      if (held === undefined) continue
      this.#cache.get(held.key)
      return { value: held.value, tokens }
    }
    return null
  }

  clear(): void {
    this.#cache.clear()
  }

  #prefixHashesOf(tokens: readonly (number | string)[]): string[] {
    const hashes: string[] = []
    let before = ''
    for (let end = this.#chunk; end <= tokens.length; end += this.#chunk) {
      const hash = createHash('sha256').update(before)
      before = hash.update(JSON.stringify(tokens.slice(end - this.#chunk, end))).digest('base64')
      hashes.push(before)
    }
    return hashes
  }

  #keep(made: HeldState<P>): void {
    if (made.bytes > this.#cache.limit) return
    // States that the new one continues are dropped: otherwise a state that grows would fill the cache with itself.
    const alike = this.#byPrefixHash.get(made.prefixHashes[0] ?? '') ?? []
    for (const held of [...alike]) if (isBeginning(held.tokens, made.tokens)) this.#cache.delete(held.key)
    for (const hash of made.prefixHashes) {
      const others = this.#byPrefixHash.get(hash)
      if (others === undefined) this.#byPrefixHash.set(hash, [made])
      else others.push(made)
    }
  }

  #forget(held: HeldState<P>): void {
    for (const hash of held.prefixHashes) {
      const others = this.#byPrefixHash.get(hash)?.filter((other) => other !== held) ?? []
      if (others.length === 0) this.#byPrefixHash.delete(hash)
      else this.#byPrefixHash.set(hash, others)
    }
  }
}

function isBeginning(tokens: readonly (number | string)[], of: readonly (number | string)[]): boolean {
  if (tokens.length > of.length) return false
  // Of two states of the same length neither continues the other, unless they are equal: otherwise they would push each
  // other out for ever.
  const same = tokens.length === of.length ? tokens.length : tokens.length - LAST_TOKENS_THAT_MAY_DIFFER
  for (let i = 0; i < same; i++) if (tokens[i] !== of[i]) return false
  return true
}

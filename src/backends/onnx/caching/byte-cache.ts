// A least-recently-used cache bounded in bytes. Keys are content hashes, so an entry is never stale. A value that is
// being made counts as cached: whoever asks for it meanwhile waits for it.
import type { CacheCounts, CachesOfBackend } from '../../backend.ts'

export interface CacheEntry<V> {
  readonly value: V
  readonly bytes: number
}

interface Making<V> {
  readonly made: Promise<CacheEntry<V>>
  readonly controller: AbortController
  waiting: number
}

export class ByteCache<V> {
  readonly limit: number
  readonly #dropped: (value: V, key: string) => void
  #entries = new Map<string, CacheEntry<V>>()
  #making = new Map<string, Making<V>>()
  #bytes = 0
  #hits = 0
  #misses = 0

  /** `dropped` is called for every value that leaves the cache. */
  constructor(limit: number, dropped: (value: V, key: string) => void = () => {}) {
    this.limit = limit
    this.#dropped = dropped
  }

  /** Bytes held now; never above `limit`. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts of `through`: a value that was there or being made is a hit. */
  get counts(): CacheCounts {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#bytes, limitBytes: this.limit }
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // A Map keeps the order of insertion, so the entry used last goes to the end.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** A value larger than the whole cache is not kept. */
  set(key: string, value: V, bytes: number): void {
    this.delete(key)
    if (bytes > this.limit) return
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.limit) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    this.#dropped(entry.value, key)
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key)
  }

  /**
   * The value under the key, or else what `make` gives, which is then kept; callers at the same time share one call of
   * `make`. `isKept`: it was not made for this caller. The signal of `make` aborts when all callers that wait for it
   * have gone. A caller whose signal aborts is rejected with its reason: at once when others still wait, otherwise when
   * `make` has stopped.
   */
  async through(
    key: string,
    make: (signal: AbortSignal) => Promise<CacheEntry<V>>,
    signal?: AbortSignal,
  ): Promise<{ readonly value: V; readonly isKept: boolean }> {
    signal?.throwIfAborted()
    const kept = this.get(key)
    const found = this.#making.get(key)
    if (kept !== undefined || found !== undefined) this.#hits += 1
    else this.#misses += 1
    if (kept !== undefined) return { value: kept, isKept: true }
    const making = found ?? this.#begin(key, make)
    return { value: await this.#wait(key, making, signal), isKept: found !== undefined }
  }

  #begin(key: string, make: (signal: AbortSignal) => Promise<CacheEntry<V>>): Making<V> {
    const controller = new AbortController()
    const work = async (): Promise<CacheEntry<V>> => {
      try {
        const made = await make(controller.signal)
        this.set(key, made.value, made.bytes)
        return made
      } finally {
        // If this one was given up, another may be in the making under the same key by now.
        if (this.#making.get(key) === making) this.#making.delete(key)
      }
    }
    const made = Promise.resolve().then(work)
    const making: Making<V> = { made, controller, waiting: 0 }
    this.#making.set(key, making)
    return making
  }

  async #wait(key: string, making: Making<V>, signal: AbortSignal | undefined): Promise<V> {
    making.waiting += 1
    let gone: () => void = () => {}
    const left = new Promise<void>((resolve) => {
      gone = () => resolve()
    })
    signal?.addEventListener('abort', gone, { once: true })
    try {
      const made = await Promise.race([making.made, left])
      if (made !== undefined) return made.value
      if (making.waiting === 1) {
        // No other caller waits. Callers that come from here on start anew.
        if (this.#making.get(key) === making) this.#making.delete(key)
        making.controller.abort(signal?.reason)
        await making.made.catch(() => {})
      }
      throw signal?.reason
    } finally {
      making.waiting -= 1
      signal?.removeEventListener('abort', gone)
    }
  }
}

/** Of a cache that a model does not have. */
export const NO_CACHE: CacheCounts = { hits: 0, misses: 0, bytes: 0, limitBytes: 0 }

export function addedCounts(all: readonly CacheCounts[]): CacheCounts {
  const sum = (field: keyof CacheCounts): number => all.reduce((total, counts) => total + counts[field], 0)
  return { hits: sum('hits'), misses: sum('misses'), bytes: sum('bytes'), limitBytes: sum('limitBytes') }
}

export function addedCaches(all: readonly CachesOfBackend[]): CachesOfBackend {
  return { states: addedCounts(all.map(({ states }) => states)), pictures: addedCounts(all.map(({ pictures }) => pictures)) }
}

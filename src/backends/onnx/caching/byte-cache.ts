// A cache bounded in bytes: what was used longest ago goes first. Keys are content hashes, so an entry is never stale. What is being made counts as
// there: whoever asks for it meanwhile waits for it.
import type { CacheCounts } from '../../backend.ts'

export interface Made<V> {
  readonly value: V
  readonly bytes: number
}

interface Making<V> {
  readonly made: Promise<Made<V>>
  readonly controller: AbortController
  waiting: number
}

export class ByteCache<V> {
  readonly limit: number
  readonly #dropped: (value: V, key: string) => void
  #entries = new Map<string, Made<V>>()
  #making = new Map<string, Making<V>>()
  #bytes = 0
  #hits = 0
  #misses = 0

  /** `dropped` is told of every value that is kept no longer. */
  constructor(limit: number, dropped: (value: V, key: string) => void = () => {}) {
    this.limit = limit
    this.#dropped = dropped
  }

  /** Bytes held now; never above `limit`. */
  get bytes(): number {
    return this.#bytes
  }

  /** Of `through`: a hit is what was there or already being made. */
  get counts(): CacheCounts {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#bytes, limitBytes: this.limit }
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // A Map keeps the order of insertion: the one used last goes to the end.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** A value that is larger than the whole cache is not kept. */
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
   * What is kept under the key, or else what `make` gives, which is then kept; callers at the same time share one making. `isKept`: it was not made for
   * this caller. The signal of `make` aborts when all who wait for it have gone. A caller whose signal aborts is refused with its reason: at once
   * when others still wait, else when `make` has stopped.
   */
  async through(
    key: string,
    make: (signal: AbortSignal) => Promise<Made<V>>,
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

  #begin(key: string, make: (signal: AbortSignal) => Promise<Made<V>>): Making<V> {
    const controller = new AbortController()
    const work = async (): Promise<Made<V>> => {
      try {
        const made = await make(controller.signal)
        this.set(key, made.value, made.bytes)
        return made
      } finally {
        // One that was given up may have made room for another of the same key by now.
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
        // Nobody else is there. Whoever comes from here on begins anew.
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

// A cache bounded in bytes: what was used longest ago goes first. Keys are content hashes, so an entry is never stale.

export class ByteCache<V> {
  readonly limit: number
  #entries = new Map<string, { readonly value: V; readonly bytes: number }>()
  #bytes = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Bytes held now; never above `limit`. */
  get bytes(): number {
    return this.#bytes
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
    this.#drop(key)
    if (bytes > this.limit) return
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.limit) break
      this.#drop(oldest)
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

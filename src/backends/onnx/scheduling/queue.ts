// First in, first out, at the same small cost whatever its length: `shift` of a long array moves all of it.

export class Queue<T> {
  #items: T[] = []
  #from = 0

  get length(): number {
    return this.#items.length - this.#from
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The one that came first, which stays. */
  peek(): T | undefined {
    return this.#items[this.#from]
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#from++]
    if (this.#from > 64 && this.#from * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#from)
      this.#from = 0
    }
    return item
  }
}

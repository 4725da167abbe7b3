// A first-in, first-out queue with a constant cost per item: `shift` of a long array moves all of it.

export class Queue<T> {
  #items: T[] = []
  #from = 0

  get length(): number {
    return this.#items.length - this.#from
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The oldest item, which stays in the queue. */
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

  /**
   * Takes one item out, wherever it stands; false when it is not there. The cost grows with the length of the queue.
   */
  remove(item: T): boolean {
    const at = this.#items.indexOf(item, this.#from)
    if (at < 0) return false
    this.#items.splice(at, 1)
    return true
  }
}

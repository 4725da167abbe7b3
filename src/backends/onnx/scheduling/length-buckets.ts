// Buckets of waiting items by length, so that the items nearest to a length are found without looking at all. An item
// that was taken or has ended stays in its bucket until it comes to the front: nothing is searched for to be removed.
import { Queue } from '../../../core/queue.ts'

export interface Bucketed {
  readonly tokens: number
  readonly group: string
  isTaken: boolean
}

/**
 * The share of a pass that may be padding: a short row beside long ones costs as much as they do, and less in a pass of
 * its own.
 */
const MOST_PADDING = 0.25

export class LengthBuckets<Item extends Bucketed> {
  readonly #buckets = new Map<number, Queue<Item>>()
  /** The lengths that have a bucket, in order. */
  readonly #lengths: number[] = []

  put(item: Item): void {
    let bucket = this.#buckets.get(item.tokens)
    if (bucket === undefined) {
      bucket = new Queue()
      this.#buckets.set(item.tokens, bucket)
      this.#lengths.splice(this.#indexOf(item.tokens), 0, item.tokens)
    }
    bucket.push(item)
  }

  /**
   * Takes the given item and those nearest to it in length, as many as go into one pass of `mostTokens`, padding
   * included.
   */
  take(first: Item, mostTokens: number): Item[] {
    first.isTaken = true
    const batch = [first]
    let longest = first.tokens
    let sum = first.tokens
    for (;;) {
      // The nearest length up to that of the first item, and the nearest above it. A bucket found empty has been
      // deleted, so look again.
      const above = this.#indexOf(first.tokens + 1)
      const below = above - 1
      const [shorter, longer] = [this.#oldestAt(below), this.#oldestAt(above)]
      if ((shorter === undefined && below >= 0) || (longer === undefined && above < this.#lengths.length)) continue
      const next = nearer(first, shorter, longer)
      if (next === undefined) return batch
      const padded = Math.max(longest, next.tokens) * (batch.length + 1)
      if (padded > mostTokens || padded - sum - next.tokens > MOST_PADDING * mostTokens) return batch
      next.isTaken = true
      batch.push(next)
      longest = Math.max(longest, next.tokens)
      sum += next.tokens
    }
  }

  /** The index in `#lengths` where this length stands, or would stand. */
  #indexOf(tokens: number): number {
    let [low, high] = [0, this.#lengths.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#lengths[middle] as number) < tokens) low = middle + 1
      else high = middle
    }
    return low
  }

  /**
   * The item that has waited longest in the bucket at this index of `#lengths`; deletes the bucket when there is none.
   */
  #oldestAt(index: number): Item | undefined {
    const tokens = this.#lengths[index]
    if (tokens === undefined) return undefined
    const bucket = this.#buckets.get(tokens) as Queue<Item>
    let item = bucket.peek()
    while (item?.isTaken) {
      bucket.shift()
      item = bucket.peek()
    }
    if (item !== undefined) return item
    this.#buckets.delete(tokens)
    this.#lengths.splice(index, 1)
    return undefined
  }
}

function nearer<Item extends Bucketed>(first: Item, shorter: Item | undefined, longer: Item | undefined): Item | undefined {
  if (shorter === undefined || longer === undefined) return shorter ?? longer
  return longer.tokens - first.tokens < first.tokens - shorter.tokens ? longer : shorter
}

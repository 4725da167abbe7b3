// What waits for a pass, by length, so that those nearest to a length are found without looking at all. What was taken stays where it is until it is come
// across: nothing is searched for to be removed.
import { Queue } from './queue.ts'

export interface Shelved {
  readonly tokens: number
  readonly group: string
  isTaken: boolean
}

export interface Shelf<W extends Shelved> {
  put(one: W): void
  /** The first one and those nearest to it in length, as far as they go into one pass; all of them are taken then. */
  take(first: W, mostTokens: number): W[]
}

/** The share of a pass that may be padding: a short row beside long ones costs as much as they do, and less in a pass of its own. */
const MOST_PADDING = 0.25

export function shelf<W extends Shelved>(): Shelf<W> {
  // One queue a length; the lengths that have one, in order.
  const queues = new Map<number, Queue<W>>()
  const lengths: number[] = []

  /** Where the length stands among `lengths`, or would. */
  function placeOf(tokens: number): number {
    let [low, high] = [0, lengths.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((lengths[middle] as number) < tokens) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The one that waits longest at this place of `lengths`; the place is gone when there is none. */
  function waitingAt(place: number): W | undefined {
    const tokens = lengths[place]
    if (tokens === undefined) return undefined
    const queue = queues.get(tokens) as Queue<W>
    let one = queue.peek()
    while (one?.isTaken) {
      queue.shift()
      one = queue.peek()
    }
    if (one !== undefined) return one
    queues.delete(tokens)
    lengths.splice(place, 1)
    return undefined
  }

  return {
    put(one) {
      let queue = queues.get(one.tokens)
      if (queue === undefined) {
        queue = new Queue()
        queues.set(one.tokens, queue)
        lengths.splice(placeOf(one.tokens), 0, one.tokens)
      }
      queue.push(one)
    },
    take(first, mostTokens) {
      first.isTaken = true
      const batch = [first]
      let longest = first.tokens
      let sum = first.tokens
      for (;;) {
        // Just below the first one's length or at it, and just above; a place that turns out empty is gone, and is looked for again.
        const above = placeOf(first.tokens + 1)
        const below = above - 1
        const [shorter, longer] = [waitingAt(below), waitingAt(above)]
        if ((shorter === undefined && below >= 0) || (longer === undefined && above < lengths.length)) continue
        const next = nearer(first, shorter, longer)
        if (next === undefined) return batch
        const padded = Math.max(longest, next.tokens) * (batch.length + 1)
        if (padded > mostTokens || padded - sum - next.tokens > MOST_PADDING * mostTokens) return batch
        next.isTaken = true
        batch.push(next)
        longest = Math.max(longest, next.tokens)
        sum += next.tokens
      }
    },
  }
}

function nearer<W extends Shelved>(first: W, shorter: W | undefined, longer: W | undefined): W | undefined {
  if (shorter === undefined || longer === undefined) return shorter ?? longer
  return longer.tokens - first.tokens < first.tokens - shorter.tokens ? longer : shorter
}

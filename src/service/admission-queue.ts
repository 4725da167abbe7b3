// Bounds how many requests come in, run and wait, and decides whose turn is next. Turns go round by group (the account
// that pays), so that an account with many requests waits for itself; where it is known what groups had at all replicas
// lately, the one that had least is next. A slot is taken once the body is there, so that clients that send slowly, or
// not at all, keep nobody out. It is given back exactly once, however the request ends.
import { EngineError } from '../core/errors.ts'
import { RoundRobin } from '../core/round-robin.ts'
import { ServiceRefusal } from './errors.ts'
import type { RecentTurns } from './recent-turns.ts'

export interface AdmissionQueueOptions {
  /** Requests that run at the same time. */
  readonly concurrency: number
  /** Slots besides: for requests that wait. */
  readonly queue: number
  /** Requests of one group whose bodies are still coming in. */
  readonly arrivals: number
}

/** A request whose body is still coming in. */
export interface Arrival {
  /** Takes a slot; the request counts as arriving no longer. Throws `overloaded` when none is free. */
  enter(): QueueSlot
  /** The request has ended before its body was there. Calling it again, or after `enter`, has no effect. */
  leave(): void
}

export interface QueueSlot {
  /**
   * Waits for a turn and resolves with a function that ends it; calling that again has no effect. Rejects with the
   * signal's reason when the signal aborts first, and stops waiting then. A slot has one turn.
   */
  turn(signal: AbortSignal): Promise<() => void>
  /**
   * Gives the slot back and stops waiting. A turn that has begun goes on until it is ended. Calling it again has no
   * effect.
   */
  leave(): void
}

export interface AdmissionQueue {
  /**
   * Lets a body come in. Throws `overloaded`, with the numbers and when to try again, when no slot is free or too many
   * bodies of all groups are coming in, and `rate_limited` when too many of this group are.
   */
  arrive(group: string): Arrival
  /** Takes a slot. Throws `overloaded`, with the numbers and when to try again, when none is free. */
  enter(group: string): QueueSlot
  /** Turns that have begun, and those that slots wait for. */
  readonly load: { readonly running: number; readonly waiting: number }
  /** Requests whose bodies are coming in. */
  readonly arriving: number
  /** Resolves when no slot is taken and no body is coming in. */
  empty(): Promise<void>
}

interface Waiter {
  begin(): void
}

/** The share of the slots that one group leaves to the others. */
const KEPT_FOR_OTHERS = 1 / 8
const RETRY_AFTER_MS = 1000
/**
 * Of so many turns, one goes round by group whatever groups had elsewhere, so that a group that has much of other
 * replicas does not wait for ever here.
 */
const TURNS_WITH_ONE_ROUND = 8
/** Bodies of all groups together, as a multiple of what one group may have coming in. */
const ALL_ARRIVALS = 16

/** With `recentTurns`, turns are fair over all replicas as long as it knows of others; without, over this one. */
export function createAdmissionQueue(
  { concurrency, queue, arrivals }: AdmissionQueueOptions,
  recentTurns: Pick<RecentTurns, 'begin' | 'overReplicas'> | null = null,
): AdmissionQueue {
  const slots = concurrency + queue
  const mostOfOne = slots - Math.floor(slots * KEPT_FOR_OTHERS)
  const taken = new Map<string, number>()
  const waiting = new RoundRobin<string, Waiter>()
  const arrivingOf = new Map<string, number>()
  let arriving = 0
  let total = 0
  let running = 0
  let turnsBegun = 0
  let whenEmpty: (() => void)[] = []

  /** The group that had the fewest turns at all replicas; of those that are equal, the first in the round. */
  function withFewestTurns(turnsOf: (group: string) => number): string | undefined {
    let found: string | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const group of waiting.groups()) {
      const turns = turnsOf(group)
      if (turns < fewest) [found, fewest] = [group, turns]
    }
    return found
  }

  function beginNext(): void {
    while (running < concurrency) {
      const isOfTheRound = turnsBegun % TURNS_WITH_ONE_ROUND === 0
      const turnsOf = isOfTheRound ? null : (recentTurns?.overReplicas() ?? null)
      const next = turnsOf === null ? waiting.shift() : waiting.shift(withFewestTurns(turnsOf))
      if (next === undefined) return
      waiting.toEnd(next.group)
      running += 1
      turnsBegun += 1
      next.item.begin()
    }
  }

  function makeSlot(group: string): QueueSlot {
    let hasLeft = false
    let giveUpWaiting: () => void = () => {}
    return {
      turn(signal) {
        return new Promise((resolve, reject) => {
          const quit = (reason: unknown) => {
            signal.removeEventListener('abort', onAbort)
            waiting.remove(group, waiter)
            reject(reason)
          }
          const onAbort = () => quit(signal.reason)
          giveUpWaiting = () => quit(new EngineError('internal_error', 'The place was given back before its turn came.'))
          const waiter: Waiter = {
            begin() {
              signal.removeEventListener('abort', onAbort)
              giveUpWaiting = () => {}
              const countEnd = recentTurns?.begin(group)
              let isRunning = true
              resolve(() => {
                if (!isRunning) return
                isRunning = false
                running -= 1
                countEnd?.()
                beginNext()
              })
            },
          }
          if (hasLeft) return giveUpWaiting()
          if (signal.aborted) return onAbort()
          signal.addEventListener('abort', onAbort, { once: true })
          waiting.push(group, waiter)
          beginNext()
        })
      },
      leave() {
        if (hasLeft) return
        hasLeft = true
        total -= 1
        const rest = taken.get(group)! - 1
        if (rest === 0) taken.delete(group)
        else taken.set(group, rest)
        giveUpWaiting()
        tellWhenEmpty()
      },
    }
  }

  function tellWhenEmpty(): void {
    if (total + arriving > 0) return
    for (const resolve of whenEmpty) resolve()
    whenEmpty = []
  }

  function requireSlot(group: string): void {
    const own = taken.get(group) ?? 0
    if (total < slots && own < mostOfOne) return
    const whose = total >= slots ? `The line is full: ${total} requests run or wait` : `Your account has ${own} requests in the line`
    throw refusal('overloaded', whose, total >= slots ? slots : mostOfOne)
  }

  function enter(group: string): QueueSlot {
    requireSlot(group)
    total += 1
    taken.set(group, (taken.get(group) ?? 0) + 1)
    return makeSlot(group)
  }

  return {
    arrive(group) {
      // Nobody sends a body in vain when it is plain by now.
      requireSlot(group)
      const own = arrivingOf.get(group) ?? 0
      if (own >= arrivals) throw refusal('rate_limited', `Your account has ${own} requests whose bodies are still coming in`, arrivals)
      const most = arrivals * ALL_ARRIVALS
      if (arriving >= most) throw refusal('overloaded', `${arriving} requests are still coming in`, most)
      arriving += 1
      arrivingOf.set(group, own + 1)
      let isArriving = true
      const leave = () => {
        if (!isArriving) return
        isArriving = false
        arriving -= 1
        const rest = arrivingOf.get(group)! - 1
        if (rest === 0) arrivingOf.delete(group)
        else arrivingOf.set(group, rest)
        tellWhenEmpty()
      }
      return {
        leave,
        enter() {
          try {
            return enter(group)
          } finally {
            leave()
          }
        },
      }
    },
    enter,
    get load() {
      return { running, waiting: waiting.size }
    },
    get arriving() {
      return arriving
    },
    empty: () => (total + arriving === 0 ? Promise.resolve() : new Promise((resolve) => whenEmpty.push(resolve))),
  }
}

function refusal(code: 'overloaded' | 'rate_limited', what: string, most: number): ServiceRefusal {
  const message = `${what}, at most ${most} may. Nothing was charged; try again after Retry-After.`
  return new ServiceRefusal(code, message, { retryAfterMs: RETRY_AFTER_MS })
}

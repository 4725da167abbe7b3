// The line in front of the engine: a bounded number of places, and turns that go round by group (the account that pays), so that one who asks a lot
// waits for themselves. A place is taken before a body is read, and given back exactly once however the request ends.
import { EngineError } from '../core/errors.ts'
import { ServiceRefusal } from './errors.ts'

export interface AdmissionQueueOptions {
  /** Turns held at the same time. */
  readonly concurrency: number
  /** Places besides: those that wait, and those whose bodies are still coming in. */
  readonly queue: number
}

export interface QueueSlot {
  /**
   * Waits for a turn; resolves with the way to give it back (twice is once). Rejects with the signal's reason when that aborts first, and leaves the line then.
   * One turn a place.
   */
  turn(signal: AbortSignal): Promise<() => void>
  /** Gives the place back, and stops waiting. A turn that is held stays held until it is given back itself. Twice is once. */
  leave(): void
}

export interface AdmissionQueue {
  /** A place, or `overloaded` with the numbers and when to come back. */
  enter(group: string): QueueSlot
  /** Turns that are held, and places that have none. */
  readonly load: { readonly running: number; readonly waiting: number }
  /** Resolves when nobody has a place. */
  empty(): Promise<void>
}

interface Waiter {
  begin(): void
}

/** Of the places, the share that the last group to come still finds: nobody fills the line alone. */
const KEPT_FOR_OTHERS = 1 / 8
const RETRY_AFTER_MS = 1000

export function createAdmissionQueue({ concurrency, queue }: AdmissionQueueOptions): AdmissionQueue {
  const slots = concurrency + queue
  const mostOfOne = slots - Math.floor(slots * KEPT_FOR_OTHERS)
  const taken = new Map<string, number>()
  // In the order in which the groups are served; a group that was served goes to the end.
  const waiting = new Map<string, Set<Waiter>>()
  let total = 0
  let running = 0
  let placesWithTurn = 0
  let whenEmpty: (() => void)[] = []

  function next(): void {
    while (running < concurrency) {
      const [first] = waiting
      if (first === undefined) return
      const [group, waiters] = first
      const [waiter] = waiters as Set<Waiter>
      waiters.delete(waiter!)
      waiting.delete(group)
      if (waiters.size > 0) waiting.set(group, waiters)
      running += 1
      waiter!.begin()
    }
  }

  function wait(group: string, waiter: Waiter): void {
    const waiters = waiting.get(group) ?? new Set()
    waiters.add(waiter)
    waiting.set(group, waiters)
    next()
  }

  function giveUp(group: string, waiter: Waiter): void {
    const waiters = waiting.get(group)
    if (waiters?.delete(waiter) && waiters.size === 0) waiting.delete(group)
  }

  function slot(group: string): QueueSlot {
    let hasLeft = false
    let hasTurn = false
    let giveUpWaiting: () => void = () => {}
    return {
      turn(signal) {
        return new Promise((resolve, reject) => {
          const quit = (reason: unknown) => {
            signal.removeEventListener('abort', onAbort)
            giveUp(group, waiter)
            reject(reason)
          }
          const onAbort = () => quit(signal.reason)
          giveUpWaiting = () => quit(new EngineError('internal_error', 'The place was given back before its turn came.'))
          const waiter: Waiter = {
            begin() {
              signal.removeEventListener('abort', onAbort)
              giveUpWaiting = () => {}
              hasTurn = true
              placesWithTurn += 1
              let isHeld = true
              resolve(() => {
                if (!isHeld) return
                isHeld = false
                running -= 1
                if (hasTurn) placesWithTurn -= 1
                hasTurn = false
                next()
              })
            },
          }
          if (hasLeft) return giveUpWaiting()
          if (signal.aborted) return onAbort()
          signal.addEventListener('abort', onAbort, { once: true })
          wait(group, waiter)
        })
      },
      leave() {
        if (hasLeft) return
        hasLeft = true
        total -= 1
        if (hasTurn) placesWithTurn -= 1
        hasTurn = false
        const rest = taken.get(group)! - 1
        if (rest === 0) taken.delete(group)
        else taken.set(group, rest)
        giveUpWaiting()
        if (total > 0) return
        for (const resolve of whenEmpty) resolve()
        whenEmpty = []
      },
    }
  }

  return {
    enter(group) {
      const own = taken.get(group) ?? 0
      if (total >= slots || own >= mostOfOne) {
        const whose = total >= slots ? `The line is full: ${total} requests run or wait` : `Your account has ${own} requests in the line`
        const most = total >= slots ? slots : mostOfOne
        throw new ServiceRefusal('overloaded', `${whose}, at most ${most} may. Nothing was charged; try again after Retry-After.`, {
          retryAfterMs: RETRY_AFTER_MS,
        })
      }
      total += 1
      taken.set(group, own + 1)
      return slot(group)
    },
    get load() {
      return { running, waiting: total - placesWithTurn }
    },
    empty: () => (total === 0 ? Promise.resolve() : new Promise((resolve) => whenEmpty.push(resolve))),
  }
}

// Bounds how many requests run and wait, and decides whose turn is next. Turns go round by group (the account that
// pays), so that an account with many requests waits for itself. A slot is taken before a body is read, and is given
// back exactly once, however the request ends.
import { EngineError } from '../core/errors.ts'
import { RoundRobin } from '../core/round-robin.ts'
import { ServiceRefusal } from './errors.ts'

export interface AdmissionQueueOptions {
  /** Requests that run at the same time. */
  readonly concurrency: number
  /** Slots besides: for requests that wait, and for those whose bodies are still coming in. */
  readonly queue: number
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
  /** Takes a slot. Throws `overloaded`, with the numbers and when to try again, when none is free. */
  enter(group: string): QueueSlot
  /** Turns that have begun, and slots without one. */
  readonly load: { readonly running: number; readonly waiting: number }
  /** Resolves when no slot is taken. */
  empty(): Promise<void>
}

interface Waiter {
  begin(): void
}

/** The share of the slots that one group leaves to the others. */
const KEPT_FOR_OTHERS = 1 / 8
const RETRY_AFTER_MS = 1000

export function createAdmissionQueue({ concurrency, queue }: AdmissionQueueOptions): AdmissionQueue {
  const slots = concurrency + queue
  const mostOfOne = slots - Math.floor(slots * KEPT_FOR_OTHERS)
  const taken = new Map<string, number>()
  const waiting = new RoundRobin<string, Waiter>()
  let total = 0
  let running = 0
  let slotsWithTurn = 0
  let whenEmpty: (() => void)[] = []

  function beginNext(): void {
    while (running < concurrency) {
      const next = waiting.shift()
      if (next === undefined) return
      waiting.toEnd(next.group)
      running += 1
      next.item.begin()
    }
  }

  function makeSlot(group: string): QueueSlot {
    let hasLeft = false
    let hasTurn = false
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
              hasTurn = true
              slotsWithTurn += 1
              let isRunning = true
              resolve(() => {
                if (!isRunning) return
                isRunning = false
                running -= 1
                if (hasTurn) slotsWithTurn -= 1
                hasTurn = false
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
        if (hasTurn) slotsWithTurn -= 1
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
      return makeSlot(group)
    },
    get load() {
      return { running, waiting: total - slotsWithTurn }
    },
    empty: () => (total === 0 ? Promise.resolve() : new Promise((resolve) => whenEmpty.push(resolve))),
  }
}

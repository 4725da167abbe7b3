import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type Clock, startDeadline, within } from '../../src/core/deadline.ts'

/** A clock that moves by hand, and a deadline of 100 ms on it. */
function handClock() {
  let now = 0
  let fire: (() => void) | null = null
  const clock: Clock = {
    now: () => now,
    after(_, run) {
      fire = run
      return () => {
        fire = null
      }
    },
  }
  return { clock, move: (ms: number) => (now += ms), fire: () => fire?.(), hasTimer: () => fire !== null }
}
const late = () => new Error('late')

describe('a deadline', () => {
  it('stops with the first reason, be it the time, the signal of the caller or another', async () => {
    const caller = new AbortController()
    const time = handClock()
    const deadline = startDeadline({ ms: 100, late, clock: time.clock, signal: caller.signal })
    const raced = deadline.race(new Promise(() => {}))
    caller.abort(new Error('gone'))
    deadline.stop(new Error('stopped'))
    time.fire()
    await expect(raced).rejects.toThrow('gone')
    expect(() => deadline.check()).toThrow('gone')
    expect((deadline.signal.reason as Error).message).toBe('gone')
  })

  it('is noticed by a check before its timer runs, and says what is left', () => {
    const time = handClock()
    const deadline = startDeadline({ ms: 100, late, clock: time.clock })
    time.move(60)
    expect(deadline.leftMs()).toBe(40)
    deadline.check()
    time.move(40)
    expect(() => deadline.check()).toThrow('late')
    expect(deadline.signal.aborted).toBe(true)
  })

  it('that was over before it began stops at once', () => {
    const time = handClock()
    time.move(500)
    expect(startDeadline({ ms: 100, late, clock: time.clock, since: 300 }).signal.aborted).toBe(true)
    expect(startDeadline({ ms: 100, late, clock: time.clock, signal: AbortSignal.abort() }).signal.aborted).toBe(true)
  })

  it('shares one listener with others of the same signal, and lets go of it with the last', () => {
    const caller = new AbortController()
    const clock = handClock().clock
    const deadlines = Array.from({ length: 30 }, () => startDeadline({ ms: 100, late, clock, signal: caller.signal }))
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    deadlines[0]?.end()
    const left = deadlines.slice(1)
    caller.abort(new Error('gone'))
    expect(deadlines[0]?.signal.aborted).toBe(false)
    expect(left.map(({ signal }) => (signal.reason as Error).message)).toEqual(left.map(() => 'gone'))
    for (const deadline of left) deadline.end()
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
  })

  it('lets go of its timer and the signal at its end', () => {
    const caller = new AbortController()
    const time = handClock()
    const deadline = startDeadline({ ms: 100, late, clock: time.clock, signal: caller.signal })
    deadline.end()
    caller.abort()
    expect([time.hasTimer(), deadline.signal.aborted]).toEqual([false, false])
  })
})

describe('a bounded wait', () => {
  it('says whether the work was done in time, and rejects as it does', async () => {
    expect(await within(1000, Promise.resolve())).toBe(true)
    expect(await within(1, new Promise(() => {}))).toBe(false)
    await expect(within(1000, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })
})

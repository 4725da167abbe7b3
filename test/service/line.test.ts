import { describe, expect, it } from 'vitest'
import { createLine, type Place } from '../../src/service/line.ts'

const never = new AbortController().signal

/** Places of these groups in this order, all waiting; `order` grows as their turns come. */
function waitInLine(line: ReturnType<typeof createLine>, groups: readonly string[]) {
  const order: string[] = []
  const ends: (() => void)[] = []
  groups.forEach((group, i) => {
    line
      .enter(group)
      .turn(never)
      .then((end) => {
        order.push(`${group}${i}`)
        ends.push(end)
      })
  })
  return { order, ends }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve()
}

describe('the line', () => {
  it('lets as many run as it may, and the next when one ends', async () => {
    const { order, ends } = waitInLine(createLine({ concurrency: 2, queue: 10 }), ['a', 'a', 'a'])
    await settle()
    expect(order).toEqual(['a0', 'a1'])
    ends[0]!()
    await settle()
    expect(order).toEqual(['a0', 'a1', 'a2'])
  })

  it('gives turns round by group, however many one group has waiting', async () => {
    const { order, ends } = waitInLine(createLine({ concurrency: 1, queue: 20 }), ['a', 'a', 'a', 'a', 'b', 'b', 'c'])
    for (let i = 0; i < 7; i++) {
      await settle()
      ends[i]!()
    }
    expect(order).toEqual(['a0', 'a1', 'b4', 'c6', 'a2', 'b5', 'a3'])
  })

  it('refuses whoever comes when all places are taken, with the numbers and when to come back', () => {
    const line = createLine({ concurrency: 1, queue: 2 })
    for (const group of ['a', 'b', 'c']) line.enter(group)
    expect(() => line.enter('d')).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        retryAfterMs: 1000,
        message: expect.stringContaining('3 requests run or wait, at most 3 may'),
      }),
    )
  })

  it('keeps the last places for other groups', () => {
    const line = createLine({ concurrency: 2, queue: 14 })
    for (let i = 0; i < 14; i++) line.enter('a')
    expect(() => line.enter('a')).toThrow(
      expect.objectContaining({ code: 'overloaded', message: expect.stringContaining('Your account has 14') }),
    )
    expect(() => line.enter('b')).not.toThrow()
  })

  it('has room again when a place is given back, and only once for each', () => {
    const line = createLine({ concurrency: 1, queue: 1 })
    const place = line.enter('a')
    line.enter('b')
    place.leave()
    place.leave()
    line.enter('c')
    expect(() => line.enter('d')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  })

  it('lets one that gave up go, and the turn goes to the next', async () => {
    const line = createLine({ concurrency: 1, queue: 10 })
    const first = line.enter('a')
    const endFirst = await first.turn(never)
    const leaving = new AbortController()
    const left = line.enter('a').turn(leaving.signal)
    const stays = line.enter('a').turn(never)
    leaving.abort('gone')
    await expect(left).rejects.toBe('gone')
    endFirst()
    await expect(stays).resolves.toBeTypeOf('function')
  })

  it('takes nobody whose signal has aborted before', async () => {
    const line = createLine({ concurrency: 1, queue: 1 })
    await expect(line.enter('a').turn(AbortSignal.abort('late'))).rejects.toBe('late')
    expect(line.load.running).toBe(0)
  })

  it('keeps the turn of one that left until it is given back, once', async () => {
    const line = createLine({ concurrency: 1, queue: 3 })
    const place = line.enter('a')
    const end = await place.turn(never)
    const { order } = waitInLine(line, ['b', 'c'])
    place.leave()
    await settle()
    expect([order, line.load]).toEqual([[], { running: 1, waiting: 2 }])
    end()
    end()
    await settle()
    expect([order, line.load]).toEqual([['b0'], { running: 1, waiting: 1 }])
  })

  it('gives no turn to one that left while it waited', async () => {
    const line = createLine({ concurrency: 1, queue: 3 })
    const end = await line.enter('a').turn(never)
    const leaving = line.enter('b')
    const left = leaving.turn(never)
    leaving.leave()
    await expect(left).rejects.toThrow('given back before its turn')
    end()
    await expect(leaving.turn(never)).rejects.toThrow('given back before its turn')
    expect(line.load).toEqual({ running: 0, waiting: 1 })
  })

  it('says how many run and how many wait', async () => {
    const line = createLine({ concurrency: 1, queue: 5 })
    waitInLine(line, ['a', 'b', 'c'])
    await settle()
    expect(line.load).toEqual({ running: 1, waiting: 2 })
  })

  it('is empty when the last place was given back', async () => {
    const line = createLine({ concurrency: 1, queue: 5 })
    const places: Place[] = [line.enter('a'), line.enter('b')]
    let isEmpty = false
    const empty = line.empty().then(() => {
      isEmpty = true
    })
    places[0]!.leave()
    await settle()
    expect(isEmpty).toBe(false)
    places[1]!.leave()
    await empty
    await expect(line.empty()).resolves.toBeUndefined()
  })
})

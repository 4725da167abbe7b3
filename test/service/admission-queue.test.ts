import { describe, expect, it } from 'vitest'
import { createAdmissionQueue, type QueueSlot } from '../../src/service/admission-queue.ts'

const never = new AbortController().signal

/** Places of these groups in this order, all waiting; `order` grows as their turns come. */
function waitInQueue(queue: ReturnType<typeof createAdmissionQueue>, groups: readonly string[]) {
  const order: string[] = []
  const ends: (() => void)[] = []
  groups.forEach((group, i) => {
    queue
      .enter(group)
      .turn(new AbortController().signal)
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

describe('the admission queue', () => {
  it('lets as many run as it may, and the next when one ends', async () => {
    const { order, ends } = waitInQueue(createAdmissionQueue({ concurrency: 2, queue: 10, arrivals: 8 }), ['a', 'a', 'a'])
    await settle()
    expect(order).toEqual(['a0', 'a1'])
    ends[0]!()
    await settle()
    expect(order).toEqual(['a0', 'a1', 'a2'])
  })

  it('gives turns round by group, however many one group has waiting', async () => {
    const { order, ends } = waitInQueue(createAdmissionQueue({ concurrency: 1, queue: 20, arrivals: 8 }), [
      'a',
      'a',
      'a',
      'a',
      'b',
      'b',
      'c',
    ])
    for (let i = 0; i < 7; i++) {
      await settle()
      ends[i]!()
    }
    expect(order).toEqual(['a0', 'a1', 'b4', 'c6', 'a2', 'b5', 'a3'])
  })

  /** Turns at all replicas as given, and those that begin here. */
  function counted(turns: Record<string, number>) {
    const begin = (group: string) => {
      turns[group] = (turns[group] ?? 0) + 1
      return () => {}
    }
    return { begin, overReplicas: () => (group: string) => turns[group] ?? 0 }
  }

  /** Who has the turns that follow the first, of groups that all wait. */
  async function orderOf(groups: string, recentTurns: Parameters<typeof createAdmissionQueue>[1]): Promise<string> {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 60, arrivals: 8 }, recentTurns)
    const { order, ends } = waitInQueue(queue, ['first', ...groups])
    for (let i = 0; i <= groups.length; i++) {
      await settle()
      ends[i]!()
    }
    return order
      .slice(1)
      .map((name) => name[0])
      .join('')
  }

  it('gives the next turn to the group that had the fewest at all replicas, and in turn to those that had as many', async () => {
    expect(await orderOf('aaabbb', counted({ a: 2 }))).toBe('bbabaa')
    expect(await orderOf('aaabbbc', counted({ a: 100, b: 100 }))).toBe('cababab')
  })

  it('goes round by group while it is not known what groups had at other replicas', async () => {
    expect(await orderOf('aaabbb', { begin: () => () => {}, overReplicas: () => null })).toBe('ababab')
  })

  it('goes round by group for one turn of eight, so that nobody waits for ever', async () => {
    expect(await orderOf(`${'a'.repeat(4)}${'b'.repeat(20)}`, counted({ a: 1000 }))).toBe('bbbbbbbabbbbbbbabbbbbbaa')
  })

  it('counts the turns of each group, and their ends', async () => {
    const counts: string[] = []
    const begin = (group: string) => {
      counts.push(`${group} begins`)
      return () => void counts.push(`${group} ends`)
    }
    const queue = createAdmissionQueue({ concurrency: 1, queue: 5, arrivals: 8 }, { begin, overReplicas: () => null })
    const slot = queue.enter('a')
    const end = await slot.turn(never)
    slot.leave()
    expect(counts).toEqual(['a begins'])
    end()
    end()
    expect(counts).toEqual(['a begins', 'a ends'])
  })

  it('refuses whoever comes when all slots are taken, with the numbers and when to come back', () => {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 2, arrivals: 8 })
    for (const group of ['a', 'b', 'c']) queue.enter(group)
    expect(() => queue.enter('d')).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        retryAfterMs: 1000,
        message: expect.stringContaining('3 requests run or wait, at most 3 may'),
      }),
    )
  })

  it('keeps the last slots for other groups', () => {
    const queue = createAdmissionQueue({ concurrency: 2, queue: 14, arrivals: 8 })
    for (let i = 0; i < 14; i++) queue.enter('a')
    expect(() => queue.enter('a')).toThrow(
      expect.objectContaining({ code: 'overloaded', message: expect.stringContaining('Your account has 14') }),
    )
    expect(() => queue.enter('b')).not.toThrow()
  })

  it('has room again when a slot is given back, and only once for each', () => {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 1, arrivals: 8 })
    const slot = queue.enter('a')
    queue.enter('b')
    slot.leave()
    slot.leave()
    queue.enter('c')
    expect(() => queue.enter('d')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  })

  it('lets one that gave up go, and the turn goes to the next', async () => {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 10, arrivals: 8 })
    const first = queue.enter('a')
    const endFirst = await first.turn(never)
    const leaving = new AbortController()
    const left = queue.enter('a').turn(leaving.signal)
    const stays = queue.enter('a').turn(never)
    leaving.abort('gone')
    await expect(left).rejects.toBe('gone')
    endFirst()
    await expect(stays).resolves.toBeTypeOf('function')
  })

  it('takes nobody whose signal has aborted before', async () => {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 1, arrivals: 8 })
    await expect(queue.enter('a').turn(AbortSignal.abort('late'))).rejects.toBe('late')
    expect(queue.load.running).toBe(0)
  })

  it('keeps the turn of one that left until it is given back, once', async () => {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 3, arrivals: 8 })
    const slot = queue.enter('a')
    const end = await slot.turn(never)
    const { order } = waitInQueue(queue, ['b', 'c'])
    slot.leave()
    await settle()
    expect([order, queue.load]).toEqual([[], { running: 1, waiting: 2 }])
    end()
    end()
    await settle()
    expect([order, queue.load]).toEqual([['b0'], { running: 1, waiting: 1 }])
  })

  it('gives no turn to one that left while it waited', async () => {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 3, arrivals: 8 })
    const end = await queue.enter('a').turn(never)
    const leaving = queue.enter('b')
    const left = leaving.turn(never)
    leaving.leave()
    await expect(left).rejects.toThrow('given back before its turn')
    end()
    await expect(leaving.turn(never)).rejects.toThrow('given back before its turn')
    expect(queue.load).toEqual({ running: 0, waiting: 0 })
  })

  it('says how many run and how many wait', async () => {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 5, arrivals: 8 })
    waitInQueue(queue, ['a', 'b', 'c'])
    await settle()
    expect(queue.load).toEqual({ running: 1, waiting: 2 })
  })

  it('is empty when the last slot was given back', async () => {
    const queue = createAdmissionQueue({ concurrency: 1, queue: 5, arrivals: 8 })
    const slots: QueueSlot[] = [queue.enter('a'), queue.enter('b')]
    let isEmpty = false
    const empty = queue.empty().then(() => {
      isEmpty = true
    })
    slots[0]!.leave()
    await settle()
    expect(isEmpty).toBe(false)
    slots[1]!.leave()
    await empty
    await expect(queue.empty()).resolves.toBeUndefined()
  })
})

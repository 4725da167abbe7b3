// Groups take turns, items within a group keep their order, and what is removed is never served.
import { describe, expect, it } from 'vitest'
import { Queue } from '../../src/core/queue.ts'
import { RoundRobin } from '../../src/core/round-robin.ts'

function served(rotation: RoundRobin<string, number>): number[] {
  const items: number[] = []
  for (let next = rotation.shift(); next !== undefined; next = rotation.shift()) {
    rotation.toEnd(next.group)
    items.push(next.item)
  }
  return items
}

describe('round robin', () => {
  it('serves one item of each group in turn', () => {
    const rotation = new RoundRobin<string, number>()
    for (const item of [1, 2, 3]) rotation.push('a', item)
    for (const item of [10, 20]) rotation.push('b', item)
    rotation.push('c', 100)
    expect(rotation.peek()).toEqual({ group: 'a', item: 1 })
    expect(rotation.size).toBe(6)
    expect(served(rotation)).toEqual([1, 10, 100, 2, 20, 3])
    expect(rotation.peek()).toBeUndefined()
    expect(rotation.size).toBe(0)
  })

  it('lets groups that came during a turn go before the one that had it', () => {
    const rotation = new RoundRobin<string, number>()
    rotation.push('a', 1)
    rotation.push('a', 2)
    const turn = rotation.shift()
    rotation.push('b', 10)
    rotation.toEnd((turn as { group: string }).group)
    expect(served(rotation)).toEqual([10, 2])
  })

  it('serves another group before its turn when it is asked to', () => {
    const rotation = new RoundRobin<string, number>()
    for (const item of [1, 2]) rotation.push('a', item)
    for (const item of [10, 20]) rotation.push('b', item)
    expect([...rotation.groups()]).toEqual(['a', 'b'])
    expect(rotation.shift('b')).toEqual({ group: 'b', item: 10 })
    expect(rotation.shift('c')).toBeUndefined()
    expect(served(rotation)).toEqual([1, 20, 2])
    expect([...rotation.groups()]).toEqual([])
  })

  it('forgets what is removed', () => {
    const rotation = new RoundRobin<string, number>()
    for (const item of [1, 2, 3]) rotation.push('a', item)
    for (const item of [10, 20]) rotation.push('b', item)
    expect(rotation.remove('a', 2)).toBe(true)
    expect(rotation.remove('a', 2)).toBe(false)
    expect(rotation.remove('c', 2)).toBe(false)
    expect(rotation.removeAll('b')).toEqual([10, 20])
    expect(rotation.removeAll('b')).toEqual([])
    expect(served(rotation)).toEqual([1, 3])
  })
})

describe('a queue', () => {
  it('keeps its order over many items', () => {
    const queue = new Queue<number>()
    for (let i = 0; i < 1000; i++) queue.push(i)
    expect(Array.from({ length: 500 }, () => queue.shift())).toEqual(Array.from({ length: 500 }, (_, i) => i))
    expect(queue.remove(600)).toBe(true)
    expect(queue.remove(0)).toBe(false)
    expect(queue.length).toBe(499)
    expect(queue.peek()).toBe(500)
  })
})

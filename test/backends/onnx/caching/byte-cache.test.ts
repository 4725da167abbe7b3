// What many ask for at once is made once, and not at all when all of them have gone.
import { describe, expect, it } from 'vitest'
import { ByteCache } from '../../../../src/backends/onnx/caching/byte-cache.ts'

/** A making that ends when told to, and stops as told by its signal. */
function held() {
  let [begun, end] = [0, (_: string) => {}]
  const seen: AbortSignal[] = []
  const make = (signal: AbortSignal) => {
    begun += 1
    seen.push(signal)
    return new Promise<{ value: string; bytes: number }>((resolve, reject) => {
      end = (value) => resolve({ value, bytes: 1 })
      signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), 5))
    })
  }
  return { make, seen, begun: () => begun, end: (value: string) => end(value) }
}
const soon = () => new Promise((resolve) => setTimeout(resolve, 1))

describe('what a cache is asked to make', () => {
  it('is made once for all who ask at the same time, and is there for the next', async () => {
    const cache = new ByteCache<string>(10)
    const { make, begun, end } = held()
    const asking = [cache.through('a', make), cache.through('a', make)]
    await soon()
    end('A')
    expect(await Promise.all(asking)).toEqual([
      { value: 'A', isKept: false },
      { value: 'A', isKept: true },
    ])
    expect(await cache.through('a', make)).toEqual({ value: 'A', isKept: true })
    expect(begun()).toBe(1)
    expect(cache.counts).toEqual({ hits: 2, misses: 1, bytes: 1, limitBytes: 10 })
  })

  it('goes on for those who wait when one of them leaves', async () => {
    const cache = new ByteCache<string>(10)
    const { make, seen, end } = held()
    const leaving = new AbortController()
    const left = cache.through('a', make, leaving.signal)
    const stays = cache.through('a', make)
    await soon()
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(seen[0]?.aborted).toBe(false)
    end('A')
    expect((await stays).value).toBe('A')
  })

  it('is stopped when the last has left, who is told when it has stopped, and begins anew for who comes then', async () => {
    const cache = new ByteCache<string>(10)
    const { make, seen, begun, end } = held()
    const [one, two] = [new AbortController(), new AbortController()]
    const left = [cache.through('a', make, one.signal), cache.through('a', make, two.signal)]
    await soon()
    one.abort(new Error('one'))
    await expect(left[0]).rejects.toThrow('one')
    const from = performance.now()
    two.abort(new Error('two'))
    const refused = expect(left[1]).rejects.toThrow('two')
    await new Promise(setImmediate)
    const late = cache.through('a', make)
    await soon()
    expect([seen[0]?.aborted, begun()]).toEqual([true, 2])
    await refused
    expect(performance.now() - from).toBeGreaterThan(3)
    end('again')
    expect(await late).toEqual({ value: 'again', isKept: false })
  })

  it('is asked for again after it failed, and fails for all who waited', async () => {
    const cache = new ByteCache<string>(10)
    let fails = true
    const make = async () => {
      if (fails) throw new Error('broken')
      return { value: 'A', bytes: 1 }
    }
    const asking = await Promise.allSettled([cache.through('a', make), cache.through('a', make)])
    expect(asking.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect((await cache.through('a', make)).value).toBe('A')
  })

  it('is not begun for who has gone already', async () => {
    const { make, begun } = held()
    await expect(new ByteCache<string>(1).through('a', make, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    expect(begun()).toBe(0)
  })

  it('is handed to the one who tidies up when it is dropped', () => {
    const dropped: string[] = []
    const cache = new ByteCache<string>(2, (value, key) => dropped.push(`${key}=${value}`))
    cache.set('a', 'A', 1)
    cache.set('b', 'B', 2)
    cache.set('b', 'BB', 3)
    expect(dropped).toEqual(['a=A', 'b=B'])
  })
})

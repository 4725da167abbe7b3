// Passes one at a time, and nobody waits for more than a pass of each of the others.
import { describe, expect, it } from 'vitest'
import { makeFairScheduler } from '../../../../src/backends/onnx/scheduling/fair-scheduler.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

/** FairScheduler whose passes write down what ran. */
function written() {
  const scheduler = makeFairScheduler()
  const ran: string[] = []
  let atOnce = 0
  const pass = (name: string) => async () => {
    atOnce += 1
    expect(atOnce).toBe(1)
    await tick()
    ran.push(name)
    atOnce -= 1
    return name
  }
  return { scheduler, ran, pass, run: (name: string, signal?: AbortSignal) => scheduler.run(pass(name), signal) }
}

describe('the fair scheduler', () => {
  it('run one pass at a time, in the order they were asked for', async () => {
    const { ran, run } = written()
    expect(await Promise.all(['a', 'b', 'c'].map((name) => run(name)))).toEqual(['a', 'b', 'c'])
    expect(ran).toEqual(['a', 'b', 'c'])
  })

  it('go round callers, also those who come while a pass of a large one runs', async () => {
    const { ran, run } = written()
    const [large, small] = [new AbortController().signal, new AbortController().signal]
    const all = ['A1', 'A2', 'A3', 'A4'].map((name) => run(name, large))
    await Promise.resolve()
    await Promise.resolve()
    all.push(run('b1', small), run('c1'), run('b2', small))
    await Promise.all(all)
    expect(ran).toEqual(['A1', 'b1', 'c1', 'A2', 'b2', 'A3', 'A4'])
  })

  it('keep everyone waiting for at most a pass of each of the others, whoever keeps asking', async () => {
    const { ran, run } = written()
    const greedy = Array.from({ length: 5 }, (_, i) => ({ name: `g${i}`, signal: new AbortController().signal }))
    const busy = greedy.map(async ({ name, signal }) => {
      for (let i = 0; i < 20; i++) await Promise.all([run(name, signal), run(name, signal)])
    })
    for (let i = 0; i < 10; i++) {
      await tick()
      const from = ran.length
      await run('small')
      // One that runs, and one of each of the five.
      expect(ran.length - from).toBeLessThanOrEqual(7)
    }
    await Promise.all(busy)
  })

  it('refuse at once who leaves while waiting, and do not run what was asked', async () => {
    const { ran, run } = written()
    const leaving = new AbortController()
    const first = run('a')
    const left = run('b', leaving.signal)
    const last = run('c')
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(ran).toEqual([])
    await Promise.all([first, last])
    expect(ran).toEqual(['a', 'c'])
    await expect(run('d', leaving.signal)).rejects.toThrow('gone')
    expect(ran).toEqual(['a', 'c'])
  })

  it('run a pass to its end when its caller leaves meanwhile', async () => {
    const { scheduler, ran, pass } = written()
    const leaving = new AbortController()
    const done = scheduler.run(async () => {
      leaving.abort(new Error('gone'))
      return pass('a')()
    }, leaving.signal)
    expect(await done).toBe('a')
    expect(ran).toEqual(['a'])
  })

  it('go on after a pass that fails, at once or later', async () => {
    const { scheduler, run } = written()
    const failing = scheduler.run(() => Promise.reject(new Error('later')))
    const throwing = scheduler.run(() => {
      throw new Error('at once')
    })
    const fine = run('a')
    await expect(failing).rejects.toThrow('later')
    await expect(throwing).rejects.toThrow('at once')
    expect(await fine).toBe('a')
    expect(await run('b')).toBe('b')
  })

  it('take 65 536 passes of one caller in a time that grows with their number only', async () => {
    const scheduler = makeFairScheduler()
    const { signal } = new AbortController()
    const timed = async (count: number): Promise<number> => {
      const from = performance.now()
      await Promise.all(Array.from({ length: count }, () => scheduler.run(async () => {}, signal)))
      return performance.now() - from
    }
    await timed(4096)
    const [few, many] = [await timed(4096), await timed(65_536)]
    // 16 times as many; quadratic would be 256 times as long.
    expect(many).toBeLessThan(Math.max(few, 2) * 100)
  })
})

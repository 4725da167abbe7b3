// What many ask of one state in few passes: who shares one, in which order, and what happens to those who leave and
// those beside who fails.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BatchRule, makeBatcher } from '../../../../src/backends/onnx/scheduling/batcher.ts'
import { makeFairScheduler } from '../../../../src/backends/onnx/scheduling/fair-scheduler.ts'

interface Item {
  readonly name: string
  readonly tokens: number
  readonly group?: string
}

const item = (name: string, tokens = 10, group?: string): Item => ({ name, tokens, ...(group === undefined ? {} : { group }) })
const named = (name: string, count: number, tokens = 10): Item[] => Array.from({ length: count }, (_, i) => item(`${name}${i}`, tokens))
const tick = () => new Promise((resolve) => setImmediate(resolve))

function batching(mostTokens: number, over: Partial<BatchRule<Item, string>> = {}) {
  const passes: string[][] = []
  const batches = makeBatcher<Item, string>({
    scheduler: makeFairScheduler(),
    mostTokens,
    tokensOf: ({ tokens }) => tokens,
    groupOf: ({ group }) => group ?? '',
    async pass(items) {
      passes.push(items.map(({ name }) => name))
      await tick()
      return items.map(({ name }) => name.toUpperCase())
    },
    ...over,
  })
  return { batches, passes }
}

describe('batches', () => {
  it('put what waits into one pass, whoever asked, and give everyone their own results in order', async () => {
    const { batches, passes } = batching(100)
    const results = await Promise.all([batches.run([item('a'), item('b')]), batches.run([item('c')]), batches.run([])])
    expect(results).toEqual([['A', 'B'], ['C'], []])
    expect(passes.map((names) => names.sort())).toEqual([['a', 'b', 'c']])
  })

  it('keep a pass within its tokens, padding included, and one group; one item always fits', async () => {
    const of = fc.record({
      name: fc.uuid(),
      tokens: fc.integer({ min: 1, max: 120 }),
      group: fc.constantFrom('x', 'y'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(of, { maxLength: 20 }), { maxLength: 5 }), async (calls) => {
        const passes: Item[][] = []
        const { batches } = batching(100, {
          async pass(items) {
            passes.push([...items])
            return items.map(({ name }) => name.toUpperCase())
          },
        })
        const results = await Promise.all(calls.map((items) => batches.run(items)))
        expect(results).toEqual(calls.map((items) => items.map(({ name }) => name.toUpperCase())))
        expect(passes.flat()).toHaveLength(calls.flat().length)
        for (const pass of passes) {
          expect(new Set(pass.map(({ group }) => group)).size).toBe(1)
          const longest = Math.max(...pass.map(({ tokens }) => tokens))
          expect(pass.length === 1 || longest * pass.length <= 100).toBe(true)
        }
      }),
      { seed: 3, numRuns: 60 },
    )
  })

  it('put rows of like length together: nothing short is padded to what is long', async () => {
    const { batches, passes } = batching(300)
    await batches.run([...named('short', 10), ...named('long', 2, 100)])
    expect(passes.map((names) => names.map((name) => name.slice(0, -1)))).toEqual([Array(2).fill('long'), Array(10).fill('short')])
  })

  it('serve callers in turn: a small one waits for one pass of a large one', async () => {
    const { batches, passes } = batching(20)
    const large = batches.run(named('L', 12))
    while (passes.length === 0) await tick()
    const from = passes.length
    await batches.run([item('small', 15)])
    expect(passes.length - from).toBeLessThanOrEqual(2)
    expect(await large).toHaveLength(12)
  })

  it('count all calls with one signal as one caller', async () => {
    const { batches, passes } = batching(10)
    const { signal } = new AbortController()
    const large = named('L', 30).map((one) => batches.run([one], signal))
    while (passes.length < 2) await tick()
    const from = passes.length
    await batches.run([item('small')])
    expect(passes.length - from).toBeLessThanOrEqual(2)
    await Promise.all(large)
    expect(passes).toHaveLength(31)
  })

  it('run nothing more for who leaves, and tell them when the pass they are in is over', async () => {
    const { batches, passes } = batching(20)
    const leaving = new AbortController()
    const left = batches.run(named('L', 12), leaving.signal)
    const stays = batches.run([item('s')])
    while (passes.length === 0) await tick()
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(await stays).toEqual(['S'])
    await tick()
    expect(passes.flat().length).toBeLessThanOrEqual(4)
    await expect(batches.run([item('z')], leaving.signal)).rejects.toThrow('gone')
  })

  it('refuse who leaves during the last pass of theirs as after any other', async () => {
    const leaving = new AbortController()
    const { batches } = batching(10, {
      async pass(items) {
        leaving.abort(new Error('gone'))
        return items.map(({ name }) => name)
      },
    })
    await expect(batches.run([item('a')], leaving.signal)).rejects.toThrow('gone')
  })

  it('refuse at once who leaves before any pass of theirs', async () => {
    let end: (results: string[]) => void = () => {}
    const { batches } = batching(10, { pass: () => new Promise((resolve) => (end = resolve)) })
    const first = batches.run([item('a')])
    await tick()
    await tick()
    const leaving = new AbortController()
    const left = batches.run([item('b')], leaving.signal)
    leaving.abort(new Error('gone'))
    // The pass of the other is still under way.
    await expect(left).rejects.toThrow('gone')
    end(['A'])
    expect(await first).toEqual(['A'])
  })

  it('fail who fails, and no one who shared a pass with them', async () => {
    const { batches } = batching(100, {
      async pass(items) {
        if (items.some(({ name }) => name === 'bad')) throw new Error('bad item')
        return items.map(({ name }) => name.toUpperCase())
      },
    })
    const [good, bad, other] = await Promise.allSettled([
      batches.run([item('a'), item('b')]),
      batches.run([item('bad'), item('c')]),
      batches.run([item('d')]),
    ])
    expect([good, other]).toEqual([
      { status: 'fulfilled', value: ['A', 'B'] },
      { status: 'fulfilled', value: ['D'] },
    ])
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'bad item' } })
    expect(await batches.run([item('e')])).toEqual(['E'])
  })

  it('bring those together who ask on and on, though they began in several passes', async () => {
    const { batches, passes } = batching(100)
    const write = async (name: string) => {
      await batches.run([item(name, 30, 'question')])
      for (let i = 0; i < 4; i++) {
        // What the caller does with a result takes a while of its own.
        for (let step = 0; step < 20; step++) await null
        await batches.run([item(name, 1, 'token')])
      }
    }
    await Promise.all(['a', 'b', 'c', 'd'].map(write))
    expect(passes.map((names) => names.length)).toEqual([3, 1, 4, 4, 4, 4])
  })

  it('lose nobody who asks again while the others of a pass that failed are tried', async () => {
    const { batches } = batching(100, {
      async pass(items) {
        await tick()
        if (items.some(({ name }) => name === 'bad')) throw new Error('bad item')
        return items.map(({ name }) => name.toUpperCase())
      },
    })
    const { signal } = new AbortController()
    const twice = batches.run([item('a')], signal).then(() => batches.run([item('b')], signal))
    await expect(batches.run([item('bad')])).rejects.toThrow('bad item')
    expect(await twice).toEqual(['B'])
  })

  it('fail a pass that gives too few results, and lose nobody', async () => {
    const { batches } = batching(100, { pass: async () => [] })
    await expect(batches.run([item('a')])).rejects.toThrow('0 results for 1 items')
  })

  it('refuse what a rule cannot measure without a trace', async () => {
    const { batches, passes } = batching(100, {
      tokensOf({ tokens }) {
        if (tokens < 0) throw new Error('no length')
        return tokens
      },
    })
    await expect(batches.run([item('a'), item('b', -1)])).rejects.toThrow('no length')
    expect(await batches.run([item('c')])).toEqual(['C'])
    expect(passes).toEqual([['c']])
  })

  it('take 65 536 items in a time that grows with their number only', async () => {
    const timed = async (count: number): Promise<number> => {
      const { batches } = batching(2000, { pass: async (items) => items.map(() => '') })
      const items = Array.from({ length: count }, (_, i) => item('', 10 + ((i * 7919) % 97)))
      const from = performance.now()
      await Promise.all([batches.run(items.slice(count / 2)), ...items.slice(0, count / 2).map((one) => batches.run([one]))])
      return performance.now() - from
    }
    await timed(4096)
    const [few, many] = [await timed(4096), await timed(65_536)]
    expect(many).toBeLessThan(Math.max(few, 5) * 100)
  })
})

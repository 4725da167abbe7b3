// Models in memory: loaded when they are asked, let go for others and when nobody asks, never while they answer.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { bytesOfFolder } from '../../src/backends/onnx/footprint.ts'
import type { Clock } from '../../src/core/deadline.ts'
import type { EngineOptions } from '../../src/pipeline/asking/options.ts'
import { chainOf } from '../../src/pipeline/chain.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import type { ModelSource } from '../../src/pipeline/models.ts'

const SHIPPED = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))

/** Sources that write down when they are loaded and closed, and hold their answers until they are told. */
function sources(bytes: Readonly<Record<string, number>>, fails: ReadonlySet<string> = new Set()) {
  const seen: string[] = []
  const held = new Map<string, { readonly gate: Promise<void>; readonly open: () => void }>()
  const of = (id: string): ModelSource => ({
    id,
    bytes: async () => bytes[id]!,
    load: async () => {
      seen.push(`load ${id}`)
      if (fails.has(id)) throw new Error('broken')
      const score = async (): Promise<null> => {
        await held.get(id)?.gate
        return null
      }
      const fake = createFakeBackend({ id, score })
      return {
        ...fake,
        close: async () => {
          seen.push(`close ${id}`)
          await fake.close()
        },
      }
    },
  })
  return {
    seen,
    all: Object.keys(bytes).map(of),
    hold(id: string): () => void {
      let open = () => {}
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      held.set(id, { gate, open })
      return () => {
        held.delete(id)
        open()
      }
    },
  }
}

const QUESTION = { state: 'A lamp.', questions: { lit: { type: 'noul', instructions: 'It is lit.' } } } as const
const asking = async (options: EngineOptions) => {
  const engine = await createEngine(options)
  return { engine, ask: async (model: string) => (await engine.ask({ ...QUESTION, model })).model }
}

describe('models within a budget', () => {
  it('are loaded when they are asked, and the one that was idle longest goes for another', async () => {
    let now = 0
    const clock: Clock = { now: () => now++, after: () => () => {} }
    const { seen, all } = sources({ a: 40, b: 40, c: 40 })
    const { engine, ask } = await asking({ models: all, modelBytes: 100, clock })
    expect(seen).toEqual([])
    for (const model of ['a', 'b', 'a', 'c', 'a', 'b']) expect(await ask(model)).toBe(model)
    expect(seen).toEqual(['load a', 'load b', 'close b', 'load c', 'close c', 'load b'])
    // What was loaded once is known, for its calibrations.
    expect(engine.loaded().map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    await engine.close()
    expect(seen.slice(6).sort()).toEqual(['close a', 'close b'])
  })

  it('are not let go while they answer: the other waits', async () => {
    const { seen, all, hold } = sources({ a: 60, b: 60 })
    const { engine, ask } = await asking({ models: all, modelBytes: 100 })
    const open = hold('a')
    const first = ask('a')
    const second = ask('b')
    await expect.poll(() => seen).toEqual(['load a'])
    // The answer of the first is under way; the second has no room.
    const early = await Promise.race([second, new Promise((resolve) => setImmediate(() => resolve('waits')))])
    expect(early).toBe('waits')
    open()
    expect(await Promise.all([first, second])).toEqual(['a', 'b'])
    expect(seen).toEqual(['load a', 'close a', 'load b'])
    await engine.close()
  })

  it('that wait longer than their deadline fail, and leave the others as they are', async () => {
    const { all, hold } = sources({ a: 60, b: 60 })
    const { engine, ask } = await asking({ models: all, modelBytes: 100 })
    const open = hold('a')
    const first = ask('a')
    await expect(engine.ask({ ...QUESTION, model: 'b' }, { deadlineMs: 30 })).rejects.toMatchObject({ code: 'deadline_exceeded' })
    open()
    expect(await first).toBe('a')
    await engine.close()
  })

  it('that have no room even alone are refused with both numbers', async () => {
    const { engine, ask } = await asking({ models: sources({ a: 300 * 2 ** 20 }).all, modelBytes: 100 * 2 ** 20 })
    await expect(ask('a')).rejects.toMatchObject({
      code: 'model_not_available',
      message: expect.stringMatching(/a takes about 300 MiB, and models may take 100 MiB together/),
    })
    await engine.close()
  })

  it('that do not load leave their room to others', async () => {
    const { all } = sources({ a: 80, b: 80 }, new Set(['a']))
    const { engine, ask } = await asking({ models: all, modelBytes: 100 })
    await expect(ask('a')).rejects.toMatchObject({ code: 'internal_error' })
    expect(await ask('b')).toBe('b')
    await engine.close()
  })

  it('serve a chain whose stages have room one at a time', async () => {
    const { seen, all } = sources({ a: 80, b: 80 })
    const chain = chainOf([{ model: all[0]!, threshold: 0 }, all[1]!])
    const { engine } = await asking({ models: [chain], modelBytes: 100 })
    expect((await engine.ask(QUESTION)).simo.questions.lit!.model).toBe('b')
    expect(seen).toEqual(['load a', 'close a', 'load b'])
    await engine.close()
  })

  it('that were handed in stay', async () => {
    const { all, seen } = sources({ a: 80, b: 80 })
    const fixed = createFakeBackend({ id: 'fixed' })
    const { engine, ask } = await asking({ models: [fixed, ...all], modelBytes: 100 })
    for (const model of ['fixed', 'a', 'b', 'fixed']) await ask(model)
    expect(seen).toEqual(['load a', 'close a', 'load b'])
    expect(fixed.calls.some(({ type }) => type === 'close')).toBe(false)
    await engine.close()
    expect(fixed.calls.some(({ type }) => type === 'close')).toBe(true)
  })
})

describe('a model that nobody asks', () => {
  it('is let go after its time, and loaded again when it is asked', async () => {
    let now = 0
    let timers: { readonly at: number; readonly run: () => void }[] = []
    const clock: Clock = {
      now: () => now,
      after(ms, run) {
        const timer = { at: now + ms, run }
        timers.push(timer)
        return () => {
          timers = timers.filter((one) => one !== timer)
        }
      },
    }
    const pass = (ms: number): void => {
      now += ms
      for (const timer of timers.filter(({ at }) => at <= now)) timer.run()
    }
    const { seen, all } = sources({ a: 1 })
    const { engine, ask } = await asking({ models: all, modelIdleMs: 1000, clock })
    await ask('a')
    pass(600)
    await ask('a')
    pass(600)
    expect(seen).toEqual(['load a'])
    pass(500)
    expect(seen).toEqual(['load a', 'close a'])
    expect(await ask('a')).toBe('a')
    expect(seen).toEqual(['load a', 'close a', 'load a'])
    await engine.close()
  })

  it('is let go never where no time is set', async () => {
    const { seen, all } = sources({ a: 1 })
    const { engine, ask } = await asking({ models: all })
    await ask('a')
    await engine.close()
    expect(seen).toEqual(['load a', 'close a'])
  })

  it.each([{ modelBytes: 0 }, { modelIdleMs: -1 }, { modelBytes: Number.NaN }])('refuses %o', async (options) => {
    await expect(createEngine({ models: sources({ a: 1 }).all, ...options })).rejects.toThrow(/is a number above 0/)
  })
})

describe('what a folder takes', () => {
  it('is of each graph the largest that may be loaded, and full caches, for each worker', async () => {
    const bare = await bytesOfFolder(SHIPPED, { cacheBytes: 0 })
    // 43 MB of graphs; the picture encoder counts in float32 where it lies beside the one in 8 bits.
    expect(bare).toBeGreaterThan(43e6)
    expect(bare).toBeLessThan(56e6)
    expect(await bytesOfFolder(SHIPPED, { cacheBytes: 1000, workers: 3 })).toBe(3 * (bare + 2000))
    expect(await bytesOfFolder('/no/such/folder', { cacheBytes: 0 })).toBe(0)
  })
})

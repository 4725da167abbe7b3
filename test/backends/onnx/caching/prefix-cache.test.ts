// Encoded states by their beginnings: what is reused, what gives way, and that a warm state is the cold one to the last
// bit.
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Backend, Branch } from '../../../../src/backends/backend.ts'
import { PrefixCache } from '../../../../src/backends/onnx/caching/prefix-cache.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import type { Prompt } from '../../../../src/core/types.ts'
import { picture } from '../../../contract/backend-suite.ts'

const CHUNK = 4

/** A cache of token lists that are "read" by copying; what is reused is cut off the kept value. */
function reading(limit: number) {
  const cache = new PrefixCache<readonly number[]>(limit, CHUNK)
  const open = async (tokens: readonly number[]) => {
    const make = async () => {
      const begun = cache.beginningOf(tokens)
      const cachedTokens = begun?.tokens ?? 0
      const value = [...(begun?.value.slice(0, cachedTokens) ?? []), ...tokens.slice(cachedTokens)]
      return { value, bytes: value.length, tokens, cachedTokens }
    }
    return cache.through(tokens.join(), make)
  }
  return { cache, open }
}
const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i)

describe('a prefix cache', () => {
  it('reuses the whole chunks that a kept state begins with, and all of a state that comes again', async () => {
    const { cache, open } = reading(1000)
    expect((await open(upTo(10))).cachedTokens).toBe(0)
    expect((await open(upTo(10))).cachedTokens).toBe(10)
    expect(await open([...upTo(10), 99])).toEqual({ value: [...upTo(10), 99], cachedTokens: 8 })
    expect((await open([...upTo(5), 70, 71, 72, 73])).cachedTokens).toBe(4)
    expect((await open([7, ...upTo(20)])).cachedTokens).toBe(0)
    expect(cache.counts).toMatchObject({ hits: 3, misses: 2 })
  })

  it('counts up only, and not what could not be made', async () => {
    const { cache, open } = reading(1000)
    await open(upTo(10))
    let end: () => void = () => {}
    const reads = new Promise<void>((resolve) => {
      end = resolve
    })
    const tokens = upTo(20)
    const slow = cache.through('slow', async () => {
      await reads
      return { value: tokens, bytes: 20, tokens, cachedTokens: 8 }
    })
    await Promise.resolve()
    const before = cache.counts
    end()
    await slow
    expect(cache.counts.misses).toBeGreaterThanOrEqual(before.misses)
    await expect(cache.through('broken', () => Promise.reject(new Error('too long')))).rejects.toThrow('too long')
    expect(cache.counts).toMatchObject({ hits: 1, misses: 1 })
  })

  it('begins only where a kept state can be cut, and with an older one where the newest cannot', async () => {
    const cuts = new Map([
      ['old', [4, 8]],
      ['new', [4, 12]],
    ])
    const cache = new PrefixCache<string>(1000, CHUNK, (value, tokens) => cuts.get(value)?.includes(tokens) ?? false)
    const keep = (value: string, tokens: readonly number[]) =>
      cache.through(value, async () => ({ value, bytes: 1, tokens, cachedTokens: 0 }))
    await keep('old', [...upTo(12), 50])
    await keep('new', [...upTo(12), 60])
    expect(cache.beginningOf([...upTo(12), 70])).toEqual({ value: 'new', tokens: 12 })
    expect(cache.beginningOf([...upTo(8), 70])).toEqual({ value: 'old', tokens: 8 })
    expect(cache.beginningOf([...upTo(4), 70])).toEqual({ value: 'new', tokens: 4 })
    cuts.clear()
    expect(cache.beginningOf([...upTo(12), 70])).toBeNull()
  })

  it('leaves the last chunk of a state to be read, so that there is one to read', async () => {
    const { open } = reading(1000)
    await open(upTo(20))
    expect((await open(upTo(8))).cachedTokens).toBe(4)
  })

  it('holds a state that grows once, also when its last tokens are cut in other pieces as it goes on', async () => {
    const { cache, open } = reading(1000)
    for (const length of [10, 20, 30, 40]) {
      await open([...upTo(length), 500 + length])
      expect(cache.counts.bytes).toBe(length + 1)
    }
  })

  it('keeps states beside one another that differ in their last words only', async () => {
    const { open } = reading(1000)
    const [one, two] = [
      [...upTo(20), 901],
      [...upTo(20), 902],
    ]
    for (const tokens of [one, two]) await open(tokens)
    expect([(await open(one)).cachedTokens, (await open(two)).cachedTokens]).toEqual([21, 21])
  })

  it('keeps states that only share a beginning beside one another', async () => {
    const { cache, open } = reading(1000)
    const [one, two] = [
      [...upTo(8), ...upTo(10, 100)],
      [...upTo(8), ...upTo(10, 200)],
    ]
    await open(one)
    await open(two)
    expect(cache.counts.bytes).toBe(36)
    expect([(await open(one)).cachedTokens, (await open(two)).cachedTokens]).toEqual([18, 18])
  })

  it('lets go of what was used longest ago, beginnings included', async () => {
    const { open } = reading(30)
    await open(upTo(12))
    await open(upTo(12, 100))
    // Uses the first, which then outlives the second.
    await open([...upTo(4), 900])
    await open(upTo(12, 300))
    expect((await open([...upTo(8), 901])).cachedTokens).toBeGreaterThan(0)
    expect((await open([...upTo(8, 100), 902])).cachedTokens).toBe(0)
  })

  it('gives what would be read anew, never holds more than its limit, and reuses no token that differs', async () => {
    const state = fc.array(fc.nat(1), { maxLength: 24 })
    await fc.assert(
      fc.asyncProperty(fc.array(state, { maxLength: 30 }), async (states) => {
        const { cache, open } = reading(60)
        for (const tokens of states) {
          const { value, cachedTokens } = await open(tokens)
          expect(value).toEqual(tokens)
          expect(cachedTokens).toBeLessThanOrEqual(tokens.length)
          expect(cache.counts.bytes).toBeLessThanOrEqual(60)
        }
      }),
      { seed: 4, numRuns: 100 },
    )
  })
})

describe('states of the tiny model', () => {
  const MODEL = fileURLToPath(new URL('../../../golden/idefics3/model', import.meta.url))
  const asked: Branch[] = ['The lamp is red.', 'There are two lamps.'].map((instructions) => ({
    readout: 'binary',
    instructions,
    candidates: ['true', 'false'].map((name) => ({ name, description: null })),
    image: null,
  }))
  const text = (words: number, end = ''): Prompt => {
    const said = Array.from({ length: words }, (_, i) => `word${i % 37}`).join(' ')
    return { pieces: [{ type: 'text', text: `${said}${end}`, source: { part: 0, path: null } }] }
  }
  const load = (dtype: 'fp32' | 'int8') =>
    loadOnnxModel(MODEL, { inProcess: true, threads: 1, scoring: 'plain', dtype: { decoder_model_merged: dtype } })
  const answers = async (backend: Backend, prompt: Prompt) => {
    const prefix = await backend.open(prompt)
    const scores = await prefix.score(asked)
    prefix.close()
    return { cachedTokens: prefix.cachedTokens, tokens: prefix.tokens, rows: scores.map(({ rows }) => rows) }
  }

  it.each(['fp32', 'int8'] as const)('that grow are read on from where they were, and answer as if read whole (%s)', async (dtype) => {
    const [warm, cold] = [await load(dtype), await load(dtype)]
    const shorter = await answers(warm, text(150))
    const before = warm.caches?.().states.bytes ?? 0
    const grown = text(220, ' and that is the end')
    const [after, whole] = [await answers(warm, grown), await answers(cold, grown)]
    // Whole chunks of it, of at most 256 tokens.
    expect(after.cachedTokens).toBeGreaterThan(Math.max(0, shorter.tokens - 256 - 8))
    expect(after.cachedTokens).toBeLessThan(shorter.tokens)
    expect(whole.cachedTokens).toBe(0)
    expect(after.rows).toEqual(whole.rows)
    // Held once: what it grew from has gone.
    expect(warm.caches?.().states.bytes ?? 0).toBeLessThan(before * 2.2)
    expect(warm.caches?.().states).toMatchObject({ hits: 1, misses: 1 })
    expect((await answers(warm, grown)).cachedTokens).toBe(after.tokens)
    await Promise.all([warm.close(), cold.close()])
  })

  it('are encoded once when two ask at the same time, and pictures too', async () => {
    const backend = await load('fp32')
    const prompt: Prompt = { pieces: [{ type: 'image', id: 'image_1', picture: picture(48, 32) }, ...text(20).pieces] }
    const [one, two, other] = await Promise.all([
      backend.open(prompt),
      backend.open(prompt),
      backend.open({ pieces: [...prompt.pieces, ...text(3).pieces] }),
    ])
    expect([one.cachedTokens, two.cachedTokens]).toEqual([0, one.tokens])
    expect(other.tokens).toBeGreaterThan(one.tokens)
    expect(backend.caches?.()).toMatchObject({ states: { hits: 1, misses: 2 }, pictures: { hits: 1, misses: 1 } })
    await backend.close()
  })
})

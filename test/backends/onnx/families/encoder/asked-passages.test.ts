import { describe, expect, it } from 'vitest'
import { AskedPassages } from '../../../../../src/backends/onnx/families/encoder/asked-passages.ts'
import type { EncodedPassage } from '../../../../../src/backends/onnx/families/encoder/passage-view.ts'

const NAMES_NONE = { parts: [], areAll: false, rest: '' }
const LENGTH = 3

/** Passages of three pieces each: the first two stand in all of them, the third is `100 + n`. */
function asking(count: number, means: readonly (readonly [number, number])[]) {
  const ids = Array.from({ length: count }, (_, n) => [1, 2, 100 + n]).flat()
  const passages = Array.from({ length: count }, (_, n): EncodedPassage => {
    const nothing = new Float32Array(0)
    return {
      from: n * LENGTH,
      to: (n + 1) * LENGTH,
      mean: Float32Array.from(means[n] ?? [1, 0]),
      vectors: nothing,
      kept: { count: 0, keys: [], values: [] },
    }
  })
  const pieces = { ids, starts: ids.map((_, i) => i), ends: ids.map((_, i) => i + 1) }
  const state = { text: 'x'.repeat(ids.length), stretches: [], elements: [] }
  const asked = new AskedPassages(state, pieces, LENGTH, passages, () => Promise.reject(new Error('nothing is named')))
  return async (words: readonly number[], vector: readonly [number, number] = [1, 0]) => {
    const found = await asked.of(NAMES_NONE, { ids: [words], told: [Float32Array.from(vector)] }, undefined)
    return found.map(({ from }) => from / LENGTH)
  }
}

describe('the passages that a question is asked about', () => {
  it('are all of a few, the best first', async () => {
    expect(await asking(4, [])([102])).toEqual([2, 0, 1, 3])
  })

  it('are the best two of many: those that hold its rare words', async () => {
    expect(await asking(9, [])([1, 2, 107])).toEqual([7, 0])
    expect(await asking(9, [])([104, 107])).toEqual([4, 7])
  })

  it('are the nearest where they share no words, and where words are everywhere', async () => {
    const means = Array.from({ length: 9 }, (_, n): [number, number] => (n === 5 ? [1, 0] : [0.2, 1]))
    expect((await asking(9, means)([]))[0]).toBe(5)
    expect((await asking(9, means)([1, 2]))[0]).toBe(5)
  })
})

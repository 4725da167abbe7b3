import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { AskedPassages } from '../../../../../src/backends/onnx/families/encoder/asked-passages.ts'
import type { EncodedPassage } from '../../../../../src/backends/onnx/families/encoder/passage-view.ts'
import type { Passage } from '../../../../../src/backends/onnx/families/encoder/passages.ts'
import { collectGarbage } from '../../../../shared/garbage.ts'

const NAMES_NONE = { parts: [], areAll: false, rest: '' }
const LENGTH = 3

function encoded({ from, to }: Passage, mean: readonly [number, number] = [1, 0]): EncodedPassage {
  const nothing = new Float32Array(0)
  const kept = { count: 0, keys: [], values: [] }
  return { from, to, mean: Float32Array.from(mean), vectors: nothing, kept, evidence: { keys: nothing, values: nothing } }
}

/** Passages of three pieces each: the first two stand in all of them, the third is `100 + n`. */
function asking(count: number, means: readonly (readonly [number, number])[]) {
  const ids = Array.from({ length: count }, (_, n) => [1, 2, 100 + n]).flat()
  const passages = Array.from({ length: count }, (_, n) => encoded({ from: n * LENGTH, to: (n + 1) * LENGTH }, means[n]))
  const pieces = { ids, starts: ids.map((_, i) => i), ends: ids.map((_, i) => i + 1) }
  const state = { text: 'x'.repeat(ids.length), stretches: [], elements: [] }
  const asked = new AskedPassages(state, pieces, LENGTH, passages, () => Promise.reject(new Error('nothing is named')))
  return async (texts: readonly (readonly number[])[], areApart = false) => {
    const told = texts.map(() => Float32Array.from([1, 0]))
    const { firstLook, secondLook } = await asked.of(NAMES_NONE, { ids: texts, told, areApart }, undefined)
    const numbers = (found: readonly EncodedPassage[]): number[] => found.map(({ from }) => from / LENGTH)
    return { first: numbers(firstLook), second: numbers(secondLook) }
  }
}

describe('the passages that a question is asked about', () => {
  it('are both of two, the best first', async () => {
    expect(await asking(2, [])([[101]])).toEqual({ first: [1, 0], second: [1, 0] })
  })

  it('are of a few the best and those that fit nearly as well; a second look reads all', async () => {
    expect(await asking(4, [])([[102]])).toEqual({ first: [2], second: [2, 0, 1, 3] })
    expect((await asking(4, [])([[1]])).first).toEqual([0, 1, 2, 3])
  })

  it('are of many the one that holds the rare words, and one more that fits as well', async () => {
    expect(await asking(9, [])([[1, 2, 107]])).toEqual({ first: [7], second: [7] })
    expect(await asking(9, [])([[104, 107]])).toEqual({ first: [4, 7], second: [4] })
    expect((await asking(9, [])([[1]])).first).toEqual([0, 1])
  })

  it('are those of the question rather than of an option', async () => {
    const ask = asking(9, [])
    const texts = [
      [1, 107],
      [1, 103],
      [2, 105],
    ]
    expect((await ask(texts)).second).toEqual([7])
    expect((await ask([[1], [103, 104], [105]])).second).toEqual([5])
  })

  it('of a selection are all of a few and two of many: each option may be true for another', async () => {
    expect((await asking(4, [])([[1], [102], [103]], true)).first).toHaveLength(4)
    expect((await asking(9, [])([[107], [103], [105]], true)).first).toHaveLength(2)
  })

  it('are the nearest where they share no words, and where words are everywhere', async () => {
    const means = Array.from({ length: 9 }, (_, n): [number, number] => (n === 5 ? [1, 0] : [0.2, 1]))
    expect((await asking(9, means)([[]])).second).toEqual([5])
    expect((await asking(9, means)([[1, 2]])).second).toEqual([5])
  })

  it('of a part that is named are read for the question alone, and not kept', async () => {
    const text = 'Document 1: a\nDocument 2: b'
    const pieces = { ids: [...text].map((_, i) => i), starts: [...text].map((_, i) => i), ends: [...text].map((_, i) => i + 1) }
    const passages = [encoded({ from: 0, to: 14 }), encoded({ from: 14, to: text.length })]
    const read: WeakRef<Passage>[] = []
    const asked = new AskedPassages({ text, stretches: [], elements: [] }, pieces, text.length, passages, async (parts) => {
      const own = parts.map((part) => encoded(part))
      read.push(...own.map((passage) => new WeakRef(passage)))
      return own
    })
    const question = { readout: 'binary', instructions: 'Document 2: It is late.', candidates: [], image: null } as const
    const named = asked.namedBy(question)
    await asked.of(named, { ids: [[3]], told: [Float32Array.from([1, 0])], areApart: false }, undefined)
    await setImmediate()
    collectGarbage()
    expect(read.map((passage) => passage.deref())).toEqual([undefined])
    expect(asked.areMany).toBe(true)
  })
})

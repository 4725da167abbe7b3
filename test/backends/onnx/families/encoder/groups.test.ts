// Blocks that see each other are attended to by themselves, so what is made of them does not depend on company.
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { type Block, groupsOf } from '../../../../../src/backends/onnx/families/encoder/blocks.ts'
import { EncoderGraphs } from '../../../../../src/backends/onnx/families/encoder/graphs.ts'
import { firstLook, loneBlock, secondLook } from '../../../../../src/backends/onnx/families/encoder/looks.ts'
import type { EncoderQuestion } from '../../../../../src/backends/onnx/families/encoder/questions.ts'
import { openFolder } from '../../../../../src/backends/onnx/runtime/layout.ts'

const marks = { first: 101, last: 102 }
const ids = (count: number, from: number): number[] => Array.from({ length: count }, (_, i) => 2000 + ((from + 37 * i) % 9000))

function question(words: number, options: readonly number[], from: number): EncoderQuestion {
  return {
    kind: options.length === 0 ? 'binary' : 'exclusive',
    ids: ids(words, from),
    options: options.map((length, i) => ids(length, from + 100 * (i + 1))),
    named: { parts: [], areAll: false, rest: '' },
    rowOf: options.map((_, row) => row),
  }
}

const claim = question(7, [], 1)
const choice = question(9, [2, 5, 3], 2)

describe('groups of blocks', () => {
  const cutsOf = (blocks: readonly Block[]) => groupsOf(blocks).map(({ from, to }) => [from, to])

  it('are a question with its options, in the first look', () => {
    expect(cutsOf(firstLook([claim, choice, claim], marks).blocks)).toEqual([
      [0, 1],
      [1, 5],
      [5, 6],
    ])
  })

  it('are the whole pass in the second look, and each text that stands alone', () => {
    expect(cutsOf(secondLook(choice, ids(20, 3), marks).blocks)).toEqual([[0, 5]])
    expect(cutsOf([claim, choice].map((one) => loneBlock(one.ids, marks)))).toEqual([
      [0, 1],
      [1, 2],
    ])
  })

  it('are not cut between blocks one of which sees the other, on whichever side it stands', () => {
    const block = (...sees: number[]): Block => ({ ids: [1], place: 0, type: 0, seesKept: false, sees })
    expect(cutsOf([block(2), block(), block(), block(), block(3)])).toEqual([
      [0, 3],
      [3, 5],
    ])
  })
})

describe('the shipped encoder, in eight bits', async () => {
  const folder = await openFolder(fileURLToPath(new URL('../../../../../models/service-1-pro/texts', import.meta.url)))
  const graphs = await EncoderGraphs.open(folder, { threads: 2 }, { width: 384, layers: 6 })
  afterAll(() => graphs.close())
  const { vectors: stateVectors, kept } = await graphs.readToKeep([loneBlock(ids(150, 5), marks)])

  it('keeps what it read of a state, in every layer', () => {
    expect(kept.count).toBe(152)
    for (const numbers of [stateVectors, ...kept.keys, ...kept.values]) expect(numbers.length).toBe(152 * 384)
    expect([kept.keys.length, kept.values.length]).toEqual([6, 6])
  })

  it('gives a question the same vectors alone and in any company, to the bit', async () => {
    const asked = [claim, choice, question(3, [], 3), question(40, [20, 1, 9, 9], 4), question(7, [], 5), question(12, [60], 6)]
    const vectorsOf = (some: readonly EncoderQuestion[]) => graphs.read(firstLook(some, marks).blocks, kept)
    const alone = await Promise.all(asked.map((one) => vectorsOf([one])))
    for (const order of [
      [0, 1, 2, 3, 4, 5],
      [3, 5, 0, 2, 1, 4],
    ]) {
      const together = await vectorsOf(order.map((i) => asked[i] as EncoderQuestion))
      let at = 0
      for (const i of order) {
        const own = alone[i] as Float32Array
        expect(together.subarray(at, at + own.length)).toEqual(own)
        at += own.length
      }
      expect(at).toBe(together.length)
    }
  })

  it('gives texts by themselves the same vectors beside others, to the bit', async () => {
    const texts = [3, 1, 17, 30, 5].map((length, i) => loneBlock(ids(length, 7 * i), marks))
    const together = await graphs.read(texts, null)
    let at = 0
    for (const text of texts) {
      const alone = await graphs.read([text], null)
      expect(together.subarray(at, at + alone.length)).toEqual(alone)
      at += alone.length
    }
  })
})

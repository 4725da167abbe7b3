// At which lengths the states of a hybrid graph are kept.
import { Tensor } from 'onnxruntime-common'
import { describe, expect, it } from 'vitest'
import { type KeptStates, withStatesAt } from '../../../../src/backends/onnx/decoder/kept-states.ts'

const CHUNK = 256
/** 16 bytes. */
const states = (value: number) => ({ 'past_recurrent.0': new Tensor('float32', new Float32Array(4).fill(value), [4]) })
/** The lengths at which states are kept after so many chunks, with room for `most` of them. */
function keptAfter(chunks: number, most: number): number[] {
  let kept: KeptStates = new Map()
  for (let chunk = 1; chunk <= chunks; chunk++) kept = withStatesAt(kept, chunk * CHUNK, states(chunk), CHUNK, most * 16)
  for (const [at, { 'past_recurrent.0': tensor }] of kept) expect(tensor?.data[0]).toBe(at / CHUNK)
  return [...kept.keys()].map((at) => at / CHUNK)
}

describe('states of a hybrid graph', () => {
  it('are kept at every chunk while there is room', () => {
    expect(keptAfter(7, 7)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(keptAfter(7, 100)).toHaveLength(7)
  })

  it('are kept at every second, fourth … chunk where there is less, and at the last one', () => {
    expect(keptAfter(7, 4)).toEqual([2, 4, 6, 7])
    expect(keptAfter(7, 2)).toEqual([4, 7])
    expect(keptAfter(8, 2)).toEqual([4, 8])
  })

  it('are kept at the last chunk in any case, and never take more room than there is otherwise', () => {
    expect(keptAfter(7, 0)).toEqual([7])
    for (let most = 1; most < 12; most++)
      for (let chunks = 1; chunks < 40; chunks++) {
        const kept = keptAfter(chunks, most)
        expect(kept.length).toBeLessThanOrEqual(most)
        expect(kept.at(-1)).toBe(chunks)
      }
  })

  it('are left as they were in the cache that is continued', () => {
    const before = withStatesAt(new Map(), CHUNK, states(1), CHUNK, 16)
    expect([...withStatesAt(before, 2 * CHUNK, states(2), CHUNK, 16).keys()]).toEqual([2 * CHUNK])
    expect([...before.keys()]).toEqual([CHUNK])
  })
})

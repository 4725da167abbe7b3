// A state is read with the words of its pictures only when something is quoted, written or pointed at, and then once.
import { describe, expect, it } from 'vitest'
import type { OpenState } from '../../src/backends/onnx/families/decision/open-state.ts'
import { Readings } from '../../src/backends/onnx/families/decision/readings.ts'

const branch = { readout: 'read', instructions: 'The total', candidates: [], image: null } as const
const span = { type: 'span', many: false, format: 'text' } as const

/** Answers with its name. */
const stateOf = (name: string) => ({ tokens: name.length, score: async () => [name], generate: async () => name }) as unknown as OpenState

describe('readings', () => {
  it('decide without the words, and read with them, encoded once', async () => {
    let encoded = 0
    const readings = new Readings(stateOf('cells'), async () => stateOf(`words ${++encoded}`), 7)
    expect(await readings.score([], undefined)).toEqual(['cells'])
    expect(encoded).toBe(0)
    expect(await Promise.all([readings.generate(branch, span, undefined), readings.generate(branch, span, undefined)])).toEqual([
      'words 1',
      'words 1',
    ])
    expect(await readings.generate(branch, span, undefined)).toBe('words 1')
    expect([readings.tokens, readings.bytes]).toEqual([5, 7])
  })

  it('try again what failed', async () => {
    let tries = 0
    const readings = new Readings(
      stateOf('cells'),
      async () => {
        if (++tries === 1) throw new Error('busy')
        return stateOf('words')
      },
      7,
    )
    await expect(readings.generate(branch, span, undefined)).rejects.toThrow('busy')
    expect(await readings.generate(branch, span, undefined)).toBe('words')
  })
})

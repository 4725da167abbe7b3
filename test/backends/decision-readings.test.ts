// A state is read with the words of its pictures only when something other than a choice is asked, and then once.
import { describe, expect, it } from 'vitest'
import type { Branch } from '../../src/backends/backend.ts'
import type { OpenState } from '../../src/backends/onnx/families/decision/open-state.ts'
import { Readings, type ReadingsOptions } from '../../src/backends/onnx/families/decision/readings.ts'

const branch = { readout: 'read', instructions: 'The total', candidates: [], image: null } as const
const span = { type: 'span', many: false, format: 'text' } as const
const asked = (readout: Branch['readout'], instructions: string): Branch => ({ ...branch, readout, instructions })

/** Answers with its name. */
const stateOf = (name: string) =>
  ({
    score: async (branches: readonly Branch[]) => branches.map(({ instructions }) => `${instructions} by ${name}`),
    generate: async () => name,
  }) as unknown as OpenState

const readingsOf = (withWords: (() => Promise<OpenState>) | null, more: Partial<ReadingsOptions> = {}) =>
  new Readings({ tokens: 5, bytes: 7, cells: async () => stateOf('cells'), withWords, isOnePicture: true, ...more })

describe('readings', () => {
  it('choose without the words, and answer everything else with them, encoded once', async () => {
    let encoded = 0
    const readings = readingsOf(async () => stateOf(`words ${++encoded}`))
    expect(await readings.score([asked('exclusive', 'tab')], undefined)).toEqual(['tab by cells'])
    expect(encoded).toBe(0)
    const mixed = [
      asked('binary', 'error'),
      asked('exclusive', 'tab'),
      asked('ordinal', 'rows'),
      asked('exclusive', 'page'),
      asked('independent', 'parts'),
    ]
    expect(await readings.score(mixed, undefined)).toEqual([
      'error by words 1',
      'tab by cells',
      'rows by words 1',
      'page by cells',
      'parts by words 1',
    ])
    expect(await Promise.all([readings.generate(branch, span, undefined), readings.generate(branch, span, undefined)])).toEqual([
      'words 1',
      'words 1',
    ])
    expect([readings.tokens, readings.bytes, encoded]).toEqual([5, 7, 1])
  })

  it('ask about everything at once where the words are left out', async () => {
    const readings = readingsOf(null)
    expect(await readings.score([asked('binary', 'a'), asked('exclusive', 'b')], undefined)).toEqual(['a by cells', 'b by cells'])
  })

  it('decide about several pictures without their words', async () => {
    const readings = readingsOf(async () => stateOf('words'), { isOnePicture: false })
    expect(await readings.score([asked('binary', 'a'), asked('exclusive', 'b')], undefined)).toEqual(['a by cells', 'b by cells'])
    expect(await readings.generate(branch, span, undefined)).toBe('words')
  })

  it('encode the cells only for a choice', async () => {
    let encoded = 0
    const cells = async () => stateOf(`cells ${++encoded}`)
    const readings = readingsOf(async () => stateOf('words'), { cells })
    expect(await readings.score([asked('binary', 'a')], undefined)).toEqual(['a by words'])
    expect(encoded).toBe(0)
    expect(await readings.score([asked('exclusive', 'b')], undefined)).toEqual(['b by cells 1'])
    expect(await readings.score([asked('exclusive', 'b')], undefined)).toEqual(['b by cells 1'])
  })

  it('try again what failed', async () => {
    let tries = 0
    const readings = readingsOf(async () => {
      if (++tries === 1) throw new Error('busy')
      return stateOf('words')
    })
    await expect(readings.generate(branch, span, undefined)).rejects.toThrow('busy')
    expect(await readings.generate(branch, span, undefined)).toBe('words')
  })
})

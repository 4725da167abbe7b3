import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { type Running, type RunningOptions, startRunning } from '../service/running.ts'
import { checkCase, recordedWires } from './check.ts'
import { misfits } from './shapes.ts'

const MODEL = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))
/** Options are made with the service, so that a model is loaded only then. */
const SERVICES: readonly (readonly [string, () => Promise<RunningOptions>])[] = [
  ['the fake model', async () => ({})],
  ['the shipped model', async () => ({ models: [await loadOnnxModel(MODEL, { inProcess: true })] })],
  ['another name for the System One route', async () => ({ settings: { legacyName: 'oracle' } })],
]

describe.each(SERVICES)('a service with %s', (_, options) => {
  let running: Running
  beforeAll(async () => {
    running = await startRunning(await options())
  })
  afterAll(() => running.end())

  for (const wire of recordedWires()) {
    describe(`on the wire ${wire.wire}`, () => {
      it.each(wire.cases)('$name', async (one) => {
        const { legacyName } = running.service.context.settings
        expect(await checkCase({ baseUrl: running.url, key: running.secret, legacyName }, wire, one)).toEqual([])
      })
    })
  }
})

describe('a shape', () => {
  it('is had by values that hold more, and not by those that hold less or something else', () => {
    const shape = { a: '<probability>', b: [null, '<text>'] }
    expect(misfits({ a: 0.5, b: [null, 'x'], c: 1 }, shape)).toEqual([])
    for (const value of [{ a: 0.5 }, { a: 1, b: [null, 'x'] }, { a: 0.5, b: [0, 'x'] }, { a: 0.5, b: [null, 'x', 1] }, null, []]) {
      expect(misfits(value, shape), JSON.stringify(value)).not.toEqual([])
    }
  })

  it('knows distributions from other numbers', () => {
    expect(misfits({ x: 0.25, y: 0.75 }, '<distribution>')).toEqual([])
    expect(misfits({ x: 0.3, y: 0.75 }, '<distribution>')).not.toEqual([])
    expect(misfits({ x: 0, y: 1 }, '<distribution>')).not.toEqual([])
    expect(misfits([{ probability: 0.5 }, { probability: 0.5 }], '<distribution list>')).toEqual([])
    expect(misfits([{ probability: 0.5 }, { p: 0.5 }], '<distribution list>')).not.toEqual([])
  })

  it('must be of a kind there is', () => {
    expect(() => misfits(1, '<propability>')).toThrow('<probability>')
  })
})

// The contract on the shipped model, on the calling thread and through a worker (which needs `npm run build`, as `npm
// test` does).
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { describeBackend, textPrompt } from './backend-suite.ts'

const MODEL = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))
const isBuilt = existsSync(new URL('../../dist/backends/onnx/workers/worker.js', import.meta.url))

// Options are read on their own, sorted inside: their order changes nothing at all. Questions share passes, in which
// each is attended to by itself; what is left the heads add in another order.
const options = { isOrderInvariant: true }

describeBackend('service-1-pro', () => loadOnnxModel(MODEL, { inProcess: true }), options)

if (isBuilt) describeBackend('service-1-pro in a worker', () => loadOnnxModel(MODEL), options)
else describe.skip('service-1-pro in a worker', () => it('needs dist/: run `npm run build`', () => {}))

describe('service-1-pro', () => {
  it('sees images, points at boxes, reads again and finds numbers', async () => {
    const backend = await loadOnnxModel(MODEL, { inProcess: true })
    expect(backend.info.capabilities).toEqual({
      images: true,
      boxes: true,
      rereads: true,
      findsNumbers: true,
      judgesItsReads: true,
      isEnglishOnly: true,
    })
    await backend.close()
  })

  it('finishes what runs when it is closed', async () => {
    const backend = await loadOnnxModel(MODEL, { inProcess: true })
    const prefix = await backend.open(textPrompt('The car is red. '.repeat(20)))
    const candidates = ['red', 'blue'].map((name) => ({ name, description: null }))
    const branch = { readout: 'exclusive', instructions: 'Which color is it?', candidates, image: null } as const
    const running = prefix.score(Array.from({ length: 6 }, () => branch))
    await backend.close()
    expect(await running).toHaveLength(6)
  })

  it('refuses texts that cannot fit without reading them', async () => {
    const backend = await loadOnnxModel(MODEL, { inProcess: true })
    const message = /characters.*16384 tokens.*shorten/
    for (const text of [' '.repeat(4_000_000), 'a lamp '.repeat(500_000), '\u{1f642}'.repeat(1_000_000)]) {
      const began = process.cpuUsage()
      await expect(backend.open(textPrompt(text))).rejects.toThrow(message)
      // Reading any of them takes seconds.
      expect(process.cpuUsage(began).user / 1e6).toBeLessThan(1)
    }
    const prefix = await backend.open(textPrompt('A lamp.'))
    const branch = { readout: 'binary', instructions: 'lamp '.repeat(500_000), candidates: [], image: null } as const
    await expect(prefix.score([branch])).rejects.toThrow(message)
    await backend.close()
  })
})

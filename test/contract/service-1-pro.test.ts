// The contract on the shipped model, on the calling thread and through a worker (which needs `npm run build`, as `npm
// test` does).
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { describeBackend, textPrompt } from './backend-suite.ts'

const MODEL = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))
const isBuilt = existsSync(new URL('../../dist/backends/onnx/workers/worker.js', import.meta.url))

// Options are branches of their own, sorted inside: their order changes nothing at all. Questions share passes, padded
// to the longest, and products of other sizes are summed in another order: company changes the last bits only.
const options = { isOrderInvariant: true, tolerance: 1e-5 }

describeBackend('service-1-pro', () => loadOnnxModel(MODEL, { inProcess: true }), options)

if (isBuilt) describeBackend('service-1-pro in a worker', () => loadOnnxModel(MODEL), options)
else describe.skip('service-1-pro in a worker', () => it('needs dist/: run `npm run build`', () => {}))

describe('service-1-pro', () => {
  it('sees images and points at boxes', async () => {
    const backend = await loadOnnxModel(MODEL, { inProcess: true })
    expect(backend.info.capabilities).toEqual({ images: true, boxes: true })
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
    const message = /at least \d{4,} tokens.*takes 4096; shorten/
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

  it('counts what an answer may take in', async () => {
    const backend = await loadOnnxModel(MODEL, { inProcess: true })
    const prefix = await backend.open(textPrompt('red '.repeat(4060)))
    const branch = { readout: 'read', instructions: 'Which color?', candidates: [], image: null } as const
    const asking = prefix.generate(branch, { type: 'grammar', grammar: { type: 'text' }, maxTokens: 256 })
    await expect(asking).rejects.toThrow(/the state \(4061\), a question \(\d+\) and its answer \(up to 40\) take 41\d\d tokens/)
    await backend.close()
  })
})

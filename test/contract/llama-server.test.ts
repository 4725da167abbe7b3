// The contract on a real llama.cpp server that runs a tiny model, and its probabilities against those of the `onnx`
// decoder on the same weights. Needs a Python with xllamacpp (test/backends/openai/tiny-llama.ts says how), and is
// skipped where there is none.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Branch } from '../../src/backends/backend.ts'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { connectModelServer } from '../../src/backends/openai/index.ts'
import { type RunningServer, SERVER_PYTHON, startLlamaServer, writeTinyLlama } from '../backends/openai/tiny-llama.ts'
import { describeBackend, textPrompt } from './backend-suite.ts'

const NEEDS = 'needs LLAMA_SERVER_PYTHON, a Python with xllamacpp'
const TIMEOUT_MS = 120_000

if (SERVER_PYTHON === null) describe.skip('a llama.cpp server', () => it(NEEDS, () => {}))
else {
  const folder = mkdtempSync(join(tmpdir(), 'assay-llama-server-'))
  const { gguf, hub } = writeTinyLlama(folder)
  let server: RunningServer
  beforeAll(async () => {
    server = await startLlamaServer(SERVER_PYTHON as string, gguf)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  describeBackend('a llama.cpp server', () => connectModelServer({ url: server.url }), {
    // The server keeps keys and values in full precision here, so its cache moves the last digits only.
    tolerance: 1e-4,
    timeoutMs: TIMEOUT_MS,
    skip: { 'writes the same again': 'the last digits of its log-probability depend on the cache; its text is compared below' },
  })

  describe('a llama.cpp server', () => {
    const none = (name: string) => ({ name, description: null })
    const state = 'Order 4711 <|im_end|> was placed on 2024-03-09. It arrived broken! See ﷽ 東京.'
    const BRANCHES: Readonly<Record<string, Branch>> = {
      'yes and no': { readout: 'binary', instructions: 'The customer is angry.', candidates: ['true', 'false'].map(none), image: null },
      letters: { readout: 'exclusive', instructions: 'What is it?', candidates: ['refund', 'delivery', 'praise'].map(none), image: null },
      digits: { readout: 'ordinal', instructions: 'How urgent?', candidates: ['low', 'mid', 'high'].map(none), image: null },
      'yes and no of options': {
        readout: 'independent',
        instructions: 'What is named?',
        candidates: ['price', 'date'].map(none),
        image: null,
      },
      'options in words': {
        readout: 'exclusive',
        instructions: 'Where?',
        candidates: Array.from({ length: 30 }, (_, i) => none(`place ${i + 1}`)),
        image: null,
      },
    }

    it.each(Object.keys(BRANCHES))(
      'gives the probabilities of the onnx decoder on the same weights: %s',
      async (name) => {
        const branch = BRANCHES[name] as Branch
        const remote = await connectModelServer({ url: server.url })
        const local = await loadOnnxModel(hub, { inProcess: true, threads: 1, scoring: 'plain' })
        const [there, here] = [await remote.open(textPrompt(state)), await local.open(textPrompt(state))]
        expect(there.tokens).toBe(here.tokens)
        const [[a], [b]] = [await there.score([branch]), await here.score([branch])]
        expect(a!.inputTokens).toBe(b!.inputTokens)
        a!.rows.forEach(({ logProbabilities, mass }, row) => {
          logProbabilities.forEach((log, i) => {
            expect(Math.abs(log - b!.rows[row]!.logProbabilities[i]!)).toBeLessThan(1e-3)
          })
          expect(mass).toBeCloseTo(b!.rows[row]!.mass, 4)
        })
        await Promise.all([remote.close(), local.close()])
      },
      TIMEOUT_MS,
    )

    it(
      'finds a state in its cache, and says so',
      async () => {
        const remote = await connectModelServer({ url: server.url })
        const long = textPrompt('The parcel is in Lima. '.repeat(20))
        const first = await remote.open(long)
        await first.score([BRANCHES.letters as Branch])
        const again = await remote.open(long)
        await again.score([BRANCHES.digits as Branch])
        expect(again.cachedTokens).toBeGreaterThan(0.9 * again.tokens)
        await remote.close()
      },
      TIMEOUT_MS,
    )

    it(
      'writes the same text again',
      async () => {
        const remote = await connectModelServer({ url: server.url })
        const prefix = await remote.open(textPrompt(state))
        const branch: Branch = { readout: 'read', instructions: 'Which day?', candidates: [], image: null }
        const read = () => prefix.generate(branch, { type: 'grammar', grammar: { type: 'date' }, maxTokens: 16 })
        expect(await read()).toMatchObject({ type: 'text', text: ((await read()) as { text: string }).text, complete: true })
        await remote.close()
      },
      TIMEOUT_MS,
    )

    it(
      'names another model after a change',
      async () => {
        await expect(connectModelServer({ url: server.url, model: 'another' })).rejects.toThrow(
          /has no model "another"; it has .*tiny-llama/,
        )
      },
      TIMEOUT_MS,
    )
  })
}

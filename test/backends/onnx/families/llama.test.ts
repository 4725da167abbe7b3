// A family is a folder of at most four files and a line in the list of families: the one of text decoders is added here
// under another name, and loads, keeps the contract of every backend, and answers every type of question.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { makeDecoder, probeLogits } from '../../../../src/backends/onnx/decoder/decoder.ts'
import { registerFamily } from '../../../../src/backends/onnx/families/index.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { findGraph, openFolder, TEXT_DTYPES } from '../../../../src/backends/onnx/runtime/layout.ts'
import { patchGraph } from '../../../../src/backends/onnx/runtime/patch.ts'
import { meanChange } from '../../../../src/backends/onnx/runtime/patched.ts'
import { loadRuntime, openSession } from '../../../../src/backends/onnx/runtime/session.ts'
import { choice, createEngine, extract, fill, noul, score, select } from '../../../../src/index.ts'
import { describeBackend, picture } from '../../../contract/backend-suite.ts'
import { LLAMA_CONTEXT, writeLlama } from './llama/write-model.ts'

registerFamily('toy-llama', async () => (await import('../../../../src/backends/onnx/families/text-decoder/index.ts')).textDecoder)

const folder = mkdtempSync(join(tmpdir(), 'assay-llama-'))
writeLlama(folder)
afterAll(() => rmSync(folder, { recursive: true }))

const load = () => loadOnnxModel(folder, { inProcess: true, threads: 1, id: 'tiny-llama' })

describeBackend('a text-only family', load)

describe('a text-only family', () => {
  it('is a folder of at most four files', () => {
    const files = readdirSync(fileURLToPath(new URL('../../../../src/backends/onnx/families/text-decoder', import.meta.url)))
    expect(files).toContain('index.ts')
    expect(files.length).toBeLessThanOrEqual(4)
  })

  it('cannot be registered twice', () => {
    expect(() => registerFamily('toy-llama', async () => Promise.reject(new Error('never called')))).toThrow(
      /'toy-llama' have a family already/,
    )
  })

  it('says what it is, and sees no images', async () => {
    const backend = await load()
    expect(backend.info).toMatchObject({
      id: 'tiny-llama',
      contextLength: LLAMA_CONTEXT,
      capabilities: { images: false, boxes: false },
    })
    const seen = backend.open({ pieces: [{ type: 'image', id: 'a', picture: picture(32, 32) }] })
    await expect(seen).rejects.toMatchObject({ code: 'capability_not_supported' })
    await backend.close()
  })

  it('gives the same logits with cascade attention as on its graph as it came', async () => {
    const files = await openFolder(folder)
    const graph = findGraph(files, 'model', TEXT_DTYPES, {})
    const patch = patchGraph(readFileSync(graph.path), { accuracyLevel: false, logitRows: true, cascade: true })
    expect(patch).toMatchObject({ isCascade: true })
    const runtime = await loadRuntime()
    const logits: Float32Array[][] = []
    for (const bytes of [undefined, patch?.bytes]) {
      const decoder = makeDecoder(runtime, null, await openSession(graph, { threads: 1 }, bytes))
      expect(decoder.sharesPasses).toBe(bytes !== undefined)
      logits.push(
        await probeLogits(
          decoder,
          Array.from({ length: 80 }, (_, i) => 40 + ((i * 37) % 400)),
        ),
      )
      await decoder.close()
    }
    expect(meanChange(logits[0] as Float32Array[], logits[1] as Float32Array[])).toBeLessThan(1e-5)
  })

  it('answers every type of question', async () => {
    const engine = await createEngine({ models: [await load()] })
    const { answers } = await engine.ask({
      state: 'Order 4711 was placed on 2024-03-09. It arrived broken.',
      questions: {
        angry: noul('The customer is angry.'),
        topic: choice('What is it about?', ['refund', 'delivery', 'praise']),
        urgency: score('How urgent is it?', ['low', 'medium', 'high']),
        mentioned: select('What is mentioned?', ['price', 'date', 'weather']),
        order: fill('Which order?', { kind: 'int' }),
        words: extract('Which words say when?'),
      },
    })
    expect(Object.fromEntries(Object.entries(answers).map(([id, { type }]) => [id, type]))).toEqual({
      angry: 'noul',
      topic: 'choice',
      urgency: 'score',
      mentioned: 'select',
      order: 'fill',
      words: 'extract',
    })
    expect(answers.angry.noul).toBeGreaterThan(0)
    expect(['refund', 'delivery', 'praise']).toContain(answers.topic.choice)
    await engine.close()
  })
})

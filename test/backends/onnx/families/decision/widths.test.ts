// Decision models of other widths, layers, heads and vocabularies than the shipped one load and answer, with random
// weights; and a config.json that the code cannot follow is refused with the field, its value and what is taken.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { featureLength } from '../../../../../src/backends/onnx/families/decision/features.ts'
import { loadOnnxModel } from '../../../../../src/backends/onnx/index.ts'
import { seededRandom } from '../../../../../src/core/random.ts'
import { choice, createEngine, extract, fill, noul, score, select } from '../../../../../src/index.ts'
import { describeBackend, textPrompt } from '../../../../contract/backend-suite.ts'

const GOLDEN = fileURLToPath(new URL('../../../../golden/decision-widths', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'assay-widths-'))
afterAll(() => rmSync(root, { recursive: true }))

/** A model of a golden shape with random weights, and with other fields in its config.json. */
function writeModel(shape: string, folder: string, change: (config: Record<string, unknown>) => void = () => {}): string {
  const path = join(root, folder)
  cpSync(join(GOLDEN, shape), path, { recursive: true })
  cpSync(join(GOLDEN, 'tokenizer.json'), join(path, 'tokenizer.json'))
  const { bytes } = JSON.parse(readFileSync(join(path, 'weights.json'), 'utf8')) as { bytes: number }
  const random = seededRandom(bytes)
  writeFileSync(
    join(path, 'onnx', 'decision.onnx_data'),
    Float32Array.from({ length: bytes / 4 }, () => (random() - 0.5) * 0.2),
  )
  const config = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8')) as Record<string, unknown>
  change(config)
  writeFileSync(join(path, 'config.json'), JSON.stringify(config))
  return path
}

const SHAPES = [
  ['width-128', 128],
  ['width-384', 384],
] as const

for (const [shape, width] of SHAPES) {
  const folder = writeModel(shape, shape)
  const load = () => loadOnnxModel(folder, { inProcess: true, threads: 1 })
  describeBackend(`a decision model of ${shape}`, load, { isOrderInvariant: true, tolerance: 1e-4 })

  describe(`a decision model of ${shape}`, () => {
    it('sees no pictures, and says so', async () => {
      const backend = await load()
      expect(backend.info.capabilities).toMatchObject({ images: false, boxes: false })
      const picture = { width: 8, height: 8, data: new Uint8Array(8 * 8 * 3), sha256: 'grey' }
      const opening = backend.open({ pieces: [{ type: 'image', id: 'image', picture }] })
      await expect(opening).rejects.toMatchObject({ code: 'capability_not_supported' })
      expect(backend.caches?.().pictures).toEqual({ hits: 0, misses: 0, bytes: 0, limitBytes: 0 })
      await backend.close()
    })

    it('answers every type of question, with features of its width', async () => {
      const backend = await load()
      const prefix = await backend.open(textPrompt('Order 4711 arrived broken.'))
      const candidates = ['true', 'false'].map((name) => ({ name, description: null }))
      const [scores] = await prefix.score([{ readout: 'binary', instructions: 'It is late.', candidates, image: null }])
      expect(scores?.features).toHaveLength(featureLength(width))
      expect(scores?.features?.every(Number.isFinite)).toBe(true)
      const engine = await createEngine({ models: [backend] })
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
      expect(Object.values(answers).map(({ type }) => type)).toEqual(['noul', 'choice', 'score', 'select', 'fill', 'extract'])
      await engine.close()
    })
  })
}

describe('config.json of a decision model', () => {
  let refusals = 0
  const loading = (folder: string, change: (config: Record<string, unknown>) => void) =>
    loadOnnxModel(writeModel('width-128', folder, change), { inProcess: true, threads: 1 })

  it.each([
    ['width', 192, /has width 192; 128 is taken, as onnx\/state_encoder.onnx was made with/],
    ['width', 'wide', /has width "wide"; a positive whole number is taken/],
    ['layers', 4, /has layers 4; 2 is taken/],
    ['heads', 2, /has heads 2; 4 is taken/],
    ['heads', 3, /has heads 3; a divisor of the width 128 is taken/],
    ['control_ids_from', 8128, /has 600 pieces, 8128 expected/],
    ['control_ids_from', undefined, /has control_ids_from missing; a positive whole number is taken/],
    ['kinds', ['binary', 'yesno'], /has kinds\[1\] "yesno"; one of binary, exclusive, .* is taken/],
    ['kinds', ['binary', 'binary'], /has kinds\[1\] "binary"; each kind once is taken/],
    ['kinds', 'binary', /has kinds "binary"; a list of binary, .* is taken/],
    ['choice_readouts', { bare: 'letters' }, /has choice_readouts.bare "letters"; "exclusive" or "independent" is taken/],
    ['image', { longest_edge: 1024, tile_size: 256, cells_per_tile: 60 }, /has image.cells_per_tile 60; the square of a divisor/],
    ['image', { longest_edge: 1024, tile_size: 256, cells_per_tile: 64, letters: 7 }, /has image.letters 7/],
    ['context_length', 1.5, /has context_length 1.5; a positive whole number is taken/],
    ['span_tokens', undefined, /lacks context_length, span_tokens/],
  ])('is refused with the field, its value and what is taken: %s %j', async (field, value, message) => {
    const folder = `refused-${refusals++}`
    const error = await loading(folder, (config) => {
      config[field] = value
    }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'model_not_available', message: expect.stringMatching(message) })
  })

  it.each([0, -1, 0.5])('is not overridden by a longest edge of %d', async (longestEdge) => {
    const asked = loadOnnxModel(writeModel('width-128', `edge-${longestEdge}`), { inProcess: true, pictures: { longestEdge } })
    await expect(asked).rejects.toMatchObject({
      code: 'invalid_request',
      message: `pictures.longestEdge is ${longestEdge}, a positive whole number was expected`,
    })
  })

  it('may name fewer kinds, in another order: the others are refused when they are asked for', async () => {
    const backend = await loading('fewer', (config) => {
      config.kinds = ['exclusive', 'binary']
    })
    const prefix = await backend.open(textPrompt('A lamp.'))
    const candidates = ['true', 'false'].map((name) => ({ name, description: null }))
    const [scores] = await prefix.score([{ readout: 'binary', instructions: 'It is a lamp.', candidates, image: null }])
    expect(scores?.rows).toHaveLength(1)
    const asked = prefix.score([{ readout: 'ordinal', instructions: 'How bright?', candidates, image: null }])
    await expect(asked).rejects.toThrow('this model answers no questions of kind ordinal; its kinds are exclusive, binary')
    await backend.close()
  })
})

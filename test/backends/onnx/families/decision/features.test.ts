// The features of the shipped model: of a fixed width, the same for the same question, whatever the order of its
// options, and free of charge for answers.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backend, Branch } from '../../../../../src/backends/backend.ts'
import { ControlTokens } from '../../../../../src/backends/onnx/families/decision/control-tokens.ts'
import { featureLength, featuresOf, stateDirections } from '../../../../../src/backends/onnx/families/decision/features.ts'
import { decision } from '../../../../../src/backends/onnx/families/decision/index.ts'
import { openFolder } from '../../../../../src/backends/onnx/runtime/layout.ts'
import type { Prompt } from '../../../../../src/core/types.ts'

const folder = fileURLToPath(new URL('../../../../../models/service-1-pro/pictures', import.meta.url))
let backend: Backend
beforeAll(async () => {
  backend = await decision.load(await openFolder(folder), {})
})
afterAll(() => backend.close())

const prompt = (text: string): Prompt => ({ pieces: [{ type: 'text', text, source: { part: 0, path: '' } }] })
const branch = (names: readonly string[], instructions = 'Which team takes care of this?'): Branch => ({
  readout: 'exclusive',
  instructions,
  candidates: names.map((name) => ({ name, description: null })),
  image: null,
})

async function featuresFor(text: string, asked: Branch): Promise<Float32Array> {
  const prefix = await backend.open(prompt(text))
  const [scores] = await prefix.score([asked])
  prefix.close()
  return scores!.features!
}

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, x, i) => sum + x * b[i]!, 0) / Math.sqrt(a.reduce((sum, x) => sum + x * x, 0) * b.reduce((sum, x) => sum + x * x, 0))

describe('features of the shipped model', () => {
  it('are finite and of one width for every read-out', async () => {
    for (const readout of ['binary', 'exclusive', 'ordinal', 'independent'] as const) {
      const features = await featuresFor('My card was stolen yesterday.', { ...branch(['yes', 'no']), readout })
      expect(features.length).toBe(featureLength(192))
      expect(features.every(Number.isFinite)).toBe(true)
    }
  })

  it('are the same to the last bit when asked again, and in any order of the options', async () => {
    const first = await featuresFor('My card was stolen yesterday.', branch(['cards', 'travel', 'kitchen']))
    expect(await featuresFor('My card was stolen yesterday.', branch(['cards', 'travel', 'kitchen']))).toEqual(first)
    expect(await featuresFor('My card was stolen yesterday.', branch(['kitchen', 'cards', 'travel']))).toEqual(first)
  })

  it('differ by the question and more by the state, and are nearest for states about one thing', async () => {
    const teams = branch(['cards', 'travel', 'kitchen'])
    const card = await featuresFor('My credit card was stolen yesterday.', teams)
    const otherQuestion = await featuresFor(
      'My credit card was stolen yesterday.',
      branch(['cards', 'travel', 'kitchen'], 'How urgent is it?'),
    )
    const otherCard = await featuresFor('I lost my credit card and need a new one.', teams)
    const recipe = await featuresFor('How long do I have to boil eggs for a salad?', teams)
    expect(otherQuestion).not.toEqual(card)
    expect(cosine(card, otherQuestion)).toBeGreaterThan(cosine(card, recipe))
    expect(cosine(card, otherCard)).toBeGreaterThan(cosine(card, recipe))
  })
})

describe('featuresOf', () => {
  const control = new ControlTokens(8128)
  const width = 192
  const tensors = { topic: new Float32Array(width).fill(2), hidden: new Float32Array(2 * width).fill(1), readouts: 1 }
  const state = { ids: [8128, 300, 4000], origins: [null, null, null], layoutRows: [-1, -1, -1] }
  const words = Float32Array.from({ length: 3 * width }, (_, i) => Math.sin(i))
  const memory = Float32Array.from({ length: 3 * width }, (_, i) => Math.cos(i))

  it('sees nothing of what the question may not see', () => {
    const changed = Float32Array.from(words)
    changed.fill(9, 2 * width)
    const changedMemory = Float32Array.from(memory)
    changedMemory.fill(9, 2 * width)
    const hidden = Uint8Array.of(0, 0, 1)
    const features = featuresOf(stateDirections(state, control, words, memory, hidden), tensors)
    expect(featuresOf(stateDirections(state, control, changed, changedMemory, hidden), tensors)).toEqual(features)
    const none = Uint8Array.of(0, 0, 0)
    expect(featuresOf(stateDirections(state, control, changed, memory, none), tensors)).not.toEqual(
      featuresOf(stateDirections(state, control, words, memory, none), tensors),
    )
  })

  it('is made of directions: the length of what comes in does not matter', () => {
    const none = Uint8Array.of(0, 0, 0)
    const first = featuresOf(stateDirections(state, control, words, memory, none), tensors)
    const doubled = stateDirections(
      state,
      control,
      words.map((x) => 2 * x),
      memory.map((x) => 4 * x),
      none,
    )
    for (const [i, value] of featuresOf(doubled, tensors).entries()) expect(value).toBeCloseTo(first[i]!, 5)
  })
})

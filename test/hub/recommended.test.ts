// The recommended models: that each is one this engine loads, and is pulled and found by its short name.
import { describe, expect, it } from 'vitest'
import { familyFor } from '../../src/backends/onnx/families/index.ts'
import { SUFFIXES } from '../../src/backends/onnx/runtime/layout.ts'
import { findRecommended, recommendedModels } from '../../src/hub/recommended.ts'
import { parseRepositoryName } from '../../src/hub/repository.ts'

const models = await recommendedModels()

describe('recommended models', () => {
  it('are there, each once', () => {
    expect(models.length).toBeGreaterThan(10)
    expect(new Set(models.map(({ name }) => name)).size).toBe(models.length)
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length)
  })

  it.each(models.map((model) => [model.name, model] as const))('%s has a family that reads its graphs', async (name, model) => {
    const { id, revision = 'main', modelType = 'no model type', section, graphs = [], dtype, reads } = model
    const config = section === undefined ? {} : { [section]: {} }
    const family = await familyFor({ modelType, config, files: [] })
    const { graphsAt = 'onnx/' } = family
    for (const graph of graphs) {
      expect(graph.startsWith(graphsAt)).toBe(true)
      const suffix = dtype === undefined ? '' : SUFFIXES[dtype as keyof typeof SUFFIXES]
      const stem = graph.slice(graphsAt.length, -`${suffix}.onnx`.length)
      expect(graph).toBe(`${graphsAt}${stem}${suffix}.onnx`)
      expect(family.graphs ?? ['model', 'decoder_model_merged']).toContain(stem)
    }
    expect(reads.includes('pictures')).toBe(family.graphs?.includes('vision_encoder') ?? false)
    expect(parseRepositoryName(`${id}@${revision}`)).toEqual({ id, revision })
    expect(parseRepositoryName(name)).toBeNull()
    expect(new URL(model.source).href).toContain(id)
  })

  it('are found by their names in any case, others are not', async () => {
    expect((await findRecommended('SmolVLM-256M'))?.id).toBe('HuggingFaceTB/SmolVLM-256M-Instruct')
    expect(await findRecommended('HuggingFaceTB/SmolVLM-256M-Instruct')).toBeNull()
    expect(await findRecommended('constructor')).toBeNull()
  })
})

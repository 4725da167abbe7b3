// Folders of Gemma 3n and 4 whose numbers for the layers, layers that share keys and values, or patches are not those
// of one model.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { makeDecoder } from '../../../../src/backends/onnx/decoder/decoder.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { findGraph, openFolder, TEXT_DTYPES } from '../../../../src/backends/onnx/runtime/layout.ts'
import { makeNode } from '../../../../src/backends/onnx/runtime/patches/nodes.ts'
import { loadRuntime, openSession } from '../../../../src/backends/onnx/runtime/session.ts'
import { type Change, changedFolders, edit, editGraph, type FolderCase } from './changed-folder.ts'
import { maxDifference } from './vision-goldens.ts'

const GOLDEN = fileURLToPath(new URL('../../../golden/', import.meta.url))
const [FAMILY, GEMMA4] = ['gemma3n/model', 'gemma4/model']
const { folderWith, refusalOf } = changedFolders(GOLDEN)

const ofGemma3 =
  (graph: string): Change =>
  (folder) =>
    cp(join(GOLDEN, `gemma3/model/onnx/${graph}.onnx`), join(folder, `onnx/${graph}.onnx`))

const CASES: readonly FolderCase[] = [
  [
    'embeddings without numbers for the layers',
    FAMILY,
    ofGemma3('embed_tokens'),
    'decoder_model_merged takes per_layer_inputs, which embed_tokens does not give; take both files from the same model',
  ],
  [
    'a decoder that takes no numbers for its layers',
    FAMILY,
    editGraph('decoder_model_merged', (graph) => {
      graph.inputs = graph.inputs.map((input) => (input.name === 'per_layer_inputs' ? { ...input, name: 'beside' } : input))
      graph.nodes = graph.nodes.map((node) => ({
        ...node,
        inputs: node.inputs.map((name) => (name === 'per_layer_inputs' ? 'beside' : name)),
      }))
    }),
    'decoder_model_merged asks for beside, which this engine cannot feed; export it as transformers.js expects it',
  ],
  [
    'embeddings with numbers for other layers',
    FAMILY,
    editGraph('embed_tokens', (graph) => {
      graph.nodes = graph.nodes.map((node) => (node.outputs.includes('per_layer_inputs') ? { ...node, outputs: ['half'] } : node))
      graph.nodes = [...graph.nodes, makeNode('Concat', ['half', 'half'], ['per_layer_inputs'], { axis: 2 })]
      graph.outputs = graph.outputs.map((output) => (output.name === 'per_layer_inputs' ? { ...output, dims: [null, null, 8, 4] } : output))
    }),
    'embed_tokens gives 32 numbers of a token for all layers, decoder_model_merged takes 16; take both files from the same model',
  ],
  [
    'a decoder that does not say how many numbers it takes',
    FAMILY,
    editGraph('decoder_model_merged', (graph) => {
      graph.inputs = graph.inputs.map((input) => (input.name === 'per_layer_inputs' ? { ...input, dims: [null, null, null, 4] } : input))
    }),
    /takes per_layer_inputs as float32 \[.*4\], embed_tokens gives float32; float32 \[batch, sequence, layers, numbers\] was expected/,
  ],
  [
    'another number of layers with keys and values of their own',
    FAMILY,
    edit('config.json', (json) => {
      json.text_config.num_kv_shared_layers = 1
    }),
    /says 3 layers with keys and values of their own, onnx\/decoder_model_merged.onnx has 2; they are of different models/,
  ],
  [
    'another number of tokens for a picture',
    FAMILY,
    edit('config.json', (json) => {
      json.vision_soft_tokens_per_image = 256
    }),
    'vision_soft_tokens_per_image of config.json is 256, image_seq_length of processor_config.json is 64; take both files from the same model',
  ],
  [
    'the token that ends a picture of another model',
    FAMILY,
    edit('config.json', (json) => {
      json.eoi_token_id = 9
    }),
    /has eoi_token_id 9, <end_of_image> of tokenizer.json is \d+; take both files from the same model/,
  ],
  [
    'patches of another size',
    GEMMA4,
    edit('processor_config.json', (json) => {
      json.image_processor.patch_size = 16
    }),
    'config.json has vision_config.patch_size 2, the image processor has 16; take both files from the same model',
  ],
  [
    'another filter',
    GEMMA4,
    edit('processor_config.json', (json) => {
      json.image_processor.resample = 2
    }),
    'the image processor has resample 2; this family knows 3 (bicubic) only',
  ],
  [
    'no number of tokens',
    GEMMA4,
    edit('processor_config.json', (json) => {
      delete json.image_processor.max_soft_tokens
    }),
    /max_soft_tokens of the image processor is missing, a positive whole number was expected/,
  ],
  [
    'an encoder of squares',
    GEMMA4,
    (folder) => cp(join(GOLDEN, FAMILY, 'onnx/vision_encoder.onnx'), join(folder, 'onnx/vision_encoder.onnx')),
    /takes pixel_values \(float32, 4 axes\); pixel_values \(float32, 3 axes\) and pixel_position_ids to image_features were expected/,
  ],
  [
    'an encoder of other patches',
    GEMMA4,
    editGraph('vision_encoder', (graph) => {
      graph.inputs = graph.inputs.map((input) => (input.name === 'pixel_values' ? { ...input, dims: [null, 2520, null] } : input))
    }),
    /vision_encoder takes patches of shape \[2520, .*\], the image processor makes \[630, 12\]; take both files from the same model/,
  ],
  [
    'the decoder of Gemma 3n',
    GEMMA4,
    (folder) => cp(join(GOLDEN, FAMILY, 'onnx/decoder_model_merged.onnx'), join(folder, 'onnx/decoder_model_merged.onnx')),
    /they are of different models: download the whole repository again|take both files from the same model/,
  ],
]

describe('a folder of Gemma 3n or 4 with', () => {
  it.each([...CASES])('%s is refused', async (_, family, change, message) => {
    const refusal = await refusalOf(await folderWith(family, change))
    if (typeof message === 'string') expect(refusal).toBe(message)
    else expect(refusal).toMatch(message)
  })

  it('what published folders leave out, or write elsewhere, is taken', async () => {
    const folder = await folderWith(FAMILY, async (made) => {
      await edit('config.json', (json) => {
        for (const name of ['max_position_embeddings', 'vocab_size', 'num_attention_heads', 'num_key_value_heads'])
          delete json.text_config[name]
      })(made)
      await edit('tokenizer_config.json', (json) => {
        for (const name of ['boi_token', 'eoi_token', 'image_token']) delete json[name]
      })(made)
    })
    const backend = await loadOnnxModel(folder, { inProcess: true, scoring: 'plain' })
    expect(backend.info.capabilities).toEqual({ images: true, boxes: false })
    expect(backend.info.contextLength).toBe(32_768)
    await backend.close()
  })

  it('an option that the family does not have is refused, not passed over', async () => {
    const options = { inProcess: true, scoring: 'plain', pictures: { longestEdge: 512 } } as const
    await expect(loadOnnxModel(join(GOLDEN, GEMMA4), options)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'pictures.longestEdge is set, but this model reads each picture whole, with at most 70 tokens; leave it out',
    })
    await (await loadOnnxModel(join(GOLDEN, GEMMA4), { ...options, pictures: { videos: 'frames' } })).close()
  })

  it('caches of all layers, those that share keys and values included, gives the same logits', async () => {
    const folder = await folderWith(
      FAMILY,
      editGraph('decoder_model_merged', (graph) => {
        const cache = { type: 1, dims: [null, 1, null, 16] }
        for (const layer of [2, 3]) {
          const names = (prefix: string) => ['key', 'value'].map((part) => `${prefix}.${layer}.${part}`)
          graph.nodes = graph.nodes.map((node) => {
            if (!node.outputs.includes(`attention_${layer}`)) return node
            const inputs = [...node.inputs.slice(0, 3), ...names('past_key_values'), ...node.inputs.slice(5)]
            return { ...node, inputs, outputs: [`attention_${layer}`, ...names('present')] }
          })
          graph.inputs = [...graph.inputs, ...names('past_key_values').map((name) => ({ ...cache, name }))]
          graph.outputs = [...graph.outputs, ...names('present').map((name) => ({ ...cache, name }))]
        }
      }),
    )
    const logitsOf = async (path: string): Promise<Float32Array> => {
      const backend = await loadOnnxModel(path, { inProcess: true, scoring: 'plain' })
      await backend.close()
      const opened = await openFolder(path)
      const graph = (name: string) => openSession(findGraph(opened, name, TEXT_DTYPES, {}), { threads: 1 })
      const decoder = makeDecoder(await loadRuntime(), await graph('embed_tokens'), await graph('decoder_model_merged'))
      const ids = Array.from({ length: 40 }, (_, i) => 5 + i)
      const kept = await decoder.next(decoder.empty, ids.slice(0, 30), true)
      const { logits } = await decoder.next(kept.cache, ids.slice(30))
      await decoder.close()
      return logits
    }
    const other = await logitsOf(folder)
    expect(maxDifference(other, await logitsOf(join(GOLDEN, FAMILY)))).toBeLessThan(1e-5)
  })
})

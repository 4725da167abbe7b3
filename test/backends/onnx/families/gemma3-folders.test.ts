// Folders of Gemma 3 that are not whole, not of one model, or of another Gemma: each is refused when it is loaded, with
// what is wrong and the next step.
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { type Graph, readGraph } from '../../../../src/backends/onnx/runtime/patches/graph.ts'
import { makeNode } from '../../../../src/backends/onnx/runtime/patches/nodes.ts'
import { type Change, changedFolders, edit, type FolderCase, type JsonFile, without } from './changed-folder.ts'

const GOLDEN = fileURLToPath(new URL('../../../golden/', import.meta.url))
const FAMILY = 'gemma3/model'
const { folderWith, refusalOf } = changedFolders(GOLDEN)
const preprocessor = (change: (json: JsonFile) => void) => edit('preprocessor_config.json', change)
const withoutToken = (name: string) =>
  edit('tokenizer.json', (json) => {
    json.added_tokens = json.added_tokens.filter(({ content }: JsonFile) => content !== name)
  })
const ofIdefics =
  (graph: string): Change =>
  (folder) =>
    cp(join(GOLDEN, `idefics3/model/onnx/${graph}.onnx`), join(folder, `onnx/${graph}.onnx`))
const graph =
  (name: string, change: (graph: Graph) => void): Change =>
  async (folder) => {
    const file = join(folder, `onnx/${name}.onnx`)
    const made = readGraph(await readFile(file)) as Graph
    change(made)
    await writeFile(file, made.write())
  }

const CASES: readonly FolderCase[] = [
  ['no encoder of pictures', FAMILY, without('onnx/vision_encoder.onnx'), /has no onnx\/vision_encoder.*none of its dtypes is there/],
  ['no embeddings', FAMILY, without('onnx/embed_tokens.onnx'), /has no onnx\/embed_tokens.onnx/],
  ['no decoder', FAMILY, without('onnx/decoder_model_merged.onnx'), /has no onnx\/decoder_model_merged.onnx/],
  [
    'no settings of pictures',
    FAMILY,
    async (folder) => {
      await without('preprocessor_config.json')(folder)
      await without('processor_config.json')(folder)
    },
    "the model folder 'tiny' has no preprocessor_config.json; download the whole repository",
  ],
  [
    'another filter',
    FAMILY,
    preprocessor((json) => {
      json.resample = 3
    }),
    'preprocessor_config.json has resample 3; this family knows 2 (bilinear) only',
  ],
  [
    'pictures that are cut',
    FAMILY,
    preprocessor((json) => {
      json.do_pan_and_scan = true
    }),
    'preprocessor_config.json has do_pan_and_scan true, which cuts pictures; this engine reads them whole, so set it to false',
  ],
  [
    'pictures that are no squares',
    FAMILY,
    preprocessor((json) => {
      json.size = { height: 64, width: 32 }
    }),
    'preprocessor_config.json has pictures of 32 x 64 pixels; this family knows squares only',
  ],
  [
    'no size',
    FAMILY,
    preprocessor((json) => {
      json.size = { longest_edge: 64 }
    }),
    /size.height of preprocessor_config.json is missing/,
  ],
  [
    'colours that are not scaled',
    FAMILY,
    preprocessor((json) => {
      json.do_rescale = false
    }),
    'preprocessor_config.json has do_rescale false; this engine does not read pictures so',
  ],
  [
    'squares of another model',
    FAMILY,
    preprocessor((json) => {
      json.size = { height: 896, width: 896 }
    }),
    'config.json has vision_config.image_size 64, preprocessor_config.json has 896; take both files from the same model',
  ],
  [
    'as many tokens as another model',
    FAMILY,
    edit('processor_config.json', (json) => {
      json.image_seq_length = 256
    }),
    'mm_tokens_per_image of config.json is 64, image_seq_length of processor_config.json is 256; take both files from the same model',
  ],
  [
    'an encoder that gives as many rows as another model',
    FAMILY,
    async (folder) => {
      await edit('config.json', (json) => {
        json.mm_tokens_per_image = 256
      })(folder)
      for (const file of ['processor_config.json', 'preprocessor_config.json']) {
        await edit(file, (json) => {
          json.image_seq_length = 256
        })(folder)
      }
    },
    'vision_encoder gives 64 rows for a picture, config.json says 256; take both files from the same model',
  ],
  [
    'an encoder that gives rows of another width',
    FAMILY,
    graph('vision_encoder', (made) => {
      made.nodes = made.nodes.map((node) => (node.outputs.includes('image_features') ? { ...node, outputs: ['half'] } : node))
      made.nodes = [...made.nodes, makeNode('Concat', ['half', 'half'], ['image_features'], { axis: 2 })]
      made.outputs = made.outputs.map((output) => ({ ...output, dims: [null, 64, null] }))
    }),
    'onnx/vision_encoder.onnx gives rows of 64 numbers, onnx/decoder_model_merged.onnx takes 32; take both files from the same model',
  ],
  [
    'no number of tokens',
    FAMILY,
    async (folder) => {
      await without('processor_config.json')(folder)
      for (const file of ['config.json', 'preprocessor_config.json']) {
        await edit(file, (json) => {
          delete json.mm_tokens_per_image
          delete json.image_seq_length
        })(folder)
      }
    },
    'config.json has no mm_tokens_per_image; download the folder again',
  ],
  [
    'an encoder of other squares',
    FAMILY,
    graph('vision_encoder', (made) => {
      made.inputs = made.inputs.map((input) => ({ ...input, dims: [null, 3, 896, 896] }))
    }),
    'vision_encoder takes squares of 896 pixels, preprocessor_config.json makes 64; take both files from the same model',
  ],
  [
    'the image token of another model',
    FAMILY,
    edit('config.json', (json) => {
      json.image_token_index = 9
    }),
    /has image_token_id 9, <image_soft_token> of tokenizer.json is \d+; take both files from the same model/,
  ],
  [
    'the token that ends a picture of another model',
    FAMILY,
    edit('config.json', (json) => {
      json.eoi_token_index = 9
    }),
    /has eoi_token_index 9, <end_of_image> of tokenizer.json is \d+; take both files from the same model/,
  ],
  ...['<start_of_image>', '<end_of_image>', '<image_soft_token>'].map(
    (name): FolderCase => [
      `a tokenizer without ${name}`,
      FAMILY,
      withoutToken(name),
      new RegExp(`config.json of 'tiny' has \\w+ \\d+, ${name} of tokenizer.json is missing; take both files from the same model`),
    ],
  ),
  [
    'the encoder of another family',
    FAMILY,
    ofIdefics('vision_encoder'),
    /takes pixel_values \(float32, 5 axes\), pixel_attention_mask.*pixel_values \(float32, 4 axes\) to image_features was expected/,
  ],
  [
    'the decoder of another family',
    FAMILY,
    ofIdefics('decoder_model_merged'),
    /they are of different models: download the whole repository again/,
  ],
  [
    'a decoder that asks which tokens are of pictures',
    FAMILY,
    graph('decoder_model_merged', (made) => {
      made.inputs = [...made.inputs, { name: 'token_type_ids', type: 7, dims: [null, null] }]
    }),
    /asks for token_type_ids, which this engine cannot feed/,
  ],
  [
    'the decoder of Gemma 3n',
    FAMILY,
    graph('decoder_model_merged', (made) => {
      made.inputs = [...made.inputs, { name: 'per_layer_inputs', type: 1, dims: [null, null, 2, 16] }]
    }),
    'decoder_model_merged takes per_layer_inputs, which embed_tokens does not give; take both files from the same model',
  ],
]

describe('a folder of Gemma 3 with', () => {
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
      const own = JSON.parse(await readFile(join(made, 'preprocessor_config.json'), 'utf8'))
      await rm(join(made, 'preprocessor_config.json'))
      await writeFile(join(made, 'processor_config.json'), JSON.stringify({ image_processor: own, image_seq_length: 64 }))
    })
    const backend = await loadOnnxModel(folder, { inProcess: true, scoring: 'plain' })
    expect(backend.info.capabilities).toEqual({ images: true, boxes: false })
    expect(backend.info.contextLength).toBe(131_072)
    await backend.close()
  })

  it('an option that the family does not have is refused, not passed over', async () => {
    for (const [pictures, name] of [
      [{ split: true }, 'split'],
      [{ longestEdge: 512 }, 'longestEdge'],
    ] as const) {
      await expect(loadOnnxModel(join(GOLDEN, FAMILY), { inProcess: true, scoring: 'plain', pictures })).rejects.toMatchObject({
        code: 'invalid_request',
        message: `pictures.${name} is set, but this model reads each picture whole, squeezed into 64 x 64 pixels; leave it out`,
      })
    }
  })

  it('an option that asks for what the family does is taken', async () => {
    const pictures = { videos: 'frames', longestEdge: undefined } as { videos: 'frames' }
    await (await loadOnnxModel(join(GOLDEN, FAMILY), { inProcess: true, scoring: 'plain', pictures })).close()
  })
})

// Folders of models that see which are not whole, or not of one model: each is refused when it is loaded, with what is
// wrong and the next step.
import { cp, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { changedFolders, edit, editGraph, type FolderCase, type JsonFile, without } from './changed-folder.ts'

const GOLDEN = fileURLToPath(new URL('../../../golden/vision-decoders/', import.meta.url))
const { folderWith, refusalOf } = changedFolders(GOLDEN)
const preprocessor = (change: (json: JsonFile) => void) => edit('preprocessor_config.json', change)
const withoutToken = (name: string) =>
  edit('tokenizer.json', (json) => {
    json.added_tokens = json.added_tokens.filter(({ content }: JsonFile) => content !== name)
  })
const ofIdefics = (graph: string) => (folder: string) =>
  cp(join(GOLDEN, `../idefics3/model/onnx/${graph}.onnx`), join(folder, `onnx/${graph}.onnx`))

const QWEN: readonly FolderCase[] = [
  ['no encoder of pictures', 'qwen2.5-vl', without('onnx/vision_encoder.onnx'), /has no onnx\/vision_encoder.*none of its dtypes is there/],
  ['no embeddings', 'qwen2.5-vl', without('onnx/embed_tokens.onnx'), /has no onnx\/embed_tokens.onnx/],
  ['no decoder', 'qwen2-vl', without('onnx/decoder_model_merged.onnx'), /has no onnx\/decoder_model_merged.onnx/],
  [
    'no settings of pictures',
    'qwen2-vl',
    without('preprocessor_config.json'),
    "the model folder 'tiny' has no preprocessor_config.json; download the whole repository",
  ],
  [
    'another filter',
    'qwen2-vl',
    preprocessor((json) => {
      json.resample = 2
    }),
    'preprocessor_config.json has resample 2; this family knows 3 (bicubic) only',
  ],
  [
    'pictures that are not rescaled',
    'qwen2-vl',
    preprocessor((json) => {
      json.do_rescale = false
    }),
    'preprocessor_config.json has do_rescale false; this engine does not read pictures so',
  ],
  [
    'no mean of colours',
    'qwen2-vl',
    preprocessor((json) => {
      json.image_mean = [0.5]
    }),
    'preprocessor_config.json has image_mean [0.5]; this engine does not read pictures so',
  ],
  [
    'bounds of the area that contradict each other',
    'qwen2-vl',
    preprocessor((json) => {
      json.min_pixels = 10_000_000
    }),
    /asks for at least 10000000 and at most 5760 pixels/,
  ],
  [
    'no bound of the area',
    'qwen2.5-vl',
    preprocessor((json) => {
      json.size = { shortest_edge: 56 }
    }),
    /max_pixels \(or size.longest_edge\) of preprocessor_config.json is missing/,
  ],
  [
    'patches of another model',
    'qwen2.5-vl',
    preprocessor((json) => {
      json.patch_size = 14
    }),
    'config.json has vision_config.patch_size 4, preprocessor_config.json has 14; take both files from the same model',
  ],
  [
    'the image token of another model',
    'qwen2.5-vl',
    edit('config.json', (json) => {
      json.image_token_id = 9
    }),
    /has image_token_id 9, <\|image_pad\|> of tokenizer.json is \d+; take both files from the same model/,
  ],
  ['a tokenizer without the image token', 'qwen2.5-vl', withoutToken('<|image_pad|>'), /<\|image_pad\|> of tokenizer.json is missing/],
  ['a tokenizer without the tokens of boxes', 'qwen2-vl', withoutToken('<|box_start|>'), /has no control token <\|box_start\|>/],
  [
    'the encoder of another family',
    'qwen2-vl',
    ofIdefics('vision_encoder'),
    /takes pixel_values, pixel_attention_mask; pixel_values \(float32\) and image_grid_thw/,
  ],
  [
    'the decoder of another family',
    'qwen2-vl',
    ofIdefics('decoder_model_merged'),
    /they are of different models: download the whole repository again/,
  ],
]

const LFM2: readonly FolderCase[] = [
  ['no encoder of pictures, by either name', 'lfm2-vl', without('onnx/vision_encoder.onnx'), /has no onnx\/vision_encoder/],
  [
    'another filter of LFM2-VL',
    'lfm2-vl',
    preprocessor((json) => {
      json.resample = 3
    }),
    'preprocessor_config.json has resample 3; this family knows 2 (bilinear) only; download the folder again',
  ],
  [
    'no tolerance',
    'lfm2-vl',
    preprocessor((json) => {
      json.max_pixels_tolerance = undefined
    }),
    /says max_pixels_tolerance is missing/,
  ],
  [
    'no word on thumbnails',
    'lfm2-vl',
    preprocessor((json) => {
      json.use_thumbnail = 1
    }),
    /says use_thumbnail is 1, true or false was expected/,
  ],
  [
    'more tiles at least than at most',
    'lfm2-vl',
    preprocessor((json) => {
      json.min_tiles = 9
    }),
    /asks for at least 9 and at most 6 tiles/,
  ],
  [
    'tiles of parts of tokens',
    'lfm2-vl',
    preprocessor((json) => {
      json.tile_size = 36
    }),
    /has tiles of 36 pixels, which are not whole tokens of 8/,
  ],
  ['a tokenizer of LFM2-VL without the image token', 'lfm2-vl', withoutToken('<image>'), /<image> of tokenizer.json is missing/],
  [
    'the encoder of another family for LFM2-VL',
    'lfm2-vl',
    ofIdefics('vision_encoder'),
    /pixel_attention_mask and spatial_shapes were expected/,
  ],
  ['the decoder of another family for LFM2-VL', 'lfm2-vl', ofIdefics('decoder_model_merged'), /they are of different models/],
]

const QWEN35: readonly FolderCase[] = [
  ['no encoder of pictures of Qwen3.5', 'qwen3.5', without('onnx/vision_encoder.onnx'), /has no onnx\/vision_encoder/],
  ['no embeddings of Qwen3.5', 'qwen3.5', without('onnx/embed_tokens.onnx'), /has no onnx\/embed_tokens.onnx/],
  [
    'the bounds of the area of Qwen3.5 missing',
    'qwen3.5',
    preprocessor((json) => {
      json.size = {}
    }),
    /min_pixels \(or size.shortest_edge\) of preprocessor_config.json is missing/,
  ],
  [
    'layers in another order',
    'qwen3.5',
    edit('config.json', (json) => {
      json.text_config.layer_types.reverse()
    }),
    "config.json of 'tiny' says that layer 0 is full_attention, onnx/decoder_model_merged.onnx takes no past_key_values.0.key; they are of different models: download the whole repository again",
  ],
  [
    'a decoder without recurrent states',
    'qwen3.5',
    async (folder) => {
      await cp(join(GOLDEN, 'qwen2.5-vl/onnx/decoder_model_merged.onnx'), join(folder, 'onnx/decoder_model_merged.onnx'))
      await edit('config.json', (json) => {
        Object.assign(json.text_config, { num_hidden_layers: 2, layer_types: ['linear_attention', 'full_attention'] })
      })(folder)
    },
    /layer 0 is linear_attention, onnx\/decoder_model_merged.onnx takes no past_conv.0; they are of different models/,
  ],
  [
    'the decoder of Qwen2.5-VL',
    'qwen3.5',
    (folder) => cp(join(GOLDEN, 'qwen2.5-vl/onnx/decoder_model_merged.onnx'), join(folder, 'onnx/decoder_model_merged.onnx')),
    /says 4 layers, onnx\/decoder_model_merged.onnx has 2; they are of different models/,
  ],
  [
    'a tokenizer of Qwen3.5 without the image token',
    'qwen3.5',
    withoutToken('<|image_pad|>'),
    /<\|image_pad\|> of tokenizer.json is missing/,
  ],
  [
    'the template of a base model',
    'qwen3.5',
    without('chat_template.jinja'),
    "the model folder 'tiny' has no chat template; take an instruction-tuned model",
  ],
]

describe('a folder of a model that sees with', () => {
  it.each([...QWEN, ...QWEN35, ...LFM2])('%s is refused', async (_, family, change, message) => {
    const refusal = await refusalOf(await folderWith(family, change))
    if (typeof message === 'string') expect(refusal).toBe(message)
    else expect(refusal).toMatch(message)
  })

  it('a decoder that is told one position a token is refused where pictures have rows and columns', async () => {
    const change = editGraph('decoder_model_merged', (graph) => {
      graph.inputs = graph.inputs.map((input) => (input.name === 'position_ids' ? { ...input, dims: [null, null] } : input))
    })
    const folder = await folderWith('qwen2.5-vl', change)
    expect(await refusalOf(folder)).toMatch(/takes no position_ids of shape \[3, batch, sequence\]/)
  })

  it('settings of pictures in processor_config.json, as newer folders keep them, are taken', async () => {
    const folder = await folderWith('qwen2.5-vl', async (made) => {
      const own = JSON.parse(await readFile(join(made, 'preprocessor_config.json'), 'utf8'))
      await without('preprocessor_config.json')(made)
      await writeFile(join(made, 'processor_config.json'), JSON.stringify({ image_processor: own }))
    })
    const backend = await loadOnnxModel(folder, { inProcess: true, scoring: 'plain' })
    expect(backend.info.capabilities.images).toBe(true)
    await backend.close()
  })

  it('the other names of graphs that exporters of LFM2-VL use is taken', async () => {
    const folder = await folderWith('lfm2-vl', async (made) => {
      await rename(join(made, 'onnx/vision_encoder.onnx'), join(made, 'onnx/embed_images.onnx'))
      await rename(join(made, 'onnx/decoder_model_merged.onnx'), join(made, 'onnx/decoder.onnx'))
    })
    const backend = await loadOnnxModel(folder, { inProcess: true, scoring: 'plain' })
    expect(backend.info.capabilities.images).toBe(true)
    await backend.close()
  })

  it('an option that the family does not have is refused, not passed over', async () => {
    const folder = join(GOLDEN, 'qwen2.5-vl')
    for (const [pictures, message] of [
      [{ split: false }, /pictures.split is set, but this model reads each picture whole/],
      [{ longestEdge: 0.5 }, /pictures.longestEdge is 0.5, a positive whole number was expected/],
    ] as const) {
      await expect(loadOnnxModel(folder, { inProcess: true, scoring: 'plain', pictures })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(message),
      })
    }
  })
})

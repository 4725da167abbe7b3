// Folders of text decoders that are not whole, or not of one model: each is refused when it is loaded, with what is
// wrong and the next step.
import { cp, rename, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { changedFolders, edit, editGraph, type FolderCase, type JsonFile, without } from './changed-folder.ts'

/** Number of the type in ONNX. */
const BOOL = 9
const GOLDEN = fileURLToPath(new URL('../../../golden/text-decoders/', import.meta.url))
const { folderWith, refusalOf, swapped } = changedFolders(GOLDEN)

const CASES: readonly FolderCase[] = [
  ['no graph', 'llama', without('onnx/model.onnx'), /has no onnx\/model.onnx \(none of its dtypes is there\); download it or export it$/],
  ['no tokenizer', 'llama', without('tokenizer.json'), "the model folder 'tiny' has no tokenizer.json; download the whole repository"],
  [
    'no chat template',
    'gemma3',
    without('chat_template.jinja'),
    "the model folder 'tiny' has no chat template; take an instruction-tuned model",
  ],
  [
    'half a graph',
    'qwen2',
    (folder) => truncate(join(folder, 'onnx/model.onnx'), 60_000),
    /^onnx\/model.onnx could not be loaded; check that the file is whole/,
  ],
  [
    'half a tokenizer',
    'qwen2',
    (folder) => truncate(join(folder, 'tokenizer.json'), 5000),
    /^tokenizer.json of 'tiny' is not JSON; download it again$/,
  ],
  [
    'the graph of a deeper model',
    'llama',
    swapped('onnx/model.onnx', 'lfm2'),
    "config.json of 'tiny' says 2 layers, onnx/model.onnx has 3; they are of different models: download the whole repository again",
  ],
  [
    'the graph of a wider model',
    'llama',
    swapped('onnx/model.onnx', 'smollm2'),
    /says 2 key heads, onnx\/model.onnx has 1; they are of different models/,
  ],
  [
    'the config of another model',
    'qwen2',
    swapped('config.json', 'qwen3'),
    /says 337 tokens, onnx\/model.onnx has 333; they are of different models/,
  ],
  [
    'the tokenizer of another model',
    'qwen2',
    swapped('tokenizer.json', 'gemma3'),
    'the chat template writes <|im_start|>, which is no control token of tokenizer.json; take both files from the same model',
  ],
  [
    'a tokenizer with too many tokens',
    'qwen2',
    edit('tokenizer.json', (json) => {
      json.added_tokens.push({ ...json.added_tokens[0], id: 400, content: 'extra', special: false })
    }),
    "tokenizer.json of 'tiny' has a token 400, onnx/model.onnx has 333 tokens; take both files from the same model",
  ],
  [
    'a tokenizer without the beginning',
    'gemma3',
    edit('tokenizer.json', (json) => {
      json.added_tokens = json.added_tokens.filter(({ content }: JsonFile) => content !== '<bos>')
    }),
    "tokenizer_config.json of 'tiny' has bos_token <bos>, which is no control token of tokenizer.json; take both files from the same model",
  ],
  [
    'a tokenizer that puts a space before every text',
    'gemma3',
    edit('tokenizer.json', (json) => {
      json.normalizer = { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, json.normalizer] }
    }),
    /^tokenizer.json of 'tiny' puts a space before every text, so questions cannot be read behind a state; take a model whose tokenizer does not/,
  ],
  [
    'a graph with a switch for its cache, as exports of 2023 have it',
    'llama',
    editGraph('model', (graph) => {
      graph.inputs = [...graph.inputs, { name: 'use_cache_branch', type: BOOL, dims: [1] }]
    }),
    /asks for use_cache_branch, which this engine cannot feed; export it as transformers.js expects it$/,
  ],
  [
    'no end of an answer',
    'qwen2',
    async (folder) => {
      await without('generation_config.json')(folder)
      await edit('tokenizer_config.json', (json) => {
        json.eos_token = null
      })(folder)
      await edit('tokenizer_config.json', (json) => {
        json.chat_template = '{{ messages[0].content }}'
      })(folder)
      await edit('tokenizer.json', (json) => {
        json.added_tokens = json.added_tokens.filter(({ content }: JsonFile) => content !== '<|im_end|>')
      })(folder)
    },
    'no token ends an answer; generation_config.json needs eos_token_id',
  ],
]

describe('a folder of a text decoder with', () => {
  it.each(CASES)('%s is refused', async (_, family, change, message) => {
    const refusal = await refusalOf(await folderWith(family, change))
    if (typeof message === 'string') expect(refusal).toBe(message)
    else expect(refusal).toMatch(message)
  })

  it('a graph of another family is refused by what it asks for', async () => {
    const vision = join(GOLDEN, '../idefics3/model/onnx/vision_encoder.onnx')
    const folder = await folderWith('llama', (made) => cp(vision, join(made, 'onnx/model.onnx')))
    expect(await refusalOf(folder)).toMatch(/^config.json of 'tiny' says 2 layers, onnx\/model.onnx has 0; they are of different models/)
  })

  it('keys that are kept once for each query head is taken', async () => {
    const folder = await folderWith(
      'llama',
      edit('config.json', (json) => {
        json.num_key_value_heads = 1
        json.num_attention_heads = 2
      }),
    )
    await (await loadOnnxModel(folder, { inProcess: true, scoring: 'plain' })).close()
  })

  it('the name decoder_model_merged for its graph is taken', async () => {
    const folder = await folderWith('llama', (made) => rename(join(made, 'onnx/model.onnx'), join(made, 'onnx/decoder_model_merged.onnx')))
    const backend = await loadOnnxModel(folder, { inProcess: true, scoring: 'plain' })
    expect(backend.info.capabilities.images).toBe(false)
    await backend.close()
  })

  it('the text half of a model that sees, by the name of the whole, is taken', async () => {
    const folder = await folderWith(
      'qwen3.5',
      edit('config.json', (json) => {
        const { model_type: _, architectures: __, ...text_config } = json
        for (const name of Object.keys(json)) delete json[name]
        Object.assign(json, { model_type: 'qwen3_5', text_config })
      }),
    )
    const backend = await loadOnnxModel(folder, { inProcess: true, scoring: 'plain' })
    expect(backend.info.capabilities.images).toBe(false)
    await backend.close()
  })

  it('a config.json of a family that is not known is refused with those that are', async () => {
    const folder = await folderWith(
      'llama',
      edit('config.json', (json) => {
        json.model_type = 'mamba'
      }),
    )
    expect(await refusalOf(folder)).toMatch(
      /^models of type 'mamba' are not supported; supported: .*llama, qwen2, qwen3, qwen3_5_text, smollm3/,
    )
  })
})

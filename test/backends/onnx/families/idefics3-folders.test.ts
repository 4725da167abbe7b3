// Folders of Idefics3 that are not whole, or hold files of several models: each is refused with what to do.
import { cp, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { changedFolders, edit, type FolderCase, type JsonFile, without } from './changed-folder.ts'

const GOLDEN = fileURLToPath(new URL('../../../golden/idefics3/', import.meta.url))
const { folderWith, refusalOf } = changedFolders(GOLDEN)

const CASES: readonly FolderCase[] = [
  ['no encoder of pictures', 'model', without('onnx/vision_encoder.onnx'), /has no onnx\/vision_encoder.*none of its dtypes is there/],
  ['half a decoder', 'model', (folder) => truncate(join(folder, 'onnx/decoder_model_merged.onnx'), 60_000), /decoder_model_merged/],
  [
    'the decoder of another model',
    'model',
    (folder) =>
      cp(join(GOLDEN, '../vision-decoders/qwen3-vl/onnx/decoder_model_merged.onnx'), join(folder, 'onnx/decoder_model_merged.onnx')),
    "config.json of 'tiny' says 2 layers, onnx/decoder_model_merged.onnx has 4; they are of different models: download the whole repository again",
  ],
  [
    'another number of tokens',
    'model',
    edit('config.json', (json) => {
      json.text_config.vocab_size = 400
    }),
    /says 400 tokens, onnx\/decoder_model_merged.onnx has \d+; they are of different models/,
  ],
  [
    'another token for pictures',
    'model',
    edit('config.json', (json) => {
      json.image_token_id = 5
    }),
    /^config.json of 'tiny' has image_token_id 5, <image> of tokenizer.json is \d+; take both files from the same model$/,
  ],
  [
    'a tokenizer without pictures',
    'model',
    edit('tokenizer.json', (json) => {
      json.added_tokens = json.added_tokens.filter(({ content }: JsonFile) => content !== '<image>')
    }),
    /<image> of tokenizer.json is missing; take both files from the same model$/,
  ],
]

describe('a folder of Idefics3 with', () => {
  it.each(CASES)('%s is refused', async (_, family, change, message) => {
    const refusal = await refusalOf(await folderWith(family, change))
    if (typeof message === 'string') expect(refusal).toBe(message)
    else expect(refusal).toMatch(message)
  })
})

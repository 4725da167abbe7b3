// A load that fails behind its first graphs leaves no session open: files go away while it is under way.
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { type Change, changedFolders, countingSessions } from './changed-folder.ts'

const GOLDEN = fileURLToPath(new URL('../../../golden/', import.meta.url))
const { folderWith } = changedFolders(GOLDEN)
const asItIs: Change = async () => {}
const withWeights: Change = async (folder) => {
  const { bytes } = JSON.parse(await readFile(join(folder, 'weights.json'), 'utf8')) as { bytes: number }
  await writeFile(join(folder, 'onnx/decision.onnx_data'), new Uint8Array(bytes))
  await cp(join(GOLDEN, 'decision-widths/tokenizer.json'), join(folder, 'tokenizer.json'))
}

it.each([
  ['encoder/model', 'config.json'],
  ['entailment/bert', 'config.json'],
  ['option-markers/laya', 'config.json'],
  ['decision-widths/width-128', 'config.json', withWeights],
  ['decision-widths/width-128', 'onnx/branch_reader.onnx', withWeights],
  ['idefics3/model', 'config.json'],
  ['idefics3/model', 'onnx/decoder_model_merged.onnx'],
])('%s is closed where its %s goes away', async (model, file, change = asItIs) => {
  const folder = await folderWith(model, change)
  const load = () =>
    loadOnnxModel(folder, { inProcess: true, threads: 1 }).then(
      () => 'loaded',
      () => 'failed',
    )
  const { result, opened, left } = await countingSessions(load, () => rm(join(folder, file), { force: true }))
  expect([result, opened > 0, left]).toEqual(['failed', true, 0])
})

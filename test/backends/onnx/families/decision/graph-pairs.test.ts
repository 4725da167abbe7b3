// Texts and pictures are read by a pair of graphs each. A folder without the pair for texts reads them by the other;
// one that sees pictures and cannot read what it sees is refused.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadOnnxModel } from '../../../../../src/backends/onnx/index.ts'
import { textPrompt } from '../../../../contract/backend-suite.ts'

const SHIPPED = resolve('models/service-1-pro/pictures')
const root = mkdtempSync(join(tmpdir(), 'assay-parts-'))
afterAll(() => rmSync(root, { recursive: true }))

it('a model without a pair for texts reads them by the one for pictures', async () => {
  const backend = await loadOnnxModel(SHIPPED, { inProcess: true })
  const prefix = await backend.open(textPrompt('The lamp is red. The chair is blue.'))
  const branch = { readout: 'read', instructions: 'Which color has the chair?', candidates: [], image: null } as const
  const found = await prefix.generate(branch, { type: 'span', many: false, format: 'text' })
  expect(found).toMatchObject({ type: 'spans' })
  await backend.close()
})

it('a model with a vision encoder and nothing that reads its pictures is refused by the name of what is missing', async () => {
  const folder = join(root, 'half')
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  for (const file of ['config.json', 'tokenizer.json']) copyFileSync(join(SHIPPED, file), join(folder, file))
  for (const file of readdirSync(join(SHIPPED, 'onnx')).filter((name) => !name.startsWith('pictures')))
    copyFileSync(join(SHIPPED, 'onnx', file), join(folder, 'onnx', file))
  await expect(loadOnnxModel(folder, { inProcess: true })).rejects.toThrow('onnx/pictures_state_encoder.onnx')
})

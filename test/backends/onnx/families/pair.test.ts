// A folder of two models: texts are answered by one, pictures by the other, exactly as each answers alone.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { Branch } from '../../../../src/backends/backend.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import type { Prompt } from '../../../../src/core/types.ts'
import { picture, textPrompt } from '../../../contract/backend-suite.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const TEXTS = fileOf('../../../golden/encoder/model')
const PICTURES = fileOf('../../../../models/service-1-pro/pictures')
const root = mkdtempSync(join(tmpdir(), 'assay-pair-'))
afterAll(() => rmSync(root, { recursive: true }))

function writePair(name: string, parts: Readonly<Record<string, string>>): string {
  const folder = join(root, name)
  for (const [part, from] of Object.entries(parts)) {
    for (const what of ['config.json', 'tokenizer.json', 'onnx']) cpSync(join(from, what), join(folder, part, what), { recursive: true })
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'assay-pair', name: 'Two models' }))
  return folder
}

const branch: Branch = {
  readout: 'exclusive',
  instructions: 'What is it?',
  candidates: ['a lamp', 'a chair'].map((name) => ({ name, description: null })),
  image: null,
}
const seen: Prompt = { pieces: [{ type: 'image', id: 'image_1', picture: picture(48, 32) }] }
const load = (folder: string) => loadOnnxModel(folder, { inProcess: true, threads: 1 })

describe('a pair of models', () => {
  it('answers texts by one and pictures by the other', async () => {
    const [pair, texts, pictures] = await Promise.all([
      load(writePair('both', { texts: TEXTS, pictures: PICTURES })),
      load(TEXTS),
      load(PICTURES),
    ])
    expect(pair.info).toMatchObject({ id: 'both', name: 'Two models', capabilities: { images: true, boxes: true, rereads: true } })
    expect([texts.info.revision, pictures.info.revision]).not.toContain(pair.info.revision)
    for (const [prompt, alone] of [
      [textPrompt('The lamp is red.'), texts],
      [seen, pictures],
    ] as const) {
      const [found, wanted] = [await (await pair.open(prompt)).score([branch]), await (await alone.open(prompt)).score([branch])]
      expect(found).toEqual(wanted)
    }
    expect(pair.caches?.().states.misses).toBeGreaterThanOrEqual(2)
    await Promise.all([pair, texts, pictures].map((one) => one.close()))
    await expect(pair.open(seen)).rejects.toMatchObject({ code: 'model_not_available' })
  })

  it('says which of the two is missing', async () => {
    await expect(load(writePair('half', { texts: TEXTS }))).rejects.toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining("'pictures'"),
    })
  })

  it('opens the graphs for pictures with the first picture, and refuses there what does not fit', async () => {
    const folder = writePair('unfit', { texts: TEXTS, pictures: PICTURES })
    const config = join(folder, 'pictures/config.json')
    const json = JSON.parse(readFileSync(config, 'utf8'))
    writeFileSync(config, JSON.stringify({ ...json, vision_width: json.vision_width + 1 }))
    const pair = await load(folder)
    await (await pair.open(textPrompt('The lamp is red.'))).score([branch])
    for (let time = 0; time < 2; time++)
      await expect(pair.open(seen)).rejects.toMatchObject({ code: 'model_not_available', message: expect.stringContaining('vision_width') })
    await pair.close()
  })

  it('is refused at load without the weights of a graph for pictures', async () => {
    const folder = writePair('weightless', { texts: TEXTS, pictures: PICTURES })
    rmSync(join(folder, 'pictures/onnx/pictures.onnx_data'))
    await expect(load(folder)).rejects.toMatchObject({
      code: 'model_not_available',
      message: expect.stringContaining('pictures.onnx_data'),
    })
  })
})

// Texts and pictures are read by graphs of their own: a model without the second pair reads texts as it does with it,
// and says what it lacks.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../../../../src/backends/onnx/index.ts'
import { createEngine, type Engine, localModel, noul } from '../../../../../src/index.ts'

const SHIPPED = resolve('models/service-1-pro')
const root = mkdtempSync(join(tmpdir(), 'assay-parts-'))
afterAll(() => rmSync(root, { recursive: true }))

/** The shipped model with only the graphs that are asked for. */
function folderWith(name: string, wanted: (file: string) => boolean): string {
  const folder = join(root, name)
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  for (const file of ['config.json', 'tokenizer.json']) copyFileSync(join(SHIPPED, file), join(folder, file))
  for (const file of readdirSync(join(SHIPPED, 'onnx')).filter(wanted))
    copyFileSync(join(SHIPPED, 'onnx', file), join(folder, 'onnx', file))
  return folder
}

const isOfPictures = (file: string): boolean => file.startsWith('pictures')
const isVision = (file: string): boolean => file.startsWith('vision')

async function angryIn(engine: Engine): Promise<number> {
  const { answers } = await engine.ask({ state: 'Where is my parcel? I am furious.', questions: { angry: noul('The customer is angry.') } })
  await engine.close()
  return answers.angry.noul
}

describe('the graphs that read texts', () => {
  const open = (folder: string) =>
    createEngine({ models: [localModel(folder, { inProcess: true, id: 'service-1-pro' })], calibrations: [] })

  it('are enough for texts, which they answer to the last bit as beside the others', async () => {
    const alone = await open(folderWith('texts', (file) => !isOfPictures(file) && !isVision(file)))
    expect(await angryIn(alone)).toBe(await angryIn(await open(SHIPPED)))
  })

  it('see no pictures, and say so', async () => {
    const backend = await loadOnnxModel(
      folderWith('blind', (file) => !isOfPictures(file) && !isVision(file)),
      { inProcess: true },
    )
    expect(backend.info.capabilities).toMatchObject({ images: false, boxes: false })
    const picture = { width: 8, height: 8, data: new Uint8Array(8 * 8 * 3), sha256: 'grey' }
    const opening = backend.open({ pieces: [{ type: 'image', id: 'image', picture }] })
    await expect(opening).rejects.toMatchObject({ code: 'capability_not_supported' })
    expect(backend.caches?.().pictures).toEqual({ hits: 0, misses: 0, bytes: 0, limitBytes: 0 })
    await backend.close()
  })
})

it('a model with a vision encoder and nothing that reads its pictures is refused by the name of what is missing', async () => {
  const loading = loadOnnxModel(
    folderWith('half', (file) => !isOfPictures(file)),
    { inProcess: true },
  )
  await expect(loading).rejects.toThrow('onnx/pictures_state_encoder.onnx')
})

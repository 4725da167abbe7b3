import { describe, expect, it } from 'vitest'
import { encoderConfigOf } from '../../../../../src/backends/onnx/families/encoder/configuration.ts'

const CONFIG = { context_length: 400, places: 320, passage_pieces: 40, options_apart: true, width: 16, layers: 2 }
const folder = (change: Record<string, number | string | boolean | null>) => ({
  path: 'models/mine',
  name: 'mine',
  modelType: 'assay-encoder',
  files: [],
  config: { ...CONFIG, ...change },
})

describe('config.json of an encoder model', () => {
  it('gives the numbers that the code runs on', () => {
    const shape = { width: 16, layers: 2 }
    expect(encoderConfigOf(folder({}))).toEqual({
      shape,
      contextLength: 400,
      places: 320,
      passagePieces: 40,
      worksOut: false,
      weighsNothing: false,
    })
    expect(encoderConfigOf(folder({ works_out: true })).worksOut).toBe(true)
    expect(encoderConfigOf(folder({ weighs_nothing: true })).weighsNothing).toBe(true)
  })

  it.each([
    ['width', 'wide', /config.json of 'mine' has width "wide"; a positive whole number/],
    ['layers', null, /has layers null; a positive whole number/],
    ['passage_pieces', 319, /has passage_pieces 319; at most places − 2 = 318 are taken/],
    ['options_apart', false, /has options_apart false; only encoders trained with options apart are read, so train and export it again/],
  ])('is refused with the field, its value and what is taken: %s %j', (field, value, message) => {
    expect(() => encoderConfigOf(folder({ [field]: value }))).toThrow(message)
  })

  it('is refused where the folder is of an older form, which does not say how options are read', () => {
    const { options_apart: _, ...config } = CONFIG
    expect(() => encoderConfigOf({ ...folder({}), config })).toThrow(/has options_apart missing; only encoders/)
  })
})

// What the Idefics3 family writes for pictures beyond those of the goldens: many of them, and grids without names.
import { expect, it } from 'vitest'
import { makeImageTokens } from '../../../../src/backends/onnx/families/idefics3/image-tokens.ts'
import type { TextTokenizer } from '../../../../src/backends/onnx/runtime/tokenizer.ts'

const NAMED = ['<fake_token_around_image>', '<global-img>', '<image>', '<row_1_col_1>', '<row_1_col_2>', '<row_2_col_1>']
const tokenizer = {
  control: (name: string) => (NAMED.includes(name) ? NAMED.indexOf(name) : undefined),
} as unknown as TextTokenizer
const tokens = makeImageTokens(tokenizer, { longestEdge: 128, tileSize: 64, split: true, upscale: true }, 1, {
  features: async () => new Float32Array(),
})
const picture = (width: number, height: number) => ({ width, height, data: new Uint8Array(), sha256: '' })

it('up to four pictures are cut, more are one tile each', () => {
  const rowsOf = (images: number) =>
    tokens.write(picture(128, 64), images, false).runs.filter((run) => run === NAMED.indexOf('<image>')).length
  expect([1, 4, 5].map(rowsOf)).toEqual([3, 3, 1])
})

it('a tile that the vocabulary has no name for is named in text, as the reference does', () => {
  const { runs } = tokens.write(picture(128, 128), 1, false)
  expect(runs).toContain(NAMED.indexOf('<row_2_col_1>'))
  expect(runs).toContain('<row_2_col_2>')
})

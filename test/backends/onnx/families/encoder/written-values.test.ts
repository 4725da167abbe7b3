import { expect, it } from 'vitest'
import { writtenValues } from '../../../../../src/backends/onnx/families/encoder/written-values.ts'

it.each([
  ['It has 1e3 rows.', ['1000']],
  ['2.5E-7', ['0.00000025']],
  ['-1.5e+2 at most', ['-150']],
  // More digits than an answer has.
  ['1e+21', []],
  ['12 and 3.5', ['12', '3.5']],
  // No exponents: parts of words.
  ['5em', ['5']],
])('the numbers of %j are %j', (text, expected) => {
  expect(writtenValues('number', text).map(({ value }) => value)).toEqual(expected)
})

it('takes a whole number for an int, however it is written', () => {
  expect(writtenValues('int', '1e3 or 2.5e-1').map(({ value }) => value)).toEqual(['1000'])
})

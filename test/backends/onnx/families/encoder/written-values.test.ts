import { expect, it } from 'vitest'
import { namesScale, writtenValues } from '../../../../../src/backends/onnx/families/encoder/written-values.ts'

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

it.each([
  ['We sold 3 million units, 1.1 bn in all.', ['3000000', '1100000000']],
  ['12k views of two thousand', ['12000', '2000']],
  ['12 K, 5 km, 3 millions', ['12', '5', '3']],
])('with their scales the numbers of %j are %j', (text, expected) => {
  expect(writtenValues('number', text, true).map(({ value }) => value)).toEqual(expected)
  expect(writtenValues('number', text)[0]!.value).toBe(/\d+/.exec(text)![0])
})

it('leaves the scale to a question that names it', () => {
  expect(['Turnover in thousands of euros', 'revenue (bn)'].map(namesScale)).toEqual([true, true])
  expect(['How many units were sold?', 'The number of meetings'].map(namesScale)).toEqual([false, false])
})

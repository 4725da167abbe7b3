import { expect, it } from 'vitest'
import { itemsOf } from '../../../../../src/backends/onnx/families/encoder/enumerations.ts'

const items = (text: string): string[] => itemsOf(text).map(({ start, end }) => text.slice(start, end))

it.each([
  ['4711, 4712 and 4790', ['4711', '4712', '4790']],
  ['the lamp, a tent, and the blue chair', ['lamp', 'tent', 'blue chair']],
  ['Ana Silva; Ben Okoro', ['Ana Silva', 'Ben Okoro']],
  ['555 0101 or 555 0102', ['555 0101', '555 0102']],
  ['apples as well as pears', ['apples', 'pears']],
  ['FR, DE, IT', ['FR', 'DE', 'IT']],
])('finds the items of %s', (text, expected) => {
  expect(items(text)).toEqual(expected)
})

it.each(['the lamp', 'May 3, 2024', 'Springfield, IL', '1,200 EUR', 'Northbound Parcel, Inc.', 'Friday between 7 and 15', 'A,B', 'sand'])(
  'leaves %s whole',
  (text) => {
    expect(items(text)).toEqual([text])
  },
)

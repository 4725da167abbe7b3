import { expect, it } from 'vitest'
import { whyUnread } from '../../../../../src/backends/onnx/families/encoder/unread-dates.ts'

it.each([
  ['12 May', 'without a year'],
  ['Sept. 3rd', 'without a year'],
  ['03/04/2025', 'which may be 3 April or 4 March'],
  ['3-4-2025', 'which may be 3 April or 4 March'],
  ['3/4/25', 'with a year of two digits'],
  ['May 2025', 'without a day'],
  ['31/02/2025', 'which is not a day that is known'],
])('says why %s is no day', (text, reason) => {
  expect(whyUnread(text)).toBe(`"${text}" stands in the state, ${reason}`)
})

// How likely a number that is asked for stands in the text, by the words of the question.
import { expect, it } from 'vitest'
import { logStands } from '../../../../../src/backends/onnx/families/encoder/asked-to-work-out.ts'

it.each([
  ['How much is left to pay?', 'How many tests passed?'],
  ['What do both tickets cost together?', 'How many seats does the room have?'],
  ['By how many points did art improve?', 'total amount in EUR'],
  ['How many tests passed?', 'What is the invoice number?'],
  ['How many hours does it take?', 'Room number'],
])('%s is answered by a number of the text more rarely than %s', (rarely, often) => {
  expect(logStands(rarely)).toBeLessThan(logStands(often))
})

it('is a probability', () => {
  for (const question of ['', 'How many are there in all?', 'Price', 'How many?']) {
    expect(Math.exp(logStands(question))).toBeGreaterThan(0)
    expect(Math.exp(logStands(question))).toBeLessThan(1)
  }
})

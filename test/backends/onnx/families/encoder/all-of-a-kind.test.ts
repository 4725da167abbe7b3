import { expect, it } from 'vitest'
import { asksForAll } from '../../../../../src/backends/onnx/families/encoder/all-of-a-kind.ts'

it.each([
  ['email', 'All email addresses'],
  ['email', 'Which e-mails are mentioned in the text?'],
  ['url', 'Every link'],
  ['url', 'Find all URLs'],
  ['date', 'Dates'],
  ['date', 'What dates are there?'],
  ['money', 'All amounts of money'],
] as const)('a question for kind %s asks for all: %s', (format, instructions) => {
  expect(asksForAll(instructions, format)).toBe(true)
})

it.each([
  ['email', "Ben's address"],
  ['email', 'All email addresses of the customers'],
  ['email', 'All addresses at example.org'],
  ['email', 'All 3 addresses of page 2'],
  ['email', 'All of them'],
  ['url', 'All dates'],
  ['date', 'The first date'],
  ['date', 'Due dates'],
  ['money', 'What does the chair cost?'],
  ['number', 'All numbers'],
  ['text', 'All email addresses'],
] as const)('a question for kind %s is narrower, or of another kind: %s', (format, instructions) => {
  expect(asksForAll(instructions, format)).toBe(false)
})

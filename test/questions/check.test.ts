import { expect, it } from 'vitest'
import { checkStatement } from '../../src/questions/shared/check.ts'

// The shipped model was trained on these words: changing them is a new model.
it('asks whether a proposed value is right in the words the model was trained on', () => {
  expect(checkStatement('How many lamps? ', '3')).toBe('How many lamps? Proposed answer: 3')
  expect(checkStatement('Which city?', 'Lima; Oslo')).toBe('Which city? Proposed answer: Lima; Oslo')
  expect(checkStatement('Which city?', null)).toBe('Which city? Proposed answer: nothing is given.')
})

import { describe, expect, it } from 'vitest'
import { argumentOf, inAskedOrder, questionOf, thresholdOf } from '../../../src/console/playground/asked.ts'

describe('the order of options', () => {
  /** As an answer has it: JavaScript moves names that look like whole numbers to the front. */
  const names = Object.keys({ 5: 1, 4: 1, 10: 1, none: 1 })

  it.each([
    ['criteria in order', { criteria: ['none', '10', '5', '4'] }],
    ['options in order', { options: ['none', '10', '5', '4'], criteria: null }],
    ['options with descriptions', { criteria: [{ value: 'none', description: 'x' }, '10', { value: '5' }, '4'] }],
  ])('is that of %s', (_what, question) => {
    expect(names).toEqual(['4', '5', '10', 'none'])
    expect(inAskedOrder(names, question)).toEqual(['none', '10', '5', '4'])
  })

  it.each([
    ['no question', null],
    ['options that are a map', { criteria: { none: null, 10: null } }],
    ['options that are no options', { criteria: [1, null, {}, ['4']] }],
  ])('is that of the answer where there is %s', (_what, question) => {
    expect(inAskedOrder(names, question)).toEqual(names)
  })

  it('neither loses a name nor adds or doubles one', () => {
    expect(inAskedOrder(names, { criteria: ['10', '10', 'gone'] })).toEqual(['10', '4', '5', 'none'])
  })
})

describe('the question behind an answer', () => {
  const amount = { type: 'choice', criteria: ['20', '10'] }
  const request = { questions: { q: { type: 'choice', args: { a: amount }, criteria: ['x', { value: 'y', args: { b: amount } }] } } }

  it('is found by its id, and an argument by the option that was chosen', () => {
    const question = questionOf(request, 'q')
    expect(argumentOf(question, 'x', 'a')).toBe(amount)
    expect(argumentOf(question, 'y', 'b')).toBe(amount)
    expect(argumentOf(question, 'x', 'b')).toBeNull()
  })

  it.each([null, 'text', { questions: 1 }, { questions: { q: 1 } }, {}])('is null in %j', (other) => {
    expect(questionOf(other, 'q')).toBeNull()
    expect(questionOf(other, 'constructor')).toBeNull()
  })

  it('says the threshold of a select, which is 0.5 by default', () => {
    expect([thresholdOf({ threshold: 0.3 }), thresholdOf({ threshold: 'x' }), thresholdOf(null)]).toEqual([0.3, 0.5, 0.5])
  })
})

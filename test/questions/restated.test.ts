import { describe, expect, it } from 'vitest'
import { comparisonOf } from '../../src/questions/logic/comparison.ts'
import { allOf, anyOf, not } from '../../src/questions/logic/formula.ts'
import { formulaOf } from '../../src/questions/logic/parse.ts'
import { restated } from '../../src/questions/logic/restated.ts'

describe('a claim that is written as code is', () => {
  it.each([
    ['price>20', ['price > 20']],
    ['price>=31', ['price >= 31']],
    ['temp<-5', ['temp < -5']],
    ['1 < qty', ['qty > 1']],
    ['7 <= load <= 10', ['load >= 7', 'load <= 10']],
    ['10>=load>7', ['load > 7', 'load <= 10']],
    ['2026-03-01 <= due < 2026-04-01', ['due >= 2026-03-01', 'due < 2026-04-01']],
    ['qty = 2', ['qty == 2']],
    ['total amount === 59.90', ['total amount == 59.90']],
    ['order.items[0].qty <> 2', ['order.items[0].qty != 2']],
    ['qty is 2', ['qty == 2']],
    ['qty is not 2.', ['qty != 2']],
    ['due is 2026-03-15', ['due == 2026-03-15']],
    ['due = 15 March 2026', ['due == 15 March 2026']],
    ['The customer is angry.', ['The customer is angry.']],
    ['a -> 5 => 7', ['a -> 5 => 7']],
  ])('%s is %j', (claim, claims) => {
    expect(restated(claim)).toEqual(claims)
  })
})

describe('a claim with two limits', () => {
  it.each([
    ['The total is between 50 and 60 EUR.', ['The total is >= 50 EUR', 'The total is <= 60 EUR']],
    ['Is the delay between 30 minutes and 2 hours?', ['Is the delay >= 30 minutes', 'Is the delay <= 2 hours']],
    ['The box has at least 1 and at most 3 items.', ['The box has at least 1 items', 'The box has at most 3 items']],
    ['The flat has more than 2, but less than 5 rooms.', ['The flat has more than 2 rooms', 'The flat has less than 5 rooms']],
    ['The bill is due between 1 March 2026 and 15 March 2026.', ['The bill is due >= 1 March 2026', 'The bill is due <= 15 March 2026']],
    ['The bill is due in February 2028.', ['The bill is due >= 2028-02-01', 'The bill is due <= 2028-02-29']],
    ['The order was placed on 3 May 2026.', ['The order was placed == 3 May 2026']],
  ])('%s is %j', (claim, claims) => {
    expect(restated(claim)).toEqual(claims)
  })

  it.each([
    ['7 <= load <= 10', '5', false],
    ['7 <= load <= 10', '7', true],
    ['7 < load < 10', '10', false],
    ['The total is between 50 and 60.', '55', true],
    ['The total is between 50 and 60.', '61', false],
    ['qty = 2', '2.0', true],
    ['qty != 2', '2', false],
    ['The bill is due in March 2026.', '2026-03-31', true],
    ['The bill is due in March 2026.', '1 April 2026', false],
    ['due on 15 March 2026', '2026-03-15', true],
    ['due != 2026-03-15', '2026-03-15', false],
  ])('%s of %s is %s', (claim, text, holds) => {
    expect(comparisonOf(claim)?.holds({ text, ahead: '', behind: '', name: '' })).toBe(holds)
  })

  it('is one question for its value', () => {
    expect(comparisonOf('The box has at least 1 and at most 3 items.')?.asked).toBe('The box has how many items?')
    expect(comparisonOf('due < 1 April')).toMatchObject({ format: 'date', asked: 'Due: when?' })
  })

  it('is false where one limit says so, and open where one is not known', () => {
    const volume = (text: string) => comparisonOf('3 liters < volume < 4 liters')?.holds({ text, ahead: '', behind: ' gallons', name: '' })
    expect(volume('1')).toBeNull()
    expect(volume('2')).toBe(false)
  })
})

describe('what may mean something else', () => {
  it.each([
    'It is 5.',
    'Ana is 30.',
    'The house number is 12.',
    'version = 1.10',
    'version >= 1.2.3',
    'Solve 3x + 7 = 31',
    'SELECT name FROM users WHERE id = 4',
    'GET /members?year=2024',
    'per_page=200 still returns twenty',
    'delay is 2 million',
    'start is 5 pm',
    'code is 0042',
    'The shop is open between 9 and 17.',
    'The room is free on 5 May 2026.',
    'The hotfix corrects the invoices sent on 3 June.',
    'The offer is valid in March 2026.',
    'qty > 1 and price > 20',
    'The trip takes more than 2 hours and less than 90 km.',
    'share of items > 30 days late exceeds 50 %',
  ])('is not compared: %s', (claim) => {
    expect(comparisonOf(claim)).toBeNull()
  })
})

it('takes time that grows with its length alone', () => {
  const repeated = ['a 1 ', '1 < ', 'a<', 'at least 1 and ', 'between 1 and ', 'is ', 'a = ', '1 ', 'a.', 'a on 1 ', '1.000,']
  const began = performance.now()
  for (const part of repeated) comparisonOf(part.repeat(Math.floor(300 / part.length)))
  expect(performance.now() - began).toBeLessThan(1000)
})

describe('operators between comparisons', () => {
  it.each([
    ['qty > 1 AND price > 20', 2, ['qty > 1', 'price > 20']],
    ['qty>1 OR price>20', 1, ['qty>1', 'price>20']],
    ['7 <= load <= 10 && qty = 2', 2, ['7 <= load <= 10', 'qty = 2']],
  ])('%s', (statement, least, of) => {
    expect(formulaOf(statement)).toEqual({ least, most: 2, of })
  })

  it('go with NOT and with parentheses', () => {
    expect(formulaOf('qty > 1 AND NOT (price > 20)')).toEqual(allOf(['qty > 1', not('price > 20')]))
    const either = anyOf(['qty > 1', 'price > 20'])
    expect(formulaOf('(qty > 1 OR price > 20) AND due < 2026-04-01')).toEqual(allOf([either, 'due < 2026-04-01']))
  })

  it.each(['red AND blue', 'The shirt is red AND NOT (blue)', 'qty > 1 AND blue'])('join no other words: %s', (statement) => {
    expect(formulaOf(statement)).toBe(statement)
  })
})

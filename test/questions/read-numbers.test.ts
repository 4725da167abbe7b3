import { describe, expect, it } from 'vitest'
import { comparisonOf } from '../../src/questions/logic/comparison.ts'

type Around = { readonly ahead?: string; readonly name?: string; readonly beside?: Readonly<Record<string, string | readonly string[]>> }

/** Whether a claim holds for a number and what stands behind it. */
function holds(claim: string, [text, behind = '']: readonly [string, string?], { ahead = '', name = '', beside = {} }: Around = {}) {
  return comparisonOf(claim)?.holds({ text, ahead, behind, name, beside: (other) => [beside[other] ?? []].flat() })
}

describe('a percentage and a fraction', () => {
  it.each<[string, [string, string?], Around, boolean | null]>([
    ['error_rate > 1%', ['0.03'], {}, true],
    ['The error rate is above 1 percent', ['0.03'], {}, true],
    ['conversion > 40%', ['0.5'], {}, true],
    ['vat > 0.2', ['19', ' %'], {}, false],
    ['vat > 0.1', ['19', ' %'], {}, true],
    ['battery > 40%', ['80'], {}, true],
    ['growth < -2%', ['-0.03'], {}, true],
    ['error_rate > 1%', ['0'], {}, false],
    // Either, or both are small.
    ['error_rate > 40%', ['1'], {}, null],
    ['error_rate > 0.5%', ['0.7'], {}, null],
    // Said to be in percent.
    ['error_rate > 1%', ['0.5'], { name: 'error_rate_percent' }, false],
    ['error_rate > 1%', ['0.5'], { ahead: 'Error rate (%): ' }, false],
    ['error_rate > 0.2', ['0.5'], {}, true],
  ])('%s of %j, %j is %s', (claim, read, around, expected) => {
    expect(holds(claim, read, around)).toBe(expected)
  })
})

describe('exponents and scales', () => {
  it.each<[string, [string, string?], Around, boolean | null]>([
    ['load > 500', ['1e3'], {}, true],
    ['load > 1e3', ['999'], {}, false],
    ['load > 1e3', ['1e+21'], {}, true],
    ['load > 1e-6', ['1e-7'], {}, false],
    ['load > 1.5e3 EUR', ['1,600', ' EUR'], {}, true],
    ['revenue > 2M', ['2500000'], {}, true],
    ['revenue > 2M', ['1.5', 'M'], { ahead: '$' }, false],
    ['revenue > 2M', ['2.4', ' million'], {}, true],
    ['revenue > $2m', ['2500000'], {}, true],
    ['revenue > $2m', ['1.5', 'M'], {}, false],
    ['revenue > 2B EUR', ['3', ' billion euros'], {}, true],
    ['revenue > 2b EUR', ['900', 'm'], { ahead: '€' }, false],
    // Metres or millions, bytes or billions.
    ['revenue > 2m', ['2500000'], {}, null],
    ['revenue > 2B', ['2500000'], {}, null],
    ['revenue > 2', ['3', 'm'], {}, null],
    ['length > 2m', ['300', ' cm'], {}, true],
    ['length > 2m', ['3'], { name: 'length_m' }, true],
    ['The wall is higher than 2 m.', ['3'], {}, true],
  ])('%s of %j, %j is %s', (claim, read, around, expected) => {
    expect(holds(claim, read, around)).toBe(expected)
  })
})

describe('a unit in a value beside a number', () => {
  it.each<[string, [string, string?], Around, boolean | null]>([
    ['The total is more than 50 EUR', ['59.9'], { beside: { currency: 'EUR' } }, true],
    ['The total is more than 50 USD', ['59.9'], { beside: { currency: 'EUR' } }, null],
    ['The total is more than $50', ['59.9'], { beside: { currency_code: '€' } }, null],
    ['The total is more than 50', ['59.9'], { beside: { currency: 'EUR' } }, true],
    ['The weight is more than 3 kg', ['5'], { beside: { unit: 'lb' } }, false],
    ['The weight is more than 3 kg', ['5'], { beside: { unit: 'lb', currency: 'EUR' } }, false],
    // Of an object around its own: a currency goes for all inside, a unit does not.
    ['The total is more than 50 USD', ['59.9'], { beside: { currency: ['', 'EUR'] } }, null],
    ['The weight is more than 3 kg', ['5'], { beside: { unit: ['', 'lb'] } }, true],
    // Its own says more.
    ['The weight is more than 3 kg', ['5', ' kg'], { beside: { unit: 'lb' } }, true],
    ['The weight is more than 3 kg', ['5'], { name: 'weight_kg', beside: { unit: 'box' } }, true],
  ])('%s of %j, %j is %s', (claim, read, around, expected) => {
    expect(holds(claim, read, around)).toBe(expected)
  })
})

describe('a bound', () => {
  it.each<[string, [string, string?], string, boolean | null]>([
    ['dose > 3 mg', ['5', ' mg'], '<', null],
    ['dose > 6 mg', ['5', ' mg'], '<', false],
    ['dose < 5 mg', ['5', ' mg'], '<', true],
    ['dose < 5 mg', ['5', ' mg'], '≤ ', null],
    ['dose <= 5 mg', ['5', ' mg'], 'Dose: at most ', true],
    ['dose > 3 mg', ['5', ' mg'], '>', true],
    ['dose == 5 mg', ['5', ' mg'], '<', false],
    ['dose == 4 mg', ['5', ' mg'], '<', null],
    ['The price is more than 50 EUR', ['40'], 'up to €', false],
    ['The delay is more than 1 hour', ['90', ' minutes'], 'late by over ', true],
    ['The delay is more than 2 hours', ['90', ' minutes'], 'late by over ', null],
    ['The delay is more than 2 hours', ['90', ' minutes'], 'was not over ', false],
    ['The crowd is above 100', ['90', '+'], '', null],
    ['The crowd is above 80', ['90', ' or more'], '', true],
    ['The delay is more than 2 hours', ['90', ' minutes'], "wasn't over ", false],
    // Not a bound: the end of a tag, an arrow, a part of a word.
    ['dose > 3 mg', ['5', ' mg'], '<td class="dose">', true],
    ['dose > 6 mg', ['5', ' mg'], 'dose ->', false],
    ['dose > 6 mg', ['5', ' mg'], 'Hanover ', false],
  ])('%s of %j behind %j is %s', (claim, read, ahead, expected) => {
    expect(holds(claim, read, { ahead })).toBe(expected)
  })
})

it.each<[string, [string, string?]]>([
  ['', ['9', ':30']],
  ['9:', ['30']],
  ['', ['5', '-10 mg']],
  ['5 to ', ['10', ' mg']],
])('does not take a part of another value for a number: %j, %j', (ahead, read) => {
  expect(holds('dose > 7', read, { ahead })).toBeNull()
})

import { describe, expect, it } from 'vitest'
import { parse } from '../../src/constraint/grammar.ts'
import type { NoulAnswer } from '../../src/index.ts'
import { questionContext } from '../../src/pipeline/asking/question-context.ts'
import { runCoroutines } from '../../src/pipeline/executor.ts'
import { asksEmptyField } from '../../src/questions/logic/fields/empty-field.ts'
import { statedField } from '../../src/questions/logic/fields/stated-field.ts'
import { checkOne, NO_TEXTS, UNCALIBRATED } from './ask.ts'

const order = {
  id: 'A-17',
  paid: false,
  express: true,
  emailVerified: true,
  door_open: false,
  online: true,
  status: 'sent back',
  customer: { name: 'Ann Lee', active: true, email: null, note: '' },
  warnings: [],
  tags: ['gift'],
  hints: ['none'],
  items: [{ returned: true }],
  attempts: 0,
  failedChecks: 2,
  gift: 'no',
  total: 59.9,
  last_total: 70,
  length_mm: 300,
  max_length_cm: 25,
  temperature_c: 81.5,
  limit_c: 80,
  currency: 'EUR',
  amount: { value: 12, currency: 'EUR' },
  language: 'EN',
  language_asked: 'en',
}

describe('what one field of a JSON value says', () => {
  it.each([
    ['The order is paid.', false],
    ['The order has not been paid.', true],
    ['Is the order unpaid?', true],
    ["isn't paid", true],
    ['paid is false', true],
    ['It is an express order.', null],
    ['The email is verified.', true],
    ['emailVerified', true],
    ['Email verified: yes', true],
    ['The door is open.', false],
    ['The door is closed.', true],
    ['The order is offline.', false],
    ['The customer is active.', true],
    ['The customer is inactive.', false],
    ['status is "sent back"', true],
    ['The status is not sent back.', false],
    ['status == shipped', false],
    ['status != shipped', true],
    ['There are no warnings.', true],
    ['There are tags.', true],
    ['The email is missing.', true],
    ['The customer has no email.', true],
    ['The note is empty.', true],
    ['The name is empty.', false],
    ['There were no attempts.', true],
    ['No attempt was made.', null],
    ['There is no warning.', true],
    ['warnings is empty', true],
    ['A warning is missing.', null],
    ['Some checks failed.', true],
    ['No failed checks.', false],
    ['It is a gift.', false],
    ['The total is higher than the last total.', false],
    ['total < last_total', true],
    ['length_mm > max_length_cm', true],
    ['The temperature is above the limit.', true],
    ['language == language_asked', true],
    ['The total is more than 50.', true],
    ['The total is between 60 and 80.', false],
    ['total < 0.05', false],
    ['The length is more than 20 cm.', true],
    ['The language is DE.', false],
    ['amount.value > 10 EUR', true],
    ['amount.value > 10 USD', null],
    ['There is 1 item.', true],
    ['There are more than two items.', false],
    ['The order has 3 tags.', false],
    ['The total is positive.', true],
    ['The total is zero.', false],
    ['tags.length == 1', true],
    ['The tags include gift.', true],
    ["The tags don't include gift.", false],
    ['tags contains "fragile"', false],
    ['"gift" in tags', true],
    ['tags include sale', null],
    ['len(items) > 1', false],
    ['language differs from language_asked', false],
    ['The name is known.', true],
    ['No name is on file.', false],
    ['An email is on file.', false],
    ['The order has already been paid.', false],
  ])('%s → %s', (claim, holds) => {
    expect(statedField(claim, [order])).toBe(holds)
  })

  it.each([
    ['says more than the field', 'The order is paid in full.'],
    ['says when', 'The order will be paid.'],
    ['speaks of another thing that the state knows', 'The customer is paid.'],
    ['denies twice', 'It is not never paid.'],
    ['may say the same in another word', 'The status is returned.'],
    ['is about one of several in a list', 'returned'],
    ['only names a list', 'warnings'],
    ['is about a list that says in words that it is empty', 'There are hints.'],
    ['names a count alone', 'attempts'],
    ['compares what has no order', 'language > language_asked'],
    ['compares what measures something else', 'The temperature is above the length.'],
    ['counts what is in a text', 'The name has more than 5 letters.'],
    ['compares with a share', 'The total is more than half of the last total.'],
    ['asks whether a text is given, which may say that it is not', 'The status is known.'],
    ['names nothing', 'The parcel is blue.'],
  ])('is left open where the claim %s', (_, claim) => {
    expect(statedField(claim, [order])).toBeNull()
  })

  it('is left open where two fields are named that do not say the same', () => {
    expect(statedField('verified', [{ email: { verified: true }, phone: { verified: false } }])).toBeNull()
    expect(statedField('The phone is verified.', [{ email: { verified: true }, phone: { verified: false } }])).toBe(false)
    expect(statedField('verified', [{ verified: true }, { verified: false }])).toBeNull()
    expect(statedField('verified', [{ verified: true }, { verified: true }])).toBe(true)
  })

  it('is left open where there are too many fields to name one of', () => {
    const many = (count: number) => [{ paid: true, ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`field ${i}`, i])) }]
    expect(statedField('The order is paid.', many(100))).toBe(true)
    expect(statedField('The order is paid.', many(1000))).toBeNull()
  })

  it('is nothing in a text, a list or a value of its own', () => {
    for (const values of [[], ['The order is paid.'], [[{ paid: true }]], [null], [true]]) expect(statedField('paid', values)).toBeNull()
  })
})

describe('a noul of it', () => {
  async function ask(instructions: string, usesLogic: boolean) {
    const { asked } = checkOne({ type: 'noul', instructions })
    const prefix = {
      tokens: 1,
      cachedTokens: 0,
      score: async () => [{ rows: [{ logProbabilities: [Math.log(0.7), Math.log(0.3)], mass: 1 }], inputTokens: 5 }],
      generate: () => Promise.reject(new Error('no such read')),
      close() {},
    }
    const context = questionContext([], parse, UNCALIBRATED, { ...NO_TEXTS, usesLogic, records: [order] })
    const { results } = await runCoroutines(prefix, [{ param: '', coroutine: asked!.run(context) }], () => {})
    const { answer, decisions } = results[0]!.value
    return { noul: (answer as unknown as NoulAnswer).noul, readout: decisions['']!.readout }
  }

  it('holds the claim against the field, and leaves the rest to the model', async () => {
    expect(await ask('The order is paid.', true)).toEqual({ noul: expect.closeTo(0.02 * 0.7, 4), readout: 'compared' })
    expect(await ask('The order is blue.', true)).toEqual({ noul: expect.closeTo(0.7, 4), readout: 'binary' })
  })

  it('is the model alone where it reads claims better than values', async () => {
    expect(await ask('The order is paid.', false)).toEqual({ noul: expect.closeTo(0.7, 4), readout: 'binary' })
  })
})

describe('a question for a field that is empty', () => {
  it.each([
    ['When was the order shipped?', true],
    ['shipped_at', true],
    ['The discount', true],
    ["The customer's phone number", true],
    ['How much does it cost?', false],
    ['The price', false],
    ['When was the order A-1 shipped?', true],
    ['When was the parcel handed over?', false],
    ['Phone and price', false],
  ])('%s: %s', (question, isEmpty) => {
    const state = { id: 'A-1', price: 12.5, discount: null, shipped: null, shipped_at: '', customer: { phone: null } }
    expect(asksEmptyField(question, [state])).toBe(isEmpty)
    expect(asksEmptyField(question, ['a text'])).toBe(false)
  })

  it('has no value, without asking the model', async () => {
    const { asked } = checkOne({ type: 'fill', kind: 'number', instructions: 'The discount' })
    const unasked = () => Promise.reject(new Error('not asked'))
    const prefix = { tokens: 1, cachedTokens: 0, score: unasked, generate: unasked, close() {} }
    const context = questionContext([], parse, UNCALIBRATED, {
      ...NO_TEXTS,
      usesLogic: true,
      records: [{ discount: null, price: 3 }],
    })
    const { results } = await runCoroutines(prefix, [{ param: '', coroutine: asked!.run(context) }], () => {})
    expect(results[0]!.value.answer).toMatchObject({ valid: false, value: '', error: 'the field that the question names is empty' })
  })
})

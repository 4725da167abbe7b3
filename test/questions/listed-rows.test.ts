// Questions and claims about the objects of a list, in a JSON value or a table: which are meant is said by what their
// fields say.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import type { ChoiceAnswer } from '../../src/questions/choice.ts'
import type { FillAnswer } from '../../src/questions/fill.ts'
import { statedField } from '../../src/questions/logic/fields/stated-field.ts'
import { recordsInText } from '../../src/questions/logic/records/records-in-text.ts'
import { toldHeld, toldOption, toldValue } from '../../src/questions/logic/told.ts'
import { askOne } from './ask.ts'

const orders = recordsInText(
  [
    'order,customer,item,qty,total,due,status',
    '1001,Fenwick Ltd,toner black,4,180.00,2026-03-01,shipped',
    '1002,Osei & Co,desk lamp,2,59.80,2026-03-05,open',
    '1003,Fenwick Ltd,paper A4,20,96.00,2026-04-02,shipped',
    '1004,Baltzer,stapler,1,12.50,-,cancelled',
  ].join('\n'),
)
const pets = recordsInText(
  ['Name: Faro', 'Age: 6', 'Weight: 8 kg', 'Status: reserved', '', 'Name: Minka', 'Age: 11', 'Weight: 4.5 kg', 'Status: free'].join('\n'),
)
const rota = recordsInText(['name | mon | tue', 'bea | early | off', 'gunnar | off | late', 'wanda | night | night'].join('\n'))
const card = recordsInText(
  ['Patient: Ilse', 'Weight: 7.4 kg', 'Insured: no', 'Next visit: 2026-05-12', 'Phone:', 'Seats: 3', 'Used: 2'].join('\n'),
)

describe('a claim', () => {
  it.each<[string, readonly Json[], boolean | null]>([
    ["Faro's status is reserved.", pets, true],
    ['The status of Minka is reserved.', pets, false],
    ["Faro's age is over 10.", pets, false],
    ['Order 1002 is open.', orders, true],
    ['Order 1002 is due on 5 March 2026.', orders, true],
    ['Order 1002 is due on 1 March 2026.', orders, false],
    ['Order 1002 is not due on 1 March 2026.', orders, true],
    ['gunnar is off on monday', rota, true],
    ['gunnar is off on tuesday', rota, false],
    ['Faro is heavier than Minka.', pets, true],
    ['Faro is older than Minka.', pets, false],
    ['Minka has a higher age than Faro.', pets, true],
    ['Minka is the oldest.', pets, true],
    ['Faro is not the heaviest.', pets, false],
    ['Order 1001 has the highest total.', orders, true],
    ['Two orders are shipped.', orders, true],
    ['At least two orders were cancelled.', orders, false],
    ['Fenwick Ltd has two orders.', orders, true],
    ['More than half of the orders are shipped.', orders, false],
    ['Half of the orders are shipped.', orders, true],
    ['Everything is shipped.', orders, false],
    ['The weight is over 7 kg.', card, true],
    ['It has more seats than used.', card, true],
    ['The patient is insured.', card, false],
  ])('%s', (claim, values, holds) => expect(statedField(claim, values)).toBe(holds))

  it.each<[string, string, readonly Json[]]>([
    ['says more than the fields', "Faro's status was reserved yesterday.", pets],
    ['is about nobody there', "Rex's status is reserved.", pets],
    ['is about two at once', 'Faro and Minka are older than Rex.', pets],
    ['counts what may be meant otherwise', 'Two customers complained.', orders],
    ['denies and counts', 'Two orders are not late.', orders],
    ['ranks by what no field says', 'Faro is the nicest.', pets],
  ])('is left to the model where it %s', (_why, claim, values) => expect(statedField(claim, values)).toBeNull())
})

describe('a question', () => {
  const option = (question: string, options: readonly string[], values: readonly Json[]): string | null => {
    const at = toldOption(question, options, values)
    return at === null ? null : options[at]!
  }
  const CUSTOMERS = ['Osei & Co', 'Baltzer', 'Fenwick Ltd']

  it.each<[string, readonly string[], readonly Json[], string | null]>([
    ["What is Faro's status?", ['free', 'reserved', 'adopted'], pets, 'reserved'],
    ['What happened to order 1004?', ['shipped', 'cancelled'], orders, 'cancelled'],
    ['When is order 1003 due?', ['1 March 2026', '2 April 2026'], orders, '2 April 2026'],
    ['In which month is order 1003 due?', ['March', 'April'], orders, null],
    ['what does bea do on tuesday?', ['early', 'late', 'off'], rota, 'off'],
    ['Which customer ordered the desk lamp?', CUSTOMERS, orders, 'Osei & Co'],
    ['Which customer has the most orders?', CUSTOMERS, orders, 'Fenwick Ltd'],
    ['Which customer has two orders?', CUSTOMERS, orders, 'Fenwick Ltd'],
    ['Which order has the highest total?', ['1001', '1002', '1003'], orders, '1001'],
    ['Which customer is the nicest?', CUSTOMERS, orders, null],
    ['What is the weight?', ['4 kg', '7.4 kg'], card, '7.4 kg'],
    ['Is the patient insured?', ['yes', 'no'], card, 'no'],
  ])('for an option: %s', (question, options, values, told) => expect(option(question, options, values)).toBe(told))

  it('for options tells each', () => {
    expect(toldHeld('Which customers have a shipped order?', CUSTOMERS, orders)).toEqual([false, false, true])
    expect(toldHeld('Which orders are over 90?', ['1001', '1002'], orders)).toBeNull()
    expect(toldHeld('Which orders have a total over 90?', ['1001', '1002', '1003'], orders)).toEqual([true, false, true])
    expect(toldHeld('Which of these fields have a value?', ['weight', 'phone'], card)).toEqual([true, false])
    expect(toldHeld('Which fields are empty?', ['weight', 'phone'], card)).toEqual([false, true])
    expect(toldHeld('Which fields are empty?', ['weight', 'street'], card)).toBeNull()
  })

  it.each<[string, string, readonly Json[], Json | undefined]>([
    ['How many orders are there in total?', 'int', orders, 4],
    ['How many orders are from Fenwick Ltd?', 'int', orders, 2],
    ['total of the orders from Fenwick Ltd', 'number', orders, undefined],
    ['What is the total of order 1002?', 'number', orders, 59.8],
    ['What is the sum of the totals of the orders from Fenwick Ltd?', 'number', orders, 276],
    ['How old is Faro?', 'int', pets, 6],
    ["Faro's age", 'int', pets, 6],
    ['How many seats are there?', 'int', card, 3],
    ['When is the next visit?', 'date', card, '2026-05-12'],
    ['When is order 1004 due?', 'date', orders, undefined],
    ['What is the phone?', 'text', card, null],
    ['Who is the doctor?', 'text', card, undefined],
  ])('for a value: %s (%s)', (question, kind, values, told) => expect(toldValue(question, kind, values)).toBe(told))

  it('is weighed with what the model makes of it', async () => {
    const asked = { type: 'choice', instructions: "What is Faro's status?", criteria: ['free', 'reserved'] }
    const { answer } = await askOne<ChoiceAnswer>(asked, { score: () => [[0.5, 0.5]], jsonValues: pets })
    expect(answer.choice).toBe('reserved')
    expect(answer.probabilities.reserved).toBeCloseTo(0.99, 2)
    const described = { ...asked, criteria: { free: 'may be taken home', reserved: 'is somebody’s' } }
    expect((await askOne<ChoiceAnswer>(described, { score: () => [[0.6, 0.4]], jsonValues: pets })).answer.choice).toBe('free')
  })

  it('for a value is answered without the model', async () => {
    const question = { type: 'fill', kind: 'date', instructions: 'When is the next visit?' }
    const { answer, passes } = await askOne<FillAnswer>(question, { jsonValues: card })
    expect(answer).toMatchObject({ value: '2026-05-12', valid: true })
    expect(passes).toBe(0)
  })
})

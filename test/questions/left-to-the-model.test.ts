// What fields seem to say and do not: such questions are left to the model.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import { statedField } from '../../src/questions/logic/fields/stated-field.ts'
import { recordsInText } from '../../src/questions/logic/records/records-in-text.ts'
import { toldHeld, toldOption, toldValue } from '../../src/questions/logic/told.ts'

const values = (state: Json): readonly Json[] => (typeof state === 'string' ? recordsInText(state) : [state])

const stops = { stops: [1, 2, 3].map((n) => ({ n, name: `Stop ${n}`, done: n < 3 ? '09:05' : null })) }
const tickets = {
  tickets: [
    { type: 'adult', count: 3, price: 14 },
    { type: 'child', count: 2, price: 6 },
  ],
}
const flights = [
  { flight: 'SK21', origin: 'Oslo', destination: 'Rome' },
  { flight: 'AZ90', origin: 'Rome', destination: 'Oslo' },
  { flight: 'LH5', origin: 'Oslo', destination: 'Munich' },
]
const vms = [
  { vm: 'alpha', desired_state: 'running', actual: 'crashed' },
  { vm: 'beta', desired_state: 'running', actual: 'booting' },
  { vm: 'gamma', desired_state: 'stopped', actual: 'off' },
]
const orders = [
  { order: 'A1', status: 'delivered' },
  { order: 'A2', status: 'shipped' },
  { order: 'A3', status: 'pending' },
]
const plans = [
  { plan: 'Mini', data_gb: '2', per_month: 6, setup_fee: 0 },
  { plan: 'Midi', data_gb: 'unlimited', per_month: 12, setup_fee: 25 },
  { plan: 'Maxi', data_gb: '40', per_month: 30, setup_fee: 10 },
]
const mail = ['From: Lena', 'To: Tom', 'Date: 2026-11-03', 'Status: read', '', 'The workshop takes place on 19 November.'].join('\n')
const form = ['Table: 14', 'Room: 204', 'Time: 19:00', 'Guests: 6'].join('\n')

describe('how many and how much', () => {
  it.each<[string, string, string, Json, Json | undefined]>([
    ['what a verb singles out', 'How many stops have been made?', 'int', stops, undefined],
    ['what is still ahead', 'How many stops are still to be made?', 'int', stops, undefined],
    ['rows that stand for several', 'How many tickets are there in total?', 'int', tickets, undefined],
    ['prices of each', 'What is the total price of all tickets?', 'number', tickets, undefined],
    ['a number that names one thing', 'How many rooms are there?', 'int', form, undefined],
    ['a number that says how many', 'How many guests are there?', 'int', form, 6],
    ['where it comes from or goes', 'How many flights from Rome are there?', 'int', flights, undefined],
    ['what was wanted', 'How many VMs are running?', 'int', vms, undefined],
    ['a price of one', 'What does the whole bag cost?', 'number', { unit_price: 4.5, pieces: 9 }, undefined],
    ['a fee of another thing', 'What does the course cost?', 'number', { cancellation_fee: 25, certificate: true }, undefined],
    ['one part of a key', 'How long did it take?', 'text', { last_name: 'Moreau', started: '10:02' }, undefined],
    [
      'a verb that is left out',
      'How many points does Ana need?',
      'int',
      [
        { name: 'Ana', points: 45 },
        { name: 'Ben', points: 71 },
      ],
      undefined,
    ],
    [
      'what it does with them',
      'How many points does Ana have?',
      'int',
      [
        { name: 'Ana', points: 45 },
        { name: 'Ben', points: 71 },
      ],
      45,
    ],
    ['a version', 'What is the Python version?', 'text', 'Python version: 3.10\nOwner: Ben', '3.10'],
    ['a day of the mail', 'What is the date of the workshop?', 'date', mail, undefined],
    ['who is no person', 'Who is on stage?', 'text', 'Grill: Ben\nStage: not filled\nDoor: Ina', undefined],
    [
      'what is taken of it',
      'How many days did Mira take?',
      'int',
      [
        { name: 'Mira', days: 28, taken: 5 },
        { name: 'Tom', days: 25, taken: 9 },
      ],
      undefined,
    ],
    ['what is used of it', 'What is the memory usage?', 'number', { host: 'web-1', memory_gb: 16, memory_used_gb: 11 }, undefined],
    [
      "another's phone",
      "What is the manager's phone?",
      'text',
      { employee: 'Jonas Pell', manager: 'Sara Lind', phone: '0171 998' },
      undefined,
    ],
    ['what is due', 'How much is due?', 'int', { bill: 'Water', total: 80, due: null }, undefined],
    [
      'rows of another thing',
      'How many customers are listed?',
      'int',
      orders.map((one, n) => ({ ...one, customer: ['Ana', 'Ana', 'Bo'][n] as string })),
      undefined,
    ],
    ['the one that is meant', 'What is the current balance?', 'int', { balance: 10, current_balance: 5 }, 5],
    [
      'how long they stay',
      'How many nights does Ben stay?',
      'int',
      [
        { guest: 'Ben', nights: 4, status: 'in' },
        { guest: 'Ina', nights: 2, status: 'out' },
      ],
      4,
    ],
    ['the first of a list', 'What are the ingredients?', 'text', 'Title: Cake\nBaker: Ina\nIngredients:\nFlour\nSugar\nEggs', undefined],
    ['a box that is not ticked', 'What is the diet?', 'text', 'Name: Ben\nAge: 40\nDiet:\n[ ] vegetarian\n[x] vegan\n[ ] none', undefined],
    ['where something is', 'Where is the laptop?', 'text', { laptop: 'ThinkPad X1', owner: 'Ina', desk: 12 }, undefined],
    ['nothing that is known', 'How many hours does it take?', 'text', { task: 'roof', hours: 'not stated' }, undefined],
    ['what is done with a file', 'Which file was deleted?', 'text', { file: 'a.csv', rows: 3 }, undefined],
  ])('%s: %s', (_, question, kind, state, told) => expect(toldValue(question, kind, values(state))).toBe(told))
})

describe('which', () => {
  it.each<[string, string, readonly string[], readonly Json[], string | null]>([
    ['"unlimited" among numbers', 'Which plan has the most data?', ['Mini', 'Midi', 'Maxi'], plans, null],
    ['a fee beside the price', 'Which plan is the most expensive?', ['Mini', 'Midi', 'Maxi'], plans, null],
    [
      'the highest priority',
      'Which ticket has the highest priority?',
      ['T1', 'T2'],
      [
        { id: 'T1', priority: 1 },
        { id: 'T2', priority: 4 },
      ],
      null,
    ],
    [
      'one of several kinds',
      'Which dessert is the cheapest?',
      ['Soup', 'Sorbet', 'Cake'],
      [
        { dish: 'Soup', course: 'starter', price: 5 },
        { dish: 'Sorbet', course: 'dessert', price: 7 },
        { dish: 'Cake', course: 'dessert', price: 8 },
      ],
      'Sorbet',
    ],
    [
      'when they were born',
      'Who is the oldest?',
      ['Ida', 'Karl'],
      [
        { name: 'Ida', born: 1990, member_since: '2001-03-04' },
        { name: 'Karl', born: 1961, member_since: '2019-05-06' },
      ],
      'Karl',
    ],
    ['nothing, which is not "no"', 'Is it insured?', ['yes', 'no'], [{ id: 4, insured: null }], null],
  ])('%s: %s', (_, question, options, state, wanted) => {
    const told = toldOption(question, options, values(state as Json))
    expect(told === null ? null : options[told]).toBe(wanted)
  })

  it('is not shipped alone where others are delivered', () => {
    expect(toldHeld('Which orders have been shipped?', ['A1', 'A2', 'A3'], values(orders))).toBeNull()
  })
})

describe('a claim', () => {
  it.each<[string, Json, boolean | null]>([
    ['The museum is closed.', { museum: 'Town Museum', closed_on: 'Mondays' }, null],
    ['The order has been delivered.', { order: 7, delivered_by: 'DHL', status: 'packing' }, null],
    ['It has been approved.', { id: 3, approved_by: 'tbd' }, null],
    ['It has been approved.', { id: 3, approved_by: 'Ina Vogt' }, true],
    ['It has been approved.', { id: 3, approved_by: null }, false],
    ['The order is pending.', { order: { id: 7, payment: { status: 'pending' } } }, null],
    ['The patient is under 18.', { patient: 2210, age: 16 }, true],
    ['The invoice is over 500 EUR.', { invoice: 812, total: 90, currency: 'EUR' }, null],
    ['The version is higher than the minimum version.', { version: '1.10', minimum_version: '1.9' }, null],
    [
      'Bo is there on Thursday.',
      [
        { who: 'Ana', from: 'Monday', to: 'Wednesday' },
        { who: 'Bo', from: 'Tuesday', to: 'Friday' },
      ],
      null,
    ],
    [
      'U14 is later than Seniors.',
      [
        { game: 'U14', day: 'Fri', at: '15:00' },
        { game: 'Seniors', day: 'Sun', at: '11:30' },
      ],
      null,
    ],
    ['The order is shipped.', { order_id: 'A1', previous_status: 'shipped' }, null],
    ['The duration is more than 50 %.', { id: 'r1', duration: 90 }, null],
    ['The weight is over 0.1 kg.', { parcel: 'P1', weight: '0.125 kg' }, true],
    ['The room is 204.', 'Room: 204\nTime: 19:00\n\nUpdate: the party is now in the hall, and begins at seven.', null],
    ['The shop is open until 18:00.', { shop: 'Kiosk', opens: '09:00', closes: '18:00' }, null],
    ['The budget has more than 200 EUR left.', { budget: 1000, spent: 900, currency: 'EUR' }, null],
    ['The coupon is active.', { status: 'active', coupon: 'expired' }, null],
    ['A1 has been shipped.', orders, null],
    ['Two orders have been shipped.', orders, null],
    ['beta is running.', vms, null],
    ["It's worth more than one may keep.", { keep_up_to: 35, worth: 22 }, null],
    ['The value is over 1,000 EUR.', 'Value: 12.500 EUR\nOwner: Ben', null],
    ['It takes less than an hour.', { it: 'yoga', time: 45 }, null],
    ['The sample is positive.', { sample: 118, result: 'negative' }, false],
    ['The hall has been paid.', '[x] Pay deposit for the hall\n[ ] Order cake stand', null],
    ['The cake stand has to be ordered.', '[x] Pay deposit for the hall\n[ ] Order cake stand', true],
    ['The backup failed.', '2026-11-03 10:02 ERROR backup: write failed\n2026-11-03 10:09 INFO backup: finished', null],
    ['The room is 204.', 'Room: 204\nTime: 19:00\n\nUpdate: we had to move to room 110 because of the heating.', null],
    ['The phone number is missing.', 'Name:\nAylin Demir\nPhone:\n0731 55210', false],
    ['There are two customers.', 'customer | total\nFenwick | 40\nOsei | 20\nTotal | 60', null],
    [
      'Cy has the highest total.',
      [
        { name: 'Ana', total: 40 },
        { name: 'Cy', total: 45 },
        { name: 'Total', total: 85 },
      ],
      true,
    ],
  ])('%s', (claim, state, holds) => expect(statedField(claim, values(state))).toBe(holds))
})

it('comes to an end with texts that are made to take long', () => {
  expect(statedField('The ticket has been assigned.', [{ assigned_to: `A${'.'.repeat(80_000)}!` }])).toBeNull()
  expect(recordsInText(`a ${'['.repeat(49_000)}`)).toEqual([])
  expect(recordsInText(`${'='.repeat(3_000)}x`)).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { statedField } from '../../src/questions/logic/fields/stated-field.ts'

const ticket = {
  ticket_id: 'T-4411',
  title: 'Cannot log in',
  status: 'open',
  priority: 'high',
  paid: false,
  assignee: null,
  closed_at: null,
  created_at: '2026-11-20T09:00:00Z',
  reminders_sent: 2,
  attachments: 0,
  tags: ['sso', 'login'],
  plan: 'free',
  currency: 'EUR',
  customer: { name: 'Ines Park', role: 'admin', age: 15, country_code: 'SE' },
  checks: { lint: 'passed', test: 'failed' },
  parcels: [
    { sku: 'A1', returned: true },
    { sku: 'B2', returned: false },
    { sku: 'C3', returned: true },
  ],
}

const about = (claim: string) => statedField(claim, [ticket])

describe('a record that says what it is about', () => {
  it.each([
    ['The ticket is paid.', false],
    ['The ticket is still unpaid.', true],
    ["The ticket's paid.", false],
    ['T-4411 is paid.', false],
    ['Ines Park is an admin.', true],
    ['Ines is not an admin.', false],
    ['It is paid.', false],
    ['The tags are paid.', null],
    ['The priority is paid.', null],
    ['The customer is paid.', null],
  ])('%s → %s', (claim, holds) => expect(about(claim)).toBe(holds))
})

describe('a text of a record', () => {
  it.each([
    ['The ticket is open.', true],
    ['Is the ticket still open?', true],
    ['The ticket is not closed.', true],
    ['The ticket is closed.', false],
    ['The ticket is waiting.', null],
    ['The ticket has high priority.', true],
    ['The ticket has low priority.', false],
    ['The ticket does not have high priority.', false],
    ['The ticket has urgent priority.', null],
    ['The ticket is on the free plan.', true],
    ['The ticket is on a paid plan.', false],
    ['The lint check passed.', true],
    ['The tests passed.', false],
    ['The tests did not pass.', null],
    ['The customer is an editor.', null],
    ['The ticket is tagged sso.', true],
    ['The ticket is tagged billing.', null],
  ])('%s → %s', (claim, holds) => expect(about(claim)).toBe(holds))
})

describe('what has happened', () => {
  it.each([
    ['The ticket has been closed.', false],
    ['The ticket is not closed yet.', true],
    ['The ticket is assigned.', false],
    ['The ticket is unassigned.', true],
    ['The ticket is assigned to somebody.', false],
    ['The ticket has no assignee.', true],
    ['The ticket was created.', true],
    ['The ticket was created in November.', true],
    ['The ticket was created in 2025.', false],
    ['The ticket was created before 2023.', false],
    ['The ticket was created on 20 November 2026.', true],
    ['The ticket was not created after 1 December.', true],
    ['The ticket was created by Monday.', null],
    ['The ticket was created in a hurry.', null],
    ['The ticket was closed in March.', false],
  ])('%s → %s', (claim, holds) => expect(about(claim)).toBe(holds))

  it('is not what is planned', () => {
    expect(statedField('The visit is scheduled.', [{ id: 1, scheduled_at: null }])).toBeNull()
  })
})

describe('how many there are', () => {
  it.each([
    ['At least one reminder was sent.', true],
    ['More than two reminders were sent.', false],
    ['The ticket has 2 tags.', true],
    ['The ticket has attachments.', false],
    ['The ticket has fewer than 3 parcels.', false],
    ['All checks passed.', false],
    ['Not all checks passed.', true],
    ['Some checks failed.', true],
    ['Every parcel is returned.', false],
    ['No parcel is returned.', false],
    ['At least two parcels are returned.', true],
    ['Exactly three parcels were returned.', false],
    ['All parcels are blue.', null],
    ['All customers are paid.', null],
  ])('%s → %s', (claim, holds) => expect(about(claim)).toBe(holds))
})

describe('ages, countries and currencies', () => {
  it.each([
    ['The customer is an adult.', false],
    ['The customer is a minor.', true],
    ['The customer is not underage.', false],
    ['The customer is under 18.', true],
    ['The customer is at least 18 years old.', false],
    ['The customer is over 90 kg.', null],
    ['The customer lives in Sweden.', true],
    ['The customer is based in Norway.', false],
    ['The customer is not from Norway.', true],
    ['The customer is in the EU.', true],
    ['The customer is in the United States.', false],
    ['The customer is in Sweden or Norway.', null],
    ['The customer likes Sweden.', null],
    ['The ticket was paid in euros.', true],
    ['The ticket was paid in dollars.', false],
    ['The ticket was paid in euros twice.', null],
  ])('%s → %s', (claim, holds) => expect(about(claim)).toBe(holds))

  it('is left open which dollars are meant', () => {
    expect(statedField('It was paid in dollars.', [{ currency: 'CAD' }])).toBeNull()
    expect(statedField('It was paid in dollars.', [{ currency: 'USD' }])).toBe(true)
  })
})

it('looks at no more things than have few fields together', () => {
  const rooms = (count: number, fields: number) => [
    {
      rooms: Array.from({ length: count }, () => ({
        free: true,
        ...Object.fromEntries(Array.from({ length: fields }, (_, i) => [`f${i}`, i])),
      })),
    },
  ]
  expect(statedField('All rooms are free.', rooms(20, 10))).toBe(true)
  expect(statedField('All rooms are free.', rooms(100, 100))).toBeNull()
})

describe('names that a language has besides', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s is a field like another', (key) => {
    const state = JSON.parse(`{ "id": 1, "${key}": "x", "paid": true }`)
    expect(statedField('The order is paid.', [state])).toBe(true)
    expect(statedField(`The ${key} is a thing in the EU.`, [state])).toBeNull()
  })
})

describe('a record of its own that a field is', () => {
  it('is not what the fields beside it are about', () => {
    expect(statedField('The customer is active.', [{ customer: { name: 'Ann' }, active: true }])).toBeNull()
    expect(statedField('The door is open.', [{ id: 1, door: 'open', status: 'closed' }])).toBe(true)
  })
})

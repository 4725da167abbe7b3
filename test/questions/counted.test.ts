// Questions for how many there are: told by the fields of a JSON value, or left to the model.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import type { FillAnswer } from '../../src/questions/fill.ts'
import { countAsked } from '../../src/questions/logic/objects/counted.ts'
import { askOne, written } from './ask.ts'

const order: Json = {
  order_id: 'A-17',
  guests: 4,
  hours: 2.5,
  tags: ['gift', 'fragile'],
  notes: [],
  call: { number: 31 },
  checks: { lint: 'passed', test: 'failed', build: 'passed' },
  items: [
    { sku: 'A1', returned: true, status: 'shipped', gift: null },
    { sku: 'B2', returned: false, status: 'open', gift: null },
    { sku: 'C3', returned: true, status: 'open' },
  ],
}

describe('a question for a count', () => {
  it.each([
    ['How many items are there?', 3],
    ['How many items are in it?', null],
    ['How many items are there in all?', 3],
    ['How many items does the order have?', 3],
    ['How many tags does it have', 2],
    ['How many items', 3],
    ['Number of items', 3],
    ['number of notes', 0],
    ['How many guests are there?', 4],
    ['How many items are returned?', 2],
    ['How many of the items are returned?', 2],
    ['How many items were returned?', 2],
    ['How many items are not returned?', 1],
    ["How many items aren't returned?", 1],
    ['How many items are open?', 2],
    ['How many items are not open?', 1],
    ['The number of items that are returned', 2],
    ['How many checks passed?', 2],
    ['How many checks failed?', 1],
  ])('%s → %s', (question, count) => expect(countAsked(question, [order])).toBe(count))

  it.each([
    ['that asks for another number', 'How much is it?'],
    ['that names no list', 'How many parcels are there?'],
    ['of which one thing does not say it', 'How many items are a gift?'],
    ['that is no whole number', 'How many hours?'],
    ['for a number that something has', 'Number of the call'],
    ['that says more than a field', 'How many items are returned by Ann?'],
    ['that is long', `How many items ${'and more '.repeat(20)}are returned?`],
  ])('%s is left to the model', (_why, question) => expect(countAsked(question, [order])).toBeNull())

  it.each([
    ['How many sensors are online?', 2],
    ['How many sensors are offline?', 1],
    ['How many editors are there?', 2],
    ['How many editor sensors are there?', 2],
    ['How many drivers are there?', null],
  ])('of lists in lists: %s → %s', (question, count) => {
    const sensors = [
      [
        { online: true, role: 'editor' },
        { online: false, role: 'viewer' },
      ],
      [{ online: true, role: 'editor' }],
    ]
    expect(countAsked(question, [{ zones: sensors.map((own) => ({ sensors: own })) }])).toBe(count)
  })

  it.each([
    ['How many employees are in Engineering?', 2],
    ['How many employees does Engineering have?', 2],
    ['How many employees does the Finance department have in total?', 0],
    ['How many employees are in transit?', null],
    ['How many offices does Engineering have?', null],
    ['How many desks are in Engineering?', null],
  ])('of the list of one object: %s → %s', (question, count) => {
    const departments: Json = [
      { name: 'Engineering', employees: [{ name: 'Ravi' }, { name: 'Sofie' }], desks: 12 },
      { name: 'Finance', employees: [] },
    ]
    expect(countAsked(question, [{ departments }])).toBe(count)
  })

  it.each([
    ['How many transactions are there?', 3],
    ['How many transactions are from Greenleaf Market?', 2],
  ])('of a short key, and of whom it is from: %s → %s', (question, count) => {
    const merchants = ['Greenleaf Market', 'Skyhop Air', 'Greenleaf Market']
    expect(countAsked(question, [{ txns: merchants.map((merchant, n) => ({ id: `t_${n}`, merchant })) }])).toBe(count)
  })

  it.each([
    ['How many orders have the status shipped?', 2],
    ['How many orders have been shipped?', null],
    ['How many orders have no status?', null],
  ])('of what a field says, not of what that implies: %s → %s', (question, count) => {
    const orders = ['delivered', 'shipped', 'shipped'].map((status, n) => ({ order_id: `A-${n}`, status }))
    expect(countAsked(question, [{ orders }])).toBe(count)
  })

  it('of a list whose key says that it is one', () => {
    const machineList = ['up', 'down', 'up'].map((state, n) => ({ id: `M${n}`, state }))
    expect(countAsked('How many machines are up?', [{ machineList }])).toBe(2)
  })

  it('of a list that is the state', () => {
    const jobs = [{ state: 'failed' }, { state: 'done' }, { state: 'done' }]
    expect(countAsked('How many jobs failed?', [jobs])).toBe(1)
    expect(countAsked('How many jobs are done?', [jobs])).toBe(2)
    expect(countAsked('How many jobs are slow?', [jobs])).toBeNull()
  })

  it('of a text is left to the model', () => expect(countAsked('How many items are there?', ['three items'])).toBeNull())

  it('is answered without the model', async () => {
    const question = { type: 'fill', kind: 'int', instructions: 'How many items are returned?' }
    const { answer, passes } = await askOne<FillAnswer>(question, { jsonValues: [order] })
    expect(answer).toMatchObject({ value: '2', parsed: 2, valid: true, confidence: expect.closeTo(1, 5) })
    expect(passes).toBe(0)
  })

  it.each(['text', 'date'])('is read where %s is asked for', async (kind) => {
    const question = { type: 'fill', kind, instructions: 'How many items are returned?' }
    const { answer } = await askOne<FillAnswer>(question, { jsonValues: [order], read: () => written('2026-01-02') })
    expect(answer.value).toBe('2026-01-02')
  })
})

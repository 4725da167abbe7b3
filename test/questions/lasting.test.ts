// How long something lasts: told by the two fields that say when it begins and ends, or left to the model.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import { toldValue } from '../../src/questions/logic/told.ts'

const events: Json = [
  { title: 'piano lesson', day: 'Mon', start: '16:30', end: '17:15' },
  { title: 'football training', day: 'Wed', start: '18:00', end: '20:00' },
  { title: 'night shift', day: 'Thu', start: '22:00', end: '06:00' },
  { title: 'dinner', day: 'Fri', start: '19:00', end: null },
]
const moments: Json = [
  { job: 'backup', started_at: '2026-03-02T01:00:00Z', start_time: '2026-03-02T01:00', end_time: '2026-03-02T03:30' },
  { job: 'import', started_at: '2026-03-02T01:00:00Z', start_time: '2026-03-02T23:00', end_time: '2026-03-03T23:30' },
]
const stay: Json = { ref: 'QX7', booked: '2026-01-02', stay: { checkIn: '2026-07-18', checkOut: '2026-07-25', floor: 3 } }

describe('how long something lasts', () => {
  it.each([
    ['How many minutes does the piano lesson last?', { events }, 45],
    ['How many hours does football training take?', { events }, 2],
    ['How many minutes is the piano lesson?', { events }, 45],
    ['For how many minutes does the backup run?', { moments }, 150],
    ['How many nights is the stay?', stay, 7],
    ['How many nights do they stay?', stay, 7],
  ])('%s', (question, state, minutes) => expect(toldValue(question, 'int', [state])).toBe(minutes))

  it.each([
    ['over midnight', 'How many hours does the night shift last?', { events }],
    [
      'by two clocks',
      'How many minutes does the flight take?',
      [
        { trip: 'flight', from: '2026-03-02T10:00+01:00', to: '2026-03-02T11:30Z' },
        { trip: 'ferry', from: '2026-03-02T10:00Z', to: '2026-03-02T11:30Z' },
      ],
    ],
    ['of which one end is not known', 'How many minutes does dinner last?', { events }],
    ['that nothing is called', 'How many minutes does the concert last?', { events }],
    ['over two days', 'How many hours does the import take?', { moments }],
    ['that is no whole number', 'How many hours does the piano lesson last?', { events }],
    [
      'with a break',
      'How many hours does the early shift last?',
      [
        { shift: 'early', from: '06:00', to: '14:00', break_min: 30 },
        { shift: 'late', from: '14:00', to: '22:00', break_min: 30 },
      ],
    ],
    ['of several stays', 'How many nights is the stay?', [stay, stay]],
    ['of part of a stay', 'How many nights is breakfast included?', stay],
  ])('%s is left to the model', (_why, question, state) => expect(toldValue(question, 'int', [state as Json])).toBeUndefined())

  it('a field that says it counts before both ends', () => {
    const talks = [
      { talk: 'Bees', start: '10:00', end: '10:45', minutes: 40 },
      { talk: 'Wasps', start: '11:00', end: '11:45', minutes: 45 },
    ]
    expect(toldValue('How many minutes does Bees last?', 'int', [talks])).toBe(40)
  })
})

// Days of a text that share what stands with another one.
import { describe, expect, it } from 'vitest'
import { datesIn, isoDay } from '../../src/core/dates-as-written.ts'

const daysIn = (text: string): string[] =>
  datesIn(text)
    .sort((a, b) => a.start - b.start)
    .map((day) => `${text.slice(day.start, day.end)}: ${isoDay(day)}`)

describe('days that share their month or year', () => {
  it.each([
    ['closed on 24, 25 and 31 December 2026.', ['24: 2026-12-24', '25: 2026-12-25', '31 December 2026: 2026-12-31']],
    ['from 13th to 17th July 2026', ['13th: 2026-07-13', '17th July 2026: 2026-07-17']],
    ['3–5 March 2026', ['3: 2026-03-03', '5 March 2026: 2026-03-05']],
    ['Monday 2 or Friday 6 March 2026', ['2: 2026-03-02', '6 March 2026: 2026-03-06']],
    ['4 May, 5 May and 29 May 2026', ['4 May: 2026-05-04', '5 May: 2026-05-05', '29 May 2026: 2026-05-29']],
    ['19 and 26 November and 3 December 2026', ['19: 2026-11-19', '26 November: 2026-11-26', '3 December 2026: 2026-12-03']],
    ['30 December and 2 January 2027', ['30 December: 2026-12-30', '2 January 2027: 2027-01-02']],
    ['March 3, 5 and 9, 2026', ['3: 2026-03-03', '5: 2026-03-05', '9: 2026-03-09']],
    ['March 3 and April 5, 2026', ['March 3: 2026-03-03', 'April 5, 2026: 2026-04-05']],
  ])('%s', (text, days) => {
    expect(daysIn(text)).toEqual(days)
  })

  it.each([
    ['a number behind which a comma stands', 'Oak Street 4, 12 May 2026', ['12 May 2026: 2026-05-12']],
    ['a number of three digits', 'rooms 204 and 12 May 2026', ['12 May 2026: 2026-05-12']],
    ['what is no day of the month', '31 and 2 February 2026', ['2 February 2026: 2026-02-02']],
    ['a day in numbers', '3 and 2026-03-05', ['2026-03-05: 2026-03-05']],
  ])('are not %s', (_, text, days) => {
    expect(daysIn(text)).toEqual(days)
  })

  it('stays quick over long rows of them', () => {
    expect(datesIn(`${'1, '.repeat(20_000)}and 3 May 2026`).length).toBeLessThan(40)
    expect(datesIn('May 1, '.repeat(20_000))).toEqual([])
  })
})

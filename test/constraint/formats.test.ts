import { describe, expect, it } from 'vitest'
import type { SpanFormat } from '../../src/backends/backend.ts'
import { findFormat } from '../../src/constraint/formats.ts'
import { matchesFormat } from './matches-format.ts'

const found = (format: Exclude<SpanFormat, 'text'>, text: string) =>
  findFormat(format, text).map(({ start, end }) => text.slice(start, end))

describe('findFormat', () => {
  it.each<[Exclude<SpanFormat, 'text'>, string, string[]]>([
    ['int', 'We sold 1,250 of 3000 items (-5 today), 10kg, v2, 3.5', ['1,250', '3000', '-5', '10']],
    ['int', 'ids 1,2,3 on 2024-05-01', ['1', '2', '3', '2024', '05', '01']],
    ['number', 'from 3.50 to 1.250,75 or 1,250.75; at -0.5%. Version 1.2.3', ['3.50', '1.250,75', '1,250.75', '-0.5']],
    [
      'date',
      'on 2024-05-01T10:00, 1/2/24, March 3rd, 2025, 3 of May 2020, Sept. 2021; not 2024 or 1/2',
      ['2024-05-01', '1/2/24', 'March 3rd, 2025', '3 of May 2020', 'Sept. 2021'],
    ],
    [
      'date',
      'We meet on 12 May. Or on Sept. 3. Or in Oct. 2021, on 3 Dec., 2021, on May 4. 2025 was fine, and so was 12 June. 2024 too.',
      ['12 May', 'Sept. 3', 'Oct. 2021', '3 Dec., 2021', 'May 4', '12 June'],
    ],
    ['date', '31.12.1999 and 2024-05-01-7', ['31.12.1999']],
    ['email', 'Write to <ann.lee+x@mail.example.com>, or bob@b.co. Not @home or a@b', ['ann.lee+x@mail.example.com', 'bob@b.co']],
    [
      'url',
      'See https://example.com/a_(b)?q=1, www.example.org. (http://x.io/y) ftp://no',
      ['https://example.com/a_(b)?q=1', 'www.example.org', 'http://x.io/y'],
    ],
    [
      'url',
      'See “https://a.org/x”, «www.b.org», ‘http://c.org/’ or https://d.org…',
      ['https://a.org/x', 'www.b.org', 'http://c.org/', 'https://d.org'],
    ],
    ['email', 'Ask “a@b.co” or c@d.co.', ['a@b.co', 'c@d.co']],
    [
      'int',
      'Rooms 3 and 12 500 guests; 12\u202f500; 12\u2019500; call 030 123 456 78',
      ['3', '12 500', '12\u202f500', '12\u2019500', '030', '123', '456', '78'],
    ],
    ['number', '1 234.50 or 1 234,50 or 1\u00a0234,50', ['1 234.50', '1 234,50', '1\u00a0234,50']],
    ['money', 'Rent 1 050 €; 12\u2009500 EUR; 1 234,50 CHF; EUR 2 000', ['1 050 €', '12\u2009500 EUR', '1 234,50 CHF', 'EUR 2 000']],
    ['money', 'Total: &euro; 50 or 50&nbsp;EUR or <td>50,00&nbsp;&euro;</td>', ['&euro; 50', '50&nbsp;EUR', '50,00&nbsp;&euro;']],
    ['money', 'It costs $1,250. Not 5 EUR, and not 3.50 €!', ['$1,250', '5 EUR', '3.50 €']],
    ['number', 'It is 3.5. Or 5.', ['3.5', '5']],
    ['number', '1e3, 2.5E-7 and 1e+21, not 5em, 1e3f or the hash 4e2b', ['1e3', '2.5E-7', '1e+21', '5', '1', '4']],
    ['int', '1e3 or 7', ['1', '7']],
    [
      'money',
      'It cost $1,250.50 (about 1.100 EUR or £3 million), not 5 apples; 20 dollars; 7€; USD 9; 100 km',
      ['$1,250.50', '1.100 EUR', '£3 million', '20 dollars', '7€', 'USD 9'],
    ],
  ])('finds every %s of %j', (format, text, expected) => {
    expect(found(format, text)).toEqual(expected)
  })

  it('stays fast on hostile text', () => {
    const hostile = [
      'a'.repeat(100_000),
      '1'.repeat(100_000),
      '1,'.repeat(50_000),
      'http://'.repeat(15_000),
      'www.((((('.repeat(10_000),
      'a.'.repeat(50_000),
      '$'.repeat(100_000),
      'may '.repeat(25_000),
      ' '.repeat(100_000),
      'a@'.repeat(50_000),
    ]
    // Processor time: what the clock says on a busy machine is not ours.
    const cpuMs = () => process.cpuUsage().user / 1000
    const started = cpuMs()
    for (const text of hostile) {
      for (const format of ['int', 'number', 'date', 'email', 'url', 'money'] as const) {
        const before = cpuMs()
        findFormat(format, text)
        expect(cpuMs() - before, `${format} ${text.slice(0, 9)}`).toBeLessThan(1500)
      }
    }
    expect(cpuMs() - started).toBeLessThan(8000)
  })
})

describe('matchesFormat', () => {
  it('holds for whole texts only', () => {
    expect(matchesFormat('int', '42')).toBe(true)
    expect(matchesFormat('int', '42 ')).toBe(false)
    expect(matchesFormat('int', 'about 42')).toBe(false)
    expect(matchesFormat('number', '42,5')).toBe(true)
    expect(matchesFormat('money', '42')).toBe(false)
    expect(matchesFormat('email', 'a@b.co, c@d.co')).toBe(false)
    expect(matchesFormat('text', 'any words')).toBe(true)
    expect(matchesFormat('text', '')).toBe(false)
    expect(matchesFormat('text', 'a\n')).toBe(false)
  })
})

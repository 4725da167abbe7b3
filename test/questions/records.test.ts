// What texts say in forms that leave nothing to read, as JSON.
import { describe, expect, it } from 'vitest'
import { recordsInText } from '../../src/questions/logic/records/records-in-text.ts'

const lines = (...written: string[]): string => written.join('\n')

describe('lines of a name and a value', () => {
  it('are one object, values as JSON has them', () => {
    const text = lines('Ticket 17', 'Status: open', '* Priority: P2', '**Paid:** yes', 'Seats = 1,240', 'Due:', 'Owner: -', 'Tags: a, b')
    expect(recordsInText(text)).toEqual([
      { Status: 'open', Priority: 'P2', Paid: true, Seats: 1240, Due: null, Owner: null, Tags: ['a', 'b'] },
    ])
  })

  it('stand under what heads them, and inside what they stand deeper than', () => {
    expect(recordsInText(lines('[server]', 'port = 80', 'tls = on', '', '[mail]', 'port = 25'))).toEqual([
      [
        { name: 'server', port: 80, tls: 'on' },
        { name: 'mail', port: 25 },
      ],
    ])
    expect(
      recordsInText(lines('service: mailer', 'env:', '  retries: 5', 'jobs:', '  - name: lint', '    ok: true', '  - name: e2e')),
    ).toEqual([{ service: 'mailer', env: { retries: 5 }, jobs: [{ name: 'lint', ok: true }, { name: 'e2e' }] }])
  })

  it('are several objects where the same names come again', () => {
    const text = lines('Name: Faro', 'Age: 6', '', 'Name: Minka', 'Age: 11')
    expect(recordsInText(text)).toEqual([
      [
        { Name: 'Faro', Age: 6 },
        { Name: 'Minka', Age: 11 },
      ],
    ])
  })

  it('may have a dash between them, if many lines in a row have', () => {
    expect(recordsInText(lines('Guest - Mr. Duarte', 'Room - 14', 'Parking -'))).toEqual([{ Guest: 'Mr. Duarte', Room: 14, Parking: null }])
    expect(recordsInText(lines('We left - late.', 'It rained.', 'Nobody came - again.'))).toEqual([])
  })

  it.each([
    ['one line alone', 'Note: closed on Mondays.'],
    ['people who speak', lines('Anna: I am on my way to you now.', 'Ben: Please take the other road today.')],
    ['people who speak in turn', lines('Anna: Hi', 'Ben: Hello', 'Anna: Where are you?', 'Ben: Home')],
    ['sentences', 'The order is late. It was paid on Monday: nobody knows why.'],
    ['times', lines('10:30 Anna arrives', '11:00 Ben leaves')],
  ])('are no record of %s', (_what, text) => expect(recordsInText(text)).toEqual([]))
})

describe('tables', () => {
  it('are lists of objects; what sums up is none of them', () => {
    const text = lines('Orders', 'id,customer,total,paid', '1,Ann,9.50,yes', '2,"Bo, Ltd",12,no', 'Total,,21.50,')
    expect(recordsInText(text)).toEqual([
      [
        { id: 1, customer: 'Ann', total: 9.5, paid: true },
        { id: 2, customer: 'Bo, Ltd', total: 12, paid: false },
      ],
    ])
  })

  it('may be ruled', () => {
    const text = lines(' no | client ', '----+--------', '  1 | Kestrel', '  2 | Ivo ', '(2 rows)')
    expect(recordsInText(text)).toEqual([
      [
        { no: 1, client: 'Kestrel' },
        { no: 2, client: 'Ivo' },
      ],
    ])
  })

  it('have columns of marks: what has none is not so', () => {
    const text = lines('name;points;absent', 'Amira;38;', 'Cosima;;x', 'Dario;47;')
    expect((recordsInText(text)[0] as { absent: boolean }[]).map(({ absent }) => absent)).toEqual([false, true, false])
  })
})

describe('lists of lines', () => {
  it('of ticks say what is done', () => {
    const [items] = recordsInText(lines('[x] book the hall', '- [ ] insurance'))
    expect(items).toMatchObject([
      { item: 'book the hall', done: true, open: false },
      { item: 'insurance', done: false, open: true },
    ])
  })

  it('of a receipt say how many, and for what', () => {
    const text = lines('CAFE', '2 x Coffee      5.80', '1 x Tea         2.60', 'Total           8.40', 'Cash           10.00')
    expect(recordsInText(text)).toEqual([
      [
        { item: 'Coffee', quantity: 2, amount: 5.8 },
        { item: 'Tea', quantity: 1, amount: 2.6 },
      ],
      { Total: 8.4, Cash: 10 },
    ])
  })

  it('of a log say when, how bad and what', () => {
    const text = lines('2026-11-03 10:02 ERROR payment-api timeout', '2026-11-03 10:05 WARN disk: slow')
    expect(recordsInText(text)).toEqual([
      [
        { time: '2026-11-03 10:02', level: 'error', source: 'payment-api', message: 'timeout' },
        { time: '2026-11-03 10:05', level: 'warning', source: 'disk', message: 'slow' },
      ],
    ])
  })
})

describe('JSON in a text', () => {
  it.each([
    ['is the whole of it', '{"a": 1}', [{ a: 1 }]],
    ['is a value a line', '{"a": 1}\n{"a": 2}\n', [[{ a: 1 }, { a: 2 }]]],
    ['stands between fences', 'It said:\n```json\n[1, 2]\n```\nSo what?', [[1, 2]]],
    ['follows a sentence', 'The payload:\n{"a": [1]}\nAny idea?', [{ a: [1] }]],
  ])('%s', (_where, text, values) => expect(recordsInText(text)).toEqual(values))

  it('is looked at as a text where it is broken', () => expect(recordsInText('{"a": 1')).toEqual([]))
})

describe('a long text', () => {
  it.each([
    ['of many names', 'k: v\n'.repeat(9_000)],
    ['of dashes', 'a - b\n'.repeat(7_000)],
    ['of brackets', '{'.repeat(40_000)],
    ['of JSON that is too deep', `${'['.repeat(24_000)}${']'.repeat(24_000)}`],
    ['of spaces', ' '.repeat(49_000)],
    ['of bars', '| a '.repeat(12_000)],
    ['of emphasis', '**'.repeat(20_000)],
    ['that is too long', 'Status: open\n'.repeat(10_000)],
  ])('%s holds nothing', (_what, text) => expect(recordsInText(text)).toEqual([]))

  it('does not name what objects inherit', () => {
    const [record] = recordsInText('__proto__ = [a]\n\nconstructor = 2') as Record<string, unknown>[]
    expect(Object.keys(record ?? {})).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
  })
})

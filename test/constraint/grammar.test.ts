import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Grammar } from '../../src/backends/backend.ts'
import type { Automaton } from '../../src/constraint/automaton.ts'
import { compileGrammar, matches, parse } from '../../src/constraint/grammar.ts'

const accepted = (grammar: Grammar, texts: readonly string[]) => {
  const automaton = compileGrammar(grammar)
  return texts.filter((text) => matches(automaton, text))
}

/** Follows the automaton wherever the choices lead, until it accepts and the choices say stop. */
function walk(automaton: Automaton, choices: readonly number[]): Uint8Array {
  const said: number[] = []
  let state = automaton.start
  for (let i = 0; ; i++) {
    const choice = choices[i % choices.length] as number
    const next = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => automaton.step(state, byte) !== null)
    if (next.length === 0 || (automaton.accepts(state) && (i >= choices.length || choice % 5 === 0))) break
    if (i > 400) throw new Error('no end in sight')
    const byte = next[choice % next.length] as number
    state = automaton.step(state, byte) as number
    said.push(byte)
  }
  expect(automaton.accepts(state)).toBe(true)
  return Uint8Array.from(said)
}

describe('compileGrammar', () => {
  it('takes whole numbers as people write them', () => {
    const texts = [
      '0',
      '7',
      '-7',
      '120',
      '-0',
      '007',
      '+1',
      '1.0',
      '',
      '-',
      ' 1',
      '123456789012345',
      '1234567890123456',
      '-123456789012345',
    ]
    expect(accepted({ type: 'int' }, texts)).toEqual(['0', '7', '-7', '120', '123456789012345', '-123456789012345'])
  })

  it('takes decimal numbers of at most 15 digits', () => {
    const texts = [
      '0',
      '-0.5',
      '3.14',
      '10.',
      '.5',
      '00.5',
      '1e5',
      '123456789012345',
      '12345678901234.5',
      '123456789012345.6',
      '0.12345678901234',
    ]
    expect(accepted({ type: 'number' }, texts)).toEqual(['0', '-0.5', '3.14', '123456789012345', '12345678901234.5', '0.12345678901234'])
  })

  it('takes exactly the days that exist', () => {
    const automaton = compileGrammar({ type: 'date' })
    const years = [0, 1, 4, 99, 100, 400, 1899, 1900, 1999, 2000, 2023, 2024, 2100, 9999]
    for (const year of years) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
          const date = new Date(0)
          date.setUTCFullYear(year, month - 1, day)
          const exists = year > 0 && month > 0 && day > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
          expect(matches(automaton, text), text).toBe(exists)
        }
      }
    }
    expect(accepted({ type: 'date' }, ['2024-1-01', '24-01-01', '2024-01-01 ', '2024/01/01'])).toEqual([])
  })

  it('takes one line of text without control characters or outer spaces', () => {
    const texts = ['a', 'a b', ' a', 'a ', '', 'a\nb', 'a\tb', 'a\u0085b', 'a\u2028b', 'a\u2030b', 'naïve 東京 🦊', 'a;b', '\u007f']
    expect(accepted({ type: 'text' }, texts)).toEqual(['a', 'a b', 'a\u2030b', 'naïve 東京 🦊', 'a;b'])
  })

  it('takes the values of an enum and nothing else', () => {
    const grammar: Grammar = { type: 'enum', values: ['red', 'reddish', 'größer', 'two\nlines'] }
    expect(accepted(grammar, ['red', 'reddish', 'redd', 'größer', 'grö', 'two\nlines', ''])).toEqual([
      'red',
      'reddish',
      'größer',
      'two\nlines',
    ])
  })

  it('takes lists up to their length', () => {
    const grammar: Grammar = { type: 'list', item: { type: 'int' }, maxItems: 3 }
    const texts = ['', '1', '1; 2', '1; 2; 3', '1; 2; 3; 4', '1;2', '1; ', '; 1', '1; 02']
    expect(accepted(grammar, texts)).toEqual(['', '1', '1; 2', '1; 2; 3'])
    expect(accepted({ type: 'list', item: { type: 'text' }, maxItems: 2 }, ['a b; c', 'a; b; c', 'a;b', 'a ; b'])).toEqual(['a b; c'])
  })

  it('refuses grammars that cannot be told apart or say nothing', () => {
    const refused = (grammar: Grammar) =>
      expect(() => compileGrammar(grammar)).toThrow(expect.objectContaining({ code: 'invalid_question' }))
    refused({ type: 'enum', values: [] })
    refused({ type: 'enum', values: ['\ud800'] })
    refused({ type: 'list', item: { type: 'enum', values: ['a; b'] }, maxItems: 2 })
    refused({ type: 'list', item: { type: 'list', item: { type: 'int' }, maxItems: 2 }, maxItems: 2 })
    refused({ type: 'list', item: { type: 'int' }, maxItems: 0 })
  })
})

describe('parse', () => {
  it('gives numbers, texts and lists', () => {
    expect(parse({ type: 'int' }, '-42')).toBe(-42)
    expect(parse({ type: 'number' }, '-0.0')).toBe(0)
    expect(Object.is(parse({ type: 'number' }, '-0.0'), 0)).toBe(true)
    expect(parse({ type: 'date' }, '2024-02-29')).toBe('2024-02-29')
    expect(parse({ type: 'list', item: { type: 'number' }, maxItems: 4 }, '1; 2.5')).toEqual([1, 2.5])
    expect(parse({ type: 'list', item: { type: 'text' }, maxItems: 4 }, '')).toEqual([])
  })

  it('gives null for what is not in the grammar', () => {
    expect(parse({ type: 'int' }, '4.5')).toBeNull()
    expect(parse({ type: 'date' }, '2023-02-29')).toBeNull()
    expect(parse({ type: 'text' }, 'a\ud800')).toBeNull()
  })

  const simple: fc.Arbitrary<Exclude<Grammar, { type: 'list' }>> = fc.oneof(
    fc.constantFrom({ type: 'int' } as const, { type: 'number' } as const, { type: 'date' } as const, { type: 'text' } as const),
    fc
      .array(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !text.includes(';') && !/\p{Surrogate}/u.test(text)),
        { minLength: 1, maxLength: 5 },
      )
      .map((values) => ({ type: 'enum', values }) as const),
  )
  const grammars: fc.Arbitrary<Grammar> = fc.oneof(
    simple,
    fc.tuple(simple, fc.integer({ min: 1, max: 4 })).map(([item, maxItems]) => ({ type: 'list', item, maxItems }) as const),
  )

  it('parses whatever the automaton can be led to accept, and it is valid UTF-8', () => {
    fc.assert(
      fc.property(grammars, fc.array(fc.nat(255), { minLength: 1, maxLength: 40 }), (grammar, choices) => {
        const said = walk(compileGrammar(grammar), choices)
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(said)
        const value = parse(grammar, text)
        expect(value).not.toBeNull()
        if (grammar.type === 'int') expect(String(value)).toBe(text)
        if (grammar.type === 'number') expect(Math.abs(Number(value))).toBe(Math.abs(Number(text)))
        if (grammar.type === 'list') expect((value as unknown[]).length).toBeLessThanOrEqual(grammar.maxItems)
      }),
      { seed: 5, numRuns: 400 },
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/constraint/automaton.ts'
import { type Decoded, decode } from '../../src/constraint/decode.ts'
import { compileSpans, readSpans, type SpanOptions } from '../../src/constraint/substring.ts'
import { buildTokenTrie, constrainTokens } from '../../src/constraint/token-trie.ts'
import { wordBoundaries } from '../../src/constraint/words.ts'
import type { Piece, Prompt } from '../../src/core/types.ts'
import { matchesFormat } from './matches-format.ts'
import { randomModel, vocabularyOf } from './vocabulary.ts'

/** Strings are quotable, each a part of its own; `scaffold` stands between them. */
function promptOf(...texts: string[]): Prompt {
  const pieces = texts.flatMap((text, part): Piece[] => [
    { type: 'text', text: 'Key: ', source: null },
    { type: 'text', text, source: { part, path: null } },
  ])
  return { pieces }
}

const ONE: SpanOptions = { format: 'text', many: false, nothing: 'none' }

/** What the automaton makes of a text said to the end: its quotes, or null when it may not be said or not end there. */
function said(prompt: Prompt, options: SpanOptions, text: string) {
  const automaton = compileSpans(prompt, options)
  const state = run(automaton, automaton.start, new TextEncoder().encode(text))
  if (state === null || !automaton.accepts(state)) return null
  return automaton.quotes(state).map(({ text, source, start, end }) => ({ text, part: source.part, start, end }))
}

describe('compileSpans', () => {
  const prompt = promptOf('Ann paid $12.50 to Bob Lee.', 'Bob Lee said: naïve 🦊 fox')

  it('quotes words of one string and says where they stand in UTF-16', () => {
    expect(said(prompt, ONE, 'paid $12.50')).toEqual([{ text: 'paid $12.50', part: 0, start: 4, end: 15 }])
    expect(said(prompt, ONE, '🦊 fox')).toEqual([{ text: '🦊 fox', part: 1, start: 20, end: 26 }])
    expect(said(prompt, ONE, 'naïve')).toEqual([{ text: 'naïve', part: 1, start: 14, end: 19 }])
  })

  it('takes the first place of repeated words', () => {
    expect(said(prompt, ONE, 'Bob Lee')).toEqual([{ text: 'Bob Lee', part: 0, start: 19, end: 26 }])
  })

  it('does not quote pieces of words, scaffold, other words, or across strings', () => {
    for (const text of ['nn', 'An', 'Key', 'Carl', 'Lee.Bob', '12', ' Ann', 'Ann ', '']) expect(said(prompt, ONE, text), text).toBeNull()
  })

  it('says nothing with the literal, also where the state has the same word', () => {
    expect(said(prompt, ONE, 'none')).toEqual([])
    expect(said(promptOf('none of these'), ONE, 'none')).toEqual([])
    expect(said(promptOf('none of these'), ONE, 'none of')).toEqual([{ text: 'none of', part: 0, start: 0, end: 7 }])
    expect(said(prompt, { ...ONE, nothing: '' }, '')).toEqual([])
    expect(said({ pieces: [] }, ONE, 'none')).toEqual([])
  })

  it('offers only places of the format', () => {
    const money: SpanOptions = { ...ONE, format: 'money' }
    expect(said(prompt, money, '$12.50')).toEqual([{ text: '$12.50', part: 0, start: 9, end: 15 }])
    expect(said(prompt, money, '$12')).toBeNull()
    expect(said(prompt, money, 'Ann')).toBeNull()
    expect(said(prompt, money, 'none')).toEqual([])
  })

  it('quotes several lines only when there is one span', () => {
    const address = promptOf('1 High St\nOxford')
    expect(said(address, ONE, 'High St\nOxford')).toHaveLength(1)
    expect(said(address, { ...ONE, many: true }, 'High St\nOxford')).toEqual([
      { text: 'High St', part: 0, start: 2, end: 9 },
      { text: 'Oxford', part: 0, start: 10, end: 16 },
    ])
  })

  it('finds repeated spans at places of their own, and no more often than they are there', () => {
    const many: SpanOptions = { ...ONE, many: true }
    const twice = promptOf('ab cd ab')
    expect(said(twice, many, 'ab\nab')).toEqual([
      { text: 'ab', part: 0, start: 0, end: 2 },
      { text: 'ab', part: 0, start: 6, end: 8 },
    ])
    expect(said(twice, many, 'ab\nab\nab')).toBeNull()
    expect(said(twice, many, 'cd\nab cd')).toBeNull() // would overlap
    expect(said(twice, many, 'ab\nnone')).toBeNull()
    expect(said(twice, { ...many, maxSpans: 1 }, 'ab\ncd')).toBeNull()
    expect(said(promptOf('5 a 6 b 5'), { ...many, format: 'int' }, '6\n5\n5')).toHaveLength(3)
  })

  it('allows one space in front when told', () => {
    expect(said(prompt, { ...ONE, leadingSpace: true }, ' Ann')).toEqual([{ text: 'Ann', part: 0, start: 0, end: 3 }])
    expect(said(prompt, { ...ONE, leadingSpace: true }, ' none')).toEqual([])
    expect(said(prompt, { ...ONE, leadingSpace: true }, '  Ann')).toBeNull()
  })

  it('keeps text with half a surrogate pair quotable by its own characters', () => {
    expect(said(promptOf('a \ud800 b'), ONE, 'a \ufffd b')).toEqual([{ text: 'a \ud800 b', part: 0, start: 0, end: 5 }])
  })

  it('refuses a literal for nothing that could be mistaken', () => {
    expect(() => compileSpans(prompt, { ...ONE, nothing: ' none', leadingSpace: true })).toThrow(RangeError)
    expect(() => compileSpans(prompt, { ...ONE, nothing: 'no\nne', many: true })).toThrow(RangeError)
  })
})

const { vocabulary, end } = vocabularyOf(['Ann', ' Ann', 'ab', ' b', 'b ', '12', '.5', '\n', 'a\n', 'no', 'ne', '東', ' $', '; '])
const trie = buildTokenTrie(vocabulary)

function decodedOf(words: readonly string[], complete = true): (automaton: ReturnType<typeof compileSpans>) => Decoded {
  return (automaton) => {
    const states = [automaton.start]
    for (const word of words) states.push(run(automaton, states.at(-1) as number, new TextEncoder().encode(word)) as number)
    const steps = states.map((_, i) => ({ logProbability: -10, constrainedLogProbability: -(2 ** i) }))
    if (!complete) steps.pop()
    return {
      tokens: words.map((_, i) => i),
      text: words.join(''),
      states,
      steps,
      logProbability: -1,
      constrainedLogProbability: -1,
      complete,
    }
  }
}

describe('readSpans', () => {
  const prompt = promptOf('Ann and Bob', 'Carl')
  const many: SpanOptions = { ...ONE, many: true }

  it('gives each span the log-probability of its own tokens, in reading order', () => {
    const automaton = compileSpans(prompt, many)
    const spans = readSpans(automaton, decodedOf(['Carl', '\n', 'An', 'n'])(automaton))
    expect(spans).toEqual([
      { text: 'Ann', source: { part: 0, path: null }, start: 0, end: 3, logProbability: -4 - 8 - 16 },
      { text: 'Carl', source: { part: 1, path: null }, start: 0, end: 4, logProbability: -1 - 2 },
    ])
  })

  it('keeps whole words when the budget ran out inside a span', () => {
    const automaton = compileSpans(prompt, ONE)
    const spans = readSpans(automaton, decodedOf(['Ann', ' an'], false)(automaton))
    expect(spans).toMatchObject([{ text: 'Ann', start: 0, end: 3 }])
    const list = compileSpans(prompt, many)
    expect(readSpans(list, decodedOf(['Bob', '\n', 'A'], false)(list))).toMatchObject([{ text: 'Bob' }])
  })

  it('quotes verbatim, at its offsets, on word boundaries, without overlap and in the format, whatever the logits', async () => {
    const texts = fc.array(
      fc.string({
        unit: fc.constantFrom('Ann', 'ab', ' ', '12', '.5', '$', '\n', '東', '🦊', 'none', 'é', ', ', 'e\u0301'),
        maxLength: 14,
      }),
      { minLength: 1, maxLength: 4 },
    )
    const options = fc.record({
      format: fc.constantFrom('text', 'text', 'int', 'number', 'money'),
      many: fc.boolean(),
      nothing: fc.constantFrom('none', '', 'nothing here'),
      leadingSpace: fc.boolean(),
    }) as fc.Arbitrary<SpanOptions>
    let quoted = 0
    await fc.assert(
      fc.asyncProperty(texts, options, fc.integer(), async (strings, how, seed) => {
        const prompt = promptOf(...strings)
        const automaton = compileSpans(prompt, how)
        const model = randomModel(seed, vocabulary.length, end, how.many ? 3 : 6)
        const decoded = await decode(model, constrainTokens(trie, automaton), { maxTokens: 50, endTokens: [end] })
        const spans = readSpans(automaton, decoded)
        quoted += spans.length
        if (!how.many) expect(spans.length).toBeLessThanOrEqual(1)
        spans.forEach((span, i) => {
          const string = strings[span.source.part] as string
          expect(string.slice(span.start, span.end)).toBe(span.text)
          const { starts, ends } = wordBoundaries(string)
          if (how.format === 'text') expect([starts[span.start], ends[span.end]]).toEqual([1, 1])
          else expect(matchesFormat(how.format, span.text)).toBe(true)
          if (how.many) expect(span.text).not.toMatch(/[\n\r]/)
          expect(span.logProbability).toBeLessThanOrEqual(0)
          const before = spans[i - 1]
          if (before?.source.part === span.source.part) expect(before.end).toBeLessThanOrEqual(span.start)
          else if (before) expect(before.source.part).toBeLessThan(span.source.part)
        })
        // No dead ends: a vocabulary with all bytes can always go on or end, so only the budget cuts.
        if (!decoded.complete) expect(decoded.tokens).toHaveLength(50)
      }),
      { seed: 29, numRuns: 400 },
    )
    expect(quoted).toBeGreaterThan(150)
  })
})

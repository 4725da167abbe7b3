// Pointer logits, made by hand, to spans: which stretches may be answered, and which one is.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SpanFormat } from '../../../../../src/backends/backend.ts'
import type { PackedState } from '../../../../../src/backends/onnx/families/decision/pack.ts'
import { SpanFinder, type SpanPointers } from '../../../../../src/backends/onnx/families/decision/span-finder.ts'
import { wordBoundaries } from '../../../../../src/constraint/words.ts'
import { matchesFormat } from '../../../../constraint/matches-format.ts'
import { anyText, image, line, pack, quotable, SEED, scaffold } from './shared.ts'

const LONGEST = 24
const FORMATS: readonly SpanFormat[] = ['text', 'int', 'number', 'date', 'email', 'url', 'money']

/** The tokens that hold the characters of `words`, where they stand first. */
function tokensOf(state: PackedState, words: string): { first: number; last: number } {
  const inside = state.origins.flatMap((origin, i) => {
    const at = origin === null ? -1 : origin.text.indexOf(words)
    return origin !== null && at >= 0 && origin.end > at && origin.start < at + words.length && origin.end > origin.start ? [i] : []
  })
  if (inside.length === 0) throw new Error(`${words} is not in the state`)
  return { first: inside[0]!, last: inside.at(-1)! }
}

/**
 * Logits of 0 for what is named, −10 for the rest. `spans` are words of the state; `absent` is the logit of "nothing".
 */
function pointing(state: PackedState, spans: readonly string[], { absent = -10, start = 0 } = {}): SpanPointers {
  const pointers = { start: state.ids.map(() => -10), end: state.ids.map(() => -10) }
  for (const words of spans) {
    const { first, last } = tokensOf(state, words)
    pointers.start[first] = start
    pointers.end[last] = 0
  }
  return { ...pointers, absent, endsGiven: (first, last) => new Array<number>(last - first + 1).fill(0) }
}

/** What is answered when the model points at `words`. */
function pointAt(text: string, words: string, format: SpanFormat = 'text'): string | undefined {
  const state = pack([quotable(text)])
  return new SpanFinder(state, LONGEST).one(pointing(state, [words]), format).spans[0]?.text
}

describe('one span', () => {
  it('is what was pointed at, verbatim, with its place', () => {
    const text = 'Order A-1042 of FindMovies arrived broken.'
    const state = pack([scaffold('note: '), quotable(text, '/note')])
    const { spans, logProbability } = new SpanFinder(state, LONGEST).one(pointing(state, ['FindMovies arrived']), 'text')
    expect(spans).toEqual([
      { text: 'FindMovies arrived', source: { part: 0, path: '/note' }, start: 16, end: 34, logProbability: expect.any(Number) },
    ])
    expect(spans[0]!.logProbability).toBe(logProbability)
    expect(logProbability).toBeGreaterThan(Math.log(0.9))
  })

  it.each([
    ['don’t panic', 'don’t'],
    ['It costs 1,250.50 now', '1,250.50'],
    ['Zoë 🙂 please', '🙂'],
    ['call (see note) now', '(see note)'],
    // A piece of several marks is taken whole.
    ['call (see note).', '(see note).'],
    ['東京タワー', '京タ'],
    ['The end', 'The end'],
    ['two\nlines', 'two\nlines'],
  ])('of %j can be %j', (text, words) => {
    expect(pointAt(text, words)).toBe(words)
  })

  it('holds the underscores of a name', () => {
    expect(pointAt('call __init__ first', 'init')).toBe('__init__')
    expect(pointAt('_private', 'private')).toBe('_private')
    expect(pointAt('x = snake_case_name_ + 1', 'snake_case_name')).toBe('snake_case_name_')
  })

  it('never starts or ends inside a word', () => {
    // The pieces of FindMovies are two; alone neither may be answered.
    expect(pointAt('FindMovies', 'Movies')).toBe('FindMovies')
    expect(pointAt('FindMovies now', 'Find')).not.toBe('Find')
    expect(pointAt('snake_case', 'case')).toBe('snake_case')
  })

  it('never crosses from one string to the next', () => {
    const state = pack([quotable('red', '/a'), quotable('car', '/b')])
    const pointers = pointing(state, [])
    ;(pointers.start as number[])[tokensOf(state, 'red').first] = 0
    ;(pointers.end as number[])[tokensOf(state, 'car').last] = 0
    const [span] = new SpanFinder(state, LONGEST).one(pointers, 'text').spans
    expect(span).toMatchObject({ text: 'red', source: { part: 0, path: '/a' } })
  })

  it('never quotes scaffold', () => {
    const state = pack([scaffold('color of the car')])
    expect(new SpanFinder(state, LONGEST).one(pointing(state, []), 'text')).toEqual({ spans: [], logProbability: 0 })
  })

  it('is at most as long as in training', () => {
    const text = 'one two three four five six'
    const state = pack([quotable(text)])
    const pointers = pointing(state, ['one two three four five six'])
    expect(new SpanFinder(state, 6).one(pointers, 'text').spans[0]?.text).toBe(text)
    expect(new SpanFinder(state, 3).one(pointers, 'text').spans[0]?.text.split(' ').length).toBeLessThanOrEqual(3)
  })

  it('is nothing when nothing is likelier than all starts together, and says how sure that is', () => {
    const state = pack([quotable('red car')])
    const finder = new SpanFinder(state, LONGEST)
    // Two starts of logit −1 outweigh a "nothing" of −0.5; one alone does not.
    expect(finder.one(pointing(state, ['red', 'car'], { start: -1, absent: -0.5 }), 'text').spans).toHaveLength(1)
    const none = finder.one(pointing(state, ['red'], { start: -1, absent: -0.5 }), 'text')
    expect(none.spans).toEqual([])
    expect(none.logProbability).toBeCloseTo(-0.5 - Math.log(Math.exp(-0.5) + Math.exp(-1) + Math.exp(-10)), 9)
  })

  it('has the probability of its start among all starts and nothing, and of its end among the ends behind it', () => {
    const state = pack([quotable('red car')])
    const { logProbability } = new SpanFinder(state, LONGEST).one(pointing(state, ['red'], { absent: -1 }), 'text')
    const norm = Math.log(1 + Math.exp(-10) + Math.exp(-1))
    expect(logProbability).toBeCloseTo(0 - norm - Math.log(1 + Math.exp(-10)), 9)
  })

  it('takes the end that fits its start', () => {
    const state = pack([quotable('red car here')])
    const pointers = pointing(state, ['red', 'red car here'])
    const last = tokensOf(state, 'here').last
    const given = (first: number, to: number) => Array.from({ length: to - first + 1 }, (_, i) => (first + i === last ? 3 : 0))
    expect(new SpanFinder(state, LONGEST).one({ ...pointers, endsGiven: given }, 'text').spans[0]?.text).toBe('red car here')
    expect(new SpanFinder(state, LONGEST).one(pointers, 'text').spans[0]?.text).toBe('red')
  })
})

describe('a span of a format', () => {
  const text = 'Paid $128.50 on 2024-03-09 for 75 lamps; ask ada@example.com or see https://example.com/orders.'

  it.each([
    ['money', '$128.50'],
    ['date', '2024-03-09'],
    ['int', '75'],
    ['number', '128.50'],
    ['email', 'ada@example.com'],
    ['url', 'https://example.com/orders'],
  ] as const)('of %s is a whole one', (format, expected) => {
    const { spans } = new SpanFinder(pack([quotable(text)]), LONGEST).one(pointing(pack([quotable(text)]), [expected]), format)
    expect(spans.map((span) => span.text)).toEqual([expected])
  })

  it('is nothing when the state has none, however much is pointed at', () => {
    const state = pack([quotable('no digits here')])
    expect(new SpanFinder(state, LONGEST).one(pointing(state, ['digits'], { start: 9 }), 'date')).toEqual({ spans: [], logProbability: 0 })
  })

  it('ends where the format ends, also inside a token', () => {
    // `/.` and `--` are pieces of the vocabulary.
    expect(pointAt('see www.example.com/."', 'www.example.com/', 'url')).toBe('www.example.com/')
    expect(pointAt('it is --5 now', '-5', 'int')).toBe('-5')
  })

  it('may be longer than other spans', () => {
    const long = `https://example.com/${'a/b/c/'.repeat(30)}end`
    expect(pointAt(`see ${long} now`, long, 'url')).toBe(long)
  })
})

describe('every span', () => {
  const state = pack([quotable('red, blue and green', '/a'), quotable('dark gray', '/b')])
  const finder = new SpanFinder(state, LONGEST)

  it('gives all that are likelier than not, in reading order', () => {
    const { spans, logProbability } = finder.every(pointing(state, ['green', 'red', 'dark'], { start: 5 }), 'text')
    expect(spans.map(({ text, source }) => [text, source.path])).toEqual([
      ['red', '/a'],
      ['green', '/a'],
      ['dark', '/b'],
    ])
    for (const span of spans) expect(span.logProbability).toBeLessThan(0)
    expect(logProbability).toBeLessThan(spans.reduce((sum, span) => sum + span.logProbability, 0))
  })

  it('gives none when no start is likelier than not, and says how sure that is', () => {
    const { spans, logProbability } = finder.every(pointing(state, []), 'text')
    expect(spans).toEqual([])
    expect(logProbability).toBeLessThan(0)
    expect(logProbability).toBeGreaterThan(Math.log(0.99))
  })

  it('leaves out what overlaps a span before it', () => {
    const pointers = pointing(state, ['red, blue', 'blue'], { start: 5 })
    ;(pointers.end as number[])[tokensOf(state, 'blue').last] = 9
    expect(finder.every(pointers, 'text').spans.map(({ text }) => text)).toEqual(['red, blue'])
  })
})

describe('whatever the state and the logits', () => {
  /** Three strings and a seed of logits; the strings have what the formats look for. */
  const found = fc.oneof(
    anyText,
    fc
      .tuple(anyText, fc.constantFrom('$12.50', '2024-03-09', 'ada@example.com', 'www.example.com/a', '-5', '1,250'), anyText)
      .map((parts) => parts.join(' ')),
  )
  const asked = fc.record({ texts: fc.array(found, { maxLength: 3 }), seed: fc.nat(), format: fc.constantFrom(...FORMATS) })

  /** Logits between −3 and 3 from a seed. */
  function randomPointers(length: number, seed: number): SpanPointers {
    const at = (i: number, salt: number) => ((((seed % 9973) + 1) * (i + 3) * 7919 * salt) % 6001) / 1000 - 3
    const logits = (salt: number) => Array.from({ length }, (_, i) => at(i, salt))
    return {
      start: logits(1),
      end: logits(3),
      absent: -2,
      endsGiven: (first, last) => Array.from({ length: last - first + 1 }, (_, i) => at(first * 31 + i, 7)),
    }
  }

  it('spans are verbatim, at word boundaries of one string, of their format, in order and apart', () => {
    fc.assert(
      fc.property(asked, ({ texts, seed, format }) => {
        const state = pack(texts.map((text, i) => quotable(text, `/${i}`)))
        const finder = new SpanFinder(state, LONGEST)
        const pointers = randomPointers(state.ids.length, seed)
        const [one, many] = [finder.one(pointers, format), finder.every(pointers, format)]
        for (const { spans, logProbability } of [one, many]) {
          expect(logProbability).toBeLessThanOrEqual(1e-9)
          let before = { path: -1, end: 0 }
          for (const span of spans) {
            const path = Number(span.source.path!.slice(1))
            const text = texts[path]!
            expect(text.slice(span.start, span.end)).toBe(span.text)
            expect(span.end).toBeGreaterThan(span.start)
            expect(span.logProbability).toBeLessThanOrEqual(1e-9)
            expect(path > before.path || span.start >= before.end).toBe(true)
            before = { path, end: span.end }
            if (format === 'text') {
              const { starts, ends } = wordBoundaries(text)
              expect([starts[span.start], ends[span.end]]).toEqual([1, 1])
            } else expect(matchesFormat(format, span.text), `${format} ${JSON.stringify(span.text)}`).toBe(true)
          }
        }
        expect(one.spans.length).toBeLessThanOrEqual(1)
      }),
      { seed: SEED, numRuns: 500 },
    )
  })
})

describe('what is read in an image', () => {
  const state = pack([image('shop'), quotable('Thanks')], [3], [line('Total $5.00', 0.2), line('Pay now', 0.4)])
  const finder = new SpanFinder(state, LONGEST)

  it('is quoted with its box, and never over the end of a line', () => {
    const [span] = finder.one(pointing(state, ['Pay now']), 'text').spans
    expect(span).toMatchObject({ text: 'Pay now', start: 0, end: 7, seen: { image: 'shop', edges: [0, 0.4, 0.07, 0.45] } })
    const [broken] = finder.one({ ...pointing(state, ['$5.00']), end: pointing(state, ['now']).end }, 'text').spans
    expect(broken?.text.endsWith('now')).toBe(false)
  })

  it('is found by its format', () => {
    const [span] = finder.one(pointing(state, ['$5.00']), 'money').spans
    expect(span).toMatchObject({ text: '$5.00', start: 6, end: 11 })
    expect(span?.seen?.edges).toEqual([0.06, 0.2, 0.11, 0.25])
  })

  it('leaves texts without a box', () => {
    expect(finder.one(pointing(state, ['Thanks']), 'text').spans[0]).not.toHaveProperty('seen')
  })
})

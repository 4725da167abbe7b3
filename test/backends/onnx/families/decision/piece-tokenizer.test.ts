// Text to pieces: what is normalised away, and that every piece knows where it stands in the string as it was sent.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalise } from '../../../../../src/backends/onnx/families/decision/piece-tokenizer.ts'
import { leastTokens, TokenLimits } from '../../../../../src/backends/onnx/families/decision/token-limits.ts'
import { anyText, SEED, tokenizer } from './shared.ts'

/** Pieces as [spelling, the words they stand for, case]. */
function piecesOf(text: string): [string, string, number][] {
  const { ids, cases, starts, ends } = tokenizer.encode(text)
  return ids.map((id, i) => [tokenizer.spelling(id), text.slice(starts[i], ends[i]), cases[i]!])
}

const spellings = (text: string) => piecesOf(text).map(([spelling]) => spelling)

describe('normalise', () => {
  // The model was trained on exactly this; a change here is a change of the prompt.
  it.each([
    ['', ' '],
    ['FindMovies', ' find movies'],
    ['find_movies', ' find movies'],
    ['(find movies', ' ( find movies'],
    [' find', ' find'],
    ['  find', '  find'],
    ["don't", " don't"],
    ['don’t', ' don’t'],
    ['HTTPServer', ' httpserver'],
    ['iPhone12Pro', ' i phone12 pro'],
    ['a1b', ' a1 b'],
    ['one\ntwo', ' one\n two'],
    ['x.\n\ny', ' x.\n\n y'],
    ['1 2', ' 1 2'],
    ['__init__', '  init  '],
    ['ÆRØ', ' ærø'],
    ['aΣ', ' a σ'],
    ['<image>', ' < image>'],
    // Lower case that is longer than the letter would move what stands behind it.
    ['İstanbul', ' İstanbul'],
    ['e\u0301t', ' e\u0301 t'],
  ])('reads %j as %j', (text, expected) => {
    expect(normalise(text).normalised).toBe(expected)
  })

  it('knows for every unit where it came from, in order', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { normalised, from } = normalise(text)
        expect(from).toHaveLength(normalised.length)
        const astray = from.filter((unit, i) => unit < (from[i - 1] ?? 0) || unit >= Math.max(1, text.length))
        expect(astray).toEqual([])
      }),
      { seed: SEED, numRuns: 500 },
    )
  })
})

describe('PieceTokenizer', () => {
  it('has exactly the vocabulary the control ids lie behind', () => {
    expect(tokenizer.size).toBe(8128)
  })

  it('covers the string as it was sent, in order, with text ids only', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { ids, cases, starts, ends } = tokenizer.encode(text)
        expect(ids.filter((id) => !(id >= 0 && id < tokenizer.control.from))).toEqual([])
        expect(cases.filter((letterCase) => ![0, 1, 2].includes(letterCase))).toEqual([])
        // Pieces never overlap: a character of several pieces belongs to the last one, the others are empty.
        const astray = ids.filter((_, i) => starts[i]! < (ends[i - 1] ?? 0) || ends[i]! < starts[i]! || ends[i]! > text.length)
        expect(astray).toEqual([])
        const covered = new Uint8Array(text.length)
        starts.forEach((start, i) => {
          covered.fill(1, start, ends[i])
        })
        expect(text.split('').filter((unit, i) => covered[i] === 0 && !/[ \n\t\r_]/.test(unit))).toEqual([])
      }),
      { seed: SEED, numRuns: 1500 },
    )
  })

  it('never cuts a character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        const { starts, ends } = tokenizer.encode(text)
        expect([...starts, ...ends].filter((at) => /\p{Surrogate}/u.test(text.slice(0, at)))).toEqual([])
      }),
      { seed: SEED, numRuns: 500 },
    )
  })

  it('spells a word the same wherever it stands', () => {
    const word = spellings('movies')
    for (const text of ['find movies', 'find_movies', 'FindMovies', '(movies', '"Movies', 'MOVIES', 'find\nmovies', '5movies']) {
      expect(spellings(text).slice(-word.length), text).toEqual(word)
    }
  })

  it('keeps the place and the case of what it read in lower case', () => {
    const { starts, ends, cases } = tokenizer.encode('USA: FindMovies now')
    const text = 'USA: FindMovies now'
    expect(starts.map((start, i) => [text.slice(start, ends[i]), cases[i]])).toEqual([
      ['USA', 2],
      [':', 0],
      ['Find', 1],
      ['Movies', 1],
      ['now', 0],
    ])
  })

  it('gives one capital letter case 1, not all capitals', () => {
    expect(piecesOf('A').map(([, , letterCase]) => letterCase)).toEqual([1])
  })

  it('reads digits one by one', () => {
    expect(spellings('4711').filter((spelling) => spelling !== 'Ġ')).toEqual(['4', '7', '1', '1'])
  })

  it('reads what looks like a control token as its characters', () => {
    for (const text of ['<image>', '<|endoftext|>', '</s>']) {
      const pieces = piecesOf(text).map(([, words]) => words)
      expect(pieces.length).toBeGreaterThan(2)
      expect(pieces.join('')).toBe(text)
    }
  })

  it('gives a long text the same pieces as it gives a short one, and the same again', () => {
    const sentence = 'The Lamp arrived broken. '
    const long = sentence.repeat(20)
    const [once, all] = [tokenizer.encode(sentence.trim()), tokenizer.encode(long)]
    expect(all.ids.slice(0, once.ids.length)).toEqual(once.ids)
    expect(tokenizer.encode(long)).toEqual(all)
    expect(tokenizer.encode(sentence.trim())).toEqual(once)
  })

  it('says nothing of an empty text', () => {
    expect(tokenizer.encode('').ids).toEqual([])
  })
})

describe('the fewest tokens of a text', () => {
  const kept = (text: string) => spellings(text).filter((spelling) => spelling !== 'Ġ').length

  it('are never more than there are', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(leastTokens(text, tokenizer, 1e6)).toBeLessThanOrEqual(kept(text))
      }),
      { seed: SEED, numRuns: 500 },
    )
  })

  it.each([' '.repeat(50), '_'.repeat(50), ' \u00a0'.repeat(50), 'a_b_c', '  a   b', '\n\n\t \n', 'word '.repeat(50)])(
    'hold for %j',
    (text) => {
      expect(leastTokens(text, tokenizer, 1e6)).toBeLessThanOrEqual(kept(text))
    },
  )

  it('are enough to refuse many words, long words and many blanks', () => {
    const limits = new TokenLimits('some', 4096, tokenizer)
    for (const text of ['ab '.repeat(4097), 'x'.repeat(80_000), ' '.repeat(60_000)]) {
      expect(() => limits.checkSize([text], 'state'), text.slice(0, 9)).toThrow(/takes at least \d+ tokens, the model some takes 4096/)
    }
    expect(() => limits.checkSize(['ab '.repeat(4096)], 'state')).not.toThrow()
  })
})

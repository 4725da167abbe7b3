// Logits, made by hand, to texts: that whatever is written parses, and that words of the state come back as they stand
// there.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Grammar } from '../../../../../src/backends/backend.ts'
import {
  GrammarCache,
  type NextPointerGeneratorLogits,
  type WrittenText,
  write,
} from '../../../../../src/backends/onnx/families/decision/constrained-writing.ts'
import { parse } from '../../../../../src/constraint/grammar.ts'
import { anyText, pack, quotable, SEED, scaffold, tokenizer } from './shared.ts'

const ROWS = 8192
const { control } = tokenizer
const grammars = new GrammarCache(tokenizer)
const nowhere = pack([])

/** A model that wants to say the text, and then to end. */
function saying(text: string, stateTokens: number): NextPointerGeneratorLogits {
  const wanted = [...tokenizer.encode(text).ids, control.end]
  return async (written) => {
    const vocabulary = new Float32Array(ROWS)
    vocabulary[wanted[written.length] ?? control.end] = 20
    return { vocabulary, copy: new Float32Array(stateTokens).fill(-1e4) }
  }
}

async function say(text: string, grammar: Grammar, state = nowhere, maxTokens = 48): Promise<WrittenText> {
  return write(saying(text, state.ids.length), { type: 'grammar', grammar, maxTokens }, grammars, state, null)
}

const TEXT: Grammar = { type: 'text' }

describe('what is written', () => {
  it.each([
    ['a lamp', TEXT],
    ['-42', { type: 'int' }],
    ['12.50', { type: 'number' }],
    ['2024-02-29', { type: 'date' }],
    ['south', { type: 'enum', values: ['north', 'south'] }],
    ['1; 22; 3', { type: 'list', item: { type: 'int' }, maxItems: 4 }],
    ['', { type: 'list', item: { type: 'int' }, maxItems: 4 }],
  ] as const)('is what the model wants, as far as the grammar goes: %j', async (text, grammar) => {
    const written = await say(text, grammar)
    expect(written).toMatchObject({ text, complete: true })
    expect(written.logProbability).toBeLessThanOrEqual(0)
    expect(written.tokens).toBe(tokenizer.encode(text).ids.length)
  })

  it('is of the grammar, whatever the model wants', async () => {
    expect((await say('forty two', { type: 'int' }, nowhere, 64)).text).toMatch(/^-?\d+$/)
    expect(parse({ type: 'date' }, (await say('tomorrow', { type: 'date' })).text)).not.toBeNull()
    expect(['north', 'Ærø']).toContain((await say('nowhere', { type: 'enum', values: ['north', 'Ærø'] })).text)
  })

  it('is not whole when the tokens do not suffice', async () => {
    expect(await say('one two three four five', TEXT, nowhere, 2)).toMatchObject({ complete: false, tokens: 2 })
  })

  it('keeps the spaces of a value that has its own', async () => {
    const grammar: Grammar = { type: 'list', item: { type: 'enum', values: [' north', 'south'] }, maxItems: 1 }
    expect(parse(grammar, (await say('north', grammar)).text)).toEqual([' north'])
  })

  it('never holds a control id, however likely', async () => {
    const logits: NextPointerGeneratorLogits = async (written) => {
      const vocabulary = new Float32Array(ROWS).fill(-5)
      vocabulary.fill(50, control.from + 8)
      vocabulary[control.end] = written.length < 3 ? -50 : 60
      return { vocabulary, copy: new Float32Array(nowhere.ids.length) }
    }
    const written = await write(logits, { type: 'grammar', grammar: TEXT, maxTokens: 9 }, grammars, nowhere, null)
    expect(written).toMatchObject({ complete: true, tokens: 3 })
  })
})

describe('copying', () => {
  it('adds to what the vocabulary says of the same piece', async () => {
    const state = pack([quotable('red blue red')])
    const red = state.ids.indexOf(tokenizer.encode('red').ids[0]!)
    const blue = state.ids.indexOf(tokenizer.encode('blue').ids[0]!)
    const first: number[] = []
    const logits: NextPointerGeneratorLogits = async (written) => {
      const vocabulary = new Float32Array(ROWS).fill(-10)
      const copy = new Float32Array(state.ids.length).fill(-1e4)
      if (written.length === 0) {
        // Two copies of red, 1 each, outweigh one of blue, 1.5.
        state.ids.forEach((id, i) => {
          if (id === state.ids[red]) copy[i] = 1
          if (id === state.ids[blue]) copy[i] = 1.5
        })
      } else {
        first.push(written[0]!)
        vocabulary[control.end] = 20
      }
      return { vocabulary, copy }
    }
    expect((await write(logits, { type: 'grammar', grammar: TEXT, maxTokens: 9 }, grammars, state, null)).text).toBe('red')
    expect(first).toEqual([state.ids[red]])
  })
})

describe('words of the state', () => {
  const state = pack([
    scaffold('Note: '),
    quotable('Start the Art of FindMovies with find_all', '/a'),
    quotable('Ada Lovelace\n  of\tLondon, ISBN 12', '/b'),
  ])
  const written = async (text: string, grammar: Grammar = TEXT) => (await say(text, grammar, state)).text

  it.each([
    ['ada lovelace', 'Ada Lovelace'],
    ['FindMovies', 'FindMovies'],
    ['movies', 'Movies'],
    ['find all', 'find_all'],
    ['isbn 12', 'ISBN 12'],
    ['nobody there', 'nobody there'],
    // Scaffold is ours, not the user's.
    ['note', 'note'],
  ])('are written as they stand there: %j as %j', async (text, expected) => {
    expect(await written(text)).toBe(expected)
  })

  it('are whole words', async () => {
    expect(await written('art')).toBe('Art')
    expect(await written('is')).toBe('is')
    expect(await written('isbn 1')).toBe('isbn 1')
  })

  it('are written on one line', async () => {
    expect(await written('lovelace of london')).toBe('Lovelace of London')
  })

  it('are restored in each item of a list', async () => {
    const grammar: Grammar = { type: 'list', item: TEXT, maxItems: 3 }
    expect(await written('london; nobody; ada lovelace', grammar)).toBe('London; nobody; Ada Lovelace')
  })

  it('are left alone where the grammar is not free text', async () => {
    expect(await written('isbn', { type: 'enum', values: ['isbn', 'other'] })).toBe('isbn')
  })
})

describe('whatever the state and the logits', () => {
  const grammar = fc.constantFrom<Grammar>(
    TEXT,
    { type: 'int' },
    { type: 'number' },
    { type: 'date' },
    { type: 'enum', values: ['north', 'Ærø', '東京'] },
    { type: 'list', item: TEXT, maxItems: 3 },
    { type: 'list', item: { type: 'date' }, maxItems: 2 },
  )

  it('a whole text parses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { maxLength: 2 }), grammar, fc.nat(9999), async (texts, wanted, seed) => {
        const state = pack(texts.map((text, i) => quotable(text, `/${i}`)))
        // Copies win now and then, the end comes in time.
        const noise = (i: number, step: number) => (((i + 7) * (seed + 3) * (step + 11)) % 1009) / 100
        const logits: NextPointerGeneratorLogits = async (written) => {
          const vocabulary = Float32Array.from({ length: ROWS }, (_, id) => noise(id, written.length))
          const copy = Float32Array.from({ length: state.ids.length }, (_, i) => noise(i, written.length) + 1)
          vocabulary[control.end] = written.length * 3
          return { vocabulary, copy }
        }
        const { text, complete, logProbability } = await write(
          logits,
          { type: 'grammar', grammar: wanted, maxTokens: 24 },
          grammars,
          state,
          null,
        )
        expect(logProbability).toBeLessThanOrEqual(1e-9)
        if (complete) expect(parse(wanted, text), JSON.stringify(text)).not.toBeNull()
      }),
      { seed: SEED, numRuns: 50 },
    )
  })

  it('words of any state come back in a form that parses', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const state = pack([quotable(text)])
        const { complete, text: written } = await say(text, TEXT, state, 80)
        if (complete) expect(parse(TEXT, written), JSON.stringify(written)).not.toBeNull()
      }),
      { seed: SEED, numRuns: 80 },
    )
  })
})

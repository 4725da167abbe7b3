import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Grammar } from '../../src/backends/backend.ts'
import { withLeadingSpace } from '../../src/constraint/automaton.ts'
import { decode } from '../../src/constraint/decode.ts'
import { compileGrammar, parse } from '../../src/constraint/grammar.ts'
import { buildTokenTrie, constrainTokens } from '../../src/constraint/token-trie.ts'
import { logSoftmax } from '../../src/core/math.ts'
import { randomModel, vocabularyOf } from './vocabulary.ts'

const { vocabulary, end } = vocabularyOf(['12', '7', '2024', '-0', '; ', ' 1', 'red', 'redd', 'ish', 'ab', ' b', '東京', '02-29'])
const trie = buildTokenTrie(vocabulary)
const constrain = (grammar: Grammar) => constrainTokens(trie, compileGrammar(grammar))

/** Logits that favour the given tokens, one at each call. */
function script(...favourites: number[]): () => Promise<Float32Array> {
  let call = 0
  return async () => {
    const logits = new Float32Array(vocabulary.length)
    logits[favourites[call++] as number] = 5
    return logits
  }
}

const idOf = (word: string) => vocabulary.findIndex((said) => said !== null && new TextDecoder().decode(said) === word)

describe('decode', () => {
  it('follows the model where the grammar lets it, and counts the end', async () => {
    const decoded = await decode(script(idOf('12'), idOf('7'), end), constrain({ type: 'int' }), { maxTokens: 8, endTokens: [end] })
    expect(decoded).toMatchObject({ text: '127', complete: true, tokens: [idOf('12'), idOf('7')] })
    expect(decoded.states).toHaveLength(3)
    expect(decoded.steps).toHaveLength(3)
  })

  it('takes the best allowed token when the model wants something else', async () => {
    const logits = new Float32Array(vocabulary.length)
    logits[idOf('red')] = 9
    logits[idOf('7')] = 4
    logits[end] = 6
    const decoded = await decode(async () => logits, constrain({ type: 'int' }), { maxTokens: 8, endTokens: [end] })
    expect(decoded.text).toBe('7')
    const own = logSoftmax(logits)
    expect(decoded.logProbability).toBeCloseTo((own[idOf('7')] as number) + (own[end] as number), 10)
    expect(decoded.constrainedLogProbability).toBeGreaterThan(decoded.logProbability)
  })

  it('renormalises over exactly what was allowed', async () => {
    const grammar: Grammar = { type: 'enum', values: ['ab', '7'] }
    const logits = new Float32Array(vocabulary.length)
    logits[idOf('7')] = 2
    logits[idOf('ab')] = 1
    logits[end] = 50
    const decoded = await decode(async () => logits, constrain(grammar), { maxTokens: 8, endTokens: [end] })
    // Allowed first: `7`, `ab`, the bytes `a` and `7` (the word `7` and its byte are two tokens); then only the end.
    const first = 2 - Math.log(Math.exp(2) + Math.exp(1) + 2)
    expect(decoded.text).toBe('7')
    expect(idOf('7')).toBe(0x37) // the byte comes first, the word of the same bytes later
    expect(decoded.constrainedLogProbability).toBeCloseTo(first, 6)
  })

  it('says when the budget was spent before the text was whole', async () => {
    const decoded = await decode(script(idOf('2024'), idOf('-'), idOf('0'), idOf('1')), constrain({ type: 'date' }), {
      maxTokens: 3,
      endTokens: [end],
    })
    expect(decoded).toMatchObject({ complete: false, text: '2024-0' })
  })

  it('asks once more behind the last token of the budget', async () => {
    const done = await decode(script(idOf('12'), end), constrain({ type: 'int' }), { maxTokens: 1, endTokens: [end] })
    expect(done).toMatchObject({ complete: true, text: '12' })
    const cut = await decode(script(idOf('12'), idOf('7')), constrain({ type: 'int' }), { maxTokens: 1, endTokens: [end] })
    expect(cut).toMatchObject({ complete: false, text: '12' })
  })

  it('leaves out a character that the budget cut', async () => {
    const bytes = new TextEncoder().encode('é')
    const decoded = await decode(script(0x61, bytes[0] as number), constrain({ type: 'text' }), { maxTokens: 2, endTokens: [end] })
    expect(decoded).toMatchObject({ complete: false, text: 'a' })
  })

  it('ends a closed grammar without end tokens', async () => {
    const decoded = await decode(script(idOf('redd'), idOf('ish')), constrain({ type: 'enum', values: ['reddish'] }), {
      maxTokens: 9,
      endTokens: [],
    })
    expect(decoded).toMatchObject({ complete: true, text: 'reddish' })
  })

  it('adds up several end tokens', async () => {
    const logits = new Float32Array(vocabulary.length)
    logits[idOf('7')] = 3
    // Neither newline nor end is likelier than another digit; together they are.
    logits[0x0a] = 2.8
    logits[end] = 2.8
    const decoded = await decode(async () => logits, constrain({ type: 'int' }), { maxTokens: 5, endTokens: [end, 0x0a] })
    expect(decoded).toMatchObject({ complete: true, text: '7' })
  })

  it('refuses logits that are not numbers, and too few', async () => {
    const options = { maxTokens: 5, endTokens: [end] }
    const broken = new Float32Array(vocabulary.length).fill(Number.NaN)
    await expect(decode(async () => broken, constrain({ type: 'int' }), options)).rejects.toMatchObject({ code: 'internal_error' })
    await expect(decode(async () => new Float32Array(4), constrain({ type: 'int' }), options)).rejects.toMatchObject({
      code: 'internal_error',
    })
  })

  it('keeps sums finite when the model gives an allowed token no probability', async () => {
    const logits = new Float32Array(vocabulary.length).fill(-Infinity)
    logits[idOf('red')] = 1
    const decoded = await decode(async () => logits, constrain({ type: 'enum', values: ['7'] }), { maxTokens: 5, endTokens: [end] })
    expect(decoded.text).toBe('7')
    expect(Number.isFinite(decoded.logProbability) && Number.isFinite(decoded.constrainedLogProbability)).toBe(true)
  })

  const simple: fc.Arbitrary<Grammar> = fc.constantFrom<Grammar>(
    { type: 'int' },
    { type: 'number' },
    { type: 'date' },
    { type: 'text' },
    { type: 'enum', values: ['red', 'reddish', '東京', '12'] },
  )
  const grammars = fc.oneof(
    simple,
    simple.map((item) => ({ type: 'list', item, maxItems: 3 }) as Grammar),
  )

  it('writes a value that parses, whatever the logits', async () => {
    await fc.assert(
      fc.asyncProperty(grammars, fc.integer(), fc.boolean(), async (grammar, seed, hasSpace) => {
        const automaton = compileGrammar(grammar)
        const constraint = constrainTokens(trie, hasSpace ? withLeadingSpace(automaton) : automaton)
        const model = randomModel(seed, vocabulary.length, end, 4)
        const decoded = await decode(model, constraint, { maxTokens: 60, endTokens: [end] })
        const text = hasSpace ? decoded.text.replace(/^ /, '') : decoded.text
        if (decoded.complete) expect(parse(grammar, text), JSON.stringify(text)).not.toBeNull()
        expect(decoded.tokens.length).toBeLessThanOrEqual(60)
        expect(decoded.logProbability).toBeLessThanOrEqual(decoded.constrainedLogProbability + 1e-9)
        expect(decoded.constrainedLogProbability).toBeLessThanOrEqual(0)
      }),
      { seed: 17, numRuns: 120 },
    )
  })
})

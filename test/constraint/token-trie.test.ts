import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Grammar } from '../../src/backends/backend.ts'
import { type AutomatonState, run } from '../../src/constraint/automaton.ts'
import { compileGrammar } from '../../src/constraint/grammar.ts'
import { allowedTokens, buildTokenTrie, constrainTokens, type TokenVocabulary } from '../../src/constraint/token-trie.ts'

const grammars: fc.Arbitrary<Grammar> = fc.constantFrom<Grammar>(
  { type: 'int' },
  { type: 'date' },
  { type: 'text' },
  { type: 'enum', values: ['ab', 'abba', 'b', ''] },
  { type: 'list', item: { type: 'number' }, maxItems: 3 },
)
const vocabularies: fc.Arbitrary<TokenVocabulary> = fc.array(
  fc.option(
    fc
      .string({ unit: fc.constantFrom('a', 'b', '1', '2', '0', '-', '; ', 'é'), maxLength: 4 })
      .map((text) => new TextEncoder().encode(text)),
    { freq: 10 },
  ),
  { maxLength: 60 },
)

describe('allowedTokens', () => {
  it('is the set of tokens whose bytes the automaton takes one by one, in every state on the way', () => {
    fc.assert(
      fc.property(grammars, vocabularies, fc.array(fc.nat(), { maxLength: 5 }), (grammar, vocabulary, choices) => {
        const automaton = compileGrammar(grammar)
        const constraint = constrainTokens(buildTokenTrie(vocabulary), automaton)
        let state: AutomatonState = constraint.start
        for (const choice of [0, ...choices]) {
          const expected: number[] = []
          vocabulary.forEach((said, id) => {
            if (said !== null && said.length > 0 && run(automaton, state, said) !== null) expected.push(id)
          })
          expect([...constraint.allowed(state)]).toEqual(expected)
          expect(constraint.mayEnd(state)).toBe(automaton.accepts(state))
          vocabulary.forEach((_, id) => {
            expect(constraint.advance(state, id) !== null).toBe(expected.includes(id))
          })
          if (expected.length === 0) break
          state = constraint.advance(state, expected[choice % expected.length] as number) as AutomatonState
        }
      }),
      { seed: 23, numRuns: 200 },
    )
  })

  it('keeps control tokens and empty tokens out', () => {
    const trie = buildTokenTrie([null, new Uint8Array(0), Uint8Array.of(0x31)])
    expect([...allowedTokens(trie, compileGrammar({ type: 'int' }), compileGrammar({ type: 'int' }).start)]).toEqual([2])
    const constraint = constrainTokens(trie, compileGrammar({ type: 'int' }))
    expect(constraint.advance(constraint.start, 0)).toBeNull()
    expect(constraint.advance(constraint.start, 99)).toBeNull()
    expect(() => constraint.bytesOf(0)).toThrow(RangeError)
  })
})

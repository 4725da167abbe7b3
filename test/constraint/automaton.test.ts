import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyNumber,
  type ByteExpression,
  compileExpression,
  either,
  literal,
  optional,
  repeat,
  run,
  sequence,
  withLeadingSpace,
} from '../../src/constraint/automaton.ts'

const says = (automaton: ReturnType<typeof compileExpression>, text: string) => {
  const end = run(automaton, automaton.start, new TextEncoder().encode(text))
  return end !== null && automaton.accepts(end)
}

/** The same expression as a JavaScript regular expression over a and b: the oracle. */
const { tree: expressions } = fc.letrec<{ tree: { expression: ByteExpression; source: string } }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('a', 'b', 'ab').map((text) => ({ expression: literal(text), source: text })),
    fc
      .tuple(tie('tree'), tie('tree'))
      .map(([x, y]) => ({ expression: sequence(x.expression, y.expression), source: `${x.source}${y.source}` })),
    fc
      .tuple(tie('tree'), tie('tree'))
      .map(([x, y]) => ({ expression: either(x.expression, y.expression), source: `(?:${x.source}|${y.source})` })),
    tie('tree').map((x) => ({ expression: anyNumber(x.expression), source: `(?:${x.source})*` })),
    tie('tree').map((x) => ({ expression: optional(x.expression), source: `(?:${x.source})?` })),
    tie('tree').map((x) => ({ expression: repeat(x.expression, 1, 3), source: `(?:${x.source}){1,3}` })),
  ),
}))

describe('compileExpression', () => {
  it('accepts what the same regular expression accepts', () => {
    fc.assert(
      fc.property(expressions, fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 7 }), { maxLength: 12 }), (made, texts) => {
        const automaton = compileExpression(made.expression)
        const oracle = new RegExp(`^(?:${made.source})$`)
        for (const text of ['', ...texts]) expect(says(automaton, text)).toBe(oracle.test(text))
      }),
      { seed: 11, numRuns: 300 },
    )
  })

  it('gives equal prefixes of meaning one state, so that masks can be kept by state', () => {
    const automaton = compileExpression(anyNumber(literal('ab')))
    const again = run(automaton, automaton.start, new TextEncoder().encode('abab'))
    expect(again).toBe(run(automaton, automaton.start, new TextEncoder().encode('ab')))
  })
})

describe('withLeadingSpace', () => {
  it('takes one space in front, or none', () => {
    const automaton = withLeadingSpace(compileExpression(literal('yes')))
    expect(['yes', ' yes', '  yes', 'yes '].map((text) => says(automaton, text))).toEqual([true, true, false, false])
  })

  it('leaves a space that belongs to the value alone', () => {
    const automaton = withLeadingSpace(compileExpression(either(literal(' a'), literal('b'))))
    expect([' a', 'b', ' b', '  a'].map((text) => says(automaton, text))).toEqual([true, true, false, false])
  })
})

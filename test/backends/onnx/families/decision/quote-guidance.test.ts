// SpanPointers, made by hand, over what is written: where copying begins, which of several places it follows, and when
// it ends.
import { describe, expect, it } from 'vitest'
import { GrammarCache, write } from '../../../../../src/backends/onnx/families/decision/constrained-writing.ts'
import {
  guidedByQuote,
  type PointerGeneratorLogits,
  type QuotePointers,
} from '../../../../../src/backends/onnx/families/decision/quote-guidance.ts'
import { logSumExp } from '../../../../../src/core/math.ts'
import { pack, quotable, tokenizer } from './shared.ts'

const LEAST = -8
const { control } = tokenizer

const undecided = (length: number): PointerGeneratorLogits => ({ vocabulary: new Float32Array(8192), copy: new Float32Array(length) })
/** A quote that begins with one token of the state and has `count` of them. */
const quotePointersOf = (ids: readonly number[], first: number, count: number): QuotePointers => ({
  logStarts: ids.map((_, at) => (at === first ? -0.1 : -30)),
  endsFrom: (start) => ids.slice(start).map((_, i) => (start + i === first + count - 1 ? 4 : 0)),
})

describe('guidedByQuote', () => {
  // Ids of the state: a 7 8 8 2, and an 8 9 elsewhere.
  const ids = [control.state, 10, 7, 8, 8, 2, 11, 8, 9]
  const quote = quotePointersOf(ids, 2, 4)

  it('begins where the quote does, and copies no more than before', () => {
    const next = undecided(ids.length)
    const { copy, vocabulary } = guidedByQuote(next, [], ids, quote, control)
    expect(copy.indexOf(Math.max(...copy.slice(1)))).toBe(2)
    expect(copy[2]! - copy[3]!).toBeCloseTo(-0.1 - LEAST, 5)
    expect(logSumExp(copy.slice(1))).toBeCloseTo(logSumExp(next.copy.slice(1)), 5)
    expect(vocabulary).toEqual(next.vocabulary)
  })

  it('goes on behind all that is written, not behind the last token wherever it stands', () => {
    for (const [written, at] of [
      [[7], 3],
      [[7, 8], 4],
      [[7, 8, 8], 5],
    ] as const) {
      const { copy } = guidedByQuote(undecided(ids.length), written, ids, quote, control)
      for (const other of ids.keys()) if (other !== at && other > 0) expect(copy[at]! - copy[other]!).toBeCloseTo(-0.1 - LEAST, 5)
    }
  })

  it('ends by the odds of the quote', () => {
    const endOf = (written: readonly number[]) =>
      guidedByQuote(undecided(ids.length), written, ids, quote, control).vocabulary[control.end]!
    expect(endOf([7])).toBeCloseTo(0 - logSumExp([0, 0, 4, 0, 0, 0]), 5)
    expect(endOf([7, 8, 8, 2])).toBeCloseTo(4 - Math.log(3), 5)
    // Nothing is left to be copied behind the last token of the state.
    expect(endOf([8, 9])).toBeCloseTo(-LEAST, 5)
  })

  it('leaves alone what the state does not say, and what is longer than a quote', () => {
    const next = { vocabulary: new Float32Array(8192).fill(1), copy: Float32Array.from(ids, (_, at) => at / 4) }
    const { copy, vocabulary } = guidedByQuote(next, [99, 7], ids, quote, control)
    copy.forEach((logit, at) => {
      expect(logit).toBeCloseTo(next.copy[at]!, 5)
    })
    expect(vocabulary).toEqual(next.vocabulary)
    const short = { ...quote, endsFrom: () => [0, 0] }
    expect(guidedByQuote(next, [7, 8, 8], ids, short, control).vocabulary).toEqual(next.vocabulary)
  })

  it('does not count cells of pictures as words to copy', () => {
    const pictured = [control.state, control.image, control.image, 7, 8]
    expect(pictured.filter((id) => id >= control.from)).toHaveLength(3)
    const { copy } = guidedByQuote(undecided(pictured.length), [], pictured, quotePointersOf(pictured, 1, 1), control)
    expect(logSumExp(copy.slice(3))).toBeCloseTo(Math.log(2), 5)
    const cellsAlone = undecided(2)
    expect(guidedByQuote(cellsAlone, [], [control.state, control.image], quotePointersOf([0, 0], 1, 1), control).copy).toEqual(
      cellsAlone.copy,
    )
  })
})

describe('what is written beside a quote', () => {
  const state = pack([quotable('port 7882', '/a'), quotable('code 8817', '/b')])
  const { ids } = state
  const digits = [...'7882'].map((digit) => tokenizer.encode(digit).ids.at(-1)!)
  const first = ids.findIndex((_, at) => digits.every((id, i) => ids[at + i] === id))
  /** A model that copies what stood behind the last token, anywhere, and never wants to end. */
  const lastTokenOnly = async (written: readonly number[]): Promise<PointerGeneratorLogits> => ({
    vocabulary: new Float32Array(8192).fill(-5),
    copy: Float32Array.from(ids, (_, at) => (written.length === 0 || ids[at - 1] === written.at(-1) ? 2 : 0)),
  })
  const grammars = new GrammarCache(tokenizer)
  const constraint = { type: 'grammar', grammar: { type: 'text' }, maxTokens: 12 } as const

  it('is the whole of it, repeated digits included', async () => {
    expect(first).toBeGreaterThan(0)
    const quote = { ...quotePointersOf(ids, first, 4), endsFrom: (start: number) => ids.slice(start).map((_, i) => (i === 3 ? 12 : 0)) }
    expect(await write(lastTokenOnly, constraint, grammars, state, quote)).toMatchObject({ text: '7882', complete: true, tokens: 4 })
    expect((await write(lastTokenOnly, constraint, grammars, state, null)).text).not.toBe('7882')
  })
})

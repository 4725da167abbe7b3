import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { didYouMean, nearNames } from '../../src/core/suggest.ts'

describe('near names', () => {
  it.each([
    ['nuol', ['noul', 'choice'], ['noul']],
    ['Criteria', ['criteria'], ['criteria']],
    ['instruction', ['instructions', 'image'], ['instructions']],
    ['xyz', ['noul', 'choice'], []],
    ['', ['noul'], []],
    ['servce-1-pro', ['service-1', 'service-1-pro'], ['service-1-pro']],
  ])('of %s', (name, known, near) => {
    expect(nearNames(name, known)).toEqual(near)
  })

  it('come nearest first, three at most', () => {
    expect(nearNames('abcdef', ['abcdxy', 'abcdef1', 'abcde', 'abcdefg', 'zzzzzz'])).toHaveLength(3)
    expect(nearNames('abcdef', ['abcdxy', 'abcdefg'])[0]).toBe('abcdefg')
  })

  it('are not looked for in long names', () => {
    expect(nearNames('a'.repeat(1e6), ['a'.repeat(1e6)])).toEqual([])
  })

  it('are those that all edits would find, although the search stops early', () => {
    /** Edits without a bound: the recurrence as it is written down. */
    const edits = (a: string, b: string): number => {
      const d = Array.from({ length: a.length + 1 }, (_, i) =>
        Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
      )
      for (let i = 1; i <= a.length; i++) {
        for (let j = 1; j <= b.length; j++) {
          const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? d[i - 2]![j - 2]! + 1 : Infinity
          const replaced = d[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
          d[i]![j] = Math.min(replaced, d[i - 1]![j]! + 1, d[i]![j - 1]! + 1, swapped)
        }
      }
      return d[a.length]![b.length]!
    }
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(nearNames(a, [b]).length === 1).toBe(edits(a, b) <= Math.max(1, Math.floor(Math.max(a.length, b.length) / 3)))
      }),
      { seed: 1, numRuns: 2000 },
    )
  })

  it('read as a question', () => {
    expect(didYouMean('nuol', ['noul'])).toBe(' Did you mean "noul"?')
    expect(didYouMean('abcd', ['abce', 'abcf', 'abcg'])).toBe(' Did you mean "abce", "abcf" or "abcg"?')
    expect(didYouMean('x'.repeat(9), ['noul'])).toBe('')
  })
})

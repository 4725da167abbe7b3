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

  it('read as a question', () => {
    expect(didYouMean('nuol', ['noul'])).toBe(' Did you mean "noul"?')
    expect(didYouMean('abcd', ['abce', 'abcf', 'abcg'])).toBe(' Did you mean "abce", "abcf" or "abcg"?')
    expect(didYouMean('x'.repeat(9), ['noul'])).toBe('')
  })
})

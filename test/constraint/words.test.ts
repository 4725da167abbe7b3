import { describe, expect, it } from 'vitest'
import { wordBoundaries } from '../../src/constraint/words.ts'

/** The text with `[` where a span may start and `]` where it may end. */
function marked(text: string): string {
  const { starts, ends } = wordBoundaries(text)
  let out = ''
  for (let i = 0; i <= text.length; i++) out += `${ends[i] ? ']' : ''}${starts[i] ? '[' : ''}${text[i] ?? ''}`
  return out
}

describe('wordBoundaries', () => {
  it.each([
    ['Ann left.', '[Ann] [left][.]'],
    ["don't go", "[don't] [go]"],
    ["'tis", "['][tis]"],
    ['pay $1,250.50, now', '[pay] [$][1,250.50][,] [now]'],
    ['1,2,3', '[1][,][2][,][3]'],
    ['3.', '[3][.]'],
    ['see notes.md, v2.b', '[see] [notes.md][,] [v2.b]'],
    ['a@b.example/x', '[a][@][b.example][/][x]'],
    ['Done.Next', '[Done][.][Next]'],
    ['the U.S. is', '[the] [U.S][.] [is]'],
    ['東.a', '[東][.][a]'],
    ['  a  ', '  [a]  '],
    ['a\n\nb', '[a]\n\n[b]'],
    ['東京都 is', '[東][京][都] [is]'],
    ['e\u0301te\u0301', '[e\u0301te\u0301]'],
    ['東\u0301a', '[東\u0301][a]'],
    ['🦊🦊 x', '[🦊][🦊] [x]'],
    ['snake_case', '[snake_case]'],
    ['', ''],
    [' ', ' '],
  ])('finds the words of %j', (text, expected) => {
    expect(marked(text)).toBe(expected)
  })
})

// What the text reader says, to lines of text: letters by the best path of CTC, one line where two rows see it, and an
// order people read in.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ctcLogProbability } from '../../../../../src/backends/onnx/families/decision/ctc.ts'
import { corrected, Lexicon } from '../../../../../src/backends/onnx/families/decision/lexicon.ts'
import { type LineLogits, linesOf } from '../../../../../src/backends/onnx/families/decision/text-lines.ts'
import { SEED } from './shared.ts'

const LETTERS = 'abco'
const NONE = new Lexicon([])
const CLASSES = LETTERS.length + 3

interface Drawn {
  readonly row: number
  readonly first: number
  /** A step each; `.` is the blank. */
  readonly path: string
  /** Logit of "a line is here". */
  readonly line?: number
  readonly sure?: number
}

function logitsOf(drawn: readonly Drawn[], rows = 8, steps = 40): LineLogits {
  const letters = new Float32Array(rows * steps * CLASSES)
  const lines = new Float32Array(rows * steps).fill(-4)
  const edges = new Float32Array(rows * (steps / 2) * 2).fill(1)
  for (let at = 0; at < rows * steps; at++) letters[at * CLASSES] = 9
  for (const { row, first, path, line = 4, sure = 9 } of drawn) {
    ;[...path].forEach((letter, i) => {
      const at = row * steps + first + i
      letters[at * CLASSES] = 0
      letters[at * CLASSES + (letter === '.' ? 0 : letter === ' ' ? 1 : letter === '?' ? CLASSES - 1 : LETTERS.indexOf(letter) + 2)] = sure
      lines[at] = line
    })
  }
  return { letters, lines, edges, rows, steps }
}

const textsOf = (drawn: readonly Drawn[]): string[] => linesOf(logitsOf(drawn), LETTERS, NONE).map(({ text }) => text)

describe('linesOf', () => {
  it('takes a letter once however long it lasts, and twice with a blank between', () => {
    expect(textsOf([{ row: 2, first: 4, path: 'aab..bb cc.oo' }])).toEqual(['abb co'])
  })

  it('says where each letter stands, by fractions of the picture', () => {
    const [line] = linesOf(logitsOf([{ row: 2, first: 10, path: 'a..b..c' }]), LETTERS, NONE)
    expect(line?.text).toBe('abc')
    expect(line?.edges).toHaveLength(4)
    expect([...(line?.edges ?? [])].sort((a, b) => a - b)).toEqual(line?.edges)
    // The margin before the first letter and behind the last is two steps; between two letters the edge is half way.
    expect(line?.edges.map((edge) => edge * 40)).toEqual([8, 12, 15, 19])
    expect([line?.top, line?.bottom].map((edge) => (edge as number) * 8)).toEqual([expect.closeTo(1.5, 5), expect.closeTo(3.5, 5)])
  })

  it('reads a line once that two rows have seen, in the surer one', () => {
    expect(
      textsOf([
        { row: 3, first: 4, path: 'a.b.c', line: 1 },
        { row: 2, first: 4, path: 'o.b.c', line: 5 },
      ]),
    ).toEqual(['obc'])
  })

  it('reads what stands beside each other from left to right, and then what stands below', () => {
    expect(
      textsOf([
        { row: 5, first: 2, path: 'c.c' },
        { row: 1, first: 20, path: 'b.b' },
        { row: 1, first: 2, path: 'a.a' },
      ]),
    ).toEqual(['aa', 'bb', 'cc'])
  })

  it('goes on over a short hole, and not over a long one', () => {
    const hole = (length: number): Drawn[] => [
      { row: 1, first: 2, path: 'a.a' },
      { row: 1, first: 5 + length, path: 'b.b' },
    ]
    expect(textsOf(hole(3))).toEqual(['aabb'])
    expect(textsOf(hole(8))).toEqual(['aa', 'bb'])
  })

  it('gives nothing for what it cannot read, and for spaces alone', () => {
    expect(textsOf([{ row: 1, first: 2, path: 'a.b', sure: 0.5 }])).toEqual([])
    expect(textsOf([{ row: 1, first: 2, path: '   ' }])).toEqual([])
    expect(textsOf([{ row: 1, first: 2, path: '?.?' }])).toEqual([])
    expect(linesOf(logitsOf([]), LETTERS, NONE)).toEqual([])
  })

  it('keeps letters in order and boxes inside the picture, whatever the net says', () => {
    const number = fc.double({ min: -6, max: 6, noNaN: true })
    fc.assert(
      fc.property(fc.infiniteStream(number), (numbers) => {
        const [rows, steps] = [4, 16]
        const draw = (count: number): Float32Array => Float32Array.from({ length: count }, () => numbers.next().value as number)
        const logits = { letters: draw(rows * steps * CLASSES), lines: draw(rows * steps), edges: draw(rows * steps), rows, steps }
        for (const { text, edges, top, bottom } of linesOf(logits, LETTERS, new Lexicon(['cab', 'boa']))) {
          expect(edges).toHaveLength(text.length + 1)
          expect([...edges].sort((a, b) => a - b)).toEqual(edges)
          expect([edges[0]! >= 0, edges.at(-1)! <= 1, top >= 0, top < bottom, bottom <= 1]).toEqual([true, true, true, true, true])
        }
      }),
      { seed: SEED, numRuns: 60 },
    )
  })
})

describe('words nearly read', () => {
  const lexicon = new Lexicon(['settings', 'setting', 'total', 'cab'])

  it('are taken for the known word that is likeliest to stand there, in their own case', () => {
    const written = (truth: string) => (word: string) => (word.toLowerCase() === truth ? -2 : word.length === truth.length ? -4 : -9)
    expect(corrected('Settlngs', lexicon, written('settings'))).toBe('Settings')
    expect(corrected('TOTAI', lexicon, written('total'))).toBe('TOTAL')
  })

  it('are two where a space may have been missed', () => {
    const spaced = (word: string): number => (word.includes(' ') ? -3 : -4)
    expect(corrected('Totalsettings', lexicon, spaced)).toBe('Total settings')
    expect(corrected('JohnSingh', lexicon, spaced)).toBe('John Singh')
    expect(corrected('Quartzite', lexicon, spaced)).toBe('Quartzite')
  })

  it('stay when they are known, far from all known words, no words, or much likelier as they are', () => {
    const never = (): number => {
      throw new Error('not asked')
    }
    expect(corrected('setting', lexicon, never)).toBe('setting')
    expect(corrected('a1b', lexicon, never)).toBe('a1b')
    expect(corrected('Quartz', lexicon, () => 0)).toBe('Quartz')
    expect(corrected('totol', lexicon, (word) => (word === 'totol' ? -1 : -8))).toBe('totol')
  })

  it('have their letters spread over the steps they take', () => {
    const [line] = linesOf(logitsOf([{ row: 2, first: 10, path: 'c..o..b' }]), LETTERS, lexicon)
    expect(line?.text).toBe('cob')
    const soft = logitsOf([{ row: 2, first: 10, path: 'c..o..b' }])
    const at = (2 * 40 + 13) * CLASSES
    soft.letters[at + 2] = 8
    expect(linesOf(soft, LETTERS, lexicon)[0]?.text).toBe('cab')
  })
})

describe('ctcLogProbability', () => {
  it('sums over all paths', () => {
    // Two steps of a blank, a and b: "a" is written by a-, -a and aa; the rest is "", "b", "ab" and "ba".
    const steps = [
      [0.5, 0.3, 0.2],
      [0.1, 0.6, 0.3],
    ]
    const logs = Float32Array.from(steps.flat(), Math.log)
    const of = (...classes: number[]): number => Math.exp(ctcLogProbability(logs, 3, classes))
    expect(of(1)).toBeCloseTo(0.3 * 0.1 + 0.5 * 0.6 + 0.3 * 0.6, 6)
    expect(of(1, 2)).toBeCloseTo(0.3 * 0.3, 6)
    expect(of() + of(1) + of(2) + of(1, 2) + of(2, 1)).toBeCloseTo(1, 6)
    expect(of(1, 1)).toBe(0)
  })
})

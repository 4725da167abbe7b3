// The forms in which families write boxes, and what is read from them.
import { describe, expect, it } from 'vitest'
import { jsonBoxes, readBoxes, wholeUpTo } from '../../../../src/backends/onnx/decoder/boxes.ts'
import { compileExpression, run } from '../../../../src/constraint/automaton.ts'
import { decode } from '../../../../src/constraint/decode.ts'
import { tokenRounds } from '../../../../src/constraint/token-rounds.ts'
import { buildTokenTrie, constrainTokens, type TokenConstraint } from '../../../../src/constraint/token-trie.ts'

const utf8 = new TextEncoder()
/** A token for each printable character, and 127 for the end. */
const VOCABULARY = Array.from({ length: 127 }, (_, code) => (code >= 32 ? Uint8Array.of(code) : null))
const END = 127
const trie = buildTokenTrie(VOCABULARY)

/** Decodes what a model would write that wants this text, and ends as soon as it may behind it. */
const written = (constraint: TokenConstraint, wanted: readonly number[]) =>
  decode(
    async (tokens) => {
      const logits = new Float32Array(2000)
      logits[wanted[tokens.length] ?? END] = 9
      return logits
    },
    constraint,
    { maxTokens: 200, endTokens: [END] },
  )
const codes = (text: string): number[] => [...utf8.encode(text)]

describe('wholeUpTo', () => {
  it('takes every number to the largest, and no other', () => {
    for (const most of [0, 7, 10, 99, 100, 504, 1000, 1316]) {
      const automaton = compileExpression(wholeUpTo(most))
      const takes = (text: string): boolean => {
        const state = run(automaton, automaton.start, utf8.encode(text))
        return state !== null && automaton.accepts(state)
      }
      for (let value = 0; value <= most + 120; value++) expect(takes(String(value)), `${value} of ${most}`).toBe(value <= most)
      expect(['', '01', '00', '-1', '1.5'].map(takes)).toEqual([false, false, false, false, false])
    }
  })
})

describe('boxes in JSON', () => {
  const format = jsonBoxes({ key: 'bbox_2d', units: '', number: wholeUpTo, scale: () => [200, 100] })
  const asked = { id: 'shot', picture: { width: 640, height: 320, data: new Uint8Array(), sha256: '' } }

  it('become fractions of the picture, edges in order, each with its own share of the log-probability', async () => {
    const constraint = format.constraint(trie, asked.picture, true, true)
    const text = '[{"bbox_2d": [20, 90, 100, 10]}, {"bbox_2d": [0, 0, 200, 100]}]'
    const decoded = await written(constraint, codes(text))
    expect(decoded.text).toBe(text)
    const boxes = readBoxes(format, asked, decoded, constraint.bytesOf)
    expect(boxes.map(({ logProbability }) => logProbability)).toEqual(
      boxes.map(({ logProbability }) => logProbability).sort((a, b) => b - a),
    )
    const at = (left: number) => boxes.find(({ image, edges }) => image === 'shot' && edges[0] === left)
    expect([at(0.1)?.edges, at(0)?.edges]).toEqual([
      [0.1, 0.1, 0.5, 0.9],
      [0, 0, 1, 1],
    ])
    const [first, second] = [at(0.1)?.logProbability, at(0)?.logProbability] as [number, number]
    const ofFirst = decoded.steps.slice(1, 1 + '{"bbox_2d": [20, 90, 100, 10]}'.length)
    expect(first).toBeCloseTo(
      ofFirst.reduce((sum, step) => sum + step.constrainedLogProbability, 0),
      9,
    )
    expect(first + second).toBeGreaterThan(decoded.constrainedLogProbability - 1e-9)
  })

  it('may be none, and only one where one is asked for', async () => {
    const one = format.constraint(trie, asked.picture, false, true)
    const none = await written(one, codes('[]'))
    expect([none.text, none.complete, readBoxes(format, asked, none, one.bytesOf)]).toEqual(['[]', true, []])
    const cut = await written(one, codes('[{"bbox_2d": [1, 2, 3, 4]}, {'))
    expect(cut.text).toBe('[{"bbox_2d": [1, 2, 3, 4]}]')
  })

  it('have no number beyond the edge, and a space in front only where the opening of the answer has none', async () => {
    const far = await written(format.constraint(trie, asked.picture, false, true), codes('[{"bbox_2d": [999, 2, 3, 4]}]'))
    expect(Number(/\[(\d+),/.exec(far.text)?.[1])).toBeLessThanOrEqual(200)
    const space = codes(' ')[0] as number
    for (const opensWithSpace of [false, true]) {
      const constraint = format.constraint(trie, asked.picture, false, opensWithSpace)
      expect(constraint.allowed(constraint.start).includes(space)).toBe(!opensWithSpace)
    }
  })
})

describe('tokenRounds', () => {
  const tag = (from: number, count: number) => ({
    type: 'control' as const,
    tokens: new Map(Array.from({ length: count }, (_, i) => [from + i, utf8.encode(`<${from + i}>`)])),
  })

  it('takes whole rounds of control tokens, and ends between them only', async () => {
    const constraint = tokenRounds([tag(1000, 5), tag(1100, 5)], 2)
    expect([...constraint.allowed(constraint.start)]).toEqual([1000, 1001, 1002, 1003, 1004])
    expect(constraint.mayEnd(constraint.start)).toBe(true)
    expect(constraint.mayEnd(constraint.advance(constraint.start, 1003) as number)).toBe(false)
    expect(constraint.advance(constraint.start, 1100)).toBeNull()
    const decoded = await written(constraint, [1003, 1101, 1000, 1104, 1000])
    expect([decoded.text, decoded.complete]).toEqual(['<1003><1101><1000><1104>', true])
    expect((await written(constraint, [])).text).toBe('')
  })

  it('takes texts between control tokens, also those that could go on', async () => {
    const number = constrainTokens(trie, compileExpression(wholeUpTo(150)))
    const constraint = tokenRounds([tag(1000, 1), { type: 'text', constraint: number }, tag(1001, 1)], 2)
    const decoded = await written(constraint, [1000, ...codes('15'), 1001, 1000, ...codes('7'), 1001])
    expect([decoded.text, decoded.complete]).toEqual(['<1000>15<1001><1000>7<1001>', true])
    // 1 may be the number, or the beginning of one.
    const one = constraint.advance(constraint.advance(constraint.start, 1000) as number, codes('1')[0] as number) as number
    expect([...constraint.allowed(one)]).toEqual([...codes('0123456789'), 1001])
    expect(constraint.mayEnd(one)).toBe(false)
  })
})

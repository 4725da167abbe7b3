import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import type { Json, Piece } from '../../src/core/types.ts'
import { jsonPieces, MAX_JSON_DEPTH, MAX_JSON_VALUES } from '../../src/pipeline/state/json.ts'

const textOf = (pieces: readonly Piece[]) => pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
const quotable = (pieces: readonly Piece[]) =>
  pieces.flatMap((piece) => (piece.type === 'text' && piece.source !== null ? [{ text: piece.text, ...piece.source }] : []))

/** The value a JSON Pointer names (RFC 6901), by a second path. */
function follow(value: Json, path: string): Json {
  let here = value
  for (const token of path.split('/').slice(1)) {
    here = (here as Record<string, Json>)[token.replaceAll('~1', '/').replaceAll('~0', '~')] as Json
  }
  return here
}

function refusal(value: unknown): EngineError {
  try {
    jsonPieces(value as Json, 0)
  } catch (error) {
    if (error instanceof EngineError) return error
  }
  throw new Error('was not refused')
}

describe('jsonPieces', () => {
  it('writes nested objects and arrays as indented lines', () => {
    const value = {
      order: { id: 'A-17', total: 12.5, paid: false },
      note: null,
      tags: ['new', 'big'],
      turns: [
        { speaker: 'user', text: 'I want a refund' },
        { speaker: 'agent', text: 'Of course' },
      ],
      lines: [{ sku: 'x', sizes: [1, 2] }],
      empty: [],
      none: {},
      blank: '',
    }
    expect(textOf(jsonPieces(value, 0))).toBe(
      [
        'order:',
        '  id: A-17',
        '  total: 12.5',
        '  paid: false',
        'note: null',
        'tags:',
        '  - new',
        '  - big',
        'turns:',
        '  - speaker: user, text: I want a refund',
        '  - speaker: agent, text: Of course',
        'lines:',
        '  - sku: x',
        '    sizes:',
        '      - 1',
        '      - 2',
        'empty: []',
        'none: {}',
        'blank: ""',
      ].join('\n'),
    )
  })

  it('keeps a text of several lines verbatim, as one piece on its own lines', () => {
    const pieces = jsonPieces({ mail: 'Hello,\n  see you\n', from: 'ann' }, 3)
    expect(textOf(pieces)).toBe('mail:\nHello,\n  see you\n\nfrom: ann')
    expect(quotable(pieces)).toEqual([
      { text: 'Hello,\n  see you\n', part: 3, path: '/mail' },
      { text: 'ann', part: 3, path: '/from' },
    ])
    expect(textOf(jsonPieces([{ a: 'x\ny', b: 1 }], 0))).toBe('- a:\nx\ny\n  b: 1')
  })

  it('nests arrays in arrays', () => {
    expect(textOf(jsonPieces([[1, [2]], 3], 0))).toBe('- - 1\n  - - 2\n- 3')
  })

  it('reads a scalar as itself', () => {
    expect(jsonPieces('hi', 1)).toEqual([{ type: 'text', text: 'hi', source: { part: 1, path: '' } }])
    expect(jsonPieces(null, 0)).toEqual([{ type: 'text', text: 'null', source: null }])
    expect(jsonPieces(-0.5, 0)).toEqual([{ type: 'text', text: '-0.5', source: { part: 0, path: '' } }])
  })

  it('quotes keys that would not read on one line, and escapes them in pointers', () => {
    const pieces = jsonPieces({ 'a/b~c': 'x', 'two\nlines': 'y', '': 'z' }, 0)
    expect(textOf(pieces)).toBe('a/b~c: x\n"two\\nlines": y\n"": z')
    expect(quotable(pieces).map(({ path }) => path)).toEqual(['/a~1b~0c', '/two\nlines', '/'])
  })

  it('refuses what is nested too deeply, without overflowing the stack', () => {
    let deep: Json = 'x'
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(refusal(deep)).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(String(MAX_JSON_DEPTH)) })
    let fits: Json = 'x'
    for (let i = 0; i < MAX_JSON_DEPTH; i++) fits = [fits]
    expect(textOf(jsonPieces(fits, 0))).toBe(`${'- '.repeat(MAX_JSON_DEPTH)}x`)
  })

  it('refuses too many values, so that a cyclic object ends', () => {
    expect(refusal(new Array(MAX_JSON_VALUES).fill(1)).message).toContain(String(MAX_JSON_VALUES))
    const cyclic: unknown[] = []
    cyclic.push(cyclic, cyclic)
    expect(refusal(cyclic).code).toBe('invalid_request')
  })

  it('refuses what JSON cannot say, with its pointer', () => {
    expect(refusal({ a: [1, Number.NaN] }).param).toBe('/state/a/1')
    expect(refusal({ a: undefined }).param).toBe('/state/a')
    expect(refusal({ a: new Date(0) }).param).toBe('/state/a')
    expect(refusal([{ a: 1n }]).param).toBe('/state/0/a')
    expect(refusal([{ a: () => 1 }]).param).toBe('/state/0/a')
  })

  it('gives every non-empty string and every number as a piece whose pointer leads back to it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = value as Json
        const pieces = jsonPieces(json, 2)
        expect(jsonPieces(json, 2)).toEqual(pieces)
        for (const { text, path, part } of quotable(pieces)) {
          expect(part).toBe(2)
          expect(String(follow(json, path as string))).toBe(text)
        }
        let leaves = 0
        JSON.stringify(json, (_key, member) => {
          if ((typeof member === 'string' && member !== '') || typeof member === 'number') leaves++
          return member
        })
        expect(quotable(pieces)).toHaveLength(leaves)
        // Scaffold is merged: no two stretches of it touch, none is empty.
        pieces.forEach((piece, i) => {
          if (piece.type !== 'text') throw new Error('not text')
          expect(piece.text).not.toBe('')
          const before = pieces[i - 1]
          if (before?.type === 'text') expect(before.source === null && piece.source === null).toBe(false)
        })
      }),
      { seed: 7, numRuns: 300 },
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_JSON_DEPTH } from '../../src/core/limits.ts'
import type { Json, Piece } from '../../src/core/types.ts'
import { jsonPieces } from '../../src/pipeline/state/json.ts'
import { MAX_JSON_VALUES, plainJson } from '../../src/pipeline/state/plain-json.ts'
import type { Fault } from '../../src/questions/shared/checked-question.ts'

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

function faultsOf(value: unknown): Fault[] {
  const faults: Fault[] = []
  plainJson(value, '/state', faults)
  return faults
}

function refusal(value: unknown): Fault {
  const [first] = faultsOf(value)
  if (first === undefined) throw new Error('was not refused')
  return first
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

describe('plainJson', () => {
  it('refuses what is nested too deeply, without overflowing the stack', () => {
    let deep: Json = 'x'
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(refusal(deep)).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(String(MAX_JSON_DEPTH)) })
    let fits: Json = 'x'
    for (let i = 0; i < MAX_JSON_DEPTH; i++) fits = [fits]
    expect(textOf(jsonPieces(plainJson(fits, '', []), 0))).toBe(`${'- '.repeat(MAX_JSON_DEPTH)}x`)
  })

  it('refuses too many values, and ends', () => {
    expect(refusal(new Array(MAX_JSON_VALUES).fill(1)).message).toContain(String(MAX_JSON_VALUES))
    expect(faultsOf(new Array(4e9))).toHaveLength(20)
  })

  it('refuses a circle where it closes', () => {
    const loop: Record<string, unknown> = { name: 'loop' }
    loop.self = { again: loop, other: [] }
    expect(faultsOf(loop)).toMatchObject([{ param: '/state/self/again', message: expect.stringContaining('no circles') }])
    const twice = { a: 1 }
    expect(faultsOf([twice, twice])).toEqual([])
  })

  it.each([
    [Number.NaN, 'null or a string'],
    [1n, 'String(value)'],
    [() => 1, 'leave it out'],
    [new Date(0), 'date.toISOString()'],
    [new Map(), 'Object.fromEntries(map)'],
    [new Set(), '[...set]'],
    [new Uint8Array(2), 'source: { type: "bytes", bytes }'],
    [new TypeError('boom'), 'error.stack'],
    [Promise.resolve(1), 'await it first'],
    [/a+/, 'no fields that JSON could say'],
    [
      new (class Order {
        id = 'A-1'
      })(),
      'JSON.parse(JSON.stringify(value))',
    ],
    [new URL('https://a.example'), 'JSON.parse(JSON.stringify(value))'],
    [undefined, 'send null instead'],
  ])('refuses what JSON cannot say, with its pointer and the next step: %s', (value, step) => {
    expect(faultsOf([{ a: [1, value] }])).toMatchObject([{ param: '/state/0/a/1', message: expect.stringContaining(step) }])
  })

  it('refuses a member that cannot be read', () => {
    const state = {
      get broken() {
        throw new Error('not now')
      },
    }
    expect(faultsOf(state)).toMatchObject([{ param: '/state/broken', message: expect.stringContaining('not now') }])
  })

  it('leaves out members that are undefined, as JSON does', () => {
    expect(plainJson({ a: undefined, b: [{ c: undefined }] }, '', [])).toEqual({ b: [{}] })
  })

  it('gives a plain copy of what a Proxy shows, with __proto__ as a plain key', () => {
    const inner = JSON.parse('{"__proto__": {"x": 1}, "b": [1, {"c": null}]}') as object
    const shown = new Proxy(inner, {})
    const copy = plainJson(shown, '', [])
    expect(JSON.stringify(structuredClone(copy))).toBe(JSON.stringify(inner))
  })
})

import { describe, expect, it } from 'vitest'
import { boxesOf, type MarkedSpan, markedTexts, spansOf } from '../../../src/console/playground/marks.ts'
import type { Answer } from '../../../src/wire/types.ts'

const extract = (start: number, end: number, where: object = {}): Answer => ({
  type: 'extract',
  value: 'x',
  span: { start, end, ...where },
  valid: true,
  confidence: 0.9,
})
const span = (label: string, start: number, end: number, where: object = {}): MarkedSpan => ({
  label,
  at: { start, end, ...where },
  confidence: 1,
})
const shown = (state: unknown, spans: readonly MarkedSpan[]) =>
  markedTexts(state, spans).map(({ where, segments }) => [
    where,
    ...segments.map(({ text, labels }) => (labels.length === 0 ? text : `[${text}:${labels}]`)),
  ])

describe('marks', () => {
  it('are found in answers, in lists, and in arguments of a choice', () => {
    const many: Answer = {
      type: 'extract',
      values: ['a'],
      items: [{ value: 'a', span: { start: 2, end: 3 }, confidence: 1 }],
      valid: true,
      confidence: 1,
    }
    const choice: Answer = { type: 'choice', choice: 'a', probabilities: { a: 1 }, confidence: 1, args: { amount: extract(4, 5) } }
    const missing: Answer = { type: 'extract', value: null, valid: true, confidence: 1 }
    expect(spansOf({ one: extract(0, 1), many, choice, missing }).map(({ label, at }) => [label, at.start])).toEqual([
      ['one', 0],
      ['many', 2],
      ['choice/amount', 4],
    ])
  })

  it('cut a text where they begin and end, also where they overlap', () => {
    expect(shown('abcdef', [span('x', 1, 4), span('y', 3, 5)])).toEqual([['', 'a', '[bc:x]', '[d:x,y]', '[e:y]', 'f']])
  })

  it('count UTF-16 units', () => {
    expect(shown('😀ab', [span('x', 2, 3)])).toEqual([['', '😀', '[a:x]', 'b']])
  })

  it('stand in the strings and numbers of a JSON state, by their pointers', () => {
    const state = { 'a/b': ['zero', { note: 'yes no' }], total: 59.9 }
    expect(shown(state, [span('n', 4, 6, { path: '/a~1b/1/note' }), span('t', 0, 4, { path: '/total' })])).toEqual([
      ['/a~1b/1/note', 'yes ', '[no:n]'],
      ['/total', '[59.9:t]'],
    ])
  })

  it('stand in the part they name', () => {
    const state = [
      { type: 'text', text: 'first' },
      { type: 'json', value: { a: 'second' } },
    ]
    expect(shown(state, [span('a', 0, 2), span('b', 0, 3, { part: 1, path: '/a' })])).toEqual([
      ['part 1', '[fi:a]', 'rst'],
      ['part 2 /a', '[sec:b]', 'ond'],
    ])
  })

  it.each([
    ['a text that is not there', { path: '/gone' }],
    ['a part that is not there', { part: 3 }],
    ['an inherited name', { path: '/constructor/name' }],
    ['the end of the text', { end: 99 }],
  ])('beyond %s are left out', (_what, where) => {
    expect(shown({ a: 'text' }, [span('x', 0, 2, where)])).toEqual([])
  })

  it('on pictures are boxes, one for each that was found', () => {
    const shared = { type: 'extract', image_size: [100, 50], valid: true, confidence: 0.5 } as const
    const answers: Record<string, Answer> = {
      one: { ...shared, coordinates: [1, 2, 3, 4], center: [2, 3] },
      none: { ...shared, coordinates: null, center: null },
      many: { ...shared, boxes: [{ coordinates: [5, 6, 7, 8], center: [6, 7], confidence: 0.4 }] },
    }
    const found = boxesOf(answers, (name) => (name === 'many' ? 'back' : null))
    expect(found.map(({ label, image, coordinates, size }) => [label, image, coordinates[0], size])).toEqual([
      ['one', null, 1, [100, 50]],
      ['many', 'back', 5, [100, 50]],
    ])
  })
})

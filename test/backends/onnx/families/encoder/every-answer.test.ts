// Which answers the pointers of a read make where every one is asked for: what stands in one list with an answer is
// one, too, though the pointers hardly say so.
import { expect, it } from 'vitest'
import { AS_WRITTEN } from '../../../../../src/backends/onnx/families/encoder/asked-numbers.ts'
import { everyQuote, everyValue } from '../../../../../src/backends/onnx/families/encoder/every-answer.ts'
import { PossibleSpans } from '../../../../../src/backends/onnx/families/encoder/possible-spans.ts'
import type { ValueKind } from '../../../../../src/backends/onnx/families/encoder/written-values.ts'

/** Nats of a piece that is not named. */
const ELSEWHERE = -9

/** `strings` by path of JSON, or one text; a piece is a word or a mark, and is pointed at by its word alone. */
function pointersOf(strings: Readonly<Record<string, string>> | string, points: Readonly<Record<string, number>>) {
  const parts = typeof strings === 'string' ? [[null, strings] as const] : Object.entries(strings)
  let before = 0
  const stretches = parts.map(([path, string]) => {
    const start = before
    before += string.length + 1
    return { start, end: start + string.length, source: { part: 0, path }, string, offset: 0, head: null }
  })
  const words = stretches.flatMap(({ string, start }) =>
    Array.from(string.matchAll(/[\p{L}\d]+|[^\s\p{L}\d]/gu), ({ 0: word, index }) => ({ word, index: start + index })),
  )
  const pieces = {
    ids: words.map((_, i) => i),
    starts: words.map(({ index }) => index),
    ends: words.map(({ word, index }) => index + word.length),
  }
  const row = new Float32Array([ELSEWHERE, ...words.map(({ word }) => points[word] ?? ELSEWHERE)])
  const spans = new PossibleSpans({ stretches }, pieces)
  return { logits: { first: row, last: row }, passages: [{ from: 0, to: words.length }], spans, priors: new Map<string, number>() }
}

const textsOf = (strings: Readonly<Record<string, string>> | string, points: Readonly<Record<string, number>>): string[] =>
  everyQuote(pointersOf(strings, points), 'text', false).spans.map(({ text }) => text)

const valuesOf = (kind: ValueKind, strings: Readonly<Record<string, string>> | string, points: Readonly<Record<string, number>>) =>
  everyValue(pointersOf(strings, points), kind, false, AS_WRITTEN).values

it.each([
  [
    'an enumeration',
    'With us are Omar, Tess, Paul and Yusuf. Ingrid stays.',
    { Omar: 5, Tess: 3, Paul: 3, Yusuf: 3 },
    ['Omar', 'Tess', 'Paul', 'Yusuf'],
  ],
  ['one with small words', 'Come by tram, by bike or by ferry.', { tram: 5, bike: 3, ferry: 3 }, ['tram', 'bike', 'ferry']],
  [
    'lines of one form',
    'Due:\nEmma (12 May)\nDracula (19 May)\nUlysses (26 May)\nThank you.',
    { Dracula: 5, Emma: 3, Ulysses: 3 },
    ['Emma', 'Dracula', 'Ulysses'],
  ],
  ['a column', 'name,town,seats\nLund,Oslo,4\nVega,Rome,9\nCole,Bonn,7', { Rome: 5, Oslo: 3, Bonn: 3, Vega: 4 }, ['Oslo', 'Rome', 'Bonn']],
  [
    'an array',
    { '/invited/0': 'Ruth Aalto', '/invited/1': 'Ben Cho', '/host': 'Ilja Brand' },
    { Ruth: 5, Aalto: 5, Ben: 2, Cho: 2 },
    ['Ruth Aalto', 'Ben Cho'],
  ],
] as const)('takes what stands in %s with an answer', (_, strings, points, texts) => {
  expect(textsOf(strings as string, points)).toEqual(texts)
})

it('leaves out what is far less likely, and what stands in no list with an answer', () => {
  expect(textsOf('Omar, Tess and Paul come. Ingrid stays.', { Omar: 5, Tess: 4, Ingrid: 2 })).toEqual(['Omar', 'Tess'])
})

it('takes no text over the end of a line', () => {
  expect(textsOf('people:\nRhea\nIlse', { Rhea: 5, Ilse: 4.5 })).toEqual(['Rhea', 'Ilse'])
})

it.each([
  ['an enumeration', 'int', 'Lanes 12, 17 and 45 are closed, lane 28 is not.', { 12: 5, 17: 3, 45: 3 }, ['12', '17', '45']],
  [
    'days of one month',
    'date',
    'Closed on 24, 25 and 31 December 2026.',
    { 31: 2, December: 2, 2026: 2, 24: -2, 25: -2 },
    ['2026-12-24', '2026-12-25', '2026-12-31'],
  ],
  ['lines, but for their sum', 'number', 'Bread  3\nCheese  5\nApples  2\nTOTAL  10', { 3: 2.5, 5: 4, 2: 3, 10: 3 }, ['3', '5', '2']],
  [
    'the likelier of two columns',
    'int',
    'item,ordered,sent\nLamps,12,9\nDesks,7,6\nChairs,24,20',
    { 12: 3, 7: 2.5, 24: 2, 9: 3.1, 6: 0, 20: 0 },
    ['12', '7', '24'],
  ],
] as const)('takes the numbers and days of %s', (_, kind, strings, points, values) => {
  expect(valuesOf(kind, strings, points)).toEqual(values)
})

it('reads numbers cell by cell', () => {
  expect(valuesOf('number', 'id,ph,load\nA,5.9,655\nB,6.1,702', { 655: 5, 702: 4 })).toEqual(['655', '702'])
})

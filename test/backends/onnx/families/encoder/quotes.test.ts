// Which span the pointers of a read make a quote: one that ends inside an address or a short value is less likely.
import { expect, it } from 'vitest'
import { PossibleSpans } from '../../../../../src/backends/onnx/families/encoder/possible-spans.ts'
import { oneQuote } from '../../../../../src/backends/onnx/families/encoder/quotes.ts'

/** A piece a word or mark, and how much each is pointed at as the first and as the last one. */
function quoteOf(string: string, path: string | null, first: Readonly<Record<string, number>>, last: Readonly<Record<string, number>>) {
  const words = Array.from(string.matchAll(/[\p{L}\d]+|[^\s\p{L}\d]/gu), ({ 0: word, index }) => ({ word, index }))
  const stretch = { start: 0, end: string.length, source: { part: 0, path }, string, offset: 0, head: null }
  const pieces = {
    ids: words.map((_, i) => i),
    starts: words.map(({ index }) => index),
    ends: words.map(({ word, index }) => index + word.length),
  }
  const spans = new PossibleSpans({ stretches: [stretch] }, pieces)
  const row = (points: Readonly<Record<string, number>>) => new Float32Array([-9, ...words.map(({ word }) => points[word] ?? -9)])
  const pointers = { logits: { first: row(first), last: row(last) }, passages: [{ from: 0, to: words.length }], spans, priors: new Map() }
  return oneQuote(pointers, 'text').spans[0]?.text
}

it.each([
  [
    'a web address',
    'See https://files.example/i/5120.pdf today',
    null,
    { https: 5 },
    { example: 5, pdf: 3 },
    'https://files.example/i/5120.pdf',
  ],
  ['a moment', 'next try 2025-06-02T14:30:00Z', null, { 2025: 3, 30: 5 }, { '00Z': 5 }, '2025-06-02T14:30:00Z'],
  ['a value of one word', 'queue:receive', '/action', { queue: 3, receive: 5 }, { receive: 5 }, 'queue:receive'],
  [
    'a phrase',
    'timeout exceeded while it waited for the selector',
    '/error',
    { timeout: 5 },
    { exceeded: 5, selector: 4 },
    'timeout exceeded while it waited for the selector',
  ],
] as const)('is hardly ever a part of %s', (_, string, path, first, last, quote) => {
  expect(quoteOf(string, path, first, last)).toBe(quote)
})

it.each([
  ['stands in a sentence', 'Confirmed, reference NL804', '/note', { Confirmed: 1, NL804: 5 }, { NL804: 5 }, 'NL804'],
  ['stands behind a sign', 'from=ana@mail.example', null, { ana: 5, from: 3 }, { example: 5 }, 'ana@mail.example'],
  ['is a word of a text', 'the red bus came late', null, { red: 5, the: 3 }, { bus: 5, late: 3 }, 'red bus'],
] as const)('is less than the whole where it %s', (_, string, path, first, last, quote) => {
  expect(quoteOf(string, path, first, last)).toBe(quote)
})

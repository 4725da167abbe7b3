// Of values that stand in a text or in JSON those are likelier beside which the question's words stand.
import { describe, expect, it } from 'vitest'
import { rowClues } from '../../../../../src/backends/onnx/families/encoder/row-clues.ts'
import type { SourceStretch } from '../../../../../src/backends/onnx/families/encoder/state-writer.ts'

const SOUP =
  'CARROT SOUP\nServes: 4\n  600 g   carrots\n  1       onion\n  20 g    fresh ginger\nSimmer for 25 minutes. Serve with 2 rolls.'
const DISKS = 'disk report\n\nmount        size   used   free\n/var         60G    57G    3G\n/srv/scans   500G   455G   45G\n'

function stretchOf(string: string, path: string | null = null): SourceStretch {
  return { start: 0, end: string.length, source: { part: 0, path }, string, offset: 0, head: null }
}

/** The numbers of a text that are the likeliest for a question by what stands beside them. */
function likeliest(question: string, text: string): string[] {
  const stretch = stretchOf(text)
  const places = Array.from(text.matchAll(/\d+/g), ({ 0: said, index }) => ({ stretch, start: index, end: index + said.length }))
  const nats = rowClues(question, places, [stretch])
  expect(Math.max(...nats)).toBe(0)
  return places.filter((_, i) => nats[i] === 0).map(({ start, end }) => text.slice(start, end))
}

describe('the clues of a row', () => {
  it.each([
    ['a line', 'How many grams of ginger are needed?', SOUP, ['20']],
    ['a line of a table and the head of a column', 'free space on /srv/scans', DISKS, ['45']],
    ['a sentence of a line', 'For how many minutes does it simmer?', SOUP, ['25']],
    ['none, where no word stands beside any', 'What does it cost?', SOUP, ['4', '600', '1', '20', '25', '2']],
  ])('are those of %s', (_, question, text, values) => expect(likeliest(question, text)).toEqual(values))

  it('are those of an object of JSON, and of what it is in', () => {
    const strings = [
      stretchOf('Norte Cycles', '/orders/0/customer'),
      stretchOf('2', '/orders/0/quantity'),
      stretchOf('Alder Sports', '/orders/1/customer'),
      stretchOf('30', '/orders/1/quantity'),
      stretchOf('TUB-26', '/orders/1/item/sku'),
      stretchOf('7', '/orders/1/item/price'),
    ]
    const places = [1, 3, 5].map((at) => ({ stretch: strings[at] as SourceStretch, start: 0, end: 1 }))
    const [norte, alder, price] = rowClues('How many did Alder Sports order?', places, strings) as [number, number, number]
    expect(alder).toBe(0)
    expect(price).toBe(0)
    expect(norte).toBeLessThan(-1)
  })

  it('cost little time where an object has thousands of members', () => {
    const strings = Array.from({ length: 20_000 }, (_, n) => stretchOf(String(n), `/readings/${n}`))
    const places = strings.map((stretch) => ({ stretch, start: 0, end: stretch.string.length }))
    expect(new Set(rowClues('How high was the last reading?', places, strings))).toEqual(new Set([0]))
  })
})

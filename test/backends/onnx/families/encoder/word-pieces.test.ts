import { describe, expect, it } from 'vitest'
import { WordPieces } from '../../../../../src/backends/onnx/families/encoder/word-pieces.ts'
import { collectGarbage } from '../../../../shared/garbage.ts'

const NAMES = ['[CLS]', '[SEP]', '[UNK]', 'the', 'par', '##cel', 'cafe', 'came', '.', 'late']
const pieces = new WordPieces(
  {
    model: { type: 'WordPiece', vocab: Object.fromEntries(NAMES.map((name, id) => [name, id])) },
    normalizer: { type: 'BertNormalizer', lowercase: true },
  },
  'tiny',
)

/** The names of a text's pieces, and what of the text each stands for. */
function read(text: string) {
  const { ids, starts, ends } = pieces.encode(text)
  return ids.map((id, i) => [NAMES[id], text.slice(starts[i], ends[i])])
}

describe('word pieces', () => {
  it('stand where their characters do, over several lines', () => {
    const text = 'The parcel\r\n\n  Café came.\nThe'
    const all = [
      ['the', 'The'],
      ['par', 'par'],
      ['##cel', 'cel'],
      ['cafe', 'Café'],
      ['came', 'came'],
      ['.', '.'],
      ['the', 'The'],
    ]
    expect(read(text)).toEqual(all)
    expect(read(text)).toEqual(all)
  })

  it('of a line are the same wherever it stands, and however often it was read', () => {
    const line = 'the parcel came late.'
    const alone = read(line)
    expect(read(`cafe\n${line}\n${line}`)).toEqual([['cafe', 'cafe'], ...alone, ...alone])
  })

  it('of a word that goes on to the next line are those of two words', () => {
    expect(read('par\ncel').map(([name]) => name)).toEqual(['par', '[UNK]'])
  })

  it('of more lines than are kept are right, too', () => {
    const many = Array.from({ length: 3 }, (_, n) => `the ${'late '.repeat(100_000)}${'.'.repeat(n + 1)}`)
    for (const line of many) expect(pieces.encode(line).ids).toHaveLength(100_002 + many.indexOf(line))
    expect(read('the parcel')).toEqual([
      ['the', 'the'],
      ['par', 'par'],
      ['##cel', 'cel'],
    ])
  })

  it('of words that are longer than any piece are not kept', () => {
    const bytes = (): number => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    // Too long a line to be kept itself.
    const line = Array.from({ length: 90 }, (_, n) => `${n}${'a'.repeat(50_000)}`).join(' ')
    const before = bytes()
    expect(new Set(pieces.encode(line).ids)).toEqual(new Set([NAMES.indexOf('[UNK]')]))
    expect(bytes() - before).toBeLessThan(2 * 2 ** 20)
  })
})

// What the tests of our own model's family share: its tokenizer, prompts in short, and strings of every kind.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { type PackedState, packState } from '../../../../../src/backends/onnx/families/decision/pack.ts'
import { PieceTokenizer } from '../../../../../src/backends/onnx/families/decision/piece-tokenizer.ts'
import type { TextLine } from '../../../../../src/backends/onnx/families/decision/text-lines.ts'
import type { Piece } from '../../../../../src/core/types.ts'

export const SEED = 20_261_121

/** The tokenizer that ships with the model. */
export const tokenizer = new PieceTokenizer(
  JSON.parse(readFileSync(new URL('../../../../../models/service-1-pro/pictures/tokenizer.json', import.meta.url), 'utf8')),
)

/** A quotable string; `path` and `part` tell strings of one state apart. */
export function quotable(text: string, path: string | null = null, part = 0): Piece {
  return { type: 'text', text, source: { part, path } }
}

export function scaffold(text: string): Piece {
  return { type: 'text', text, source: null }
}

/** An image of no pixels: packing asks only how many cells it has. */
export function image(id: string): Piece {
  return { type: 'image', id, picture: { width: 1, height: 1, data: new Uint8Array(3), sha256: id } }
}

/** A line of letters of one width, read in the upper left of a picture. */
export function line(text: string, top = 0.1): TextLine {
  return { text, edges: Array.from({ length: text.length + 1 }, (_, i) => i / 100), top, bottom: top + 0.05 }
}

/** `lines`: what was read in the first image. */
export function pack(pieces: readonly Piece[], cellCounts: readonly number[] = [], lines: readonly TextLine[] = []): PackedState {
  return packState(
    { pieces },
    tokenizer,
    cellCounts.map((cellCount, i) => ({ cellCount, lines: i === 0 ? lines : [] })),
  )
}

/** Strings that tokenizers of other models read as control tokens. */
const CONTROL_LIKE = ['<image>', '<|im_start|>', '<|endoftext|>', '</s>', '[MASK]', '<fake_token_around_image>']

const characters = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) },
  // Any UTF-16 unit, so also halves of surrogate pairs.
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) },
  { weight: 1, arbitrary: fc.constantFrom('\ud83d', '\ude00', '\u200d', '\u0301', '\n', '\r\n', '\t', '\u00a0', '\u2028', '_') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('👩‍👩‍👧', '🇪🇺', 'İ', 'ẞ', 'ǅ', 'é', 'ﷺ', '東京', 'ไทย', 'Ærø', "n't", '’s', 'camelCase', '12.50'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...CONTROL_LIKE) },
)

/** Any string a request may hold: words, emoji, half characters, combining marks, what looks like control tokens. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.array(characters, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.lorem({ maxCount: 3, mode: 'sentences' }),
)

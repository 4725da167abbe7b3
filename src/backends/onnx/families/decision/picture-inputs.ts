// Encoded pictures to the picture inputs of the state encoder: features of their cells, layout features of cells and
// words, the cell that each word stands in, and the boxes by which rows and columns of words are found.
import { joined } from '../../runtime/tensors.ts'
import { layoutFeatures, nearestCells } from './cells.ts'
import { type WordBox, wordBoxesOf } from './pack.ts'
import type { EncodedPicture } from './picture-encoder.ts'
import type { PieceTokenizer } from './piece-tokenizer.ts'

export interface PictureInputs {
  /** Of the cells of all pictures, in order. [cell][vision width] */
  readonly features: readonly Float32Array[]
  /** Of these cells, and behind them of the words of all pictures. [row][6] */
  readonly layout: readonly Float32Array[]
  /** For each layout row the cell whose features it takes: a cell its own, a word those of the cell it stands in. */
  readonly cells: readonly number[]
  /** Of the words of all pictures. [word][WORD_BOX_WIDTH] */
  readonly wordBoxes: Float32Array
}

/**
 * Centre (x, y) and height of a word, left and right end of its line, all in heights of its picture, and the number of
 * the picture.
 */
export const WORD_BOX_WIDTH = 6

/**
 * Words that can stand in rows and columns. All of them are compared with each other, which takes a few megabytes for
 * so many.
 */
const MOST_WORD_BOXES = 1024

function wordBoxFeatures(words: readonly WordBox[], aspect: number, picture: number): Float32Array {
  return Float32Array.from(
    words.flatMap(({ x, y, height, lineEnds: [left, right] }) => [x * aspect, y, height, left * aspect, right * aspect, picture]),
  )
}

/** `aspects`: width by height of each picture. */
export function pictureInputsOf(pictures: readonly EncodedPicture[], aspects: readonly number[], tokenizer: PieceTokenizer): PictureInputs {
  const words = pictures.map(({ lines }) => wordBoxesOf(lines, tokenizer))
  const cells = pictures.map((picture) => picture.cells)
  let before = 0
  const ofCells: number[] = []
  const ofWords: number[] = []
  cells.forEach((own, i) => {
    const first = before
    ofCells.push(...own.map((_, cell) => first + cell))
    ofWords.push(...nearestCells(own, words[i] as WordBox[]).map((cell) => first + cell))
    before += own.length
  })
  return {
    features: pictures.map(({ features }) => features),
    layout: [cells, words].flatMap((parts) => parts.map((part, i) => layoutFeatures(part, aspects[i] as number))),
    cells: [...ofCells, ...ofWords],
    wordBoxes: joined(words.map((own, i) => wordBoxFeatures(own, aspects[i] as number, i))),
  }
}

/**
 * The word boxes of the tokens of a state, [S][WORD_BOX_WIDTH], by their layout rows: -1 for tokens that are no word of
 * a picture, and for words beyond the first `MOST_WORD_BOXES`.
 */
export function wordBoxRows(layoutRows: readonly number[], { cells, wordBoxes }: Pick<PictureInputs, 'cells' | 'wordBoxes'>): Float32Array {
  const rows = new Float32Array(layoutRows.length * WORD_BOX_WIDTH).fill(-1)
  const firstWord = cells.length - wordBoxes.length / WORD_BOX_WIDTH
  layoutRows.forEach((row, token) => {
    if (row < firstWord || row >= firstWord + MOST_WORD_BOXES) return
    const word = row - firstWord
    rows.set(wordBoxes.subarray(word * WORD_BOX_WIDTH, (word + 1) * WORD_BOX_WIDTH), token * WORD_BOX_WIDTH)
  })
  return rows
}

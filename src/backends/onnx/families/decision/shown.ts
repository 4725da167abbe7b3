// What the model is told of the pictures of a state: what their cells look like, where cells and words lie, and which cell a word stands in.

import { joined } from '../../runtime/tensors.ts'
import { looksOf, placesOf } from './cells.ts'
import { type PlacedWord, placesOfWords } from './pack.ts'
import type { SeenPicture } from './pictures.ts'
import type { PieceTokenizer } from './text.ts'

export interface Shown {
  /** Of the cells of all pictures, in order. [cell][vision width] */
  readonly features: readonly Float32Array[]
  /** Of these cells, and behind them of the words of all pictures. */
  readonly places: readonly Float32Array[]
  /** For each place the cell whose look it has: a cell its own, a word that of the cell it stands in. */
  readonly looks: readonly number[]
  /** Of the words of all pictures: what stands in their rows and columns is found by these. [word][SPOT_WIDTH] */
  readonly spots: Float32Array
}

/** Middle (x, y) and height of a word, left and right end of its line, all in heights of its picture, and the number of that (training/model.py). */
export const SPOT_WIDTH = 6

/** Words that can stand in rows and columns: all of them are compared with each other, a few megabytes for so many. A page of tables has some hundred. */
const MOST_SPOTS = 1024

function spotsOf(words: readonly PlacedWord[], aspect: number, picture: number): Float32Array {
  return Float32Array.from(
    words.flatMap(({ x, y, height, line: [left, right] }) => [x * aspect, y, height, left * aspect, right * aspect, picture]),
  )
}

/** `aspects`: width by height of each picture. */
export function shownOf(pictures: readonly SeenPicture[], aspects: readonly number[], tokenizer: PieceTokenizer): Shown {
  const words = pictures.map(({ lines }) => placesOfWords(lines, tokenizer))
  const cells = pictures.map((picture) => picture.cells)
  let before = 0
  const looksOfCells: number[] = []
  const looksOfWords: number[] = []
  cells.forEach((own, i) => {
    const first = before
    looksOfCells.push(...own.map((_, cell) => first + cell))
    looksOfWords.push(...looksOf(own, words[i] as PlacedWord[]).map((cell) => first + cell))
    before += own.length
  })
  return {
    features: pictures.map(({ features }) => features),
    places: [cells, words].flatMap((parts) => parts.map((part, i) => placesOf(part, aspects[i] as number))),
    looks: [...looksOfCells, ...looksOfWords],
    spots: joined(words.map((own, i) => spotsOf(own, aspects[i] as number, i))),
  }
}

/** [S][SPOT_WIDTH] for the tokens of a state by their `places`: -1 where no word stands that was read in a picture, and for words beyond the first `MOST_SPOTS`. */
export function spotsOfTokens(tokens: readonly number[], { looks, spots }: Shown): Float32Array {
  const rows = new Float32Array(tokens.length * SPOT_WIDTH).fill(-1)
  const cells = looks.length - spots.length / SPOT_WIDTH
  tokens.forEach((place, token) => {
    if (place < cells || place >= cells + MOST_SPOTS) return
    rows.set(spots.subarray((place - cells) * SPOT_WIDTH, (place - cells + 1) * SPOT_WIDTH), token * SPOT_WIDTH)
  })
  return rows
}

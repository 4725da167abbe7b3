// Prompts to the arrays that the decision model runs on. Training rows are made by the same functions
// (training/data/render.ts); those of branches stand in pack-branch.ts.
import { sum } from '../../../../core/math.ts'
import type { Prompt, TextSource } from '../../../../core/types.ts'
import type { Cell } from './cells.ts'
import type { PieceTokenizer } from './piece-tokenizer.ts'
import type { TextLine } from './text-lines.ts'

/** Where a token of the state stands in the caller's strings, or in a line of text read in an image. */
export interface Origin {
  readonly source: TextSource
  readonly text: string
  readonly start: number
  readonly end: number
  readonly inImage?: ImageLine
}

/** A line of text in one of the images. */
export interface ImageLine {
  readonly image: string
  readonly line: TextLine
}

/** The parts of an image that become tokens: its cells, and behind them the words that were read in it. */
export interface PackedPicture {
  readonly cellCount: number
  readonly lines: readonly TextLine[]
}

/**
 * A state as arrays with one entry per token. `positions` advance by one per token, but all cells of one image share
 * one. `segments` number the stretches that are compared with each other (quotable strings, and their lines), −1
 * elsewhere. `groups` number the segments that belong together, −1 elsewhere. `layoutRows` is the row of a
 * token among the layout features of all images, −1 for text that is in no image: first the cells of all
 * images, which have image features in the same row, then the words that were read.
 */
export interface PackedState {
  readonly ids: number[]
  readonly cases: number[]
  readonly segments: number[]
  readonly groups: readonly number[]
  readonly positions: number[]
  readonly layoutRows: number[]
  /** Null for scaffold, control and image tokens. */
  readonly origins: (Origin | null)[]
  /** Position of the first token of a branch. */
  readonly nextPosition: number
  readonly images: readonly PackedImage[]
}

/** The tokens of an image: its cells from `from` to `wordsFrom`, then the words that were read in it, to `to`. */
interface PackedImage {
  readonly id: string
  readonly from: number
  readonly wordsFrom: number
  readonly to: number
}

/** A space and a new line in the alphabet of byte-level pieces. */
const SPACE = 'Ġ'
const NEW_LINE = 'Ċ'

/** `pictures`: those of the images of the prompt, in order. */
export function packState(prompt: Prompt, tokenizer: PieceTokenizer, pictures: readonly PackedPicture[]): PackedState {
  const { control } = tokenizer
  const state = {
    ids: [] as number[],
    cases: [] as number[],
    segments: [] as number[],
    positions: [] as number[],
    layoutRows: [] as number[],
    origins: [] as (Origin | null)[],
  }
  const images: PackedImage[] = []
  let position = 0
  let segment = -1
  // Of layout rows the cells of all images come first.
  let cellRow = 0
  let wordRow = sum(pictures.map(({ cellCount }) => cellCount))

  /** A token at the position that is next; the caller moves on. */
  const push = (id: number, { letterCase = 0, segment = -1, layoutRow = -1, origin = null }: Partial<StateToken> = {}): void => {
    state.ids.push(id)
    state.cases.push(letterCase)
    state.segments.push(segment)
    state.positions.push(position)
    state.layoutRows.push(layoutRow)
    state.origins.push(origin)
  }
  const pushControl = (id: number): void => {
    push(id)
    position++
  }
  const pushImage = (image: string, { cellCount, lines }: PackedPicture): void => {
    pushControl(control.imageStart)
    const from = state.ids.length
    for (let cell = 0; cell < cellCount; cell++) push(control.image, { layoutRow: cellRow++ })
    position++
    for (const line of lines) {
      segment++
      for (const { id, letterCase, start, end } of tokensOf(line.text, tokenizer)) {
        const origin = { source: IMAGE_SOURCE, text: line.text, start, end, inImage: { image, line } }
        push(id, { letterCase, segment, layoutRow: wordRow++, origin })
        position++
      }
    }
    images.push({ id: image, from, wordsFrom: from + cellCount, to: state.ids.length })
    pushControl(control.imageEnd)
  }
  const pushText = (text: string, source: TextSource | null): void => {
    if (source !== null) segment++
    for (const { id, letterCase, start, end } of tokensOf(text, tokenizer)) {
      push(id, source === null ? { letterCase } : { letterCase, segment, origin: { source, text, start, end } })
      position++
      if (source !== null && tokenizer.spelling(id).includes(NEW_LINE)) segment++
    }
  }

  pushControl(control.state)
  for (const piece of prompt.pieces) {
    if (piece.type === 'image') pushImage(piece.id, pictures[images.length] ?? { cellCount: 0, lines: [] })
    else pushText(piece.text, piece.source)
  }
  return { ...state, groups: groupsOf(state), nextPosition: position, images }
}

/** What is said of a token of the state beside its id and position. */
interface StateToken {
  readonly letterCase: number
  readonly segment: number
  readonly layoutRow: number
  readonly origin: Origin | null
}

/** The source of text that was read in an image: it is in none of the caller's strings. */
const IMAGE_SOURCE: TextSource = { part: -1, path: null }

interface TextToken {
  readonly id: number
  readonly letterCase: number
  readonly start: number
  readonly end: number
}

function tokensOf(text: string, tokenizer: PieceTokenizer): TextToken[] {
  const { ids, cases, starts, ends } = tokenizer.encode(text)
  const isNumber = (i: number): boolean => isDigit(tokenizer.spelling(ids[i] ?? -1))
  return ids.flatMap((id, i) => {
    // A lone space carries no meaning, unless it separates two numbers.
    if (tokenizer.spelling(id) === SPACE && !(isNumber(i - 1) && isNumber(i + 1))) return []
    return [{ id, letterCase: cases[i] as number, start: starts[i] as number, end: ends[i] as number }]
  })
}

/**
 * The box of a word that was read, in the form of a cell, and the left and right end of its line. All are fractions of
 * the image.
 */
export interface WordBox extends Cell {
  readonly lineEnds: readonly [left: number, right: number]
}

/** The boxes of the words, in the order of the tokens that `packState` makes of them. */
export function wordBoxesOf(lines: readonly TextLine[], tokenizer: PieceTokenizer): WordBox[] {
  return lines.flatMap(({ text, edges, top, bottom }) => {
    const lineEnds = [edges[0] as number, edges.at(-1) as number] as const
    return tokensOf(text, tokenizer).map(({ start, end }) => {
      const [left, right] = [edges[start] as number, edges[end] as number]
      return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top, isGlobal: false, lineEnds }
    })
  })
}

/**
 * Groups segments by the outermost level at which the state has several: the parts of a list of parts, the members of a
 * JSON value (for a single member, its members), or the lines of a text. So all functions of `{ request, functions:
 * [...] }` are one group, beside the request.
 */
function groupsOf({ origins, segments }: { readonly origins: readonly (Origin | null)[]; readonly segments: readonly number[] }): number[] {
  const paths = new Map<number, readonly string[]>()
  origins.forEach((origin, i) => {
    const segment = segments[i] as number
    if (origin === null || paths.has(segment)) return
    const { part, path } = origin.source
    paths.set(segment, [String(part), ...(path ?? '').split('/').slice(1), `line ${segment}`])
  })
  const [first = [], ...others] = paths.values()
  // The first level at which paths differ.
  const level = others.reduce(
    (depth, path) =>
      Math.min(
        depth,
        first.findIndex((step, i) => step !== path[i]),
      ),
    first.length - 1,
  )
  const groups = new Map<string, number>()
  return segments.map((segment) => {
    const step = paths.get(segment)?.[level]
    if (step === undefined) return -1
    if (!groups.has(step)) groups.set(step, groups.size)
    return groups.get(step) as number
  })
}

function isDigit(spelling: string): boolean {
  return spelling.length === 1 && spelling >= '0' && spelling <= '9'
}

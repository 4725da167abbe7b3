// Prompts and branches to the arrays that the decision model runs on. Training rows are made by the same functions
// (training/data/render.ts).

import type { Prompt, TextSource } from '../../../../core/types.ts'
import type { Branch, Constraint } from '../../../backend.ts'
import type { Cell } from './cells.ts'
import { kindOf } from './control-tokens.ts'
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
  readonly cells: number
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
  /** The tokens of each image: its cells from `from` to `read`, then the words that were read in it, to `to`. */
  readonly images: readonly { readonly id: string; readonly from: number; readonly read: number; readonly to: number }[]
}

/** A space and a new line in the alphabet of byte-level pieces. */
const SPACE = 'Ġ'
const NEW_LINE = 'Ċ'

/** `pictures`: those of the images of the prompt, in order. */
export function packState(prompt: Prompt, tokenizer: PieceTokenizer, pictures: readonly PackedPicture[]): PackedState {
  const { control } = tokenizer
  const state = {
    ids: [control.state],
    cases: [0],
    segments: [-1],
    positions: [0],
    layoutRows: [-1],
    origins: [null] as (Origin | null)[],
  }
  const images: { id: string; from: number; read: number; to: number }[] = []
  let position = 1
  let segment = -1
  let cells = 0
  let words = pictures.reduce((sum, picture) => sum + picture.cells, 0)
  const push = (id: number, part: { case?: number; segment?: number; layoutRow?: number; origin?: Origin | null }): void => {
    state.ids.push(id)
    state.cases.push(part.case ?? 0)
    state.segments.push(part.segment ?? -1)
    state.positions.push(position)
    state.layoutRows.push(part.layoutRow ?? -1)
    state.origins.push(part.origin ?? null)
  }
  for (const piece of prompt.pieces) {
    if (piece.type === 'image') {
      push(control.imageStart, {})
      position++
      const picture = pictures[images.length] ?? { cells: 0, lines: [] }
      const from = state.ids.length
      for (let cell = 0; cell < picture.cells; cell++) push(control.image, { layoutRow: cells + cell })
      cells += picture.cells
      position++
      for (const line of picture.lines) {
        segment++
        const inImage = { image: piece.id, line }
        for (const { id, case: letterCase, start, end } of tokensOf(line.text, tokenizer)) {
          const origin = { source: IMAGE_SOURCE, text: line.text, start, end, inImage }
          push(id, { case: letterCase, segment, layoutRow: words++, origin })
          position++
        }
      }
      images.push({ id: piece.id, from, read: from + picture.cells, to: state.ids.length })
      push(control.imageEnd, {})
      position++
      continue
    }
    const { source, text } = piece
    if (source !== null) segment++
    for (const { id, case: letterCase, start, end } of tokensOf(text, tokenizer)) {
      push(id, { case: letterCase, segment: source === null ? -1 : segment, origin: source === null ? null : { source, text, start, end } })
      position++
      if (source !== null && tokenizer.spelling(id).includes(NEW_LINE)) segment++
    }
  }
  return { ...state, groups: groupsOf(state), nextPosition: position, images }
}

/** The source of text that was read in an image: it is in none of the caller's strings. */
const IMAGE_SOURCE: TextSource = { part: -1, path: null }

interface TextToken {
  readonly id: number
  readonly case: number
  readonly start: number
  readonly end: number
}

function tokensOf(text: string, tokenizer: PieceTokenizer): TextToken[] {
  const { ids, cases, starts, ends } = tokenizer.encode(text)
  const isNumber = (i: number): boolean => isDigit(tokenizer.spelling(ids[i] ?? -1))
  return ids.flatMap((id, i) => {
    // A lone space carries no meaning, unless it separates two numbers.
    if (tokenizer.spelling(id) === SPACE && !(isNumber(i - 1) && isNumber(i + 1))) return []
    return [{ id, case: cases[i] as number, start: starts[i] as number, end: ends[i] as number }]
  })
}

/**
 * The box of a word that was read, in the form of a cell, and the left and right end of its line. All are fractions of
 * the image.
 */
export interface WordBox extends Cell {
  readonly line: readonly [left: number, right: number]
}

/** The boxes of the words, in the order of the tokens that `packState` makes of them. */
export function wordBoxesOf(lines: readonly TextLine[], tokenizer: PieceTokenizer): WordBox[] {
  return lines.flatMap(({ text, edges, top, bottom }) => {
    const line = [edges[0] as number, edges.at(-1) as number] as const
    return tokensOf(text, tokenizer).map(({ start, end }) => {
      const [left, right] = [edges[start] as number, edges[end] as number]
      return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top, isGlobal: false, line }
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
  const shared = others.reduce(
    (depth, path) =>
      Math.min(
        depth,
        first.findIndex((step, i) => step !== path[i]),
      ),
    first.length - 1,
  )
  const numbers = new Map<string, number>()
  return segments.map((segment) => {
    const name = paths.get(segment)?.[shared]
    if (name === undefined) return -1
    if (!numbers.has(name)) numbers.set(name, numbers.size)
    return numbers.get(name) as number
  })
}

function isDigit(spelling: string): boolean {
  return spelling.length === 1 && spelling >= '0' && spelling <= '9'
}

/**
 * A question behind the state, with one entry per token. `owners` is 0 for the question itself and 1… for its
 * options; an option attends to the state, the question and itself, and readout tokens of one question attend
 * to each other. `readouts` are the indexes of the readout tokens: one per option, or one at the end of the
 * question. `ranks` is the position on the scale, 0 to 1, for the readout tokens of an ordinal branch, −1
 * elsewhere.
 */
export interface PackedBranch {
  readonly ids: number[]
  readonly cases: number[]
  readonly positions: number[]
  readonly owners: number[]
  readonly readouts: number[]
  readonly ranks: number[]
  /** Row of each candidate among `readouts`: options are sorted first, so that the caller's order cannot matter. */
  readonly rowOf: number[]
}

export function packBranch(branch: Branch, constraint: Constraint | null, from: number, tokenizer: PieceTokenizer): PackedBranch {
  const packed = {
    ids: [] as number[],
    cases: [] as number[],
    positions: [] as number[],
    owners: [] as number[],
    readouts: [] as number[],
    ranks: [] as number[],
  }
  const push = (id: number, letterCase: number, position: number, owner: number, rank = -1): void => {
    packed.ids.push(id)
    packed.cases.push(letterCase)
    packed.positions.push(position)
    packed.owners.push(owner)
    packed.ranks.push(rank)
  }
  const words = (text: string, position: number, owner: number): number => {
    const { ids, cases } = tokenizer.encode(text)
    for (let i = 0; i < ids.length; i++) push(ids[i] as number, cases[i] as number, position + i, owner)
    return position + ids.length
  }
  const { control } = tokenizer
  push(control.question, 0, from, 0)
  push(control.kindId(kindOf(branch, constraint)), 0, from + 1, 0)
  let next = words(questionText(branch), from + 2, 0)
  if (branch.readout === 'binary' || branch.readout === 'read') {
    packed.readouts.push(packed.ids.length)
    push(control.readout, 0, next, 0)
    return { ...packed, rowOf: branch.candidates.map((_, i) => i) }
  }
  const rowOf = new Array<number>(branch.candidates.length)
  const sorted = branch.candidates.map((candidate, index) => ({ text: candidateText(candidate), index }))
  if (branch.readout !== 'ordinal') sorted.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
  const optionsFrom = next
  sorted.forEach(({ text, index }, row) => {
    const owner = row + 1
    push(control.option, 0, optionsFrom, owner)
    next = words(text, optionsFrom + 1, owner)
    rowOf[index] = row
    packed.readouts.push(packed.ids.length)
    push(control.readout, 0, next, owner, branch.readout === 'ordinal' ? index / Math.max(1, branch.candidates.length - 1) : -1)
  })
  return { ...packed, rowOf }
}

function questionText(branch: Branch): string {
  const meanings =
    branch.readout === 'binary'
      ? branch.candidates.flatMap(({ name, description }) => (description === null ? [] : [`${name}: ${description}`]))
      : []
  return [branch.instructions, ...meanings].join('\n')
}

function candidateText({ name, description }: { readonly name: string; readonly description: string | null }): string {
  return description === null ? name : `${name}: ${description}`
}

// Prompt and branches to the arrays our own model runs on. Training rows are made by these same functions (training/render.ts).

import type { Prompt, TextSource } from '../../../../types.ts'
import type { Branch, Constraint } from '../../../backend.ts'
import { CONTROL, kindId, kindOf } from './control.ts'
import type { PieceTokenizer } from './text.ts'

/** Where a token of the state stands in the user's strings; null for scaffold, control and image tokens. */
export interface Origin {
  readonly source: TextSource
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * A state as arrays of one entry a token. `positions` advance by one a token, but all cells of one image share one. `segments` number the
 * stretches that are compared with each other (quotable strings, and their lines), −1 elsewhere; `groups` say which of them belong together, −1
 * elsewhere. `imageCells` is the row of the image features, −1 for text.
 */
export interface PackedState {
  readonly ids: number[]
  readonly cases: number[]
  readonly segments: number[]
  readonly groups: readonly number[]
  readonly positions: number[]
  readonly imageCells: number[]
  readonly origins: (Origin | null)[]
  /** Position of the first token of a branch. */
  readonly nextPosition: number
  /** Which tokens are cells of which image. */
  readonly images: readonly { readonly id: string; readonly from: number; readonly to: number }[]
}

const SPACE = 'Ġ'
const NEW_LINE = 'Ċ'

/** `cellCounts`: how many cells each image of the prompt has, in order. */
export function packState(prompt: Prompt, tokenizer: PieceTokenizer, cellCounts: readonly number[]): PackedState {
  const state = {
    ids: [CONTROL.state as number],
    cases: [0],
    segments: [-1],
    positions: [0],
    imageCells: [-1],
    origins: [null] as (Origin | null)[],
  }
  const images: { id: string; from: number; to: number }[] = []
  let position = 1
  let segment = -1
  let cells = 0
  const push = (id: number, part: { case?: number; segment?: number; cell?: number; origin?: Origin | null }): void => {
    state.ids.push(id)
    state.cases.push(part.case ?? 0)
    state.segments.push(part.segment ?? -1)
    state.positions.push(position)
    state.imageCells.push(part.cell ?? -1)
    state.origins.push(part.origin ?? null)
  }
  for (const piece of prompt.pieces) {
    if (piece.type === 'image') {
      push(CONTROL.imageStart, {})
      position++
      const count = cellCounts[images.length] ?? 0
      images.push({ id: piece.id, from: state.ids.length, to: state.ids.length + count })
      for (let cell = 0; cell < count; cell++) push(CONTROL.image, { cell: cells + cell })
      cells += count
      position++
      push(CONTROL.imageEnd, {})
      position++
      continue
    }
    const { source, text } = piece
    const { ids, cases, starts, ends } = tokenizer.encode(text)
    if (source !== null) segment++
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number
      const spelling = tokenizer.spelling(id)
      // A lone space says nothing, unless it keeps two numbers apart.
      if (spelling === SPACE && !(isDigit(tokenizer.spelling(ids[i - 1] ?? -1)) && isDigit(tokenizer.spelling(ids[i + 1] ?? -1)))) continue
      const origin = source === null ? null : { source, text, start: starts[i] as number, end: ends[i] as number }
      push(id, { case: cases[i] as number, segment: source === null ? -1 : segment, origin })
      position++
      if (source !== null && spelling.includes(NEW_LINE)) segment++
    }
  }
  return { ...state, groups: groupsOf(state), nextPosition: position, images }
}

/**
 * Where the state first falls into several: the parts of a list of parts, the members of a JSON value (an only member's members instead), the lines of a
 * text. So all functions of `{ request, functions: [...] }` are one group, beside the request.
 */
function groupsOf({ origins, segments }: { readonly origins: readonly (Origin | null)[]; readonly segments: readonly number[] }): number[] {
  const places = new Map<number, readonly string[]>()
  origins.forEach((origin, i) => {
    const segment = segments[i] as number
    if (origin === null || places.has(segment)) return
    const { part, path } = origin.source
    places.set(segment, [String(part), ...(path ?? '').split('/').slice(1), `line ${segment}`])
  })
  const [first = [], ...others] = places.values()
  const shared = others.reduce(
    (depth, place) =>
      Math.min(
        depth,
        first.findIndex((step, i) => step !== place[i]),
      ),
    first.length - 1,
  )
  const numbers = new Map<string, number>()
  return segments.map((segment) => {
    const name = places.get(segment)?.[shared]
    if (name === undefined) return -1
    if (!numbers.has(name)) numbers.set(name, numbers.size)
    return numbers.get(name) as number
  })
}

function isDigit(spelling: string): boolean {
  return spelling.length === 1 && spelling >= '0' && spelling <= '9'
}

/**
 * A question behind the state. `owner` is 0 for the question itself and 1… for its options; an option sees the state, the question and itself, and marks
 * of one question see each other. `marks` are the read-out tokens: one per option, or one at the end of the question.
 * `ranks` is, per token, the place on the scale from 0 to 1 for the marks of an ordinal branch and −1 elsewhere.
 */
export interface PackedBranch {
  readonly ids: number[]
  readonly cases: number[]
  readonly positions: number[]
  readonly owners: number[]
  readonly marks: number[]
  readonly ranks: number[]
  /** Row of each candidate among `marks`: options are sorted inside, so that their order cannot matter. */
  readonly rowOf: number[]
}

export function packBranch(branch: Branch, constraint: Constraint | null, from: number, tokenizer: PieceTokenizer): PackedBranch {
  const packed = {
    ids: [] as number[],
    cases: [] as number[],
    positions: [] as number[],
    owners: [] as number[],
    marks: [] as number[],
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
  push(CONTROL.question, 0, from, 0)
  push(kindId(kindOf(branch, constraint)), 0, from + 1, 0)
  let next = words(questionText(branch), from + 2, 0)
  if (branch.readout === 'binary' || branch.readout === 'read') {
    packed.marks.push(packed.ids.length)
    push(CONTROL.mark, 0, next, 0)
    return { ...packed, rowOf: branch.candidates.map((_, i) => i) }
  }
  const rowOf = new Array<number>(branch.candidates.length)
  const sorted = branch.candidates.map((candidate, index) => ({ text: candidateText(candidate), index }))
  if (branch.readout !== 'ordinal') sorted.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
  const optionsFrom = next
  sorted.forEach(({ text, index }, row) => {
    const owner = row + 1
    push(CONTROL.option, 0, optionsFrom, owner)
    next = words(text, optionsFrom + 1, owner)
    rowOf[index] = row
    packed.marks.push(packed.ids.length)
    push(CONTROL.mark, 0, next, owner, branch.readout === 'ordinal' ? index / Math.max(1, branch.candidates.length - 1) : -1)
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

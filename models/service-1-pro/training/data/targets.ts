// The truth of a labelled question in terms of the packed state: an option, a level, tokens of a span, cells of a box,
// or the ids of an answer.
import type { Cell } from '../../../../src/backends/onnx/families/decision/cells.ts'
import type { PackedState } from '../../../../src/backends/onnx/families/decision/pack.ts'
import type { PieceTokenizer } from '../../../../src/backends/onnx/families/decision/piece-tokenizer.ts'
import { lineBox, type TextLine } from '../../../../src/backends/onnx/families/decision/text-lines.ts'
import { overlap } from '../../../../src/core/math.ts'
import type { Json } from '../../../../src/core/types.ts'
import type { ModelCall } from '../../../../src/questions/shared/coroutine.ts'
import { misread, occurrences, stringsOf } from './strings.ts'

export type Target =
  | { readonly type: 'option'; readonly value: number }
  | { readonly type: 'options'; readonly value: readonly number[] }
  | { readonly type: 'value'; readonly value: number | readonly number[] | readonly (readonly number[])[] }

/**
 * A picture cut into the cells that became tokens, and the lines read in it. The row holds `entry` as it is, and after
 * it the boxes of the words.
 */
export interface PictureCells {
  readonly cells: readonly Cell[]
  readonly lines: readonly TextLine[]
  readonly width: number
  readonly height: number
  readonly entry: readonly unknown[]
  readonly words: readonly (readonly number[])[]
}

/** A packed state, of which tokens `from` to `to` are kept behind the first one. */
export interface Rendering {
  readonly state: PackedState
  readonly from: number
  readonly to: number
  /** The one picture of the state; null when there is none or more than one. */
  readonly picture: PictureCells | null
  readonly tokenizer: PieceTokenizer
}

/** Null when the truth cannot be expressed: an option that is not listed, words that were cut off. */
export function targetOf(work: ModelCall, truth: Json, rendering: Rendering): Target | null {
  const { readout, candidates } = work.branch
  const names = candidates.map(({ name }) => name)
  if (readout === 'binary') return typeof truth === 'boolean' ? { type: 'value', value: Number(truth) } : null
  if (readout === 'ordinal') return typeof truth === 'number' ? { type: 'value', value: truth } : null
  if (readout === 'exclusive') {
    const option = names.indexOf(String(truth))
    return option < 0 ? null : { type: 'option', value: option }
  }
  if (readout === 'independent')
    return Array.isArray(truth) ? { type: 'options', value: names.map((name) => Number(truth.includes(name))) } : null
  if (work.type !== 'read') return null
  const { constraint } = work
  if (constraint.type === 'grammar')
    return { type: 'value', value: [...rendering.tokenizer.encode(String(truth)).ids, rendering.tokenizer.control.end] }
  if (constraint.type === 'box') return boxes(truth, rendering)
  return spans(truth, constraint.many, rendering)
}

function spans(truth: Json, isMany: boolean, { state, from, to }: Rendering): Target | null {
  const wanted = truth === null ? [] : Array.isArray(truth) ? truth.map(String) : [String(truth)]
  const strings = stringsOf(state)
  const found = wanted.map((text) => {
    const exact = strings.flatMap((string) => occurrences(string, text))
    return (exact.length > 0 ? exact : misread(strings, text)).flatMap(([first, last]) =>
      first >= from && last < to ? [[first - from + 1, last - from + 1]] : [],
    )
  })
  if (found.some((places) => places.length === 0)) return null
  return { type: 'value', value: isMany ? found.map((places) => places[0] as number[]) : (found[0] ?? []) }
}

/** Overlap (IoU) from which on the box of a line counts as the true box. */
const LINE_OVERLAP = 0.5

/**
 * For each box the state tokens of the cells whose centre it holds, or of the cell that holds its centre, and of the
 * words whose line it is drawn around.
 */
function boxes(truth: Json, { state, picture }: Rendering): Target | null {
  const range = state.images[0]
  if (picture === null || range === undefined) return null
  const list = Array.isArray(truth) ? truth : []
  const wanted = (list.length > 0 && !Array.isArray(list[0]) ? [list] : list) as number[][]
  const groups = wanted.map(([left = 0, top = 0, right = 0, bottom = 0]) => {
    const [l, t, r, b] = [left / picture.width, top / picture.height, right / picture.width, bottom / picture.height]
    const [x, y] = [(l + r) / 2, (t + b) / 2]
    const isLine = state.origins
      .slice(range.wordsFrom, range.to)
      .flatMap((origin, i) =>
        origin?.inImage && overlap(lineBox(origin.inImage.line), [l, t, r, b]) >= LINE_OVERLAP ? [range.wordsFrom + i] : [],
      )
    const inside = picture.cells.flatMap((cell, i) => {
      const isInside = cell.x > l && cell.x < r && cell.y > t && cell.y < b
      const holdsCentre = Math.abs(cell.x - x) <= cell.width / 2 && Math.abs(cell.y - y) <= cell.height / 2
      return isInside || holdsCentre ? [range.from + i] : []
    })
    return [...inside, ...isLine]
  })
  return groups.some((cells) => cells.length === 0) ? null : { type: 'value', value: groups }
}

// Where tokens stand. Most graphs are told one number for a token, its count. Graphs with rotary embedding on three
// axes (M-RoPE, of the Qwen-VL models) are told three: a text stands at the same number on all of them; the tokens of
// an image share a time and stand in its rows and columns, and what comes behind it stands behind its longest axis. So
// an image takes fewer positions than it has tokens. A video is such an image with several times.
import { EngineError } from '../../../core/errors.ts'
import { inputsOf, type Runtime, type Session, type Tensor } from '../runtime/session.ts'

/** [token][axis]: time, row, column. */
export type AxisPositions = Int32Array
const AXES = 3

/** What of a KV cache says where its tokens stand: how many they are, and their positions unless they are counted. */
export interface ReadTokens {
  readonly length: number
  readonly positions: AxisPositions | null
}

/**
 * Rows and columns of the tokens of an image. `times`: of a video, how far behind its first tokens those of each step
 * in time stand, ascending; each step has all rows and columns. Absent: one step.
 */
export interface TokenGrid {
  readonly rows: number
  readonly cols: number
  readonly times?: readonly number[]
}

/** Where the tokens of an image stand among those of a state, and their rows and columns, if they have any. */
export interface GridTokens {
  readonly at: readonly number[]
  readonly grid?: TokenGrid
}

/** The position of the token behind a cache, on every axis. */
export function nextPosition({ length, positions }: ReadTokens): number {
  // No token before the last one stands further: an image ends in its last row and column, a video in its last step.
  return positions === null ? length : 1 + Math.max(...positions.subarray(-AXES))
}

/** Positions of all tokens of a state with images in rows and columns; null where no image is given so. */
export function axisPositionsOf(tokens: number, images: readonly GridTokens[]): AxisPositions | null {
  if (images.every(({ grid }) => grid === undefined)) return null
  const positions = new Int32Array(tokens * AXES)
  let [token, next] = [0, 0]
  const count = (to: number): void => {
    for (; token < to; token++, next++) positions.fill(next, token * AXES, (token + 1) * AXES)
  }
  for (const { at, grid } of images) {
    const [first] = at
    if (grid === undefined || first === undefined) continue
    count(first)
    const { rows, cols, times = [0] } = grid
    for (let i = 0; i < at.length; i++, token++) {
      const [time, within] = [times[Math.floor(i / (rows * cols))] as number, i % (rows * cols)]
      positions.set([next + time, next + Math.floor(within / cols), next + (within % cols)], token * AXES)
    }
    next += Math.max(1 + (times.at(-1) as number), rows, cols)
  }
  count(tokens)
  return positions
}

/** Positions of the tokens of a cache and of `count` behind them, which are counted where none are `given`. */
export function appendedPositions(cache: ReadTokens, count: number, given: AxisPositions | null): AxisPositions | null {
  if (cache.positions === null && given === null) return null
  const all = new Int32Array((cache.length + count) * AXES)
  if (cache.positions === null) for (let i = 0; i < cache.length; i++) all.fill(i, i * AXES, (i + 1) * AXES)
  else all.set(cache.positions)
  const next = nextPosition(cache)
  if (given !== null) all.set(given, cache.length * AXES)
  else for (let i = 0; i < count; i++) all.fill(next + i, (cache.length + i) * AXES, (cache.length + i + 1) * AXES)
  return all
}

/** The positions of some tokens of a state. */
export const positionsBetween = (positions: AxisPositions | null, from: number, to: number): AxisPositions | null =>
  positions?.subarray(from * AXES, to * AXES) ?? null

/** The positions input of a graph. */
export interface PositionInput {
  /** Whether it takes three numbers for a token, [axis][row][token], or one, [row][token]. */
  readonly hasAxes: boolean
  /** Rows that stand at the same positions. Token `i` stands at `counted(i)` where no positions are given. */
  tensor(rows: number, tokens: number, counted: (row: number, token: number) => number, given?: AxisPositions | null): Tensor
}

/** Throws `model_not_available` where the graph takes positions in another way; null where it takes none. */
export function positionInputOf({ Tensor: Make }: Runtime, session: Session): PositionInput | null {
  const input = inputsOf(session).find(({ name }) => name === 'position_ids')
  if (input === undefined) return null
  const [axes] = input.shape
  const hasAxes = input.shape.length === AXES
  if (input.shape.length > AXES || (hasAxes && typeof axes === 'number' && axes > 0 && axes !== AXES)) {
    throw new EngineError(
      'model_not_available',
      `the decoder graph takes position_ids of shape [${input.shape.join(', ')}], which this engine cannot feed; [3, batch, sequence] was expected`,
    )
  }
  return {
    hasAxes,
    tensor(rows, tokens, counted, given = null) {
      const all = rows * tokens
      const data = new BigInt64Array(hasAxes ? AXES * all : all)
      for (let at = 0; at < all; at++) {
        const token = at % tokens
        const position = BigInt(counted(Math.floor(at / tokens), token))
        for (let axis = 0; axis * all < data.length; axis++) {
          const own = given?.[Math.min(token, given.length / AXES - 1) * AXES + axis]
          data[axis * all + at] = own === undefined ? position : BigInt(own)
        }
      }
      return new Make('int64', data, hasAxes ? [AXES, rows, tokens] : [rows, tokens])
    },
  }
}

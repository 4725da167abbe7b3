// A pass of the encoder as one sequence of blocks: which block sees which is all that tells a passage, the first look
// and the second look apart. Training does the same (models/service-1-pro/training/text/layout.py).
import type { Runtime } from '../../runtime/session.ts'
import { floats, ints } from '../../runtime/tensors.ts'

/** Pieces that see themselves, what was kept from an earlier pass if `seesKept`, and the blocks of `sees`. */
export interface Block {
  readonly ids: readonly number[]
  /** Place of its first piece. */
  readonly place: number
  /** Segment of BERT. */
  readonly type: 0 | 1
  readonly seesKept: boolean
  /** Numbers of other blocks of the sequence. */
  readonly sees: readonly number[]
}

/** Added to the logits of what is not seen, as in training. */
const HIDDEN = -1e4

/** Pieces of all blocks together. */
export function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { ids }) => sum + ids.length, 0)
}

/** Index of the first piece of each block. */
export function startsOf(blocks: readonly Block[]): number[] {
  let at = 0
  return blocks.map(({ ids }) => {
    const start = at
    at += ids.length
    return start
  })
}

/** The inputs of a pass over a sequence of l pieces behind `kept` ones. */
export function blockFeeds(ort: Runtime, blocks: readonly Block[], kept: number) {
  const length = lengthOf(blocks)
  const starts = startsOf(blocks)
  const [tokens, places, types] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)]
  const width = kept + length
  const bias = new Float32Array(length * width).fill(HIDDEN)
  blocks.forEach(({ ids, place, type, seesKept, sees }, number) => {
    const start = starts[number] as number
    ids.forEach((id, i) => {
      const row = start + i
      tokens[row] = id
      places[row] = place + i
      types[row] = type
      if (seesKept) bias.fill(0, row * width, row * width + kept)
      for (const other of [number, ...sees]) {
        const from = row * width + kept + (starts[other] as number)
        bias.fill(0, from, from + (blocks[other] as Block).ids.length)
      }
    })
  })
  return {
    tokens: ints(ort, tokens, [1, length]),
    places: ints(ort, places, [1, length]),
    types: ints(ort, types, [1, length]),
    bias: floats(ort, bias, [1, 1, length, width]),
  }
}

// A pass of the encoder as one sequence of blocks: which block sees which is all that tells a passage, the first look
// and the second look apart. Training does the same (models/service-1-pro/training/text/layout.py).
import { GROUP_NUMBERS, GROUPS } from '../../runtime/patches/group-attention.ts'
import type { Runtime, Tensor } from '../../runtime/session.ts'
import { floats, ints, joined } from '../../runtime/tensors.ts'

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

/** Blocks of a sequence, from `from` to the one before `to`, which see none but each other. */
interface Group {
  readonly from: number
  readonly to: number
}

/** A sequence cut wherever no block sees one on the other side. */
export function groupsOf(blocks: readonly Block[]): Group[] {
  // The first block that those from each one on see.
  const firstSeen = new Array<number>(blocks.length + 1).fill(blocks.length)
  for (let number = blocks.length - 1; number >= 0; number--) {
    firstSeen[number] = Math.min(firstSeen[number + 1] as number, number, ...(blocks[number] as Block).sees)
  }
  const groups: Group[] = []
  let [from, lastSeen] = [0, 0]
  blocks.forEach(({ sees }, number) => {
    lastSeen = Math.max(lastSeen, number, ...sees)
    if (lastSeen > number || (firstSeen[number + 1] as number) <= number) return
    groups.push({ from, to: number + 1 })
    from = number + 1
  })
  return groups
}

/**
 * The inputs of a pass over a sequence of l pieces behind `kept` ones; `byGroup`: as `GROUPS` says, else with one bias,
 * [1][1][l][kept + l].
 */
export function blockFeeds(ort: Runtime, blocks: readonly Block[], kept: number, byGroup: boolean): Record<string, Tensor> {
  const length = lengthOf(blocks)
  const row = (values: readonly number[]): Tensor => ints(ort, values, [1, length])
  const input = {
    tokens: row(blocks.flatMap(({ ids }) => ids)),
    places: row(blocks.flatMap(({ ids, place }) => ids.map((_, i) => place + i))),
    types: row(blocks.flatMap(({ ids, type }) => ids.map(() => type))),
  }
  if (!byGroup) {
    const bias = groupBias(blocks, { from: 0, to: blocks.length }, kept)
    return { ...input, bias: floats(ort, bias, [1, 1, length, kept + length]) }
  }
  const groups = groupsOf(blocks)
  const biases = groups.map((group) => groupBias(blocks, group, kept))
  const bias = biases.length === 1 ? (biases[0] as Float32Array) : joined(biases)
  const numbers: number[] = []
  let [at, biasAt] = [0, 0]
  groups.forEach(({ from, to }, i) => {
    const [pieces, size] = [lengthOf(blocks.slice(from, to)), (biases[i] as Float32Array).length]
    numbers.push(at, at + pieces, biasAt, biasAt + size, 1, 1, pieces, kept + pieces)
    at += pieces
    biasAt += size
  })
  return {
    ...input,
    [GROUPS.bias]: floats(ort, bias, [bias.length]),
    [GROUPS.groups]: ints(ort, numbers, [groups.length, GROUP_NUMBERS]),
  }
}

/** [pieces of the group][kept + pieces of the group]: nothing where one sees, else `HIDDEN`. */
function groupBias(blocks: readonly Block[], { from, to }: Group, kept: number): Float32Array {
  const own = blocks.slice(from, to)
  const [length, starts] = [lengthOf(own), startsOf(own)]
  const width = kept + length
  const bias = new Float32Array(length * width).fill(HIDDEN)
  own.forEach(({ ids, seesKept, sees }, number) => {
    const seen = [number, ...sees.map((other) => other - from)]
    ids.forEach((_, i) => {
      const row = ((starts[number] as number) + i) * width
      if (seesKept) bias.fill(0, row, row + kept)
      for (const other of seen) {
        const start = row + kept + (starts[other] as number)
        bias.fill(0, start, start + (own[other] as Block).ids.length)
      }
    })
  })
  return bias
}

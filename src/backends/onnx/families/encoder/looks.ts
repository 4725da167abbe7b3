// The two ways in which a question is read. First look: behind the passages of the state, which do not know the
// question, so that what was read of them is kept. Second look: the state is read once more with the question in mind.
// Training lays out the same blocks (models/service-1-pro/training/text/layout.py).
import { type Block, lengthOf, startsOf } from './blocks.ts'
import type { SlotInputs } from './graphs.ts'
import { behindQuestion, ENCODER_KINDS, type EncoderQuestion } from './questions.ts'
import type { WordPieces } from './word-pieces.ts'

type Marks = Pick<WordPieces, 'first' | 'last'>

/** Where the slots of one question stand in its pass: their pieces, and the blocks whose means go with them. */
export interface SlotPlaces {
  readonly pieces: readonly number[]
  readonly blocks: readonly number[]
}

/** A text by itself: a passage, or what an option is compared with the state by. */
export function loneBlock(ids: readonly number[], marks: Marks): Block {
  return { ids: [marks.first, ...ids, marks.last], place: 0, type: 0, seesKept: false, sees: [] }
}

/** Questions behind kept passages, none of which sees another. */
export function firstLook(questions: readonly EncoderQuestion[], marks: Marks): { blocks: Block[]; places: SlotPlaces[] } {
  const blocks: Block[] = []
  const slotBlocks = questions.map((question) => {
    const { ids, options } = question
    const [own, behind] = [blocks.length, behindQuestion(question)]
    blocks.push({ ids: [marks.first, ...ids, marks.last], place: 0, type: 1, seesKept: true, sees: [] })
    for (const option of options) {
      blocks.push({ ids: [...option, marks.last], place: behind, type: 1, seesKept: true, sees: [own] })
    }
    return options.length === 0 ? [own] : options.map((_, i) => own + 1 + i)
  })
  return { blocks, places: questions.map((question, i) => slotPlaces(question, slotBlocks[i] as number[], blocks)) }
}

/**
 * One question with the pieces of the passages it is about; the last block is the state's, its closing mark included.
 * Question and state see no option, so what is made of one does not depend on the others.
 */
export function secondLook(question: EncoderQuestion, state: readonly number[], marks: Marks): { blocks: Block[]; places: SlotPlaces } {
  const { ids, options } = question
  const [behind, ofState] = [behindQuestion(question), options.length + 1]
  const optionBlocks = options.map((_, i) => i + 1)
  const blocks: Block[] = [
    { ids: [marks.first, ...ids, marks.last], place: 0, type: 0, seesKept: false, sees: [ofState] },
    ...options.map((option): Block => ({ ids: [...option, marks.last], place: behind, type: 0, seesKept: false, sees: [0, ofState] })),
    { ids: [...state, marks.last], place: behind, type: 1, seesKept: false, sees: [0] },
  ]
  return { blocks, places: slotPlaces(question, options.length === 0 ? [0] : optionBlocks, blocks) }
}

/** A statement and a read are decided at their first piece, an option at its closing mark. */
function slotPlaces({ options }: EncoderQuestion, slotBlocks: readonly number[], blocks: readonly Block[]): SlotPlaces {
  const starts = startsOf(blocks)
  const pieces = slotBlocks.map((block) => {
    const start = starts[block] as number
    return options.length === 0 ? start : start + (blocks[block] as Block).ids.length - 1
  })
  return { pieces, blocks: slotBlocks }
}

/** [blocks][W]: the mean of each block's vectors. */
export function blockMeans(blocks: readonly Block[], vectors: Float32Array): Float32Array[] {
  const width = vectors.length / lengthOf(blocks)
  const starts = startsOf(blocks)
  return blocks.map(({ ids }, i) => meanRow(vectors, width, starts[i] as number, ids.length))
}

/** The mean of some rows of [rows][width], in double precision. */
export function meanRow(rows: Float32Array, width: number, from: number, count: number): Float32Array {
  const sum = new Float64Array(width)
  for (let row = from; row < from + count; row++) {
    for (let i = 0; i < width; i++) sum[i] = (sum[i] as number) + (rows[row * width + i] as number)
  }
  return Float32Array.from(sum, (value) => value / Math.max(1, count))
}

/** What the heads know of one question, slot by slot. */
export interface QuestionSlots {
  readonly question: EncoderQuestion
  readonly vectors: readonly Float32Array[]
  readonly means: readonly Float32Array[]
  /**
   * In the first look, the mean vector of the option, or of the question where it has none, encoded by itself
   * (`LoneVectors`); in the second look its mean in that pass.
   */
  readonly told: readonly Float32Array[]
  /** The cosine of `told` with the passage nearest to it; 0 in the second look. */
  readonly like: readonly number[]
}

/** Questions of one pass, padded to the most slots. */
export function slotInputs(questions: readonly QuestionSlots[], look: 'first' | 'second', width: number): SlotInputs {
  const q = questions.length
  const s = Math.max(...questions.map(({ vectors }) => vectors.length))
  const inputs = {
    questions: q,
    slots: s,
    vectors: new Float32Array(q * s * width),
    means: new Float32Array(q * s * width),
    told: new Float32Array(q * s * width),
    kinds: new Int32Array(q),
    present: new Float32Array(q * s),
    rank: new Float32Array(q * s * 2),
    apart: new Float32Array(q * s * s),
    like: new Float32Array(q * s),
  }
  questions.forEach(({ question, vectors, means, told, like }, at) => {
    inputs.kinds[at] = ENCODER_KINDS.indexOf(question.kind) + (look === 'second' ? ENCODER_KINDS.length : 0)
    vectors.forEach((vector, slot) => {
      const row = at * s + slot
      inputs.vectors.set(vector, row * width)
      inputs.means.set(means[slot] as Float32Array, row * width)
      inputs.told.set(told[slot] as Float32Array, row * width)
      inputs.present[row] = 1
      inputs.like[row] = like[slot] as number
    })
    if (question.kind === 'ordinal') addRanks(inputs, at, vectors.length)
  })
  return inputs
}

/** How far levels are from the nearer end and from each other: the same when the scale is turned round. */
function addRanks({ rank, apart, slots }: SlotInputs, at: number, levels: number): void {
  if (levels < 2) return
  const height = (level: number): number => level / (levels - 1)
  for (let level = 0; level < levels; level++) {
    const row = at * slots + level
    rank[2 * row] = Math.abs(2 * height(level) - 1)
    rank[2 * row + 1] = 1 / levels
    for (let other = 0; other < levels; other++) apart[row * slots + other] = Math.abs(height(level) - height(other))
  }
}

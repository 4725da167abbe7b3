// Questions about one state to the padded arrays of one pass of the branch reader. Shapes: B questions of T tokens, R
// readout tokens.
import type { Runtime, Tensor } from '../../runtime/session.ts'
import { floats, ints } from '../../runtime/tensors.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { BranchKind, ControlTokens } from './control-tokens.ts'
import type { PackedBranch } from './pack-branch.ts'

export interface PackedQuestion {
  readonly packed: PackedBranch
  readonly kind: BranchKind
  /** The image it is about: it does not attend to the others. Null: it attends to the whole state. */
  readonly image: string | null
  /**
   * Tokens of the answer so far, and the keys and values of earlier passes; empty and null unless a text is being
   * written.
   */
  readonly written: readonly number[]
  readonly cache: AnswerCache | null
}

/** What a pass gives: logits of readout tokens, pointers at the state, or logits of the next token of an answer. */
export type PassOutput = 'readouts' | 'pointers' | 'next'

/** Owner of written tokens, which no option has. */
const OWNER_OF_WRITTEN = 1000
/** Owner of padding, which no token of a question attends to (training/export/branch_reader.py). */
const OWNER_OF_PADDING = -1

/** Tokens that a pass runs on: those whose keys and values are not cached. */
export function tokensOf({ packed, written, cache }: PackedQuestion): number {
  return packed.ids.length + written.length - (cache?.tokens ?? 0)
}

/** Readout tokens of each question in the pass; questions with fewer are padded. */
export function readoutWidth(questions: readonly PackedQuestion[]): number {
  return Math.max(...questions.map(({ packed }) => packed.readouts.length))
}

/** All inputs of the branch reader except the state and the cache. The names are those of the graph. */
export function branchFeeds(
  ort: Runtime,
  questions: readonly PackedQuestion[],
  output: PassOutput,
  control: ControlTokens,
): Record<string, Tensor> {
  const longest = Math.max(...questions.map(tokensOf))
  const size = questions.length * longest
  const [ids, cases, positions, orders] = [new Int32Array(size), new Int32Array(size), new Int32Array(size), new Int32Array(size)]
  const owners = new Int32Array(size).fill(OWNER_OF_PADDING)
  const ranks = new Float32Array(size).fill(-1)
  questions.forEach((question, index) => {
    const { packed, written } = question
    const length = packed.ids.length
    const cached = length + written.length - tokensOf(question)
    const from = index * longest - cached
    for (let i = cached; i < length; i++) {
      ids[from + i] = packed.ids[i] as number
      cases[from + i] = packed.cases[i] as number
      positions[from + i] = packed.positions[i] as number
      owners[from + i] = packed.owners[i] as number
      ranks[from + i] = packed.ranks[i] as number
    }
    // Written tokens are a branch of their own, in which each attends to those before it.
    const last = packed.positions.at(-1) as number
    for (let i = Math.max(0, cached - length); i < written.length; i++) {
      ids[from + length + i] = written[i] as number
      positions[from + length + i] = last + 1 + i
      owners[from + length + i] = OWNER_OF_WRITTEN
      orders[from + length + i] = i + 1
    }
  })
  const table = (values: ArrayLike<number>): Tensor => ints(ort, values, [questions.length, longest])
  const none = ints(ort, [], [questions.length, 0])
  return {
    ids: table(ids),
    cases: table(cases),
    positions: table(positions),
    owners: table(owners),
    orders: table(orders),
    ranks: floats(ort, ranks, [questions.length, longest]),
    marks: none,
    mark_weights: floats(ort, new Float32Array(0), [questions.length, 0]),
    kinds: none,
    pointers: none,
    reads: none,
    read_tokens: none,
    ...outputFeeds(ort, questions, output, control, longest),
  }
}

/** The inputs that say which of the [B·T] tokens are read. */
function outputFeeds(
  ort: Runtime,
  questions: readonly PackedQuestion[],
  output: PassOutput,
  control: ControlTokens,
  longest: number,
): Record<string, Tensor> {
  const count = questions.length
  if (output === 'readouts') {
    const width = readoutWidth(questions)
    const readouts = new Int32Array(count * width)
    const kinds = new Int32Array(count * width)
    const weights = new Float32Array(count * width)
    questions.forEach(({ packed, kind }, index) => {
      packed.readouts.forEach((token, i) => {
        readouts[index * width + i] = index * longest + token
        weights[index * width + i] = 1
      })
      kinds.fill(control.indexOf(kind), index * width, (index + 1) * width)
    })
    const shape = [count, width]
    return { marks: ints(ort, readouts, shape), kinds: ints(ort, kinds, shape), mark_weights: floats(ort, weights, shape) }
  }
  // The readout token of a read is its last token, and the written ones come behind it.
  const rows = questions.map((question, index) => index * longest + tokensOf(question) - 1)
  if (output === 'pointers') return { pointers: ints(ort, rows, [count, 1]) }
  const tokens = questions.map(({ written }) => written.at(-1) ?? control.readout)
  return { reads: ints(ort, rows, [count, 1]), read_tokens: ints(ort, tokens, [count, 1]) }
}

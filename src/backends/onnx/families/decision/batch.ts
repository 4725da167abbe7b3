// Questions of one state to the padded arrays of one pass. Shapes: B questions of T tokens, R marks.
import type { Runtime, Tensor } from '../../runtime/session.ts'
import { floats, ints } from '../../runtime/tensors.ts'
import { CONTROL, KINDS, type Kind } from './control.ts'
import type { PackedBranch } from './pack.ts'
import type { Past } from './past.ts'

export interface Question {
  readonly packed: PackedBranch
  readonly kind: Kind
  /** The image it is about: it does not see the others. Null: it sees the whole state. */
  readonly image: string | null
  /** Tokens written behind it so far, and what earlier passes made of it; none and null unless a text is being written. */
  readonly written: readonly number[]
  readonly past: Past | null
}

/** What a pass reads: logits of marks, pointers at the state, or the next token to write. */
export type Role = 'marks' | 'pointers' | 'reads'

/** Owner of written tokens: none of the options'. */
const WRITTEN = 1000
/** Owner of padding, which no token of a question sees (training/graphs.py). */
const PADDING = -1

/** Tokens that a pass runs on: those of which nothing is known yet. */
export function tokensOf({ packed, written, past }: Question): number {
  return packed.ids.length + written.length - (past?.tokens ?? 0)
}

/** Marks of each question in the pass: those with fewer are filled up. */
export function widthOf(questions: readonly Question[]): number {
  return Math.max(...questions.map(({ packed }) => packed.marks.length))
}

/** All inputs of the branch reader but the state and the past. */
export function feedsOf(ort: Runtime, questions: readonly Question[], role: Role): Record<string, Tensor> {
  const longest = Math.max(...questions.map(tokensOf))
  const size = questions.length * longest
  const [ids, cases, positions, orders] = [new Int32Array(size), new Int32Array(size), new Int32Array(size), new Int32Array(size)]
  const owners = new Int32Array(size).fill(PADDING)
  const ranks = new Float32Array(size).fill(-1)
  questions.forEach((question, index) => {
    const { packed, written } = question
    const length = packed.ids.length
    const known = length + written.length - tokensOf(question)
    const from = index * longest - known
    for (let i = known; i < length; i++) {
      ids[from + i] = packed.ids[i] as number
      cases[from + i] = packed.cases[i] as number
      positions[from + i] = packed.positions[i] as number
      owners[from + i] = packed.owners[i] as number
      ranks[from + i] = packed.ranks[i] as number
    }
    // Written tokens are a branch of their own, each seeing those before it.
    const last = packed.positions.at(-1) as number
    for (let i = Math.max(0, known - length); i < written.length; i++) {
      ids[from + length + i] = written[i] as number
      positions[from + length + i] = last + 1 + i
      owners[from + length + i] = WRITTEN
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
    ...rowsOf(ort, questions, role, longest),
  }
}

/** Which rows of [B·T] are read. */
function rowsOf(ort: Runtime, questions: readonly Question[], role: Role, longest: number): Record<string, Tensor> {
  const count = questions.length
  if (role === 'marks') {
    const width = widthOf(questions)
    const marks = new Int32Array(count * width)
    const kinds = new Int32Array(count * width)
    const weights = new Float32Array(count * width)
    questions.forEach(({ packed, kind }, index) => {
      packed.marks.forEach((mark, i) => {
        marks[index * width + i] = index * longest + mark
        weights[index * width + i] = 1
      })
      kinds.fill(KINDS.indexOf(kind), index * width, (index + 1) * width)
    })
    const shape = [count, width]
    return { marks: ints(ort, marks, shape), kinds: ints(ort, kinds, shape), mark_weights: floats(ort, weights, shape) }
  }
  // The mark of a read is its last token, and what was written comes behind it.
  const rows = questions.map((question, index) => index * longest + tokensOf(question) - 1)
  if (role === 'pointers') return { pointers: ints(ort, rows, [count, 1]) }
  const tokens = questions.map(({ written }) => written.at(-1) ?? CONTROL.mark)
  return { reads: ints(ort, rows, [count, 1]), read_tokens: ints(ort, tokens, [count, 1]) }
}

// Questions of one state to the padded arrays of one pass, and the numbers of a pass back to each. Shapes: B questions of T tokens, R marks.
import type { Runtime, Tensor } from '../../session.ts'
import { CONTROL, KINDS, type Kind } from './control.ts'
import type { PackedBranch } from './pack.ts'
import { floats, ints } from './tensors.ts'

/** One question, and the tokens written behind it so far. */
export interface Question {
  readonly packed: PackedBranch
  readonly kind: Kind
  readonly written: readonly number[]
  /** The image it is about: it does not see the others. Null: it sees the whole state. */
  readonly image: string | null
}

/** What a pass reads: logits of marks, pointers at the state, or the next token to write. */
export type Role = 'marks' | 'pointers' | 'reads'

/** Owner of written tokens: none of the options'. */
const WRITTEN = 1000
/** Owner of padding, which no token of a question sees (training/graphs.py). */
const PADDING = -1

export function tokensOf({ packed, written }: Question): number {
  return packed.ids.length + written.length
}

/** Marks of each question in the pass: those with fewer are filled up. */
export function widthOf(questions: readonly Question[]): number {
  return Math.max(...questions.map(({ packed }) => packed.marks.length))
}

/** All inputs of the branch reader but the state. */
export function feedsOf(ort: Runtime, questions: readonly Question[], role: Role): Record<string, Tensor> {
  const longest = Math.max(...questions.map(tokensOf))
  const size = questions.length * longest
  const [ids, cases, positions, orders] = [new Int32Array(size), new Int32Array(size), new Int32Array(size), new Int32Array(size)]
  const owners = new Int32Array(size).fill(PADDING)
  const ranks = new Float32Array(size).fill(-1)
  questions.forEach(({ packed, written }, index) => {
    const from = index * longest
    ids.set(packed.ids, from)
    cases.set(packed.cases, from)
    positions.set(packed.positions, from)
    owners.set(packed.owners, from)
    ranks.set(packed.ranks, from)
    // Written tokens are a branch of their own, each seeing those before it.
    const behind = from + packed.ids.length
    const last = packed.positions.at(-1) as number
    written.forEach((id, i) => {
      ids[behind + i] = id
      positions[behind + i] = last + 1 + i
      owners[behind + i] = WRITTEN
      orders[behind + i] = i + 1
    })
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
  const rows = questions.map(
    ({ packed, written }, index) =>
      index * longest + (written.length === 0 ? (packed.marks[0] as number) : packed.ids.length + written.length - 1),
  )
  if (role === 'pointers') return { pointers: ints(ort, rows, [count, 1]) }
  const tokens = questions.map(({ written }) => written.at(-1) ?? CONTROL.mark)
  return { reads: ints(ort, rows, [count, 1]), read_tokens: ints(ort, tokens, [count, 1]) }
}

// Further looks at a decision: each asks the same thing of the same state in another way, and gives rows in the order
// of the branch's own candidates. Which ones help depends on how a model reads candidates, so each is used only where a
// paired test showed a gain (bench/experiments/operators.ts), or, for models read by symbols, where the literature did
// (cyclic orders: Zheng et al. 2023, arXiv 2309.03882).
import type { Branch, ModelInfo, Scorer, Scores } from '../../backends/backend.ts'
import { logSoftmax } from '../../core/math.ts'
import { type QuestionCoroutine, read, score } from './coroutine.ts'
import type { DecisionReadout } from './readouts.ts'

/** [row][candidate] log-probabilities, candidates as the branch has them. */
export type Rows = readonly (readonly number[])[]

export interface Operator {
  /** Branches it adds. */
  readonly cost: number
  /** Left out where the state holds images: there it would read the same again. */
  readonly isSkippedWithImages?: true
  /** Null when it does not apply to this branch. `before`: the pooled rows so far. */
  run(branch: Branch, before: Rows): QuestionCoroutine<Rows | null>
}

const rowsOf = ({ rows }: Scores): Rows => rows.map(({ logProbabilities }) => logSoftmax(logProbabilities))

/** Candidates in another order: `order[i]` is the candidate that stands at place i. */
function* reordered(branch: Branch, order: readonly number[]): QuestionCoroutine<Rows> {
  const [row] = rowsOf(yield* score({ ...branch, candidates: order.map((i) => branch.candidates[i]!) }))
  const back = new Array<number>(order.length)
  order.forEach((candidate, place) => {
    back[candidate] = row![place]!
  })
  return [back]
}

/** The most plausible two change places: where a model hesitates, that is what it hesitates between. */
const swap: Operator = {
  cost: 1,
  *run(branch, [row]) {
    const [first, second] = row!.map((_, i) => i).sort((a, b) => row![b]! - row![a]!)
    return yield* reordered(
      branch,
      row!.map((_, i) => (i === first ? second! : i === second ? first! : i)),
    )
  },
}

/** All candidates move on by a share of the circle: `turn` of `turns`. */
function rotation(turn: number, turns: number): Operator {
  return {
    cost: 1,
    *run(branch) {
      const count = branch.candidates.length
      const by = Math.round((turn * count) / Math.min(turns, count)) % count
      // Two candidates have one other order, and `swap` is it.
      if (by === 0 || turn >= count || count === 2) return null
      return yield* reordered(
        branch,
        branch.candidates.map((_, i) => (i + by) % count),
      )
    },
  }
}

/** A scale read from its other end. */
const reversed: Operator = {
  cost: 1,
  *run(branch) {
    return yield* reordered(branch, branch.candidates.map((_, i) => i).reverse())
  },
}

/** The statement denied, and its answer turned round. */
const polarity: Operator = {
  cost: 1,
  *run(branch) {
    const [yes, no] = branch.candidates
    const candidates = [
      { ...yes!, description: no!.description },
      { ...no!, description: yes!.description },
    ]
    const [row] = rowsOf(yield* score({ ...branch, instructions: `It is not true: ${branch.instructions}`, candidates }))
    return [[row![1]!, row![0]!]]
  },
}

/**
 * Each candidate as a yes or no of its own, without the others to be compared with: what is left when the list no
 * longer pulls.
 */
const alone: Operator = {
  cost: 1,
  *run(branch) {
    const rows = rowsOf(yield* score({ ...branch, readout: 'independent' }))
    return [logSoftmax(rows.map(([yes, no]) => yes! - no!))]
  },
}

/**
 * What is left of a distribution when the answer that the options get without any question is held against it: once
 * more what the question adds.
 */
const contrast: Operator = {
  cost: 1,
  *run(branch, [row]) {
    if (branch.instructions === '') return null
    const [bare] = rowsOf(yield* score({ ...branch, instructions: '' }))
    return [logSoftmax(row!.map((logP, i) => 2 * logP - bare![i]!))]
  },
}

/** The candidates by their names alone. */
const namesOnly: Operator = {
  cost: 1,
  *run(branch) {
    if (branch.candidates.every(({ description }) => description === null)) return null
    return rowsOf(yield* score({ ...branch, candidates: branch.candidates.map(({ name }) => ({ name, description: null })) }))
  },
}

/** The same question in other words. */
function framing(reword: (instructions: string) => string): Operator {
  return {
    cost: 1,
    *run(branch) {
      return rowsOf(yield* score({ ...branch, instructions: reword(branch.instructions) }))
    },
  }
}

/** The state read once more with the question in mind. */
const reread: Operator = {
  cost: 1,
  isSkippedWithImages: true,
  *run(branch) {
    return rowsOf(yield* score({ ...branch, look: 'second' }))
  },
}

/**
 * The model writes down a thought first and answers behind it. Slow; for larger models, and only where it is asked for.
 */
const reasoning: Operator = {
  cost: 2,
  *run(branch) {
    const instructions = `${branch.instructions} What in the above speaks for which answer?`
    const thought = yield* read(
      { ...branch, readout: 'read', instructions, candidates: [] },
      { type: 'grammar', grammar: { type: 'text' }, maxTokens: 96 },
    )
    if (thought.type !== 'text' || thought.text.trim() === '') return null
    return rowsOf(yield* score({ ...branch, instructions: `${branch.instructions} Thought: ${thought.text}` }))
  },
}

/** All operators by name. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['swap', swap],
  ...[1, 2, 3, 4, 5, 6, 7].map((turn) => [`rotation-${turn}`, rotation(turn, 8)] as const),
  ['reversed', reversed],
  ['polarity', polarity],
  ['alone', alone],
  ['contrast', contrast],
  ['names-only', namesOnly],
  ['which-fits', framing((instructions) => `Which of these fits best? ${instructions}`)],
  ['which-hold', framing((instructions) => `Which of these hold? ${instructions}`)],
  ['yes-or-no', framing((instructions) => `${instructions} Answer yes or no.`)],
  ['statement', framing((instructions) => `Statement: ${instructions}`)],
  ['reread', reread],
  ['reasoning', reasoning],
])

/** Names of operators by read-out; none where it has none. Checks are not looked at again. */
export type OperatorTable = Readonly<Partial<Record<DecisionReadout, readonly string[]>>>

const ORDERS = ['swap', 'rotation-1', 'rotation-2', 'rotation-3', 'rotation-4', 'rotation-5', 'rotation-6', 'rotation-7']
const BY_PLACE: OperatorTable = {
  binary: ['polarity', 'yes-or-no'],
  exclusive: ORDERS,
  ordinal: ['reversed'],
  independent: ['which-hold'],
}

/**
 * The operators of a model by how it reads candidates, the most useful first. Our own reads each candidate as a branch
 * of its own, so orders would change nothing; of all others the one is here whose gain in a paired test on the
 * calibration split was surely above 0 (bench/results/operators.json).
 */
export const DEFAULT_OPERATORS: Readonly<Record<Scorer, OperatorTable>> = {
  symbols: BY_PLACE,
  texts: BY_PLACE,
  // They know a few kinds of question by their form, and no other wordings of it.
  markers: { exclusive: ORDERS },
  options: { exclusive: ['contrast'] },
}

const REREADING: OperatorTable = { binary: ['reread'], exclusive: ['reread'], ordinal: ['reread'], independent: ['reread'] }

/** The operators of a model where the caller names none: one that can read the state again does that. */
export function operatorsOf({ scorer, capabilities }: Pick<ModelInfo, 'scorer' | 'capabilities'>): OperatorTable {
  return capabilities.rereads === true ? REREADING : DEFAULT_OPERATORS[scorer]
}

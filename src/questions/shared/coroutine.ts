// How a question asks the model. A coroutine is a generator: it yields the model calls it needs next, receives the
// replies, and returns its answer. The engine advances all coroutines of a request in rounds and sends each round to
// the model at once, so no kind of question knows of another.
import type { Branch, Constraint, Generated, Scores } from '../../backends/backend.ts'
import type { EngineError } from '../../core/errors.ts'

/** One call on the prefix. */
export type ModelCall = (
  | { readonly type: 'score'; readonly branch: Branch }
  | { readonly type: 'read'; readonly branch: Branch; readonly constraint: Constraint }
) & {
  /** True for calls that the engine makes by itself: the caller does not pay for their tokens. */
  readonly isFree?: true
}

/** A read that the model could not do; scores never fail alone, since a round of them is one call. */
export interface FailedRead {
  readonly type: 'failed'
  readonly error: EngineError
}

export type ModelReply = Scores | Generated | FailedRead

/** Yields lists of model calls, receives the replies in the same order, returns the answer. */
export type QuestionCoroutine<A> = Generator<readonly ModelCall[], A, readonly ModelReply[]>

/** Asks for the scores of one branch. */
export function* score(branch: Branch): QuestionCoroutine<Scores> {
  const [reply] = yield [{ type: 'score', branch }]
  return reply as Scores
}

/** Asks for one read, of the kind that the constraint calls for. */
export function* read(branch: Branch, constraint: Constraint): QuestionCoroutine<Generated | FailedRead> {
  const [reply] = yield [{ type: 'read', branch, constraint }]
  return reply as Generated | FailedRead
}

/** The same coroutine with its calls free of charge. */
export function* free<A>(coroutine: QuestionCoroutine<A>): QuestionCoroutine<A> {
  let step = coroutine.next(undefined as never)
  while (!step.done) step = coroutine.next(yield step.value.map((call) => ({ ...call, isFree: true as const })))
  return step.value
}

/** Runs coroutines side by side: one round of the whole is one round of each that is not done. */
export function* all<A>(coroutines: readonly QuestionCoroutine<A>[]): QuestionCoroutine<A[]> {
  const answers = new Array<A>(coroutines.length)
  let open = coroutines.map((coroutine, index) => ({ coroutine, index, step: coroutine.next(undefined as never) }))
  for (;;) {
    for (const { index, step } of open) if (step.done) answers[index] = step.value
    open = open.filter(({ step }) => !step.done)
    if (open.length === 0) return answers
    const wanted = open.map(({ step }) => (step.done ? [] : step.value))
    const replies = yield wanted.flat()
    let from = 0
    open = open.map(({ coroutine, index }, i) => {
      const count = wanted[i]?.length ?? 0
      const step = coroutine.next(replies.slice(from, from + count))
      from += count
      return { coroutine, index, step }
    })
  }
}

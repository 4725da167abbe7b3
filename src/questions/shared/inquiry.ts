// How a question asks the model. An inquiry is a generator: it yields the work it needs next, is handed the replies, and returns its answer.
// The engine advances all inquiries of a request in rounds and sends each round to the model at once, so no kind of question knows of another.
import type { Branch, Constraint, Generated, Scores } from '../../backends/backend.ts'
import type { EngineError } from '../../core/errors.ts'

/** One thing to ask of the prefix. */
export type Work = (
  | { readonly type: 'score'; readonly branch: Branch }
  | { readonly type: 'read'; readonly branch: Branch; readonly constraint: Constraint }
) & {
  /** The engine's own doing: its tokens are not the caller's to pay. */
  readonly isFree?: true
}

/** A read that the model could not do; scores never fail alone, since a round of them is one call. */
export interface Failed {
  readonly type: 'failed'
  readonly error: EngineError
}

export type Reply = Scores | Generated | Failed

/** Yields lists of work, receives the replies in the same order, returns the answer. */
export type Inquiry<A> = Generator<readonly Work[], A, readonly Reply[]>

/** Asks for the scores of one branch. */
export function* score(branch: Branch): Inquiry<Scores> {
  const [reply] = yield [{ type: 'score', branch }]
  return reply as Scores
}

/** Asks for one read, of the kind that the constraint calls for. */
export function* read(branch: Branch, constraint: Constraint): Inquiry<Generated | Failed> {
  const [reply] = yield [{ type: 'read', branch, constraint }]
  return reply as Generated | Failed
}

/** The same inquiry, its work free of charge. */
export function* free<A>(inquiry: Inquiry<A>): Inquiry<A> {
  let step = inquiry.next(undefined as never)
  while (!step.done) step = inquiry.next(yield step.value.map((work) => ({ ...work, isFree: true as const })))
  return step.value
}

/** Runs inquiries side by side: one round of the whole is one round of each that is not done. */
export function* all<A>(inquiries: readonly Inquiry<A>[]): Inquiry<A[]> {
  const answers = new Array<A>(inquiries.length)
  let open = inquiries.map((inquiry, index) => ({ inquiry, index, step: inquiry.next(undefined as never) }))
  for (;;) {
    for (const { index, step } of open) if (step.done) answers[index] = step.value
    open = open.filter(({ step }) => !step.done)
    if (open.length === 0) return answers
    const wanted = open.map(({ step }) => (step.done ? [] : step.value))
    const replies = yield wanted.flat()
    let from = 0
    open = open.map(({ inquiry, index }, i) => {
      const count = wanted[i]?.length ?? 0
      const step = inquiry.next(replies.slice(from, from + count))
      from += count
      return { inquiry, index, step }
    })
  }
}

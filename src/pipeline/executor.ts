// Runs the coroutines of all questions in rounds. A round is one call of the model that scores every branch, then the
// reads of the round, side by side. No coroutine knows of another.
import { setImmediate } from 'node:timers/promises'
import type { Branch, Generated, Prefix, Scores } from '../backends/backend.ts'
import { EngineError } from '../core/errors.ts'
import type { FailedRead, ModelCall, ModelReply, QuestionCoroutine } from '../questions/shared/coroutine.ts'

/** One coroutine to run, and the pointer of its question, for errors. */
export interface QuestionRun<A> {
  readonly param: string
  readonly coroutine: QuestionCoroutine<A>
}

export interface ExecutorResult<A> {
  /**
   * In the order of the coroutines. `passes`: calls of the model that the coroutine took part in. `hasFailed`: the
   * model could not do a read of it.
   */
  readonly results: readonly { readonly value: A; readonly passes: number; readonly hasFailed: boolean }[]
  /** Calls of the model. */
  readonly passes: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Candidates that are handled before the event loop gets a turn: about 2 ms of work. */
const WEIGHED_AT_ONCE = 2048

interface State<A> {
  readonly param: string
  readonly coroutine: QuestionCoroutine<A>
  step: IteratorResult<readonly ModelCall[], A>
  passes: number
  hasFailed: boolean
}

/**
 * Runs all coroutines to their end. `beforeCall` is called before each call of the model and may throw to stop; so may
 * `afterRound`, which hears the input tokens of all rounds so far. The signal goes to the model, and stops it in the
 * middle of a call. Throws what is the caller's to mend (with the pointer of the question at fault), and
 * `internal_error` when the model fails while scoring; a read on which the model fails is a reply to its own coroutine
 * alone.
 */
export async function runCoroutines<A>(
  prefix: Prefix,
  running: readonly QuestionRun<A>[],
  beforeCall: () => void,
  afterRound: (inputTokens: number) => void = () => {},
  signal?: AbortSignal,
): Promise<ExecutorResult<A>> {
  let weighed = 0
  // Thousands of options take a while, so the event loop gets a turn in between for other requests.
  const weigh = async (works: readonly ModelCall[]): Promise<void> => {
    weighed += works.reduce((sum, { branch }) => sum + branch.candidates.length, 0)
    if (weighed <= WEIGHED_AT_ONCE) return
    weighed = 0
    await setImmediate()
    beforeCall()
  }
  const states: State<A>[] = []
  for (const { param, coroutine } of running) {
    const step = coroutine.next(undefined as never)
    states.push({ param, coroutine, step, passes: 0, hasFailed: false })
    if (!step.done) await weigh(step.value)
  }
  let [passes, inputTokens, outputTokens] = [0, 0, 0]
  for (;;) {
    const open = states.filter(({ step }) => !step.done)
    if (open.length === 0) break
    const rounds = open.map((state) => {
      const works = state.step.done ? [] : state.step.value
      return { state, works, replies: new Array<ModelReply>(works.length) }
    })

    // Every branch of the round in one call.
    const scored = rounds.flatMap(({ state, works, replies }) =>
      works.flatMap((work, at) =>
        work.type === 'score' ? [{ state, branch: work.branch, isFree: work.isFree, put: (reply: Scores) => (replies[at] = reply) }] : [],
      ),
    )
    if (scored.length > 0) {
      beforeCall()
      const scores = await scoreAll(prefix, scored, beforeCall, signal)
      passes += 1
      for (const state of new Set(scored.map(({ state }) => state))) state.passes += 1
      scored.forEach(({ isFree, put }, i) => {
        const reply = scores[i]!
        if (!isFree) inputTokens += reply.inputTokens
        put(reply)
      })
    }

    // Reads at the same time, so that a backend may run them together; each fails on its own. Those that the engine
    // makes by itself are made once where they are the same: "more than 50" and "more than 100" ask for one number.
    const reads = rounds.flatMap(({ state, works, replies }) =>
      works.flatMap((work, at) => (work.type === 'read' ? [{ state, work, put: (reply: ModelReply) => (replies[at] = reply) }] : [])),
    )
    if (reads.length > 0) {
      beforeCall()
      const made = new Map<unknown, Promise<Generated | FailedRead>>()
      const replies = reads.map(({ state, work }) => {
        const key = work.isFree ? JSON.stringify([work.branch, work.constraint]) : work
        const reply = made.get(key) ?? readOne(prefix, work, state.param, signal)
        made.set(key, reply)
        return reply
      })
      passes += made.size
      const done = await settleAll(replies)
      reads.forEach(({ state, work, put }, i) => {
        const reply = done[i]!
        state.passes += 1
        if (reply.type === 'failed') state.hasFailed = true
        else if (!work.isFree) {
          inputTokens += reply.inputTokens
          outputTokens += reply.outputTokens
        }
        put(reply)
      })
    }

    afterRound(inputTokens)
    for (const { state, works, replies } of rounds) {
      await weigh(works)
      state.step = state.coroutine.next(replies)
    }
  }
  const results = states.map(({ step, passes: own, hasFailed }) => ({ value: step.value as A, passes: own, hasFailed }))
  return { results, passes, inputTokens, outputTokens }
}

/** Waits for all of them. Throws the first error in their order, whichever failed first; nothing runs any more then. */
async function settleAll<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

interface Scored {
  readonly state: { readonly param: string }
  readonly branch: Branch
}

async function scoreAll(
  prefix: Prefix,
  scored: readonly Scored[],
  beforeCall: () => void,
  signal: AbortSignal | undefined,
): Promise<readonly Scores[]> {
  const branches = scored.map(({ branch }) => branch)
  let scores: readonly Scores[]
  try {
    scores = await prefix.score(branches, signal)
  } catch (error) {
    if (error instanceof EngineError && isForTheCaller(error)) throw await blame(prefix, scored, error, beforeCall, signal)
    throw modelFailure(error, 'scoring')
  }
  checkScores(branches, scores)
  return scores
}

function isForTheCaller({ code }: EngineError): boolean {
  return code === 'context_length_exceeded' || code === 'capability_not_supported' || code === 'invalid_question'
}

/** The length of a branch in characters: the longest are the likeliest to exceed the context. */
function lengthOf({ instructions, candidates }: Branch): number {
  return candidates.reduce((sum, { name, description }) => sum + name.length + (description?.length ?? 0), instructions.length)
}

/**
 * The error again, with the pointers of the questions whose branches bring it about alone. They are tried from the
 * longest down until one passes, so that a refused request costs one call that works, not as many as it has questions.
 */
async function blame(
  prefix: Prefix,
  scored: readonly Scored[],
  error: EngineError,
  beforeCall: () => void,
  signal: AbortSignal | undefined,
): Promise<EngineError> {
  const problems = new Map<string, string>()
  for (const { state, branch } of [...scored].sort((a, b) => lengthOf(b.branch) - lengthOf(a.branch))) {
    if (problems.has(state.param)) continue
    beforeCall()
    try {
      await prefix.score([branch], signal)
      break
    } catch (alone) {
      problems.set(state.param, alone instanceof EngineError ? alone.message : error.message)
    }
  }
  const [first] = problems
  // No branch fails alone: together they are too much, and the message of the whole says so.
  if (!first) return new EngineError(error.code, error.message, { param: error.param ?? '/questions', cause: error })
  const list = [...problems].map(([param, message]) => ({ param, message }))
  return new EngineError(error.code, first[1], { param: first[0], problems: list, cause: error })
}

type ReadWork = Extract<ModelCall, { type: 'read' }>

async function readOne(prefix: Prefix, work: ReadWork, param: string, signal: AbortSignal | undefined): Promise<Generated | FailedRead> {
  try {
    return await prefix.generate(work.branch, work.constraint, signal)
  } catch (error) {
    if (error instanceof EngineError && error.code !== 'internal_error') {
      throw isForTheCaller(error) ? new EngineError(error.code, error.message, { param, cause: error }) : error
    }
    return { type: 'failed', error: modelFailure(error, 'reading') }
  }
}

/** A failure of the model itself. Its own words may name files of this machine, so they are kept as the cause only. */
export function modelFailure(error: unknown, doing: string): EngineError {
  if (error instanceof EngineError) return error
  return new EngineError('internal_error', `The model failed while ${doing}; send the request again.`, { cause: error })
}

/** Checks the contract of `Prefix.score` at run time: a wrong count or a NaN must not become an answer. */
function checkScores(branches: readonly Branch[], scores: readonly Scores[]): void {
  const broken = (what: string) => new EngineError('internal_error', `The model broke its contract: ${what}.`)
  if (scores.length !== branches.length) throw broken(`${scores.length} scores for ${branches.length} branches`)
  branches.forEach(({ readout, candidates }, i) => {
    const { rows } = scores[i]!
    const independent = readout === 'independent'
    const expected = independent ? candidates.length : 1
    if (rows.length !== expected) throw broken(`${rows.length} rows for a ${readout} branch of ${candidates.length}, expected ${expected}`)
    for (const { logProbabilities, mass } of rows) {
      const width = independent ? 2 : candidates.length
      if (logProbabilities.length !== width) throw broken(`${logProbabilities.length} log-probabilities, expected ${width}`)
      const isUsable = logProbabilities.every((logP) => logP <= 1e-3) && logProbabilities.some((logP) => logP > -Infinity)
      if (!isUsable || !Number.isFinite(mass)) throw broken(`log-probabilities [${logProbabilities.slice(0, 8).join(', ')}], mass ${mass}`)
    }
  })
}

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

/** How far rounding may take a log-probability above 0. */
const ROUNDED_ABOVE_0 = 1e-3
/** Candidates that are handled before the event loop gets a turn: about 2 ms of work. */
const WEIGHED_AT_ONCE = 2048

interface RunningQuestion<A> extends QuestionRun<A> {
  step: IteratorResult<readonly ModelCall[], A>
  passes: number
  hasFailed: boolean
}

/** The calls of one question in a round, and the replies to them in the same order. */
interface CallsOfQuestion {
  readonly question: RunningQuestion<unknown>
  readonly calls: readonly ModelCall[]
  readonly replies: ModelReply[]
}

/** What calls of the model are made with, and how many they and their tokens are so far. */
interface ModelCalls {
  readonly prefix: Prefix
  readonly beforeCall: () => void
  readonly signal: AbortSignal | undefined
  readonly totals: { passes: number; inputTokens: number; outputTokens: number }
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
  const weigh = async (calls: readonly ModelCall[]): Promise<void> => {
    weighed += calls.reduce((sum, { branch }) => sum + branch.candidates.length, 0)
    if (weighed <= WEIGHED_AT_ONCE) return
    weighed = 0
    await setImmediate()
    beforeCall()
  }
  const questions: RunningQuestion<A>[] = []
  for (const { param, coroutine } of running) {
    const step = coroutine.next(undefined as never)
    questions.push({ param, coroutine, step, passes: 0, hasFailed: false })
    if (!step.done) await weigh(step.value)
  }
  const totals = { passes: 0, inputTokens: 0, outputTokens: 0 }
  const model: ModelCalls = { prefix, beforeCall, signal, totals }
  for (;;) {
    const round = questions.flatMap((question) =>
      question.step.done ? [] : [{ question, calls: question.step.value, replies: new Array<ModelReply>(question.step.value.length) }],
    )
    if (round.length === 0) break
    await scoreRound(round, model)
    await readRound(round, model)
    afterRound(totals.inputTokens)
    for (const { question, calls, replies } of round) {
      await weigh(calls)
      question.step = question.coroutine.next(replies)
    }
  }
  const results = questions.map(({ step, passes, hasFailed }) => ({ value: step.value as A, passes, hasFailed }))
  return { results, ...totals }
}

/** Scores every branch of the round in one call. */
async function scoreRound(round: readonly CallsOfQuestion[], model: ModelCalls): Promise<void> {
  const scored = round.flatMap(({ question, calls, replies }) =>
    calls.flatMap((call, at) =>
      call.type === 'score' ? [{ question, branch: call.branch, isFree: call.isFree, put: (reply: Scores) => (replies[at] = reply) }] : [],
    ),
  )
  if (scored.length === 0) return
  model.beforeCall()
  const scores = await scoreAll(scored, model)
  model.totals.passes += 1
  for (const question of new Set(scored.map(({ question }) => question))) question.passes += 1
  scored.forEach(({ isFree, put }, i) => {
    const reply = scores[i]!
    if (!isFree) model.totals.inputTokens += reply.inputTokens
    put(reply)
  })
}

/**
 * Makes the reads of the round at the same time, so that a backend may run them together; each fails on its own. Those
 * that the engine makes by itself are made once where they are the same: "more than 50" and "more than 100" ask for one
 * number.
 */
async function readRound(round: readonly CallsOfQuestion[], model: ModelCalls): Promise<void> {
  const reads = round.flatMap(({ question, calls, replies }) =>
    calls.flatMap((call, at) => (call.type === 'read' ? [{ question, call, put: (reply: ModelReply) => (replies[at] = reply) }] : [])),
  )
  if (reads.length === 0) return
  model.beforeCall()
  const made = new Map<unknown, Promise<Generated | FailedRead>>()
  const replies = reads.map(({ question, call }) => {
    const key = call.isFree ? JSON.stringify([call.branch, call.constraint]) : call
    const reply = made.get(key) ?? readOne(call, question.param, model)
    made.set(key, reply)
    return reply
  })
  model.totals.passes += made.size
  const done = await settleAll(replies)
  reads.forEach(({ question, call, put }, i) => {
    const reply = done[i]!
    question.passes += 1
    if (reply.type === 'failed') question.hasFailed = true
    else if (!call.isFree) {
      model.totals.inputTokens += reply.inputTokens
      model.totals.outputTokens += reply.outputTokens
    }
    put(reply)
  })
}

/** Waits for all of them. Throws the first error in their order, whichever failed first; nothing runs any more then. */
async function settleAll<T>(reads: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(reads)
  return Promise.all(reads)
}

interface Scored {
  readonly question: { readonly param: string }
  readonly branch: Branch
}

async function scoreAll(scored: readonly Scored[], model: ModelCalls): Promise<readonly Scores[]> {
  const branches = scored.map(({ branch }) => branch)
  let scores: readonly Scores[]
  try {
    scores = await model.prefix.score(branches, model.signal)
  } catch (error) {
    if (error instanceof EngineError && isForTheCaller(error)) throw await blame(scored, error, model)
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
async function blame(scored: readonly Scored[], error: EngineError, { prefix, beforeCall, signal }: ModelCalls): Promise<EngineError> {
  const problems = new Map<string, string>()
  for (const { question, branch } of [...scored].sort((a, b) => lengthOf(b.branch) - lengthOf(a.branch))) {
    if (problems.has(question.param)) continue
    beforeCall()
    try {
      await prefix.score([branch], signal)
      break
    } catch (alone) {
      problems.set(question.param, alone instanceof EngineError ? alone.message : error.message)
    }
  }
  const [first] = problems
  // No branch fails alone: together they are too much, and the message of the whole says so.
  if (!first) return new EngineError(error.code, error.message, { param: error.param ?? '/questions', cause: error })
  const list = [...problems].map(([param, message]) => ({ param, message }))
  return new EngineError(error.code, first[1], { param: first[0], problems: list, cause: error })
}

type ReadCall = Extract<ModelCall, { type: 'read' }>

async function readOne({ branch, constraint }: ReadCall, param: string, model: ModelCalls): Promise<Generated | FailedRead> {
  try {
    return await model.prefix.generate(branch, constraint, model.signal)
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
      const isUsable = logProbabilities.every((logP) => logP <= ROUNDED_ABOVE_0) && logProbabilities.some((logP) => logP > -Infinity)
      if (!isUsable || !Number.isFinite(mass)) throw broken(`log-probabilities [${logProbabilities.slice(0, 8).join(', ')}], mass ${mass}`)
    }
  })
}

// Asks the stages of a chain in their order. Every question goes to the first; what stays uncertain after calibration
// goes on, the most uncertain first while the budget of the request lasts. A stage that cannot answer is passed over.
import type { Backend, ModelInfo } from '../../backends/backend.ts'
import { type Budget, isUncertain } from '../../calibration/deliberation/deliberation.ts'
import { uncertaintyOf } from '../../calibration/deliberation/gate.ts'
import { type Clock, type Deadline, startDeadline } from '../../core/deadline.ts'
import { EngineError, type ErrorCode } from '../../core/errors.ts'
import { ownEntry } from '../../core/untrusted.ts'
import type { CheckedQuestion, Fault, MadeDecision, QuestionResult } from '../../questions/shared/checked-question.ts'
import { type Decision, isOfValue } from '../../questions/shared/decision.ts'
import type { StageReport } from '../../wire/types.ts'
import type { NamedStage } from '../chain.ts'
import { type ExecutorResult, modelFailure } from '../executor.ts'
import { refuse } from '../faults.ts'
import { capabilityFaults } from '../requirements.ts'
import type { Loan } from '../residence.ts'
import type { ChainReport } from '../response.ts'
import type { ReadState } from '../state/state.ts'
import { askModel, type ModelAnswers, type ModelDecisions } from './model.ts'

export interface AskChainOptions {
  readonly stages: readonly NamedStage[]
  readonly questions: readonly CheckedQuestion[]
  readonly state: ReadState
  readonly stop: Deadline
  readonly clock: Clock
  /** Each question that goes on takes one of it. */
  readonly budget: Budget
  /** The loaded model, until the loan is ended. */
  readonly borrow: (id: string) => Promise<Loan>
  readonly decisionsOf: (info: ModelInfo, stage: NamedStage) => ModelDecisions
  /** Is told the input tokens of all stages so far. */
  readonly tell: (inputTokens: number) => void
  readonly lap: (step: 'load' | 'open' | 'ask') => void
  /** Is handed the work of each stage: it may go on after the stage was given up. */
  readonly onWork: (work: Promise<unknown>) => void
}

export interface ChainAnswers extends ChainReport {
  /** Of the stages that answered, in their order. The first is the model of the event. */
  readonly answered: readonly ModelAnswers[]
  /** Of all stages together: in the order of the questions, decisions with the model that made them. */
  readonly executed: ExecutorResult<QuestionResult>
}

/** An answer with the stage that gave it. */
interface Given {
  readonly stage: number
  readonly info: ModelInfo
  readonly result: ExecutorResult<QuestionResult>['results'][number]
}

/** What a question got of the stages so far. */
interface QuestionProgress {
  given: Given | null
  /** Of the stages before the one whose answer is given. */
  readonly before: Given[]
  passes: number
  /** What the last model was not capable of. */
  faults: readonly Fault[]
}

interface StageDone {
  readonly answers: ModelAnswers
  /** Places of the questions that were asked. */
  readonly asked: readonly number[]
  /** How uncertain those are that should go on. */
  readonly unsure: ReadonlyMap<number, number>
}

/** A stage that fails so is passed over; any other error is that of the request. */
const PASSED_OVER: ReadonlySet<ErrorCode> = new Set([
  'model_not_found',
  'model_not_available',
  'model_loading',
  'overloaded',
  'internal_error',
  'deadline_exceeded',
  'context_length_exceeded',
  'capability_not_supported',
])

/**
 * Kept of the deadline while there are answers already: what a later stage has not answered by then keeps the answer of
 * the stage before it.
 */
const RESERVE_MS = 250

/**
 * Answers every question. Throws when a question was answered by no stage: the error of the last stage that failed, or
 * what no model of the chain is capable of.
 */
export async function askChain(options: AskChainOptions): Promise<ChainAnswers> {
  const { stages, stop, clock } = options
  const progress = new ChainProgress(options)
  for (const [at, stage] of stages.entries()) {
    if (progress.open.length === 0) break
    const began = clock.now()
    try {
      progress.done(at, await askStage(options, stage, progress))
    } catch (error) {
      stop.check()
      if (!(error instanceof EngineError && PASSED_OVER.has(error.code))) throw error
      progress.skipped(at, error)
    } finally {
      progress.reports[at]!.ms = clock.now() - began
    }
  }
  return progress.answers()
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const NOT_NEEDED: Omit<StageReport, 'model'> = {
  status: 'not_needed',
  asked: 0,
  answered: 0,
  revision: null,
  calibration: null,
  input_tokens: 0,
  passes: 0,
  ms: 0,
}

/** What the stages gave so far, and what is left for the next. */
class ChainProgress {
  /** By the place of the stage. */
  readonly reports: readonly Mutable<StageReport>[]
  /** In the order of the request. */
  readonly questions: readonly QuestionProgress[]
  /** Places of the questions that the next stage is asked. */
  open: readonly number[]
  /** Of the stages that answered. */
  inputTokens = 0
  readonly #budget: Budget
  readonly #answered: ModelAnswers[] = []
  #failure: EngineError | null = null

  constructor({ stages, questions, budget }: AskChainOptions) {
    this.reports = stages.map(({ id }) => ({ model: id, ...NOT_NEEDED }))
    this.questions = questions.map(() => ({ given: null, before: [], passes: 0, faults: [] }))
    this.open = questions.map((_, i) => i)
    this.#budget = budget
  }

  /** The next stage can be done without: all that it is asked has answers already. */
  get isSpare(): boolean {
    return this.open.every((i) => this.questions[i]!.given !== null)
  }

  done(stage: number, { answers, asked, unsure }: StageDone): void {
    const { info, calibrator, executed, prefix } = answers
    const tokens = prefix.tokens + executed.inputTokens
    this.#answered.push(answers)
    this.inputTokens += tokens
    Object.assign(this.reports[stage]!, {
      status: 'answered',
      asked: asked.length,
      revision: info.revision,
      calibration: calibrator.version,
      input_tokens: tokens,
      passes: executed.passes,
    })
    asked.forEach((i, k) => {
      const result = executed.results[k]!
      const question = this.questions[i]!
      question.passes += result.passes
      if (question.given !== null && result.hasFailed) return
      if (question.given !== null) question.before.push(question.given)
      question.given = { stage, info, result }
    })
    const isLast = stage === this.reports.length - 1
    const goOn = isLast ? [] : [...unsure].sort(([, a], [, b]) => b - a).filter(() => this.#budget.spend(1))
    const left = this.open.filter((i) => !asked.includes(i))
    this.open = [...left, ...goOn.map(([i]) => i)].sort((a, b) => a - b)
  }

  skipped(stage: number, error: EngineError): void {
    this.#failure = error
    Object.assign(this.reports[stage]!, { status: 'skipped', asked: this.open.length, reason: error.message })
  }

  /** Of all stages together. Throws when a question has none. */
  answers(): ChainAnswers {
    const all = this.questions.flatMap(({ given }) => given ?? [])
    if (all.length < this.questions.length) {
      if (this.#failure !== null) throw this.#failure
      refuse(this.questions.flatMap(({ given, faults }) => (given === null ? faults : [])))
    }
    for (const { stage } of all) this.reports[stage]!.answered += 1
    const first = this.#answered[0]!.info
    const sum = (of: (executed: ModelAnswers['executed']) => number): number =>
      this.#answered.reduce((total, { executed }) => total + of(executed), 0)
    return {
      answered: this.#answered,
      executed: {
        results: all.map((one, i) => {
          const { before, passes } = this.questions[i]!
          const value = { ...one.result.value, decisions: signedDecisions(one, before, first) }
          return { value, passes, hasFailed: one.result.hasFailed }
        }),
        passes: sum(({ passes }) => passes),
        inputTokens: sum(({ inputTokens }) => inputTokens),
        outputTokens: sum(({ outputTokens }) => outputTokens),
      },
      by: all.map(({ info }) => info.id),
      reports: this.reports,
    }
  }
}

async function askStage(options: AskChainOptions, stage: NamedStage, progress: ChainProgress): Promise<StageDone> {
  const { questions, state, stop, clock, borrow, decisionsOf, tell, lap } = options
  const { open, isSpare, inputTokens } = progress
  const left = stop.leftMs()
  const ms = Math.min(stage.timeoutMs ?? Number.POSITIVE_INFINITY, isSpare ? left - Math.min(RESERVE_MS, left / 2) : left)
  const late = () => new EngineError('deadline_exceeded', `the model ${stage.id} had not answered after ${Math.round(ms)} ms`)
  const own = startDeadline({ ms, late, clock, signal: stop.signal })
  const unsure = new Map<number, number>()
  // A stage that was given up goes on until its pass is over, and what it says by then counts no more.
  const unlessGivenUp = <A extends unknown[]>(run: (...of: A) => void) => {
    return (...of: A) => {
      if (!own.signal.aborted) run(...of)
    }
  }

  async function work(): Promise<StageDone> {
    const { backend, end } = await borrow(stage.id).catch((error: unknown) => {
      throw modelFailure(error, 'loading')
    })
    try {
      unlessGivenUp(lap)('load')
      const { info } = backend
      refuse(capabilityFaults(info, [], state.images.length))
      const held = open.map((i) => ({ i, found: capabilityFaults(info, [questions[i]!], 0) }))
      for (const { i, found } of held) if (found.length > 0) progress.questions[i]!.faults = found
      const asked = held.flatMap(({ i, found }) => (found.length === 0 ? [i] : []))
      if (asked.length === 0) refuse(held.flatMap(({ found }) => found))
      return { asked, unsure, answers: await askThese(backend, asked) }
    } finally {
      end()
    }
  }

  async function askThese(backend: Backend, asked: readonly number[]): Promise<ModelAnswers> {
    const answers = await askModel({
      backend,
      questions: asked.map((i) => questions[i]!),
      state,
      decisionsOf: (info) => decisionsOf(info, stage),
      stop: own,
      tell: unlessGivenUp((tokens: number) => tell(inputTokens + tokens)),
      lap: unlessGivenUp(lap),
      decided: (k, made) => noteUnsure(unsure, asked[k]!, made, stage),
    })
    answers.executed.results.forEach(({ hasFailed }, k) => {
      if (hasFailed) unsure.set(asked[k]!, Number.POSITIVE_INFINITY)
    })
    return answers
  }

  const working = work()
  options.onWork(working)
  try {
    return await own.race(working)
  } finally {
    own.end()
  }
}

/** A question is as uncertain as its most uncertain decision. */
function noteUnsure(
  unsure: Map<number, number>,
  question: number,
  { readout, probabilities, mass, isLearned }: MadeDecision,
  { threshold: given }: NamedStage,
): void {
  const threshold = typeof given === 'number' ? given : given?.[readout]
  if (isLearned || !isUncertain(probabilities, mass, threshold)) return
  unsure.set(question, Math.max(unsure.get(question) ?? 0, uncertaintyOf(probabilities)))
}

/** The decisions of an answer with who made them, and how the stages before it made the same. */
function signedDecisions({ info, result }: Given, before: readonly Given[], first: ModelInfo): QuestionResult['decisions'] {
  const signed = (decision: Decision, { id, revision, templateHash }: ModelInfo): Decision =>
    id === first.id ? decision : { ...decision, by: { id, revision, templateHash } }
  const entries = Object.entries(result.value.decisions).map(([name, decision]): [string, Decision] => {
    const earlier = before.flatMap(({ info: by, result: { value } }) => {
      const same = ownEntry(value.decisions, name)
      return same === undefined || isOfValue(same.readout) || same.question !== decision.question ? [] : [signed(same, by)]
    })
    return [name, { ...signed(decision, info), ...(earlier.length === 0 ? {} : { earlier }) }]
  })
  return Object.fromEntries(entries)
}

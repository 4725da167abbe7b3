// Asks the stages of a chain in their order. Every question goes to the first; what stays uncertain after calibration
// goes on, the most uncertain first while the budget of the request lasts. A stage that cannot answer is passed over.
import type { Backend, ModelInfo } from '../../backends/backend.ts'
import { type Budget, isUncertain } from '../../calibration/deliberation/deliberation.ts'
import { uncertaintyOf } from '../../calibration/deliberation/gate.ts'
import { type Clock, type Deadline, startDeadline } from '../../core/deadline.ts'
import { EngineError, type ErrorCode } from '../../core/errors.ts'
import { ownEntry } from '../../core/untrusted.ts'
import type { CheckedQuestion, Fault, MadeDecision, QuestionResult } from '../../questions/shared/checked-question.ts'
import { type CalibratedModel, type Decision, isOfValue } from '../../questions/shared/decision.ts'
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
  const { stages, questions, stop, clock, budget } = options
  const given = new Array<Given | null>(questions.length).fill(null)
  const before = questions.map((): Given[] => [])
  const passes = new Array<number>(questions.length).fill(0)
  const done: StageDone[] = []
  const faults = new Map<number, readonly Fault[]>()
  const reports: Mutable<StageReport>[] = []
  let failure: EngineError | null = null
  let inputTokens = 0
  let open = questions.map((_, i) => i)

  for (const [at, stage] of stages.entries()) {
    const report: Mutable<StageReport> = { model: stage.id, ...NOT_NEEDED }
    reports.push(report)
    if (open.length === 0) continue
    const began = clock.now()
    report.asked = open.length
    try {
      const isSpare = open.every((i) => given[i] !== null)
      const one = await askStage(options, stage, { open, isSpare, inputTokens, faults })
      done.push(one)
      const { answers, asked, unsure } = one
      const tokens = answers.prefix.tokens + answers.executed.inputTokens
      inputTokens += tokens
      Object.assign(report, {
        ...{ status: 'answered', asked: asked.length, revision: answers.info.revision, calibration: answers.calibrator.version },
        ...{ input_tokens: tokens, passes: answers.executed.passes },
      })
      asked.forEach((i, k) => {
        const result = answers.executed.results[k]!
        const earlier = given[i]!
        passes[i]! += result.passes
        if (earlier !== null && result.hasFailed) return
        if (earlier !== null) before[i]!.push(earlier)
        given[i] = { stage: at, info: answers.info, result }
      })
      const isLast = at === stages.length - 1
      const goOn = isLast ? [] : [...unsure].sort(([, a], [, b]) => b - a).filter(() => budget.spend(1))
      const left = open.filter((i) => !asked.includes(i))
      open = [...left, ...goOn.map(([i]) => i)].sort((a, b) => a - b)
    } catch (error) {
      stop.check()
      if (!(error instanceof EngineError && PASSED_OVER.has(error.code))) throw error
      failure = error
      Object.assign(report, { status: 'skipped', reason: error.message })
    } finally {
      report.ms = clock.now() - began
    }
  }

  if (given.includes(null)) {
    if (failure !== null) throw failure
    refuse(given.flatMap((one, i) => (one === null ? (faults.get(i) ?? []) : [])))
  }
  const all = given as Given[]
  for (const { stage } of all) reports[stage]!.answered += 1
  const first = done[0]!.answers.info
  const sum = (of: (answers: ModelAnswers) => number): number => done.reduce((total, { answers }) => total + of(answers), 0)
  return {
    answered: done.map(({ answers }) => answers),
    executed: {
      results: all.map((one, i) => ({
        value: { ...one.result.value, decisions: signedDecisions(one, before[i]!, first) },
        passes: passes[i]!,
        hasFailed: one.result.hasFailed,
      })),
      passes: sum(({ executed }) => executed.passes),
      inputTokens: sum(({ executed }) => executed.inputTokens),
      outputTokens: sum(({ executed }) => executed.outputTokens),
    },
    by: all.map(({ info }) => info.id),
    reports,
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const NOT_NEEDED: Omit<StageReport, 'model'> = {
  ...{ status: 'not_needed' as const, asked: 0, answered: 0, revision: null, calibration: null },
  ...{ input_tokens: 0, passes: 0, ms: 0 },
}

interface StageCall {
  /** Places of the questions that are to be asked. */
  readonly open: readonly number[]
  /** All of them have answers already. */
  readonly isSpare: boolean
  /** Of the stages before it. */
  readonly inputTokens: number
  /** Takes what the model is not capable of, by the place of the question. */
  readonly faults: Map<number, readonly Fault[]>
}

async function askStage(options: AskChainOptions, stage: NamedStage, call: StageCall): Promise<StageDone> {
  const { questions, state, stop, clock, borrow, decisionsOf, tell, lap } = options
  const { open, isSpare, inputTokens, faults } = call
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
      for (const { i, found } of held) if (found.length > 0) faults.set(i, found)
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
  { threshold = {} }: NamedStage,
): void {
  if (isLearned || !isUncertain(readout, probabilities, mass, threshold)) return
  unsure.set(question, Math.max(unsure.get(question) ?? 0, uncertaintyOf(probabilities)))
}

/** The decisions of an answer with who made them, and how the stages before it made the same. */
function signedDecisions({ info, result }: Given, before: readonly Given[], first: ModelInfo): QuestionResult['decisions'] {
  const signed = (decision: Decision, by: ModelInfo): Decision => (by.id === first.id ? decision : { ...decision, by: identityOf(by) })
  const entries = Object.entries(result.value.decisions).map(([name, decision]): [string, Decision] => {
    const earlier = before.flatMap(({ info: by, result: { value } }) => {
      const same = ownEntry(value.decisions, name)
      return same === undefined || isOfValue(same.readout) || same.question !== decision.question ? [] : [signed(same, by)]
    })
    return [name, { ...signed(decision, info), ...(earlier.length === 0 ? {} : { earlier }) }]
  })
  return Object.fromEntries(entries)
}

function identityOf({ id, revision, templateHash }: ModelInfo): CalibratedModel {
  return { id, revision, templateHash }
}

// Asks the stages of a chain in their order. Every question goes to the first; what stays uncertain after calibration
// goes on, the most uncertain first while the budget of the request lasts. A stage that cannot answer is passed over.
import type { Backend, ModelInfo } from '../../backends/backend.ts'
import { type Budget, isUncertain } from '../../calibration/deliberation/deliberation.ts'
import { uncertaintyOf } from '../../calibration/deliberation/gate.ts'
import { type Clock, type Deadline, startDeadline } from '../../core/deadline.ts'
import { EngineError, type ErrorCode } from '../../core/errors.ts'
import type { CheckedQuestion, Fault, MadeDecision } from '../../questions/shared/checked-question.ts'
import type { DeliberationMode } from '../../questions/shared/deliberation.ts'
import type { NamedStage } from '../chain.ts'
import { modelFailure } from '../executor.ts'
import { refuse } from '../faults.ts'
import { capabilityFaults } from '../requirements.ts'
import type { Loan } from '../residence.ts'
import type { ReadState } from '../state/state.ts'
import { ChainProgress, type StageAnswers } from './chain-progress.ts'
import { askModel, type DecisionSetup } from './model.ts'
import type { RequestAnswers } from './request-answers.ts'

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
  /** `mode`: of deliberation, where the stage says one. */
  readonly setupFor: (info: ModelInfo, mode: DeliberationMode | undefined) => DecisionSetup
  /** Is told the input tokens of all stages so far. */
  readonly tell: (inputTokens: number) => void
  readonly lap: (step: 'load' | 'open' | 'ask') => void
  /** Is handed the work of each stage: it may go on after the stage was given up. */
  readonly onWork: (work: Promise<unknown>) => void
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
export async function askChain(options: AskChainOptions): Promise<RequestAnswers> {
  const { stages, questions, budget, stop, clock } = options
  const progress = new ChainProgress(stages, questions, budget)
  for (const [at, stage] of stages.entries()) {
    if (progress.open.length === 0) break
    const began = clock.now()
    try {
      const answers = await askStage(options, stage, progress)
      progress.answered(at, answers, clock.now() - began)
    } catch (error) {
      stop.check()
      if (!(error instanceof EngineError && PASSED_OVER.has(error.code))) throw error
      progress.skipped(at, error, clock.now() - began)
    }
  }
  return progress.answers()
}

async function askStage(
  options: AskChainOptions,
  stage: NamedStage,
  { open, isSpare, inputTokens }: Pick<ChainProgress, 'open' | 'isSpare' | 'inputTokens'>,
): Promise<StageAnswers> {
  const { questions, state, stop, clock, borrow, setupFor, tell, lap } = options
  const left = stop.leftMs()
  const ms = Math.min(stage.timeoutMs ?? Number.POSITIVE_INFINITY, isSpare ? left - Math.min(RESERVE_MS, left / 2) : left)
  const late = () => new EngineError('deadline_exceeded', `the model ${stage.id} had not answered after ${Math.round(ms)} ms`)
  const own = startDeadline({ ms, late, clock, signal: stop.signal })
  // A stage that was given up goes on until its pass is over, and what it says by then counts no more.
  const unlessGivenUp = <A extends unknown[]>(run: (...of: A) => void) => {
    return (...of: A) => {
      if (!own.signal.aborted) run(...of)
    }
  }

  async function work(): Promise<StageAnswers> {
    const { backend, end } = await borrow(stage.id).catch((error: unknown) => {
      throw modelFailure(error, 'loading')
    })
    try {
      unlessGivenUp(lap)('load')
      const { info } = backend
      refuse(capabilityFaults(info, [], state.images.length))
      const faults = new Map<number, readonly Fault[]>()
      for (const i of open) {
        const found = capabilityFaults(info, [questions[i]!], 0)
        if (found.length > 0) faults.set(i, found)
      }
      const asked = open.filter((i) => !faults.has(i))
      if (asked.length === 0) refuse([...faults.values()].flat())
      return { asked, faults, ...(await askThese(backend, asked)) }
    } finally {
      end()
    }
  }

  async function askThese(backend: Backend, asked: readonly number[]): Promise<Pick<StageAnswers, 'answers' | 'unsure'>> {
    const unsure = new Map<number, number>()
    const answers = await askModel({
      backend,
      questions: asked.map((i) => questions[i]!),
      state,
      setupFor: (info) => setupFor(info, stage.deliberation),
      stop: own,
      tell: unlessGivenUp((tokens: number) => tell(inputTokens + tokens)),
      lap: unlessGivenUp(lap),
      decided(k, made) {
        const i = asked[k]!
        // A question is as uncertain as its most uncertain decision.
        if (shouldGoOn(made, stage)) unsure.set(i, Math.max(unsure.get(i) ?? 0, uncertaintyOf(made.probabilities)))
      },
    })
    answers.executed.results.forEach(({ hasFailed }, k) => {
      if (hasFailed) unsure.set(asked[k]!, Number.POSITIVE_INFINITY)
    })
    return { answers, unsure }
  }

  const working = work()
  options.onWork(working)
  try {
    return await own.race(working)
  } finally {
    own.end()
  }
}

/** Whether a decision is too uncertain for its stage. What a head decided stays: it was fitted on this question. */
function shouldGoOn({ readout, probabilities, mass, isLearned }: MadeDecision, { threshold }: NamedStage): boolean {
  return !isLearned && isUncertain(probabilities, mass, typeof threshold === 'number' ? threshold : threshold?.[readout])
}

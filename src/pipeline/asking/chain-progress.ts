// What the stages of a chain gave so far: the answer that each question has, which are asked next, and a report on each
// stage. Stages say what they did; only this file changes what is kept of it.
import type { ModelInfo } from '../../backends/backend.ts'
import type { Budget } from '../../calibration/deliberation/deliberation.ts'
import type { EngineError } from '../../core/errors.ts'
import { ownEntry } from '../../core/untrusted.ts'
import type { Fault, QuestionResult } from '../../questions/shared/checked-question.ts'
import type { Decision } from '../../questions/shared/decision.ts'
import { isOfValue } from '../../questions/shared/readouts.ts'
import type { StageReport } from '../../wire/types.ts'
import type { NamedStage } from '../chain.ts'
import type { ExecutorResult } from '../executor.ts'
import { refuse } from '../faults.ts'
import type { ModelAnswers } from './model.ts'
import type { RequestAnswers } from './request-answers.ts'

/** What a stage did that answered. Questions go by their places in the request. */
export interface StageAnswers {
  readonly answers: ModelAnswers
  /** The questions of the answers, in their order. */
  readonly asked: readonly number[]
  /** What the model is not capable of, of the questions that it was not asked for that. */
  readonly faults: ReadonlyMap<number, readonly Fault[]>
  /** How uncertain those are that should go on. */
  readonly unsure: ReadonlyMap<number, number>
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

export class ChainProgress {
  /** By the place of the stage. */
  readonly #reports: readonly Mutable<StageReport>[]
  /** In the order of the request. */
  readonly #questions: readonly QuestionProgress[]
  readonly #budget: Budget
  /** Of the stages that answered, in their order. */
  readonly #models: ModelAnswers[] = []
  #open: readonly number[]
  #inputTokens = 0
  #failure: EngineError | null = null

  /** `budget`: each question that goes on takes one of it. */
  constructor(stages: readonly NamedStage[], questions: readonly unknown[], budget: Budget) {
    this.#reports = stages.map(({ id }) => ({ model: id, ...NOT_NEEDED }))
    this.#questions = questions.map(() => ({ given: null, before: [], passes: 0, faults: [] }))
    this.#open = questions.map((_, i) => i)
    this.#budget = budget
  }

  /** Places of the questions that the next stage is asked. */
  get open(): readonly number[] {
    return this.#open
  }

  /** The next stage can be done without: all that it is asked has answers already. */
  get isSpare(): boolean {
    return this.#open.every((i) => this.#questions[i]!.given !== null)
  }

  /** Of the stages that answered. */
  get inputTokens(): number {
    return this.#inputTokens
  }

  /** Takes what a stage gave, within so many milliseconds, and chooses what the next is asked. */
  answered(stage: number, { answers, asked, faults, unsure }: StageAnswers, ms: number): void {
    const { info, calibrator, executed, prefix } = answers
    const tokens = prefix.tokens + executed.inputTokens
    this.#models.push(answers)
    this.#inputTokens += tokens
    Object.assign(this.#reports[stage]!, {
      status: 'answered',
      asked: asked.length,
      revision: info.revision,
      calibration: calibrator.version,
      input_tokens: tokens,
      passes: executed.passes,
      ms,
    })
    for (const [i, found] of faults) this.#questions[i]!.faults = found
    asked.forEach((i, k) => {
      const result = executed.results[k]!
      const question = this.#questions[i]!
      question.passes += result.passes
      if (question.given !== null && result.hasFailed) return
      if (question.given !== null) question.before.push(question.given)
      question.given = { stage, info, result }
    })
    const isLast = stage === this.#reports.length - 1
    const goOn = isLast ? [] : [...unsure].sort(([, a], [, b]) => b - a).filter(() => this.#budget.spend(1))
    const left = this.#open.filter((i) => !asked.includes(i))
    this.#open = [...left, ...goOn.map(([i]) => i)].sort((a, b) => a - b)
  }

  /** Notes why a stage could not answer: the next one is asked the same. */
  skipped(stage: number, error: EngineError, ms: number): void {
    this.#failure = error
    Object.assign(this.#reports[stage]!, { status: 'skipped', asked: this.#open.length, reason: error.message, ms })
  }

  /** Of all stages together, decisions with the model that made them. Throws when a question has none. */
  answers(): RequestAnswers {
    const all = this.#questions.flatMap(({ given }) => given ?? [])
    if (all.length < this.#questions.length) {
      if (this.#failure !== null) throw this.#failure
      refuse(this.#questions.flatMap(({ given, faults }) => (given === null ? faults : [])))
    }
    const first = this.#models[0]!.info
    const sum = (of: (executed: ModelAnswers['executed']) => number): number =>
      this.#models.reduce((total, { executed }) => total + of(executed), 0)
    return {
      models: this.#models,
      executed: {
        results: all.map((one, i) => {
          const { before, passes } = this.#questions[i]!
          const value = { ...one.result.value, decisions: signedDecisions(one, before, first) }
          return { value, passes, hasFailed: one.result.hasFailed }
        }),
        passes: sum(({ passes }) => passes),
        inputTokens: sum(({ inputTokens }) => inputTokens),
        outputTokens: sum(({ outputTokens }) => outputTokens),
      },
      chain: {
        by: all.map(({ info }) => info.id),
        reports: this.#reports.map((report, at) => ({ ...report, answered: all.filter(({ stage }) => stage === at).length })),
      },
    }
  }
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

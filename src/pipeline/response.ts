// Assembles the response from question results, counts and times.

import type { ModelInfo } from '../backends/backend.ts'
import type { QuestionResult } from '../questions/shared/checked-question.ts'
import type { Decision } from '../questions/shared/decision.ts'
import type { Answer, Answers, AskResponse, DeriveAnswer, QuestionReport, StageReport } from '../wire/types.ts'
import type { ExecutorResult } from './executor.ts'

/** The version this engine reports; a test holds it equal to the package's. */
export const ENGINE_VERSION = '0.1.0'

export interface ResponseParts {
  readonly id: string
  /** Of the model, or of the chain. */
  readonly model: string
  readonly info: Pick<ModelInfo, 'revision'>
  /** Null: probabilities are the model's own. */
  readonly calibrationVersion: string | null
  readonly questionIds: readonly string[]
  readonly executed: ExecutorResult<QuestionResult>
  readonly derived: Readonly<Record<string, DeriveAnswer>>
  readonly prefix: { readonly tokens: number; readonly cachedTokens: number }
  /** US dollars. */
  readonly pricePerMillionInputTokens: number
  readonly timingsMs: Readonly<Record<string, number>>
  readonly warnings: readonly string[]
  /** Null for a model by itself. */
  readonly chain: ChainReport | null
}

/** What the stages of a chain did. */
export interface ChainReport {
  /** The id of the model that answered, by the place of the question. */
  readonly by: readonly string[]
  readonly reports: readonly StageReport[]
}

/** Answers by question id. Without a prototype, so that any id is safe. */
export function answersOf(questionIds: readonly string[], executed: ExecutorResult<QuestionResult>): Answers {
  const answers: Record<string, Answer> = Object.create(null)
  questionIds.forEach((id, i) => {
    answers[id] = executed.results[i]!.value.answer
  })
  return answers
}

/** What was decided, by question id; arguments as `question/argument`. */
export function decisionsOf(questionIds: readonly string[], executed: ExecutorResult<QuestionResult>): Readonly<Record<string, Decision>> {
  const decisions: Record<string, Decision> = Object.create(null)
  questionIds.forEach((id, i) => {
    for (const [name, decision] of Object.entries(executed.results[i]!.value.decisions))
      decisions[name === '' ? id : `${id}/${name}`] = decision
  })
  return decisions
}

export function makeResponse(parts: ResponseParts): AskResponse {
  const { info, executed, prefix, chain } = parts
  const answers: Record<string, Answer> = Object.assign(Object.create(null), answersOf(parts.questionIds, executed), parts.derived)
  const questions: Record<string, QuestionReport> = Object.create(null)
  parts.questionIds.forEach((id, i) => {
    const { value, passes } = executed.results[i]!
    const { report } = value
    questions[id] = {
      entropy: report?.entropyBits ?? null,
      mass: report?.mass ?? null,
      deliberated: report?.isDeliberated ?? false,
      passes,
      calibration: report?.calibration ?? null,
      ...(chain === null ? {} : { model: chain.by[i]! }),
    }
  })
  const inputTokens = prefix.tokens + executed.inputTokens
  return {
    id: parts.id,
    model: parts.model,
    answers,
    usage: {
      input_tokens: inputTokens,
      output_tokens: executed.outputTokens,
      cost: (inputTokens * parts.pricePerMillionInputTokens) / 1e6,
    },
    simo: {
      engine: `assay-engine/${ENGINE_VERSION}`,
      model_revision: info.revision,
      calibration: { version: parts.calibrationVersion, applied: parts.calibrationVersion === null ? 'identity' : 'fitted' },
      passes: executed.passes,
      cached_tokens: prefix.cachedTokens,
      timings_ms: parts.timingsMs,
      questions,
      warnings: parts.warnings,
      ...(chain === null ? {} : { chain: chain.reports }),
    },
  }
}

// What a request got of the models that were asked, and what is told of it: the event, counts and warnings.
import type { QuestionResult } from '../../questions/shared/checked-question.ts'
import type { DecisionEvent } from '../../questions/shared/decision.ts'
import type { ExecutorResult } from '../executor.ts'
import type { ReadRequest } from '../request.ts'
import { type ChainReport, decisionsOf, type ResponseParts } from '../response.ts'
import { languageWarnings } from '../state/language.ts'
import { hashOfState } from '../state/state.ts'
import type { ModelAnswers } from './model.ts'

export interface RequestAnswers {
  /** Those that answered, in their order; of a chain there may be several. The first is the model of the event. */
  readonly models: readonly ModelAnswers[]
  /** Of all of them together, in the order of the questions. */
  readonly executed: ExecutorResult<QuestionResult>
  /** Null for a model by itself. */
  readonly chain: ChainReport | null
}

/** The answers of a model by itself. */
export function ofOneModel(answers: ModelAnswers): RequestAnswers {
  return { models: [answers], executed: answers.executed, chain: null }
}

/** What was decided, under the id of the response. */
export function eventOf(id: string, { request, state }: ReadRequest, { models, executed }: RequestAnswers): DecisionEvent {
  const { info } = models[0]!
  return {
    id,
    model: info.id,
    revision: info.revision,
    templateHash: info.templateHash,
    state: hashOfState(state.prompt),
    decisions: decisionsOf(
      request.questions.map((question) => question.id),
      executed,
    ),
  }
}

/** The tokens of the state, of all models together. */
export function prefixOf({ models }: RequestAnswers): ResponseParts['prefix'] {
  return models.reduce(
    (sum, { prefix }) => ({ tokens: sum.tokens + prefix.tokens, cachedTokens: sum.cachedTokens + prefix.cachedTokens }),
    { tokens: 0, cachedTokens: 0 },
  )
}

/** What is said about the request, its state and the models beside the answers. */
export function warningsOf({ request, modelId, state }: ReadRequest, { models, chain }: RequestAnswers): string[] {
  return [
    ...request.warnings,
    ...state.warnings,
    ...models.flatMap(({ info }) => languageWarnings(info, state.prompt)),
    ...models.flatMap(mismatchWarning),
    ...models.flatMap(({ warnings }) => warnings),
    ...skippedWarnings(chain, modelId),
  ]
}

function mismatchWarning({ info: { id }, calibrator }: ModelAnswers): string[] {
  if (!calibrator.isMismatch) return []
  return [
    `The calibration of ${id} was fitted on another revision or template of it and is not used; fit it again with assay calibrate fit.`,
  ]
}

function skippedWarnings(chain: ChainReport | null, id: string): string[] {
  return (chain?.reports ?? []).flatMap(({ model, reason }) =>
    reason === undefined ? [] : [`The stage ${model} of ${id} was passed over: ${reason}`],
  )
}

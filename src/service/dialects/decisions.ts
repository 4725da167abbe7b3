// Translates the decisions wire (POST /v1/decisions: predicate, choice and score, as an array) to the engine's, and
// answers back in the order of the questions. Two fields are added to it: `id`, to record outcomes by, and `simo`.

import { EngineError } from '../../core/errors.ts'
import { pointerTokens } from '../../core/pointer.ts'
import { isObject, jsonTypeOf, plainRecord } from '../../core/untrusted.ts'
import { ignoredFieldWarnings } from '../../pipeline/faults.ts'
import type { AskResponse } from '../../wire/types.ts'
import { readInput } from './decisions-input.ts'
import { readQuestions } from './decisions-questions.ts'
import type { Dialect } from './dialect.ts'
import { Faults, presentField } from './faults.ts'

const FIELDS = ['model', 'input', 'questions', 'prompt_cache_key', 'prompt_cache_options', 'safety_identifier']

export const decisions: Dialect = {
  name: 'decisions',
  translate(body) {
    if (!isObject(body)) {
      throw new EngineError('invalid_request', `A request is an object with input and questions, received ${jsonTypeOf(body)}.`, {
        param: '',
      })
    }
    const faults = new Faults()
    const model = presentField(body, 'model')
    if (model !== undefined && typeof model !== 'string') {
      faults.report('invalid_request', '/model', `model is the id of a model, received ${jsonTypeOf(model)}.`)
    }
    const input = readInput(presentField(body, 'input'), '/input', faults)
    const questions = readQuestions(presentField(body, 'questions'), '/questions', faults)
    faults.throwIfAny()
    const byId = new Map(questions.map((question) => [question.id, question]))
    const warnings = ignoredFieldWarnings(Object.keys(body), FIELDS)
    return {
      request: {
        ...(model === undefined ? {} : { model }),
        state: input.state,
        questions: plainRecord(questions.map(({ id, question }) => [id, question] as const)),
      },
      reply(response: AskResponse) {
        const { answers, simo } = response
        return {
          id: response.id,
          model: response.model,
          answers: questions.map(({ id, reply }) => reply(answers[id]!)),
          usage: usageOf(response),
          simo: { ...simo, warnings: [...simo.warnings, ...warnings] },
        }
      },
      pointer(param) {
        const [, token, rest = ''] = /^\/questions\/([^/]*)(\/.*)?$/s.exec(param) ?? []
        if (token === undefined) return input.pointer(param)
        const question = byId.get(pointerTokens(param)[1]!)
        if (question === undefined) return param
        return question.param + rest.replace(/^\/options(?=\/|$)/, '/choices').replace(/^\/criteria(?=\/|$)/, '/levels')
      },
    }
  },
}

function usageOf({ usage, simo }: AskResponse) {
  return {
    input_tokens: usage.input_tokens,
    input_tokens_details: { cached_tokens: simo.cached_tokens, cache_write_tokens: 0 },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input_tokens + usage.output_tokens,
    cost: usage.cost,
  }
}

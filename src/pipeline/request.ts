// Checks the shape of a request. Each question is checked by its own kind, parts of the state by `state/`, expressions
// by `derive/`. All faults are reported together.
import { EngineError } from '../core/errors.ts'
import type { RequestLimits } from '../core/limits.ts'
import { didYouMean } from '../core/suggest.ts'
import { ownField } from '../core/untrusted.ts'
import type { CheckedQuestion, CheckQuestions, Fault } from '../questions/shared/checked-question.ts'

/** A request whose shape is right. */
export interface CheckedRequest {
  /** As asked for; null when it is left to the engine. */
  readonly model: string | null
  readonly state: unknown
  readonly questions: readonly CheckedQuestion[]
  readonly derive: unknown
  readonly warnings: readonly string[]
}

/** Unknown fields that are named one by one. */
const MOST_WARNED = 20

const FIELDS = ['model', 'state', 'questions', 'derive']

/** Throws one `EngineError` with all faults: its code, message and param are those of the first. */
export function checkRequest(input: unknown, checkQuestions: CheckQuestions, limits: RequestLimits): CheckedRequest {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const got = Array.isArray(input) ? 'an array' : input === null ? 'null' : typeof input
    throw new EngineError('invalid_request', `A request is an object with state and questions, received ${got}.`, { param: '' })
  }
  const own = (field: string): unknown => ownField(input, field)
  const faults: Fault[] = []
  const warnings: string[] = []
  const unknown = Object.keys(input).filter((field) => !FIELDS.includes(field))
  for (const field of unknown.slice(0, MOST_WARNED)) {
    warnings.push(`The field ${JSON.stringify(field.slice(0, 80))} is not known and was ignored.${didYouMean(field, FIELDS)}`)
  }
  if (unknown.length > MOST_WARNED) warnings.push(`${unknown.length - MOST_WARNED} more fields are not known and were ignored.`)
  const model = own('model') ?? null
  if (model !== null && typeof model !== 'string') {
    faults.push({ code: 'invalid_request', param: '/model', message: `model is the id of a model, received ${typeof model}.` })
  }
  if (own('state') === undefined) {
    const message = 'The state is missing: give a text, a JSON value, or an array of parts.'
    faults.push({ code: 'invalid_request', param: '/state', message })
  }
  let questions: readonly CheckedQuestion[] = []
  if (own('questions') === undefined) {
    const message = 'The questions are missing: give an object of questions by id.'
    faults.push({ code: 'invalid_request', param: '/questions', message })
  } else questions = checkQuestions(own('questions'), '/questions', { limits, report: (fault) => faults.push(fault) })
  refuse(faults)
  return { model: model as string | null, state: own('state'), questions, derive: own('derive'), warnings }
}

/** Throws when there are faults. */
export function refuse(faults: readonly Fault[]): void {
  const [first] = faults
  if (first === undefined) return
  const problems = faults.map(({ param, message }) => ({ param, message }))
  throw new EngineError(first.code, first.message, { param: first.param, problems })
}

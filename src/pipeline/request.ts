// Reads a request and finds everything that is wrong with it before a model runs: its shape here, each question by its
// own kind, parts of the state in `state/`, expressions in `derive/`. All faults are reported together.
import { EngineError, type ErrorCode } from '../core/errors.ts'
import { LONGEST_TEXT, MOST_FAULTS, type RequestLimits } from '../core/limits.ts'
import { memberOf } from '../core/plain-json.ts'
import { pointer } from '../core/pointer.ts'
import { nearNames } from '../core/suggest.ts'
import { isObject, jsonTypeOf } from '../core/untrusted.ts'
import { checkQuestions } from '../questions/index.ts'
import type { CheckedQuestion, Fault } from '../questions/shared/checked-question.ts'
import { type AnsweringWishes, checkWishes } from './answering-wishes.ts'
import { type DerivePlan, parseDerive } from './derive/derive.ts'
import type { KnownQuestion, KnownQuestions } from './derive/plain-types.ts'
import { gather, ignoredFieldWarnings, MOST_WARNED, refuse } from './faults.ts'
import type { Models } from './models.ts'
import { requirementFaults } from './requirements.ts'
import { checkState, type ReadState, readCheckedState, type StateOptions } from './state/state.ts'

/** A request whose shape is right. */
export interface CheckedRequest {
  /** As asked for; null when it is left to the engine. */
  readonly model: string | null
  readonly state: unknown
  readonly questions: readonly CheckedQuestion[]
  /** What expressions see of every question that was sent, by its id. Null when that cannot be told. */
  readonly known: KnownQuestions | null
  readonly derive: unknown
  /** How it wants to be answered. */
  readonly wishes: AnsweringWishes
  readonly warnings: readonly string[]
}

/** A request that is right, with its model, its expressions and its state as they were read. */
export interface ReadRequest {
  readonly request: CheckedRequest
  readonly modelId: string
  readonly derive: DerivePlan
  readonly state: ReadState
}

export interface RequestSettings {
  readonly limits: RequestLimits
  readonly models: Pick<Models, 'choose'>
  readonly state: StateOptions
  readonly signal: AbortSignal
}

const FIELDS = ['model', 'state', 'questions', 'derive', 'simo']

/** Throws one `EngineError` with all faults, of every part of the request. */
export async function readRequest(input: unknown, { limits, models, state: options, signal }: RequestSettings): Promise<ReadRequest> {
  const faults: Fault[] = []
  const request = checkRequest(input, limits, faults)
  // Before anything is waited for: what the caller changes afterwards is not part of the request.
  const stateFaults: Fault[] = []
  const checked = request.state === undefined ? null : checkState(request.state, options, stateFaults)
  const choosing = gather(faults, () => models.choose(request.model))
  const deriving = gather(faults, () => parseDerive(request.derive, request.known))
  const [modelId, derive] = [await choosing, await deriving]
  faults.push(...stateFaults)
  const state = checked === null ? null : await readCheckedState(checked, options, faults, signal)
  faults.push(...requirementFaults(request.questions, state?.pictureIds ?? null))
  refuse(faults)
  // Each is null only where it left a fault.
  if (modelId === null || derive === null || state === null) throw new Error('A fault was lost.')
  return { request, modelId, derive, state }
}

/**
 * What is right of a request; what is wrong is added to `faults`. Throws for what cannot be looked into: no object,
 * texts that are too long, more faults than are told.
 */
export function checkRequest(input: unknown, limits: RequestLimits, faults: Fault[]): CheckedRequest {
  if (!isObject(input)) {
    const message = `A request is an object with state and questions, received ${jsonTypeOf(input)}.`
    throw new EngineError('invalid_request', message, { param: '' })
  }
  const own = (field: string): unknown => {
    const member = Object.hasOwn(input, field) ? memberOf(input, field) : { value: undefined }
    if ('value' in member) return member.value
    throw new EngineError('invalid_request', member.why, { param: pointer('', field) })
  }
  for (const field of ['model', 'questions', 'derive', 'simo']) refuseUnusable(own(field), pointer('', field))
  const report = (fault: Fault) => {
    faults.push(fault)
    if (faults.length >= MOST_FAULTS) refuse(faults)
  }
  const unknown = Object.keys(input).filter((field) => !FIELDS.includes(field))
  const warnings = ignoredFieldWarnings(unknown, FIELDS)
  /** Names the unknown field that looks like one that is missing. */
  const meant = (field: string): string => {
    const [near] = nearNames(field, unknown.slice(0, MOST_WARNED))
    return near === undefined ? '' : ` There is ${JSON.stringify(near)}, which is not known: is it meant?`
  }
  const model = own('model') ?? null
  if (model !== null && typeof model !== 'string') {
    report({ code: 'invalid_request', param: '/model', message: `model is the id of a model, received ${jsonTypeOf(model)}.` })
  }
  if (own('state') === undefined) {
    const message = `The state is missing: give a text, a JSON value, or an array of parts.${meant('state')}`
    report({ code: 'invalid_request', param: '/state', message })
  }
  let questions: readonly CheckedQuestion[] = []
  if (own('questions') === undefined) {
    const message = `The questions are missing: give an object of questions by id.${meant('questions')}`
    report({ code: 'invalid_request', param: '/questions', message })
  } else {
    const said: string[] = []
    questions = checkQuestions(own('questions'), '/questions', { limits, report, warn: (message) => said.push(message) })
    warnings.push(...said.slice(0, MOST_WARNED))
    if (said.length > MOST_WARNED) warnings.push(`${said.length - MOST_WARNED} more questions give rise to such warnings.`)
  }
  const wishes = checkWishes(own('simo'), report)
  const known = knownQuestionsOf(own('questions'), questions, limits)
  return { model: typeof model === 'string' ? model : null, state: own('state'), questions, known, derive: own('derive'), wishes, warnings }
}

function knownQuestionsOf(sent: unknown, checked: readonly CheckedQuestion[], limits: RequestLimits): KnownQuestions | null {
  if (!isObject(sent)) return null
  const ids = Object.keys(sent)
  if (ids.length > limits.questions) return null
  const unknown = { options: null, plain: null }
  const byId = new Map(checked.map((question) => [question.id, question]))
  const known = new Map<string, KnownQuestion>(ids.map((id) => [id, byId.get(id) ?? unknown]))
  for (const { id, args } of checked) {
    for (const arg of args) {
      const name = `${id}/${arg.id}`
      // Two options may each have an argument of the same name; a question of that name goes first.
      if (!Object.hasOwn(sent, name)) known.set(name, known.has(name) ? unknown : arg)
    }
  }
  return known
}

/**
 * Throws for the first text that is longer than any model reads, before it is copied, compared or quoted, and for the
 * first member that cannot be read.
 */
function refuseUnusable(value: unknown, param: string): void {
  const found = unusableIn(value, 0, { left: MOST_LOOKED_AT })
  if (found !== null) throw new EngineError(found.code, found.message, { param: pointer(param, ...found.path) })
}

/** Values that are looked at, and how deep: cyclic objects of the caller's process end somewhere. */
const MOST_LOOKED_AT = 1_000_000
const DEEPEST = 256

interface Unusable {
  readonly path: readonly string[]
  readonly code: ErrorCode
  readonly message: string
}

function unusableIn(value: unknown, depth: number, budget: { left: number }): Unusable | null {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? tooLong(value) : null
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || depth === DEEPEST) return null
  for (const key of Object.keys(value)) {
    budget.left -= 1
    if (budget.left < 0) return null
    if (key.length > LONGEST_TEXT) return tooLong(key)
    const member = memberOf(value, key)
    if ('why' in member) return { path: [key], code: 'invalid_request', message: member.why }
    const found = unusableIn(member.value, depth + 1, budget)
    if (found !== null) return { ...found, path: [key, ...found.path] }
  }
  return null
}

function tooLong({ length }: string): Unusable {
  const message = `A text here has ${length} characters, at most ${LONGEST_TEXT} are taken; shorten it, or put it in the state.`
  return { path: [], code: 'request_too_large', message }
}

// Reads a request and finds everything that is wrong with it before a model runs: its shape here, each question by its
// own kind, parts of the state in `state/`, expressions in `derive/`. All faults are reported together.
import { EngineError } from '../core/errors.ts'
import { LONGEST_TEXT, MOST_FAULTS, type RequestLimits } from '../core/limits.ts'
import { pointer } from '../core/pointer.ts'
import { nearNames } from '../core/suggest.ts'
import { isObject, ownField, receivedType } from '../core/untrusted.ts'
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
  readonly named: KnownQuestions | null
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
  const deriving = gather(faults, () => parseDerive(request.derive, request.named))
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
 * Throws one `EngineError` with all faults: its code, message and param are those of the first. With `collected`,
 * faults are added to it instead, and what is right is given.
 */
export function checkRequest(input: unknown, limits: RequestLimits, collected?: Fault[]): CheckedRequest {
  if (!isObject(input)) {
    const message = `A request is an object with state and questions, received ${receivedType(input)}.`
    throw new EngineError('invalid_request', message, { param: '' })
  }
  const own = (field: string): unknown => ownField(input, field)
  for (const field of ['model', 'questions', 'derive', 'simo']) refuseLongTexts(own(field), pointer('', field))
  const faults = collected ?? []
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
    faults.push({ code: 'invalid_request', param: '/model', message: `model is the id of a model, received ${typeof model}.` })
  }
  if (own('state') === undefined) {
    const message = `The state is missing: give a text, a JSON value, or an array of parts.${meant('state')}`
    faults.push({ code: 'invalid_request', param: '/state', message })
  }
  let questions: readonly CheckedQuestion[] = []
  if (own('questions') === undefined) {
    const message = `The questions are missing: give an object of questions by id.${meant('questions')}`
    faults.push({ code: 'invalid_request', param: '/questions', message })
  } else {
    const said: string[] = []
    questions = checkQuestions(own('questions'), '/questions', { limits, report, warn: (message) => said.push(message) })
    warnings.push(...said.slice(0, MOST_WARNED))
    if (said.length > MOST_WARNED) warnings.push(`${said.length - MOST_WARNED} more questions give rise to such warnings.`)
  }
  const wishes = checkWishes(own('simo'), report)
  if (collected === undefined) refuse(faults)
  const named = namesOf(own('questions'), questions, limits)
  return { model: typeof model === 'string' ? model : null, state: own('state'), questions, named, derive: own('derive'), wishes, warnings }
}

function namesOf(sent: unknown, checked: readonly CheckedQuestion[], limits: RequestLimits): CheckedRequest['named'] {
  if (!isObject(sent)) return null
  const ids = Object.keys(sent)
  if (ids.length > limits.questions) return null
  const unknown = { options: null, plain: null }
  const known = new Map(checked.map((question) => [question.id, question]))
  const named = new Map<string, KnownQuestion>(ids.map((id) => [id, known.get(id) ?? unknown]))
  for (const { id, args } of checked) {
    for (const arg of args) {
      const name = `${id}/${arg.id}`
      // Two options may each have an argument of the same name; a question of that name goes first.
      if (!Object.hasOwn(sent, name)) named.set(name, named.has(name) ? unknown : arg)
    }
  }
  return named
}

/** Throws for the first text that is longer than any model reads, before it is copied, compared or quoted. */
function refuseLongTexts(value: unknown, param: string): void {
  const found = longTextIn(value, 0, { left: MOST_LOOKED_AT })
  if (found === null) return
  const message = `A text here has ${found.characters} characters, at most ${LONGEST_TEXT} are taken; shorten it, or put it in the state.`
  throw new EngineError('request_too_large', message, { param: pointer(param, ...found.path) })
}

/** Values that are looked at, and how deep: cyclic objects of the caller's process end somewhere. */
const MOST_LOOKED_AT = 1_000_000
const DEEPEST = 256

interface LongText {
  readonly path: readonly string[]
  readonly characters: number
}

function longTextIn(value: unknown, depth: number, budget: { left: number }): LongText | null {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? { path: [], characters: value.length } : null
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || depth === DEEPEST) return null
  for (const [key, inner] of Object.entries(value)) {
    budget.left -= 1
    if (budget.left < 0) return null
    if (key.length > LONGEST_TEXT) return { path: [], characters: key.length }
    const found = longTextIn(inner, depth + 1, budget)
    if (found !== null) return { path: [key, ...found.path], characters: found.characters }
  }
  return null
}

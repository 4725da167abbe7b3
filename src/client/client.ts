// A service far away with the face of an engine: the same `ask`, the same types of answers. One call of the wire each.
import { EngineError } from '../core/errors.ts'
import { checkOptionNames, checkSignal, type OptionNames } from '../core/given-options.ts'
import type { Json } from '../core/types.ts'
import { isObject } from '../core/untrusted.ts'
import type { Ask } from '../wire/infer.ts'
import type { AskRequest, AskResponse } from '../wire/types.ts'
import { WISHES } from '../wire/wishes.ts'
import { bodyOf } from './body.ts'
import { unexpected } from './errors.ts'
import { type ClientOptions, checkIdempotencyKey, checkOptions, checkTimeout } from './options.ts'
import { type ClientReply, send } from './send.ts'

/** For every call. */
export interface CallOptions {
  /** Gives the call up; it rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Most time for this call, retries included; default: the client's. */
  readonly timeoutMs?: number
}

export interface ClientAskOptions extends CallOptions {
  /**
   * Names this ask: the service answers a name once, and again with the same answer and no charge for 24 hours.
   * Default: a new one each `ask`, so that its own retries are charged once. Give your own to be safe across restarts
   * of your program.
   */
  readonly idempotencyKey?: string
}

export interface RecordCallOptions extends CallOptions {
  /** The probability with which this event was chosen to be labelled, above 0; default 1. */
  readonly selectionProbability?: number
}

export interface FitCallOptions extends CallOptions {
  /** Default: the model that answers when a request names none. */
  readonly model?: string
}

export interface RollBackCallOptions extends CallOptions {
  /** For the history, which every key of the account sees. */
  readonly why?: string
}

/** What came of a fit. */
export interface FittedCalibration {
  readonly model: string
  /** `serve`: the new one answers from now on. `keep`: nothing changed. */
  readonly decision: 'serve' | 'keep'
  /** What answers now; null: probabilities are as the model gives them. */
  readonly version: string | null
  /** The new one held against the one that answered, in log-loss; null with too few outcomes to decide. */
  readonly held_out: Json
  /** Why, with the numbers. */
  readonly reason: string
}

/** One change of what answers an account. Null for a version: what comes with the model. */
export interface CalibrationChange {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly action: 'serve' | 'roll back'
  readonly version: string | null
  readonly from: string | null
  readonly why: string
  readonly held_out: Json
}

export interface RecordedTruths {
  readonly event: string
  /** Names of the decisions that were labelled. */
  readonly recorded: readonly string[]
  /** Those of them that had a label before. */
  readonly replaced: readonly string[]
  /**
   * Those of them that no fit sees before the operator has looked, since they came in a burst; older services do not
   * say.
   */
  readonly quarantined?: readonly string[]
}

export interface ServedModel {
  readonly id: string
  readonly name: string
  readonly available: boolean
  readonly status: 'available' | 'coming_soon'
  /** Names that stand for it now; absent where none does. */
  readonly aliases?: readonly string[]
  /** The ids of the models of a chain in their order; absent for a model. */
  readonly stages?: readonly string[]
  /** Of a model that is loaded and runs on the machine of the service: where, and why not where it was asked to. */
  readonly device?: { readonly name: 'cpu' | 'cuda' | 'webgpu' | 'dml' | 'coreml'; readonly reason?: string }
}

/**
 * `ok` is false while the service cannot answer: its database cannot be read and written (`db` is false), or it is
 * about to end (`db` is true).
 */
export interface Health {
  readonly ok: boolean
  /** The name of the component that answered. */
  readonly service: string
  readonly db: boolean
}

/**
 * What an answer cost, and how it came. Amounts are decimal US dollars with nine fractional digits: texts, so that they
 * stay exact.
 */
export interface Receipt {
  readonly requestId: string
  readonly costUsd: string | null
  /** After the charge. */
  readonly balanceUsd: string | null
  /** In the service. */
  readonly latencyMs: number | null
  /** True: given again for its idempotency key, and not charged again. */
  readonly isReplayed: boolean
  /** Of this client, the one that succeeded included. */
  readonly attempts: number
}

export interface Client {
  /**
   * Answers every question about the state, as `engine.ask` does, with the types of the answers from the questions.
   * `bytes` and `path` pictures are sent beside the JSON. Throws `EngineError` for what the engine refuses,
   * `ServiceError` for what the service does, `ConnectionError`, `TimeoutError`.
   */
  readonly ask: Ask<ClientAskOptions>
  /** What a response of this client cost; null for any other object, copies included. */
  receipt(response: AskResponse<unknown>): Receipt | null
  /** Says what was true of an answer, by question id. Recording again replaces. */
  recordOutcome(event: string, truths: Readonly<Record<string, Json>>, options?: RecordCallOptions): Promise<RecordedTruths>
  models(options?: CallOptions): Promise<readonly ServedModel[]>
  /** One look, no retries. Resolves also when the service says that it is not well. */
  health(options?: CallOptions): Promise<Health>
  /** What calibrations are served, since when, and how well they hold; see `GET /v1/calibration`. */
  calibration(options?: CallOptions): Promise<Json>
  /**
   * Fits a calibration to the outcomes of the account, which answers it from then on if it is not worse. Takes seconds
   * to minutes, and is tried once: give it a `timeoutMs` with room. Needs a key with the scope `calibration`.
   */
  fitCalibration(options?: FitCallOptions): Promise<FittedCalibration>
  /** Answers the account with the calibration before its present one. Tried once; needs the scope `calibration`. */
  rollBackCalibration(options?: RollBackCallOptions): Promise<CalibrationChange>
}

const CALL_OPTIONS: OptionNames<CallOptions> = { signal: true, timeoutMs: true }
const ASK_OPTIONS: OptionNames<ClientAskOptions> = { ...CALL_OPTIONS, idempotencyKey: true }
const FIT_OPTIONS: OptionNames<FitCallOptions> = { ...CALL_OPTIONS, model: true }
const ROLL_BACK_OPTIONS: OptionNames<RollBackCallOptions> = { ...CALL_OPTIONS, why: true }
const RECORD_OPTIONS: OptionNames<RecordCallOptions> = { ...CALL_OPTIONS, selectionProbability: true }

/** Throws `invalid_request` for an option that would be ignored. */
function checkAskOptions(asked: ClientAskOptions): void {
  const wish = isObject(asked) ? WISHES.find((name) => Object.hasOwn(asked, name)) : undefined
  if (wish === undefined) {
    checkOptionNames(asked, 'ask', ASK_OPTIONS)
    return
  }
  const message = `ask of a client has no option ${JSON.stringify(wish)}; write it into the request: { state, questions, simo: { ${wish}: … } }.`
  throw new EngineError('invalid_request', message)
}

interface Sent {
  readonly body?: string | FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly retries?: number
  readonly alsoFine?: readonly number[]
}

/** Makes a client. It holds no connection and needs no closing. Throws `invalid_request` for options that cannot be. */
export function createClient(options: ClientOptions): Client {
  const settings = checkOptions(options)
  const receipts = new WeakMap<object, Receipt>()

  const call = (method: 'GET' | 'POST', path: string, asked: CallOptions, sent: Sent = {}): Promise<ClientReply> => {
    const { body = null, headers = {}, retries = settings.retries, alsoFine = [] } = sent
    const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const timeoutMs = checkTimeout(asked.timeoutMs, settings.timeoutMs)
    checkSignal(asked.signal)
    return send({ method, path, headers: { ...type, ...headers }, body, timeoutMs, retries, signal: asked.signal, alsoFine }, settings)
  }

  async function ask(request: AskRequest, asked: ClientAskOptions = {}): Promise<AskResponse> {
    checkAskOptions(asked)
    const key = asked.idempotencyKey === undefined ? `ask_${crypto.randomUUID()}` : checkIdempotencyKey(asked.idempotencyKey)
    const { json, files } = await bodyOf(request, settings.localFiles)
    const body = files.size === 0 ? json : formOf(json, files)
    const answered = await call('POST', '/v1/ask', asked, { body, headers: { 'idempotency-key': key } })
    const response = responseOf(answered)
    receipts.set(response, receiptOf(answered, response))
    return response
  }

  return {
    // The same function, seen through the types of its requests, as the engine's is.
    ask: ask as Ask<ClientAskOptions>,
    receipt: (response) => receipts.get(response) ?? null,
    async recordOutcome(event, outcomes, recorded = {}) {
      checkOptionNames(recorded, 'recordOutcome', RECORD_OPTIONS)
      const { selectionProbability } = recorded
      const body = JSON.stringify({
        event,
        outcomes,
        ...(selectionProbability === undefined ? {} : { selection_probability: selectionProbability }),
      })
      const answered = await call('POST', '/v1/outcomes', recorded, { body })
      return checked(answered, isRecorded, 'no record of outcomes')
    },
    async models(asked = {}) {
      checkOptionNames(asked, 'models', CALL_OPTIONS)
      return checked(await call('GET', '/v1/models', asked), isModelList, 'no list of models').models
    },
    async health(asked = {}) {
      checkOptionNames(asked, 'health', CALL_OPTIONS)
      return checked(await call('GET', '/health', asked, { retries: 0, alsoFine: [503] }), isHealth, 'no state of health')
    },
    async calibration(asked = {}) {
      checkOptionNames(asked, 'calibration', CALL_OPTIONS)
      return (await call('GET', '/v1/calibration', asked)).json as Json
    },
    async fitCalibration(asked = {}) {
      checkOptionNames(asked, 'fitCalibration', FIT_OPTIONS)
      const body = JSON.stringify({ model: asked.model })
      return checked(await call('POST', '/v1/calibration/fit', asked, { body, retries: 0 }), isFitted, 'no result of a fit')
    },
    async rollBackCalibration(asked = {}) {
      checkOptionNames(asked, 'rollBackCalibration', ROLL_BACK_OPTIONS)
      // Once: what was lost on the way back was done all the same, and doing it twice goes back two steps.
      const body = JSON.stringify({ why: asked.why })
      return checked(await call('POST', '/v1/calibration/rollback', asked, { body, retries: 0 }), isChange, 'no change of calibrations')
    },
  }
}

/** The field `request` first, so that a service knows what is asked before the pictures come. */
function formOf(json: string, files: ReadonlyMap<string, Uint8Array>): FormData {
  const form = new FormData()
  form.set('request', json)
  // Copied by the blob: a retry sends what the first attempt sent, whatever became of the caller's bytes.
  for (const [name, bytes] of files) form.set(name, new Blob([bytes as Uint8Array<ArrayBuffer>]), name)
  return form
}

function responseOf(answered: ClientReply): AskResponse {
  const response = checked(answered, isResponse, 'no answer')
  // As the engine gives them: without a prototype, so that any id is safe.
  return { ...response, answers: Object.assign(Object.create(null), response.answers) }
}

function receiptOf({ headers, attempts }: ClientReply, { id }: AskResponse): Receipt {
  const latency = headers.get('x-service-latency-ms')
  return {
    requestId: headers.get('x-request-id') ?? id,
    costUsd: headers.get('x-service-cost-usd'),
    balanceUsd: headers.get('x-service-balance-usd'),
    latencyMs: latency === null || !/^\d+$/.test(latency) ? null : Number(latency),
    isReplayed: headers.get('x-service-idempotent-replayed') === 'true',
    attempts,
  }
}

/**
 * The body of a reply when it has the shape that was asked for; throws when something other than the service answered.
 */
function checked<T>(answered: ClientReply, is: (json: unknown) => json is T, what: string): T {
  const { status, headers, json } = answered
  if (is(json)) return json
  throw unexpected({ status, requestId: headers.get('x-request-id'), retryAfterMs: null, json }, what)
}

function isResponse(json: unknown): json is AskResponse {
  return isObject(json) && typeof json.id === 'string' && isObject(json.answers) && isObject(json.usage) && isObject(json.simo)
}

function isRecorded(json: unknown): json is RecordedTruths {
  return isObject(json) && typeof json.event === 'string' && Array.isArray(json.recorded) && Array.isArray(json.replaced)
}

function isFitted(json: unknown): json is FittedCalibration {
  return isObject(json) && typeof json.model === 'string' && typeof json.decision === 'string' && typeof json.reason === 'string'
}

function isChange(json: unknown): json is CalibrationChange {
  return isObject(json) && typeof json.at === 'number' && typeof json.action === 'string'
}

function isModelList(json: unknown): json is { readonly models: readonly ServedModel[] } {
  return isObject(json) && Array.isArray(json.models)
}

function isHealth(json: unknown): json is Health {
  return isObject(json) && typeof json.ok === 'boolean' && typeof json.service === 'string' && typeof json.db === 'boolean'
}

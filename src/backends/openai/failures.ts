// What a server says instead of an answer, as errors with the next step. `isWorthRetrying` is for a server that is busy
// or gone; all else would fail again.
import { EngineError, type ErrorCode } from '../../core/errors.ts'
import { cut, isObject, ownField } from '../../core/untrusted.ts'

/** What a server answered instead; `status` is null where no reply came. */
export class ServerError extends EngineError {
  readonly status: number | null

  constructor(code: ErrorCode, message: string, status: number | null, cause?: unknown) {
    super(code, message, cause === undefined ? {} : { cause })
    this.name = 'ServerError'
    this.status = status
  }
}

/** One attempt that failed. */
export interface Failure {
  readonly error: EngineError
  /** Null: no reply. */
  readonly status: number | null
  readonly retryAfterMs: number | null
}

export const isFailure = (answer: object): answer is Failure => 'error' in answer && answer.error instanceof EngineError

interface Refusal {
  readonly host: string
  readonly path: string
  readonly status: number
  readonly json: unknown
  readonly text: string
  readonly retryAfterMs: number | null
  readonly apiKey: string | null
}

export const notAvailable = (message: string): EngineError => new EngineError('model_not_available', message)

/** No reply, or that of a proxy whose server is gone: the same request may be answered later. */
const AWAY: ReadonlySet<number | null> = new Set([null, 502, 503, 504])

/** What goes wrong with a loaded model: where its servers are away it is `overloaded`, which callers try again. */
export function whileLoaded(error: unknown): unknown {
  if (!(error instanceof ServerError) || error.code !== 'model_not_available' || !AWAY.has(error.status)) return error
  return new ServerError('overloaded', error.message, error.status, error)
}

/** No reply came. */
export function lost(host: string, cause: unknown): Failure {
  const message = `The model server at ${host} gave no answer (${reasonOf(cause)}); check that it runs and that its address is right.`
  return { error: new ServerError('model_not_available', message, null, cause), status: null, retryAfterMs: null }
}

/** A reply with a status other than 2xx. */
export function refused(refusal: Refusal): Failure {
  const { status, retryAfterMs } = refusal
  return { error: errorOf(refusal), status, retryAfterMs }
}

export function answeredNoJson({
  host,
  path,
  status,
  text,
  type,
}: Omit<Refusal, 'json' | 'retryAfterMs' | 'apiKey'> & { type: string | null }): Failure {
  const what = isHtml(text) ? 'an HTML page' : `${text.length} characters of ${type ?? 'no type'}, which are no JSON object`
  const message = `The model server at ${host} answered ${path} with ${what} (status ${status}); check that its address leads to the server itself.`
  return { error: new ServerError('model_not_available', message, status), status, retryAfterMs: null }
}

function errorOf({ host, path, status, json, text, apiKey }: Refusal): EngineError {
  const said = saidIn(json, text, apiKey)
  const at = `The model server at ${host}`
  const make = (code: ErrorCode, message: string) => new ServerError(code, message, status)
  if (status === 401 || status === 403)
    return make('model_not_available', `${at} refuses the key (status ${status}); give the right one in apiKey.`)
  if (status === 429) return make('overloaded', `${at} takes no more requests now (status 429)${said}; ask less often, or add servers.`)
  if (status >= 300 && status < 400)
    return make('model_not_available', `${at} answered ${path} with a redirect, which is not followed; give the address it leads to.`)
  if (status < 500 && CONTEXT.test(said))
    return make('context_length_exceeded', `${contextOf(json, said)}; shorten the state or the question.`)
  if (status === 404)
    return make(
      'model_not_available',
      `${at} knows no ${path}, or not the model (status 404)${said}; check the address, the engine and the model's name.`,
    )
  if (status < 500)
    return make(
      'model_not_available',
      `${at} refused ${path} (status ${status})${said}; check that engine, version and model fit what docs/models.md names.`,
    )
  return make('model_not_available', `${at} failed on ${path} (status ${status})${said}; look at its log.`)
}

const CONTEXT =
  /context (?:size|length|window)|maximum (?:context|input) length|exceed_context_size|longer than the (?:model|maximum)|input length/i

/** Both numbers where the server gave them. */
function contextOf(json: unknown, said: string): string {
  const error = ownField(json, 'error')
  const [needed, taken] = [ownField(error, 'n_prompt_tokens'), ownField(error, 'n_ctx')]
  if (typeof needed === 'number' && typeof taken === 'number')
    return `The state with its question needs ${needed} tokens, and the model server takes ${taken}`
  return `The state with its question is longer than the model server takes${said}`
}

/** The server's own words: `: "…"`, without control characters and without the key; '' when it has none. */
function saidIn(json: unknown, text: string, apiKey: string | null): string {
  const error = ownField(json, 'error')
  const found = [ownField(error, 'message'), error, ownField(json, 'message'), ownField(json, 'detail')].find(
    (one) => typeof one === 'string',
  )
  const raw = (found as string | undefined) ?? (isObject(json) || isHtml(text) ? '' : text)
  const words = (apiKey === null ? raw : raw.replaceAll(apiKey, '…')).replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return words === '' ? '' : `: "${cut(words, 240)}"`
}

const isHtml = (text: string): boolean => /^\s*(?:<!doctype html|<html)/i.test(text)

/** What fetch hides in its causes: ECONNREFUSED, ENOTFOUND, UND_ERR_SOCKET… */
function reasonOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as { readonly code?: unknown }
    if (typeof code === 'string') return code
  }
  return error instanceof Error ? error.message : 'unknown reason'
}

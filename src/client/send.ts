// One call over HTTP, tried until it is answered, refused for good, or out of time. The whole of it is bounded by one
// timeout.
import { startDeadline } from '../core/deadline.ts'
import { retryAfterOf, waitBefore } from '../core/retry.ts'
import { ConnectionError, errorOf, isServiceBody, type RefusingReply, TimeoutError, unexpected } from './errors.ts'
import type { ClientSettings } from './options.ts'

export interface ClientCall {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | FormData | null
  readonly timeoutMs: number
  readonly retries: number
  readonly signal: AbortSignal | undefined
  /** Statuses besides 2xx whose replies are answers. */
  readonly alsoFine: readonly number[]
}

export interface ClientReply {
  readonly status: number
  readonly headers: Headers
  readonly json: unknown
  readonly attempts: number
}

/**
 * Sends a call. Resolves with the first reply that is 2xx, or otherwise fine. Throws `ServiceError` or
 * `RemoteEngineError` for a refusal, `ConnectionError`, `TimeoutError`, or the reason of the signal.
 */
export async function send(call: ClientCall, settings: ClientSettings): Promise<ClientReply> {
  const { time } = settings
  const { signal } = call
  if (signal?.aborted) throw signal.reason
  const begun = time.now()
  let attempts = 0
  let retried = 0
  let last: Error | undefined
  const timeout = (): TimeoutError => new TimeoutError(call.timeoutMs, attempts, last === undefined ? undefined : { cause: last })
  const deadline = startDeadline({ ms: call.timeoutMs, late: timeout, signal })
  try {
    for (;;) {
      attempts++
      const came = await attempt(call, settings, deadline.signal, attempts)
      if (deadline.signal.aborted) throw deadline.signal.reason
      if (came instanceof ConnectionError) last = came
      else if ((came.status >= 200 && came.status < 300) || call.alsoFine.includes(came.status)) return readJson(came, attempts)
      else last = withoutKey(came.status >= 300 && came.status < 400 ? redirected(came) : errorOf(came), settings.apiKey)
      const facts =
        came instanceof ConnectionError
          ? { status: null, code: null, retryAfterMs: null }
          : { status: came.status, code: isServiceBody(came.json) ? codeOf(last) : null, retryAfterMs: came.retryAfterMs }
      const waitMs = waitBefore(facts, retried, { retries: call.retries, mostWaitMs: settings.mostWaitMs }, time.random)
      // Waiting beyond the timeout would only say later, and less well, what is known now.
      if (waitMs === null || time.now() - begun + waitMs >= call.timeoutMs) throw last
      if (facts.status !== 409) retried++
      await time.wait(waitMs, deadline.signal)
    }
  } finally {
    deadline.end()
  }
}

type Came = RefusingReply & { readonly headers: Headers }

/** One attempt: a reply that was read to its end, or why there is none. */
async function attempt(call: ClientCall, settings: ClientSettings, signal: AbortSignal, attempts: number): Promise<Came | ConnectionError> {
  const { baseUrl, apiKey, fetch } = settings
  try {
    const response = await fetch(`${baseUrl}${call.path}`, {
      method: call.method,
      headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json', ...call.headers },
      body: call.body,
      // A key goes where its owner sent it, and nowhere else.
      redirect: 'manual',
      signal,
    })
    const text = await response.text()
    const { headers, status } = response
    const retryAfterMs = retryAfterOf(headers.get('retry-after'), headers.get('date'), Date.now())
    return { status, headers, requestId: headers.get('x-request-id'), retryAfterMs, json: jsonOf(text) }
  } catch (error) {
    const { host } = new URL(baseUrl)
    const message = `The service at ${host} gave no reply (${reasonOf(error)}); check that it runs and that baseUrl is right.`
    return withoutKey(new ConnectionError(message, attempts, { cause: error }), apiKey)
  }
}

function readJson(came: Came, attempts: number): ClientReply {
  if (came.json === undefined) throw unexpected(came, 'no JSON')
  return { status: came.status, headers: came.headers, json: came.json, attempts }
}

function redirected(came: Came): Error {
  return unexpected(came, 'a redirect, which is not followed with a key')
}

/** Undefined when it is no JSON; JSON has no undefined. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function codeOf(error: Error): string {
  return String((error as { readonly code?: unknown }).code)
}

/** What fetch hides in its causes: ECONNREFUSED, ENOTFOUND, UND_ERR_SOCKET… */
function reasonOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as { readonly code?: unknown }
    if (typeof code === 'string') return code
  }
  return error instanceof Error ? error.message : 'unknown reason'
}

/** A reply may repeat the key that it was sent; logs must not. */
function withoutKey<E extends Error>(error: E, apiKey: string): E {
  if (error.message.includes(apiKey)) error.message = error.message.replaceAll(apiKey, '…')
  return error
}

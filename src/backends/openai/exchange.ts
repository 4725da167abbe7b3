// One exchange with a server over HTTP: a JSON body to a JSON object, or to an error that says what came instead.

import { retryAfterOf } from '../../core/retry.ts'
import { isObject, type UntrustedObject } from '../../core/untrusted.ts'
import { answeredNoJson, type Failure, lost, refused } from './failures.ts'
import type { ModelServerSettings } from './options.ts'

export interface ServerCall {
  readonly path: string
  /** Sent with POST; absent: GET. */
  readonly body?: UntrustedObject
}

export interface ServerAnswer {
  readonly json: UntrustedObject
  readonly headers: Headers
}

/** More than any answer to one token has, and less than hurts. */
const MOST_ANSWER_BYTES = 32 * 2 ** 20

/** Resolves with the answer, or with why there is none. Rejects with the signal's reason only. */
export async function exchange(
  url: string,
  { path, body }: ServerCall,
  { apiKey, fetch }: Pick<ModelServerSettings, 'apiKey' | 'fetch'>,
  signal: AbortSignal,
): Promise<ServerAnswer | Failure> {
  const { host } = new URL(url)
  try {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      // A key goes where its owner sent it, and nowhere else.
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body: wellFormed(body) }),
    })
    const { status, headers } = response
    const text = await readText(response)
    const json = jsonOf(text)
    if (!response.ok) {
      const retryAfterMs = retryAfterOf(headers.get('retry-after'), headers.get('date'), Date.now())
      return refused({ host, path, status, json, text, retryAfterMs, apiKey })
    }
    return isObject(json) ? { json, headers } : answeredNoJson({ host, path, status, text, type: headers.get('content-type') })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return lost(host, error)
  }
}

/** Half a surrogate pair, which JSON could only say as an escape that servers refuse, becomes U+FFFD. */
function wellFormed(body: UntrustedObject): string {
  return JSON.stringify(body, (_, value) => (typeof value === 'string' ? Buffer.from(value, 'utf8').toString('utf8') : value))
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > MOST_ANSWER_BYTES) {
      await reader.cancel()
      throw new Error(`an answer of more than ${MOST_ANSWER_BYTES} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Undefined when it is no JSON; JSON has no undefined. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

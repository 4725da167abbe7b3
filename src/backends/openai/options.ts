// What a caller may set for a model on a server, checked once. No error message contains the key.
import { EngineError } from '../../core/errors.ts'
import { systemTime, type WaitClock } from '../../core/retry.ts'

export const ENGINES = ['llama.cpp', 'vllm', 'sglang', 'ollama', 'openai'] as const
/** The program that serves a model. `openai`: OpenAI itself, and any other server of its chat route. */
export type EngineName = (typeof ENGINES)[number]

export interface ModelServerOptions {
  /**
   * Address of the server, with or without `/v1`; several for copies of one model behind different addresses. A state
   * goes to the same address as long as that answers, so that it meets its cache there.
   */
  readonly url: string | readonly string[]
  /** The name of the model on the server. Default: the only one that the server has. */
  readonly model?: string
  /** Name in `info.id` and in answers. Default: that of the model on the server. */
  readonly id?: string
  /** Sent as a bearer token. Default: none, as where it is empty. */
  readonly apiKey?: string
  /** Default: found out by asking the server. */
  readonly engine?: EngineName
  /**
   * Tokens that are used at most, of those that the server says it takes. Default: all of them, of Ollama 8 192; 8 192
   * where the server says nothing.
   */
  readonly contextLength?: number
  /** Whether the model sees images. Default: what the server says; false where it says nothing. */
  readonly images?: boolean
  /** Requests under way at a time at each address. Default: 8; the slots of a llama.cpp server. */
  readonly concurrency?: number
  /** Most time for one request to a server, further attempts included. Default: 60 000. */
  readonly timeoutMs?: number
  /** Attempts after the first, on any address, where a server is busy or does not answer. Default: 2. */
  readonly retries?: number
  /**
   * Whether the version and the model of a server are looked at again after so many milliseconds. Default: 60 000.
   */
  readonly checkEveryMs?: number
  /**
   * `plain`: candidates are read by symbols wherever there are any. `probe`: as measured by at least 152 short
   * questions at load. Default: `plain`. Part of `info.templateHash`.
   */
  readonly scoring?: 'plain' | 'probe'
  /**
   * `own`: by the server's own route for decisions, POST /v1/systemone. `prompted`: by prompts and log-probabilities.
   * Default: `own` on servers whose route answers for models that were trained for it, and where it does. Part of
   * `info.revision`.
   */
  readonly decisions?: 'own' | 'prompted'
  /** For tests. Default: the one of the platform. */
  readonly fetch?: typeof fetch
  /** For tests. Default: the time of this machine. */
  readonly time?: WaitClock
}

export interface ModelServerSettings {
  readonly urls: readonly string[]
  readonly model: string | null
  readonly id: string | null
  readonly apiKey: string | null
  readonly engine: EngineName | null
  readonly contextLength: number | null
  readonly images: boolean | null
  readonly concurrency: number | null
  readonly timeoutMs: number
  readonly retries: number
  readonly checkEveryMs: number
  readonly scoring: 'plain' | 'probe'
  readonly decisions: 'own' | 'prompted' | null
  readonly fetch: typeof fetch
  readonly time: WaitClock
}

/** Throws `invalid_request` for options that cannot be. */
export function checkServerOptions(options: ModelServerOptions): ModelServerSettings {
  const given = typeof options.url === 'string' ? [options.url] : options.url
  const urls = [...new Set(given.map(baseUrlOf))]
  if (urls.length === 0) throw refuse('a model server needs a url, for example http://127.0.0.1:8000')
  if (options.engine !== undefined && !ENGINES.includes(options.engine)) {
    throw refuse(`engine is one of ${ENGINES.join(', ')}; received ${JSON.stringify(options.engine)}`)
  }
  if (options.decisions !== undefined && !['own', 'prompted'].includes(options.decisions)) {
    throw refuse(`decisions is own or prompted; received ${JSON.stringify(options.decisions)}`)
  }
  if (options.scoring !== undefined && !['plain', 'probe'].includes(options.scoring)) {
    throw refuse(`scoring is plain or probe; received ${JSON.stringify(options.scoring)}`)
  }
  return {
    urls,
    model: options.model ?? null,
    id: options.id ?? null,
    apiKey: options.apiKey || null,
    engine: options.engine ?? null,
    contextLength: whole('contextLength', options.contextLength, 64) ?? null,
    images: options.images ?? null,
    concurrency: whole('concurrency', options.concurrency, 1) ?? null,
    timeoutMs: whole('timeoutMs', options.timeoutMs, 1) ?? 60_000,
    retries: whole('retries', options.retries, 0) ?? 2,
    checkEveryMs: whole('checkEveryMs', options.checkEveryMs, 0) ?? 60_000,
    scoring: options.scoring ?? 'plain',
    decisions: options.decisions ?? null,
    fetch: options.fetch ?? fetch,
    time: options.time ?? systemTime,
  }
}

const refuse = (message: string): EngineError => new EngineError('invalid_request', `${message}.`)

function whole(name: string, value: number | undefined, least: number): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return value
  throw refuse(`${name} is a whole number from ${least} on; received ${value}`)
}

/** The address without `/v1` and without a slash at its end. */
function baseUrlOf(text: string): string {
  if (!URL.canParse(text)) throw refuse(`${JSON.stringify(text)} is no address; write it as http://127.0.0.1:8000`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse(`a model server is asked over http or https, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '') throw refuse('the address holds a user name or a password; give the key in apiKey')
  if (url.search !== '' || url.hash !== '') throw refuse('the address of a model server has nothing behind its path')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '')
}

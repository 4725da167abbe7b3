// The options of a client, checked once: an address, a key, limits. No error message contains the key.
import { EngineError } from '../core/errors.ts'
import { checkOptionNames, type OptionNames } from '../core/given-options.ts'
import { systemTime, type WaitClock } from '../core/retry.ts'

export interface ClientOptions {
  /** Address of the service, without `/v1`: `https://assay.example.com`. */
  readonly baseUrl: string | URL
  /** `service_sk_…` */
  readonly apiKey: string
  /** Most time for a call, retries and their waits included; default 120 000 ms. */
  readonly timeoutMs?: number
  /** Most attempts after the first; default 4. 0: none. */
  readonly retries?: number
  /** A service that says to come back later than this is not asked again; default 60 000 ms. */
  readonly mostWaitMs?: number
  /** In place of the global `fetch`: for proxies, other agents, tests. */
  readonly fetch?: typeof globalThis.fetch
  /** Whether `path` sources are read, on this machine; default true. Say false where requests come from elsewhere. */
  readonly localFiles?: boolean
  /** A key in a page is everyone's key, so a client refuses to be made in one; true makes it all the same. */
  readonly dangerouslyAllowBrowser?: boolean
  /** Clock and chance of the waits, for tests. */
  readonly time?: WaitClock
}

export interface ClientSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly timeoutMs: number
  readonly retries: number
  readonly mostWaitMs: number
  readonly fetch: typeof globalThis.fetch
  readonly localFiles: boolean
  readonly time: WaitClock
}

/** Longest that a timer of Node takes. */
const LONGEST_MS = 2 ** 31 - 1

const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  baseUrl: true,
  apiKey: true,
  timeoutMs: true,
  retries: true,
  mostWaitMs: true,
  fetch: true,
  localFiles: true,
  dangerouslyAllowBrowser: true,
  time: true,
}

/** Throws `invalid_request` with what the option takes. */
export function checkOptions(options: ClientOptions): ClientSettings {
  checkOptionNames(options, 'createClient', CLIENT_OPTIONS)
  const { apiKey, timeoutMs = 120_000, retries = 4, mostWaitMs = 60_000, localFiles = true, time = systemTime } = options
  if (isBrowserPage() && options.dangerouslyAllowBrowser !== true) {
    refuse(
      'A client holds an API key, which everyone could read in a page; call the service from a server, or say dangerouslyAllowBrowser: true.',
    )
  }
  // Checked here, because fetch would say the whole header where it cannot send it.
  if (typeof apiKey !== 'string' || !/^[!-~]+$/.test(apiKey)) {
    const empty = apiKey === '' || apiKey === undefined ? 'apiKey is empty. It' : 'apiKey'
    refuse(`${empty} is a key of the service: visible ASCII characters without spaces or line breaks. Make one with assay keys create.`)
  }
  if (!(timeoutMs > 0)) refuse(`timeoutMs is a number of milliseconds above 0, received ${timeoutMs}.`)
  if (!(Number.isInteger(retries) && retries >= 0)) refuse(`retries is a whole number from 0 on, received ${retries}.`)
  if (!(mostWaitMs >= 0)) refuse(`mostWaitMs is a number of milliseconds from 0 on, received ${mostWaitMs}.`)
  return {
    baseUrl: checkBaseUrl(options.baseUrl),
    apiKey,
    timeoutMs: Math.min(timeoutMs, LONGEST_MS),
    retries,
    mostWaitMs,
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    localFiles,
    time,
  }
}

/** Milliseconds of one call, in place of the client's. */
export function checkTimeout(timeoutMs: number | undefined, fallback: number): number {
  if (timeoutMs === undefined) return fallback
  if (!(timeoutMs > 0)) refuse(`timeoutMs is a number of milliseconds above 0, received ${timeoutMs}.`)
  return Math.min(timeoutMs, LONGEST_MS)
}

/** As the service takes them. */
export function checkIdempotencyKey(key: string): string {
  if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) {
    refuse('idempotencyKey is 1 to 255 visible ASCII characters.')
  }
  return key
}

/** The address is not repeated where it holds a password. */
function checkBaseUrl(given: string | URL): string {
  let url: URL
  try {
    url = new URL(given)
  } catch {
    return refuse('baseUrl is the address of the service, for example https://assay.example.com or http://127.0.0.1:8080.')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse(`baseUrl begins with https:// or http://, received ${url.protocol}//.`)
  if (url.username !== '' || url.password !== '')
    refuse('baseUrl holds a user name or a password; the key goes to apiKey, and nothing else is sent.')
  if (url.search !== '' || url.hash !== '') refuse('baseUrl is an address without ? and #.')
  const base = url.href.replace(/\/+$/, '')
  if (/\/v1$/.test(base)) refuse('baseUrl is the address of the service without /v1; the client adds it.')
  return base
}

function refuse(message: string): never {
  throw new EngineError('invalid_request', message)
}

/** A page has a document, and a worker of a page imports scripts. */
function isBrowserPage(): boolean {
  const { window, WorkerGlobalScope } = globalThis as {
    readonly window?: { readonly document?: unknown }
    readonly WorkerGlobalScope?: unknown
  }
  return window?.document !== undefined || WorkerGlobalScope !== undefined
}

// Speaks HTTP with a model hub: follows redirects by hand, so that the token is sent to the hub alone and never to the
// servers it sends downloads to; waits where it says so; and gives up on a connection that says nothing any more.

import { EngineError } from '../core/errors.ts'
import { type Attempt, retryAfterOf, systemTime, type WaitClock, waitBefore } from '../core/retry.ts'

export interface HubOptions {
  /** Default: https://huggingface.co. Throws `invalid_request` for what is no address. */
  readonly endpoint?: string
  /** Sent to the endpoint only. Null or absent: none. */
  readonly token?: string | null
  /** A connection without a byte for so long is given up; default 30 000. */
  readonly stallMs?: number
  readonly time?: WaitClock
  /** Hears that something is waited for before it is tried again. */
  readonly onWait?: (ms: number, why: string) => void
}

export interface Hub extends Required<Omit<HubOptions, 'token' | 'onWait'>> {
  /** Without a slash at its end. */
  readonly endpoint: string
  readonly token: string | null
  onWait(ms: number, why: string): void
}

export const DEFAULT_ENDPOINT = 'https://huggingface.co'
const STALL_MS = 30_000
const MOST_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
/** The hub counts requests over five minutes. */
const MOST_WAIT_MS = 5 * 60_000
const RETRIES = 5

/** The hub gave no answer at all, so that what is there already may do. */
export class HubUnreachable extends EngineError {}

/** A failure that may be over when it is tried again. */
export class PassingFault extends Error {
  readonly attempt: Attempt
  /** What is thrown when it is not tried again. */
  readonly final: EngineError
  /** Whether something was received first: then the count of tries starts again. */
  readonly hasProgress: boolean

  constructor(final: EngineError, attempt: Partial<Attempt> = {}, hasProgress = false) {
    super(final.message)
    this.final = final
    this.attempt = { status: null, code: null, retryAfterMs: null, ...attempt }
    this.hasProgress = hasProgress
  }
}

export function openHub({
  endpoint = DEFAULT_ENDPOINT,
  token = null,
  stallMs = STALL_MS,
  time = systemTime,
  onWait,
}: HubOptions = {}): Hub {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    const message = `the address of the hub is https://HOST, without a name, a password or a query; received ${JSON.stringify(endpoint)}; set HF_ENDPOINT to one`
    throw new EngineError('invalid_request', message)
  }
  return { endpoint: url.href.replace(/\/+$/, ''), token: token || null, stallMs, time, onWait: onWait ?? (() => {}) }
}

/** The host in messages. */
export const hostOf = ({ endpoint }: Hub): string => new URL(endpoint).host

/** Whether the address is one of the hub itself. */
export const isOfHub = ({ endpoint }: Hub, url: URL): boolean => `${url.href}/`.startsWith(`${endpoint}/`)

/**
 * Does what speaks with the hub, again where the failure may pass: with waits that grow, and never sooner than the hub
 * said.
 */
export async function patiently<T>(hub: Hub, work: () => Promise<T>, retries = RETRIES): Promise<T> {
  for (let retried = 0; ; retried++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PassingFault)) throw error
      if (error.hasProgress) retried = 0
      const waitMs = waitBefore(error.attempt, retried, { retries, mostWaitMs: MOST_WAIT_MS }, hub.time.random)
      if (waitMs === null) throw error.final
      hub.onWait(waitMs, error.message)
      await hub.time.wait(waitMs, new AbortController().signal)
    }
  }
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The body in pieces. Throws `PassingFault` when the connection breaks or says nothing for too long. */
  pieces(): AsyncGenerator<Uint8Array>
  /** Lets the connection go without reading the rest. */
  drop(): void
}

/** One GET, redirects followed. Throws `PassingFault` when there is no reply. */
export async function get(hub: Hub, address: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const stall = watch(hub.stallMs)
  try {
    let url = new URL(address)
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const own: Record<string, string> = hub.token !== null && isOfHub(hub, url) ? { authorization: `Bearer ${hub.token}` } : {}
      const response = await fetch(url, {
        // Sizes and ranges are those of the file, so it must come as it is.
        headers: { ...headers, ...own, 'accept-encoding': 'identity', 'user-agent': 'assay-engine' },
        redirect: 'manual',
        signal: stall.signal,
      })
      stall.touch()
      const location = response.headers.get('location')
      if (!REDIRECTS.includes(response.status) || location === null) return replyOf(hub, response, stall)
      await response.body?.cancel()
      const next = URL.canParse(location, url.href) ? new URL(location, url.href) : null
      if (next === null || !/^https?:$/.test(next.protocol) || (url.protocol === 'https:' && next.protocol !== 'https:'))
        throw new EngineError('model_not_available', `the hub at ${hostOf(hub)} leads from https to somewhere else; check HF_ENDPOINT`)
      url = next
    }
    throw new EngineError('model_not_available', `the hub at ${hostOf(hub)} leads in circles; check HF_ENDPOINT`)
  } catch (error) {
    stall.end()
    throw error instanceof EngineError ? error : unreachable(hub, error)
  }
}

function replyOf(hub: Hub, response: Response, stall: Stall): Reply {
  return {
    status: response.status,
    headers: response.headers,
    async *pieces() {
      try {
        for await (const piece of response.body ?? []) {
          stall.touch()
          yield piece as Uint8Array
        }
      } catch (error) {
        throw unreachable(hub, error)
      } finally {
        stall.end()
      }
    },
    drop() {
      stall.end()
      response.body?.cancel().catch(() => {})
    },
  }
}

interface Stall {
  readonly signal: AbortSignal
  touch(): void
  end(): void
}

/** Aborts when nothing touches it for so long. */
function watch(ms: number): Stall {
  const stopping = new AbortController()
  const stop = (): void => stopping.abort(new Error(`nothing came for ${Math.round(ms / 1000)} s`))
  let timer = setTimeout(stop, ms)
  const end = (): void => clearTimeout(timer)
  return {
    signal: stopping.signal,
    touch() {
      end()
      timer = setTimeout(stop, ms)
    },
    end,
  }
}

function unreachable(hub: Hub, error: unknown): PassingFault {
  const { cause, message } = error as Error
  const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error | undefined)?.message ?? message
  return new PassingFault(
    new HubUnreachable(
      'model_not_available',
      `the hub at ${hostOf(hub)} could not be reached (${why}); check the network, and HF_ENDPOINT where it is set`,
      { cause: error },
    ),
  )
}

/** What a reply that is no success says of a repository; `what` is its name, with a revision or a file. */
export function refusal(hub: Hub, { status, headers }: Pick<Reply, 'status' | 'headers'>, what: string): EngineError | PassingFault {
  const host = hostOf(hub)
  const page = `${hub.endpoint}/${what.split(/[@ ]/)[0]}`
  const [notThere, notNow] = (['model_not_found', 'model_not_available'] as const).map(
    (code) => (message: string) => new EngineError(code, message),
  ) as [(message: string) => EngineError, (message: string) => EngineError]
  const code = headers.get('x-error-code')
  if (code === 'GatedRepo' || status === 403) {
    const token = hub.token === null ? 'then set HF_TOKEN to a token of yours' : 'with the account that HF_TOKEN belongs to'
    return notNow(`${host} does not give out ${what} to everybody (${status}); accept its terms at ${page}, ${token}`)
  }
  if (status === 401) {
    return hub.token === null
      ? notThere(`${host} has no ${what} that everybody may read (401); check the name, or set HF_TOKEN to a token that may read it`)
      : notNow(`${host} does not accept HF_TOKEN for ${what} (401); check the name, or make a new token`)
  }
  if (code === 'RevisionNotFound') return notThere(`${host} has no ${what}; take a branch, a tag or a commit that ${page} has`)
  if (status === 404) return notThere(`${host} has no ${what} (404); check the name at ${page}`)
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), headers.get('date'), Date.now()) ?? resetOf(headers.get('ratelimit'))
  if (status === 429) {
    const when = retryAfterMs === null ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`
    const hint = hub.token === null ? ', or set HF_TOKEN, which is allowed more' : ''
    return new PassingFault(notNow(`${host} takes no more requests for now (429); try again ${when}${hint}`), { status, retryAfterMs })
  }
  const failed = notNow(`${host} failed with ${status} for ${what}; try again later`)
  return status >= 500 || status === 408 ? new PassingFault(failed, { status: 503, retryAfterMs }) : failed
}

/** Seconds until the hub takes requests again: the `t` of `"api";r=0;t=55`. In milliseconds. */
function resetOf(header: string | null): number | null {
  const seconds = /(?:^|;)\s*t=(\d{1,6})\b/.exec(header ?? '')?.[1]
  return seconds === undefined ? null : Number(seconds) * 1000
}

// Copies of one model behind several addresses as one: a state goes to the address that its key chooses, so that it
// meets its cache there; an address that does not answer is left alone for a while, and its states go to the next.
// Before an address is used, and again every while, it must be the model and the version that was loaded.
import { createHash } from 'node:crypto'
import { abortable } from '../../core/abortable.ts'
import { startDeadline } from '../../core/deadline.ts'
import { EngineError } from '../../core/errors.ts'
import { Queue } from '../../core/queue.ts'
import { waitBefore } from '../../core/retry.ts'
import type { UntrustedObject } from '../../core/untrusted.ts'
import { exchange, type ServerCall } from './exchange.ts'
import { type Failure, isFailure } from './failures.ts'
import type { ModelServerSettings } from './options.ts'

/** How long an address that did not answer is left alone, where there are others. */
const LEFT_ALONE_MS = 10_000
const CONCURRENCY = 8
/** A server that wants more patience than this is not asked again. */
const MOST_WAIT_MS = 20_000

/** Sends a call and resolves with the JSON object that came. */
export type Send = (call: ServerCall) => Promise<UntrustedObject>

export interface Fleet {
  /**
   * Sends one call to an address that `affinity` chooses. Throws the error of the last attempt, `deadline_exceeded`, or
   * the reason of the signal.
   */
  send(call: ServerCall, affinity: string, signal?: AbortSignal): Promise<UntrustedObject>
  /** From now on, an address is used only while `check` resolves for it; it throws what is wrong there. */
  requireOf(check: (send: Send) => Promise<void>): void
  /** Requests under way at a time at each address, from now on. */
  limit(concurrency: number): void
  readonly hosts: readonly string[]
}

interface Server {
  readonly url: string
  readonly places: Places
  aloneUntil: number
  checkedAt: number
  checking: Promise<Failure | null> | null
}

export function makeFleet(settings: ModelServerSettings): Fleet {
  const { time } = settings
  const concurrency = { most: settings.concurrency ?? CONCURRENCY }
  const servers = settings.urls.map(
    (url): Server => ({
      url,
      places: makePlaces(concurrency),
      aloneUntil: Number.NEGATIVE_INFINITY,
      checkedAt: Number.NEGATIVE_INFINITY,
      checking: null,
    }),
  )
  let require: ((send: Send) => Promise<void>) | null = null

  /** Addresses in the order in which this key tries them; those left alone come last. */
  const inOrder = (affinity: string): Server[] => {
    const now = time.now()
    const rank = ({ url }: Server) => createHash('sha256').update(`${affinity}\n${url}`).digest('hex')
    const isAlone = ({ aloneUntil }: Server) => Number(aloneUntil > now)
    return [...servers].sort((a, b) => isAlone(a) - isAlone(b) || (rank(a) < rank(b) ? -1 : 1))
  }

  /** Null, or why the address cannot be used. Callers that come while it is looked at share the look. */
  const checkServer = (server: Server): Promise<Failure | null> => {
    const check = require
    if (check === null || time.now() - server.checkedAt < settings.checkEveryMs) return Promise.resolve(null)
    server.checking ??= (async () => {
      const deadline = startDeadline({ ms: settings.timeoutMs, late: () => lateError(server, settings, 1) })
      try {
        await check(async (call) => {
          const answer = await exchange(server.url, call, settings, deadline.signal)
          if (isFailure(answer)) throw new FailedCheck(answer)
          return answer.json
        })
        server.checkedAt = time.now()
        return null
      } catch (error) {
        if (error instanceof FailedCheck) return error.failure
        // Another address may be right; this one will not be, so it is not waited for.
        if (error instanceof EngineError) return { error, status: 500, retryAfterMs: null }
        throw error
      } finally {
        deadline.end()
        server.checking = null
      }
    })()
    return server.checking
  }

  async function attempt(server: Server, call: ServerCall, signal: AbortSignal): Promise<UntrustedObject | Failure> {
    const wrong = await abortable(checkServer(server), signal)
    if (wrong !== null) return wrong
    const leave = await server.places.take(signal)
    try {
      const answer = await exchange(server.url, call, settings, signal)
      return isFailure(answer) ? answer : answer.json
    } finally {
      leave()
    }
  }

  async function send(call: ServerCall, affinity: string, signal?: AbortSignal): Promise<UntrustedObject> {
    signal?.throwIfAborted()
    let attempts = 0
    let nearest = servers[0] as Server
    const deadline = startDeadline({ ms: settings.timeoutMs, late: () => lateError(nearest, settings, attempts), signal })
    try {
      for (let retried = 0; ; ) {
        const [server, next] = inOrder(affinity) as [Server, Server | undefined]
        nearest = server
        attempts++
        const answer = await attempt(server, call, deadline.signal)
        if (!isFailure(answer)) {
          server.aloneUntil = Number.NEGATIVE_INFINITY
          return answer as UntrustedObject
        }
        const { error, status, retryAfterMs } = answer
        const waitMs = waitBefore(
          { status, code: null, retryAfterMs },
          retried,
          { retries: settings.retries, mostWaitMs: MOST_WAIT_MS },
          time.random,
        )
        // That a route is not implemented says nothing of the address.
        const isGone = status === null || (status >= 500 && status !== 501)
        if (isGone) {
          server.aloneUntil = time.now() + LEFT_ALONE_MS
          server.checkedAt = Number.NEGATIVE_INFINITY
        }
        // Another address may answer at once; one that is alone or busy needs time.
        if (isGone && next !== undefined && next.aloneUntil <= time.now()) continue
        if (waitMs === null || waitMs >= deadline.leftMs()) throw error
        retried++
        await time.wait(waitMs, deadline.signal)
      }
    } finally {
      deadline.end()
    }
  }

  return {
    send,
    hosts: settings.urls.map((url) => new URL(url).host),
    requireOf(check) {
      require = check
    },
    limit(most) {
      concurrency.most = settings.concurrency ?? most
    },
  }
}

class FailedCheck extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.error.message)
    this.failure = failure
  }
}

function lateError({ url }: Server, { timeoutMs }: ModelServerSettings, attempts: number): EngineError {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const message = `The model server at ${new URL(url).host} did not answer within ${timeoutMs} ms (${tries}); ask for less at once, raise timeoutMs, or add servers.`
  return new EngineError('deadline_exceeded', message)
}

interface Places {
  /** Resolves with the way to leave, when there is a place. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>
}

/** At most so many at a time; who comes first goes first. */
function makePlaces(limit: { readonly most: number }): Places {
  const waiting = new Queue<() => void>()
  let taken = 0
  const leave = (): void => {
    // A place goes from hand to hand, so that nobody slips in between.
    const next = taken <= limit.most ? waiting.shift() : undefined
    if (next === undefined) taken--
    else next()
  }
  return {
    async take(signal) {
      signal.throwIfAborted()
      if (taken < limit.most) taken++
      else {
        await new Promise<void>((resolve, reject) => {
          const stop = () => {
            waiting.remove(go)
            reject(signal.reason)
          }
          const go = () => {
            signal.removeEventListener('abort', stop)
            resolve()
          }
          signal.addEventListener('abort', stop, { once: true })
          waiting.push(go)
        })
      }
      return leave
    },
  }
}

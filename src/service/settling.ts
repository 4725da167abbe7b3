// Writes to the store what becomes of a call: the claim of its idempotency key, its answer with its charge and its
// reply in one transaction, or its failure.
import { createHash } from 'node:crypto'
import { within } from '../core/deadline.ts'
import { EngineError } from '../core/errors.ts'
import type { DecisionEvent } from '../questions/shared/decision.ts'
import type { AskResponse } from '../wire/types.ts'
import type { Call, HttpReply } from './context.ts'
import { insufficient } from './credit.ts'
import type { Translated } from './dialects/dialect.ts'
import { CLIENT_GONE, errorReply, ServiceRefusal } from './errors.ts'
import { fromStore } from './from-store.ts'
import { priceOf } from './models.ts'
import { costOf, dollarsText } from './money.ts'
import type { ServiceSettings } from './settings.ts'
import { SettlementInDoubt } from './store/settle.ts'
import type { RequestRecord, Settlement, Store } from './store/store.ts'
import type { Log } from './telemetry.ts'

export interface SettlingParts {
  readonly store: Store
  readonly settings: ServiceSettings
  readonly log: Log
  readonly now: () => number
}

/** What is known of a call by now, for its claim and its line in the log. */
export interface CallProgress {
  translated: Translated | null
  model: string | null
  questions: number
  token: string | null
}

/** What the engine answered, and what it decided. */
export interface EngineAnswer {
  readonly response: AskResponse
  readonly event: DecisionEvent | null
}

export interface Settling {
  /** Claims the idempotency key of a call, if it has one; the reply when it was answered before. */
  claim(call: Call, progress: CallProgress): Promise<HttpReply | null>
  /**
   * Charges and keeps an answer. When the claim was lost meanwhile, the reply of its new holder is used, or the answer
   * is settled under a new claim.
   */
  settle(call: Call, progress: CallProgress, translated: Translated, answer: EngineAnswer): Promise<HttpReply>
  /** Records a failure and releases the claim, if the store can. The client waits for both for a bounded time. */
  fail(call: Call, progress: CallProgress, error: unknown): Promise<HttpReply>
}

/** A holder of a claim that has not settled so long after its deadline has crashed. */
const LEASE_MARGIN_MS = 10_000
/** How long a failed call's reply waits for the store to note the failure. */
const NOTE_MS = 1000
const CLAIMS = 3
const NOT_KEPT =
  'The answer could not be charged and kept, so it is not given: the service cannot reach its database. Try again after Retry-After.'

export function createSettling({ store, settings, log, now }: SettlingParts): Settling {
  async function claim(call: Call, progress: CallProgress): Promise<HttpReply | null> {
    const { idempotencyKey, dialect } = call
    const key = call.principal.key?.id
    if (idempotencyKey === null || key === undefined) return null
    // The same body on another route is another request.
    const bodyHash = createHash('sha256').update(`${dialect.name}:${call.bodyHash}`).digest('hex')
    const leaseMs = settings.deadlineMs + LEASE_MARGIN_MS
    const claimed = await fromStore(store.idempotency.begin({ key, idempotencyKey, bodyHash, leaseMs }))
    switch (claimed.state) {
      case 'begun':
        progress.token = claimed.token
        return null
      case 'done':
        return { ...claimed.reply, headers: { ...claimed.reply.headers, 'x-service-idempotent-replayed': 'true' } }
      case 'running':
        throw new ServiceRefusal(
          'idempotency_in_progress',
          'A request with this Idempotency-Key is being answered; try again after Retry-After.',
          { retryAfterMs: claimed.retryAfterMs },
        )
      case 'mismatch':
        throw new ServiceRefusal(
          'idempotency_mismatch',
          'This Idempotency-Key was used for another request; take a new one for each request.',
        )
    }
  }

  async function settle(call: Call, progress: CallProgress, translated: Translated, answer: EngineAnswer): Promise<HttpReply> {
    const settlement = settlementOf(call, progress, translated, answer)
    for (let attempt = 0; attempt < CLAIMS; attempt++) {
      const settled = await store.settle({ ...settlement, token: progress.token }).catch((error: unknown) => {
        const isInDoubt = error instanceof SettlementInDoubt
        return fromStore(Promise.reject(error), isInDoubt ? inDoubt(call.idempotencyKey !== null) : NOT_KEPT)
      })
      if (settled.state === 'insufficient_balance') throw insufficient(settled.balance, settlement.record.cost)
      progress.token = null
      if (settled.state === 'settled') return settlement.reply(settled.balance)
      const replay = await claim(call, progress)
      if (replay !== null) return replay
    }
    throw new ServiceRefusal('overloaded', 'The idempotency key kept changing hands; nothing was charged. Try again after Retry-After.')
  }

  function settlementOf(
    call: Call,
    progress: CallProgress,
    translated: Translated,
    { response, event }: EngineAnswer,
  ): Omit<Settlement, 'token'> {
    const { model, usage } = response
    const cost = costOf(usage.input_tokens, priceOf(model, settings.prices))
    const body = JSON.stringify(translated.reply({ ...response, usage: { ...usage, cost: Number(cost) / 1e9 } }))
    const counts = { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens, cost }
    return {
      record: { ...recordOf(call, progress), model, status: 200, code: null, ...counts },
      event: event === null || Object.keys(event.decisions).length === 0 ? null : { ...event, at: now() },
      reply: (balance) => ({
        status: 200,
        headers: {
          'x-request-id': call.id,
          'x-service-cost-usd': dollarsText(cost),
          'x-service-balance-usd': dollarsText(balance),
          'x-service-latency-ms': String(latencyOf(call)),
          ...call.dialect.headers?.(call.id),
        },
        body,
      }),
    }
  }

  async function fail(call: Call, progress: CallProgress, error: unknown): Promise<HttpReply> {
    const known = error instanceof EngineError ? repoint(error, progress.translated) : error
    const reply = errorReply(known, call.id)
    const { code } = reply.body.error
    const isGone = call.signal.aborted
    if (isGone) log.debug({ id: call.id }, 'a client went away')
    else if (code === 'internal_error') log.error({ id: call.id, err: (known as Error).cause ?? known }, 'a request failed')
    else if (known instanceof ServiceRefusal && known.cause !== undefined) log.warn({ id: call.id, err: known.cause }, 'the store failed')
    const noted = isGone ? CLIENT_GONE : { status: reply.status, code }
    const record: RequestRecord = { ...recordOf(call, progress), ...noted, inputTokens: 0, outputTokens: 0, cost: 0n }
    const notes = [store.requests.failed(record), progress.token === null ? null : store.idempotency.abandon(progress.token)]
    await within(NOTE_MS, Promise.allSettled(notes))
    return { status: reply.status, headers: { 'x-request-id': call.id, ...reply.headers }, body: JSON.stringify(reply.body) }
  }

  function recordOf(
    call: Call,
    { model, questions }: CallProgress,
  ): Omit<RequestRecord, 'status' | 'code' | 'inputTokens' | 'outputTokens' | 'cost'> {
    const { principal, dialect, id } = call
    return {
      id,
      at: now(),
      account: principal.account,
      key: principal.key?.id ?? null,
      model,
      dialect: dialect.name,
      questions,
      latencyMs: latencyOf(call),
    }
  }

  return { claim, settle, fail }
}

function inDoubt(hasKey: boolean): string {
  const message = 'The service lost its database while this answer was charged: it may have been charged, and is not given.'
  if (hasKey) return `${message} The same request with the same Idempotency-Key gives it and charges it once. Try again after Retry-After.`
  return `${message} Without an Idempotency-Key the same request is charged anew.`
}

function latencyOf({ receivedAt }: Call): number {
  return Math.round(performance.now() - receivedAt)
}

/** Pointers into the engine's request to pointers into the body as sent. */
function repoint(error: EngineError, translated: Translated | null): EngineError {
  const { code, message, param, problems, cause } = error
  if (translated?.pointer === undefined || param === null) return error
  const to = translated.pointer
  return new EngineError(code, message, {
    param: to(param),
    problems: problems.map((problem) => ({ ...problem, param: to(problem.param) })),
    cause,
  })
}

// Takes a call to its reply: translate, claim, wait for a turn, ask, settle, reply. An answer is sent only after it is
// charged and kept, in one transaction. A failure before that leaves no charge, no claim, and one line in the request
// log.

import { createHash } from 'node:crypto'
import { within } from '../core/deadline.ts'
import { EngineError } from '../core/errors.ts'
import type { AskOptions, EngineCore } from '../pipeline/engine.ts'
import type { DecisionEvent } from '../questions/shared/decision.ts'
import type { AskRequest, AskResponse } from '../wire/types.ts'
import type { AdmissionQueue, QueueSlot } from './admission-queue.ts'
import type { ServiceAliases } from './aliases.ts'
import type { AnsweringCalibrations } from './calibration/answering.ts'
import { type CallDeadline, startCallDeadline } from './call-deadline.ts'
import type { Answerer, Call, HttpReply } from './context.ts'
import { insufficient, requireCredit } from './credit.ts'
import type { Translated } from './dialects/dialect.ts'
import { errorReply, ServiceRefusal } from './errors.ts'
import { fromStore } from './from-store.ts'
import { priceOf } from './models.ts'
import { costOf, dollarsText, type NanoDollars } from './money.ts'
import type { RateLimits } from './rate-limits.ts'
import { countQuestions, defaultModel, modelled, modelOf } from './request-facts.ts'
import type { ServiceSettings } from './settings.ts'
import { SettlementInDoubt } from './store/settle.ts'
import type { RequestRecord, Settlement, Store, StoredReply } from './store/store.ts'
import type { Log, Metrics } from './telemetry.ts'

export interface AnswererParts {
  readonly engine: EngineCore
  readonly store: Store
  readonly settings: ServiceSettings
  readonly log: Log
  readonly metrics: Metrics
  readonly queue: AdmissionQueue
  readonly answering: Pick<AnsweringCalibrations, 'of'>
  readonly aliases: Pick<ServiceAliases, 'table'>
  readonly rates: RateLimits
  readonly now: () => number
}

export interface StoppableAnswerer extends Answerer {
  /** Stops everything that runs or waits. Each gets `reason` as its error, and none is charged. */
  stopAll(reason: ServiceRefusal): void
}

/** What is known of a call by now, for its claim and its line in the log. */
interface Progress {
  translated: Translated | null
  model: string | null
  questions: number
  token: string | null
}

/** A holder of a claim that has not settled so long after its deadline has crashed. */
const LEASE_MARGIN_MS = 10_000
/** How long a failed call's reply waits for the store to note the failure. */
const NOTE_MS = 1000
/** Status and code in the log of a call whose client went away; they never go over the wire. */
const GONE = { status: 499, code: 'client_gone' }
const CLAIMS = 3

export function createAnswerer(parts: AnswererParts): StoppableAnswerer {
  const { engine, store, settings, log, metrics, queue, rates, answering, aliases, now } = parts
  const deadlines = new Set<CallDeadline>()

  async function run(call: Call, slot: QueueSlot, progress: Progress, deadline: CallDeadline): Promise<HttpReply> {
    const translated = call.dialect.translate(call.body)
    progress.translated = translated
    const request = modelled(translated.request, engine, await aliases.table())
    const asked = modelOf(request)
    const model = asked ?? defaultModel(engine)
    progress.model = asked
    progress.questions = countQuestions(request)

    const replay = await claim(call, progress)
    if (replay !== null) return replay
    // Requests without an idempotency key had their balance checked on arrival.
    if (call.idempotencyKey !== null || call.principal.key === null) await requireBalance(call, model)

    const calibrations = await fromStore(answering.of(call.principal.account))
    const endWait = deadline.startWait()
    const endTurn = await slot.turn(deadline.signal)
    const waitMs = endWait()
    const askBegan = performance.now()
    let balance: NanoDollars | null
    try {
      balance = await requireBalance(call, model)
    } catch (error) {
      endTurn()
      throw error
    }
    let event: DecisionEvent | null = null
    const options: AskOptions = {
      id: call.id,
      signal: deadline.signal,
      deadlineMs: Math.max(1, deadline.leftMs()),
      observe: (decided) => {
        event = decided
      },
      state: stateOptions(call),
      calibrations,
    }
    const response = await engine.ask(request as AskRequest, options, {
      // Not only when it is charged: an account with almost no balance must not make the model work for nothing, again
      // and again.
      counted: (inputTokens) => requireAffordable(balance, costOf(inputTokens, priceOf(model, settings.prices))),
      // Not when the reply is sent: a client that asks and goes away, again and again, must not have all of it run at
      // once.
      ended: endTurn,
    })
    const askMs = performance.now() - askBegan
    const { chain = [] } = response.simo
    for (const { model: stage, reason } of chain) {
      if (reason !== undefined) log.warn({ id: call.id, chain: response.model, stage, why: reason }, 'a stage was passed over')
    }
    deadline.signal.throwIfAborted()

    const cost = costOf(response.usage.input_tokens, priceOf(response.model, settings.prices))
    const priced = { ...response, usage: { ...response.usage, cost: Number(cost) / 1e9 } }
    const body = JSON.stringify(translated.reply(priced))
    const replyOf = (balance: NanoDollars): StoredReply => ({
      status: 200,
      headers: {
        'x-request-id': call.id,
        'x-service-cost-usd': dollarsText(cost),
        'x-service-balance-usd': dollarsText(balance),
        'x-service-latency-ms': String(latencyOf(call)),
        ...call.dialect.headers?.(call.id),
      },
      body,
    })
    const settlement: Omit<Settlement, 'token'> = {
      record: { ...recordOf(call, progress), model: response.model, status: 200, code: null, ...countsOf(response), cost },
      event: eventToKeep(event),
      reply: replyOf,
    }
    const reply = await settle(call, progress, settlement, replyOf)
    if (call.principal.key !== null) await rates.answered(call.principal.key, progress.questions)
    metrics.answered({
      model: response.model,
      dialect: call.dialect.name,
      questions: progress.questions,
      inputTokens: response.usage.input_tokens,
      cachedTokens: response.simo.cached_tokens,
      deliberated: Object.values(response.simo.questions).filter(({ deliberated }) => deliberated).length,
      askMs,
      waitMs,
      stages: chain,
    })
    return reply
  }

  /**
   * Charges and keeps an answer. When the claim was lost meanwhile, the reply of its new holder is used, or the answer
   * is settled under a new claim.
   */
  async function settle(
    call: Call,
    progress: Progress,
    settlement: Omit<Settlement, 'token'>,
    replyOf: (balance: NanoDollars) => StoredReply,
  ): Promise<HttpReply> {
    for (let attempt = 0; attempt < CLAIMS; attempt++) {
      const message = 'The answer could not be charged and kept, so it is not given: the service cannot reach its database.'
      const settled = await store.settle({ ...settlement, token: progress.token }).catch((error: unknown) => {
        const isInDoubt = error instanceof SettlementInDoubt
        return fromStore(Promise.reject(error), isInDoubt ? inDoubt(call.idempotencyKey !== null) : message)
      })
      if (settled.state === 'insufficient_balance') throw insufficient(settled.balance, settlement.record.cost)
      if (settled.state === 'settled') {
        progress.token = null
        return replyOf(settled.balance)
      }
      progress.token = null
      const replay = await claim(call, progress)
      if (replay !== null) return replay
    }
    throw new ServiceRefusal('overloaded', 'The idempotency key kept changing hands; nothing was charged. Try again after Retry-After.')
  }

  /** Claims the idempotency key of a call, if it has one; the reply when it was answered before. */
  async function claim(call: Call, progress: Progress): Promise<HttpReply | null> {
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
          {
            retryAfterMs: claimed.retryAfterMs,
          },
        )
      case 'mismatch':
        throw new ServiceRefusal(
          'idempotency_mismatch',
          'This Idempotency-Key was used for another request; take a new one for each request.',
        )
    }
  }

  /** The balance of the account that asks; null when the model is free. */
  async function requireBalance(call: Call, model: string): Promise<NanoDollars | null> {
    if (priceOf(model, settings.prices) === 0n) return null
    return requireCredit(store, call.principal.account)
  }

  /** Records a failure and releases the claim, if the store can. The client waits for both for a bounded time. */
  async function fail(call: Call, progress: Progress, error: unknown): Promise<HttpReply> {
    const known = error instanceof EngineError ? repoint(error, progress.translated) : error
    const reply = errorReply(known, call.id)
    const { code } = reply.body.error
    const isGone = call.signal.aborted
    if (isGone) log.debug({ id: call.id }, 'a client went away')
    else if (code === 'internal_error') log.error({ id: call.id, err: (known as Error).cause ?? known }, 'a request failed')
    else if (known instanceof ServiceRefusal && known.cause !== undefined) log.warn({ id: call.id, err: known.cause }, 'the store failed')
    const noted = isGone ? GONE : { status: reply.status, code }
    const record: RequestRecord = { ...recordOf(call, progress), ...noted, inputTokens: 0, outputTokens: 0, cost: 0n }
    const notes = [store.requests.failed(record), progress.token === null ? null : store.idempotency.abandon(progress.token)]
    await within(NOTE_MS, Promise.allSettled(notes))
    return { status: reply.status, headers: { 'x-request-id': call.id, ...reply.headers }, body: JSON.stringify(reply.body) }
  }

  function recordOf(
    call: Call,
    { model, questions }: Progress,
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

  function eventToKeep(event: DecisionEvent | null): Settlement['event'] {
    return event === null || Object.keys(event.decisions).length === 0 ? null : { ...event, at: now() }
  }

  function stateOptions({ files }: Call) {
    const { images, imageBytes, imagePixels, totalPixels, videoFrames, videoBytes, videoMs, urlHosts } = settings
    const urls = urlHosts.length === 0 ? null : { hosts: urlHosts }
    const limits = { images, imageBytes, imagePixels, totalPixels, videoFrames, videoBytes, videoMs }
    return { localFiles: false, files, ...limits, urls }
  }

  return {
    async answer(call, given) {
      const progress: Progress = { translated: null, model: null, questions: 0, token: null }
      const deadline = startCallDeadline(settings.deadlineMs, call.receivedAt, call.signal)
      deadlines.add(deadline)
      let slot = given
      try {
        slot ??= queue.enter(call.principal.account)
        return await run(call, slot, progress, deadline)
      } catch (error) {
        return await fail(call, progress, deadline.reasonOf(error))
      } finally {
        slot?.leave()
        deadline.end()
        deadlines.delete(deadline)
      }
    },
    stopAll(reason) {
      for (const deadline of deadlines) deadline.stop(reason)
    },
    get load() {
      return queue.load
    },
  }
}

/** Throws `insufficient_balance` when an answer costs more by now than there is. */
function requireAffordable(balance: NanoDollars | null, cost: NanoDollars): void {
  if (balance !== null && cost > balance) throw insufficient(balance, cost)
}

function inDoubt(hasKey: boolean): string {
  const message = 'The service lost its database while this answer was charged: it may have been charged, and is not given.'
  if (hasKey) return `${message} The same request with the same Idempotency-Key gives it and charges it once.`
  return `${message} Without an Idempotency-Key the same request is charged anew.`
}

function latencyOf({ receivedAt }: Call): number {
  return Math.round(performance.now() - receivedAt)
}

function countsOf({ usage }: AskResponse): { inputTokens: number; outputTokens: number } {
  return { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens }
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

// Takes a call to its reply: translate, claim, wait for a turn, ask, settle, reply. An answer is sent only after it is
// charged and kept, in one transaction. A failure before that leaves no charge, no claim, and one line in the request
// log.
import type { Calibration } from '../calibration/calibration.ts'
import type { AskOptions } from '../pipeline/asking/options.ts'
import type { EngineCore } from '../pipeline/engine.ts'
import type { DecisionEvent } from '../questions/shared/decision.ts'
import type { AskRequest } from '../wire/types.ts'
import type { AdmissionQueue, QueueSlot } from './admission-queue.ts'
import type { ServiceAliases } from './aliases.ts'
import type { AnsweringCalibrations } from './calibration/answering.ts'
import { type CallDeadline, startCallDeadline } from './call-deadline.ts'
import type { Answerer, Call, HttpReply } from './context.ts'
import { insufficient, requireCredit } from './credit.ts'
import type { Translated } from './dialects/dialect.ts'
import type { ServiceRefusal } from './errors.ts'
import { fromStore } from './from-store.ts'
import { priceOf } from './models.ts'
import { costOf, type NanoDollars } from './money.ts'
import type { RateLimits } from './rate-limits.ts'
import { countQuestions, defaultModel, modelled, modelOf } from './request-facts.ts'
import { type CallProgress, createSettling, type EngineAnswer, type SettlingParts } from './settling.ts'
import type { Metrics } from './telemetry.ts'

export interface AnswererParts extends SettlingParts {
  readonly engine: EngineCore
  readonly metrics: Metrics
  readonly queue: Pick<AdmissionQueue, 'load'>
  readonly answering: Pick<AnsweringCalibrations, 'of'>
  readonly aliases: Pick<ServiceAliases, 'table'>
  readonly rates: RateLimits
}

export interface StoppableAnswerer extends Answerer {
  /** Stops everything that runs or waits. Each gets `reason` as its error, and none is charged. */
  stopAll(reason: ServiceRefusal): void
}

/** A call in the engine's own format, and the id of the model that it goes to. */
interface TranslatedCall {
  readonly translated: Translated
  readonly request: unknown
  readonly model: string
}

export function createAnswerer(parts: AnswererParts): StoppableAnswerer {
  const { engine, store, settings, log, metrics, queue, rates, answering, aliases } = parts
  const settling = createSettling(parts)
  const deadlines = new Set<CallDeadline>()

  async function run(call: Call, slot: QueueSlot, progress: CallProgress, deadline: CallDeadline): Promise<HttpReply> {
    const asked = await translate(call, progress)
    const replay = await settling.claim(call, progress)
    if (replay !== null) return replay
    // On arrival it was not known which model is asked, nor whether the answer is there already.
    await requireBalance(call, asked.model)
    const calibrations = await fromStore(answering.of(call.principal.account))

    const endWait = deadline.startWait()
    const endTurn = await slot.turn(deadline.signal)
    const waitMs = endWait()
    const answer = await ask(call, asked, calibrations, deadline, endTurn)
    deadline.signal.throwIfAborted()

    const reply = await settling.settle(call, progress, asked.translated, answer)
    if (call.principal.key !== null) await rates.answered(call.principal.key, progress.questions)
    const { model, usage, simo } = answer.response
    metrics.answered({
      model,
      dialect: call.dialect.name,
      questions: progress.questions,
      inputTokens: usage.input_tokens,
      cachedTokens: simo.cached_tokens,
      deliberated: Object.values(simo.questions).filter(({ deliberated }) => deliberated).length,
      askMs: answer.askMs,
      waitMs,
      stages: simo.chain ?? [],
    })
    return reply
  }

  async function translate(call: Call, progress: CallProgress): Promise<TranslatedCall> {
    const translated = call.dialect.translate(call.body)
    progress.translated = translated
    const request = modelled(translated.request, engine, await aliases.table())
    const named = modelOf(request)
    const model = named ?? defaultModel(engine)
    progress.model = named
    progress.questions = countQuestions(request)
    return { translated, request, model }
  }

  /** Asks the engine, in the turn that `endTurn` ends. */
  async function ask(
    call: Call,
    { request, model }: TranslatedCall,
    calibrations: readonly Calibration[],
    deadline: CallDeadline,
    endTurn: () => void,
  ): Promise<EngineAnswer & { readonly askMs: number }> {
    const askBegan = performance.now()
    const balance = await requireBalance(call, model).catch((error: unknown) => {
      endTurn()
      throw error
    })
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
    for (const { model: stage, reason } of response.simo.chain ?? []) {
      if (reason !== undefined) log.warn({ id: call.id, chain: response.model, stage, why: reason }, 'a stage was passed over')
    }
    return { response, event, askMs }
  }

  /** The balance of the account that asks; null when the model is free. */
  async function requireBalance(call: Call, model: string): Promise<NanoDollars | null> {
    if (priceOf(model, settings.prices) === 0n) return null
    return requireCredit(store, call.principal.account)
  }

  function stateOptions({ files }: Call) {
    const { images, imageBytes, imagePixels, totalPixels, videoFrames, videoBytes, videoMs, urlHosts } = settings
    const urls = urlHosts.length === 0 ? null : { hosts: urlHosts }
    const limits = { images, imageBytes, imagePixels, totalPixels, videoFrames, videoBytes, videoMs }
    return { localFiles: false, files, ...limits, urls }
  }

  return {
    async answer(call, slot) {
      const progress: CallProgress = { translated: null, model: null, questions: 0, token: null }
      const deadline = startCallDeadline(settings.deadlineMs, call.receivedAt, call.signal)
      deadlines.add(deadline)
      try {
        return await run(call, slot, progress, deadline)
      } catch (error) {
        return await settling.fail(call, progress, deadline.reasonOf(error))
      } finally {
        slot.leave()
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

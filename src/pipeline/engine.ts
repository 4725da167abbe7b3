// The engine takes one request through every step, from unchecked input to a response. Models, the clock and the maker
// of ids are passed in; apart from them it is pure.
import { randomBytes } from 'node:crypto'
import type { CachesOfBackend, ModelInfo } from '../backends/backend.ts'
import { type Calibration, calibratorOf } from '../calibration/calibration.ts'
import { type Budget, budgetOf, createDeliberation } from '../calibration/deliberation/deliberation.ts'
import { type RecordedOutcome, type RecordOptions, recordOutcome } from '../calibration/outcomes/record-outcome.ts'
import { predictionSetsOf } from '../calibration/sets/prediction-sets.ts'
import { type Deadline, startDeadline, systemClock } from '../core/deadline.ts'
import { EngineError } from '../core/errors.ts'
import { withoutUndefined } from '../core/given-options.ts'
import { REQUEST_LIMITS, type RequestLimits } from '../core/limits.ts'
import { type StepTimes, startTimes } from '../core/step-times.ts'
import type { Json } from '../core/types.ts'
import { type DecisionEvent, isSameVersion } from '../questions/shared/decision.ts'
import type { DeliberationMode } from '../questions/shared/deliberation.ts'
import { operatorsOf } from '../questions/shared/operators.ts'
import type { AskRequest, AskResponse } from '../wire/types.ts'
import { askChain } from './asking/chain.ts'
import { askOne, type DecisionSetup } from './asking/model.ts'
import {
  type AskOptions,
  checkAskOptions,
  checkEngineOptions,
  checkRecordOptions,
  type EngineOptions,
  readDeliberation,
  readResidence,
} from './asking/options.ts'
import { eventOf, ofOneModel, prefixOf, type RequestAnswers, warningsOf } from './asking/request-answers.ts'
import { evaluateDerive } from './derive/derive.ts'
import { createModels, type ModelListing } from './models.ts'
import { type ReadRequest, readRequest } from './request.ts'
import { answersOf, makeResponse } from './response.ts'

/** What a service that bounds cost and load hears of one request. */
export interface AskHooks {
  /**
   * Is told the input tokens counted so far: once the state is read, and after each round of questions. What it throws
   * ends the request and comes out of `ask` as thrown; nothing is observed or kept then.
   */
  counted?(inputTokens: number): void
  /**
   * Is called once, when nothing works on the request any more. A request that was stopped rejects at once, and the
   * pass of the model it was in is over later.
   */
  ended?(): void
}

export interface EngineCore {
  /**
   * Answers every question about the state. Throws `EngineError`: the caller's mistakes with everything that is wrong
   * in `problems`, `deadline_exceeded`, or `internal_error`. A request that failed leaves nothing behind.
   */
  ask(request: AskRequest, options?: AskOptions, hooks?: AskHooks): Promise<AskResponse>
  /**
   * Says what was true of an answer: truths by question id (of arguments `question/argument`), as in labelled rows.
   * Needs `outcomes`. Throws `invalid_request` with everything that is wrong, and then records nothing.
   */
  recordOutcome(event: string, truths: Readonly<Record<string, Json>>, options?: RecordOptions): Promise<RecordedOutcome>
  /**
   * Answers with these calibrations from the next request on, in place of those it has. Each is bound to a model
   * revision, as ever.
   */
  calibrate(calibrations: readonly Calibration[]): void
  models(): readonly ModelListing[]
  /** The models that were loaded by now, with the revisions and templates that calibrations are bound to. */
  loaded(): readonly ModelInfo[]
  /** What the caches of the loaded models did so far, by the id of the model; of those that keep any. */
  caches(): Readonly<Record<string, CachesOfBackend>>
  /** Refuses new requests, waits for those that run, and closes the models. Calling it again has no effect. */
  close(): Promise<void>
  /** The same, for `await using engine = await createEngine()`. */
  [Symbol.asyncDispose](): Promise<void>
}

const DEADLINE_MS = 60_000

/**
 * Makes an engine over the given models. Throws `invalid_request` when there are none, two share an id, or an option is
 * not known.
 */
export async function createEngine(options: EngineOptions): Promise<EngineCore> {
  checkEngineOptions(options)
  const limits: RequestLimits = { ...REQUEST_LIMITS, ...withoutUndefined(options.limits ?? {}) }
  const clock = options.clock ?? systemClock
  const models = createModels(options.models, options.announced ?? {}, readResidence(options))
  const now = options.now ?? Date.now
  const makeId = options.makeId ?? (() => `evt_${randomBytes(12).toString('hex')}`)
  const { passes, branches, operators } = readDeliberation(options.deliberation)
  let calibrations = options.calibrations ?? []
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null

  /** What a model of a request decides with. `mode`: of its stage in a chain, if that says one. */
  function setupOf(info: ModelInfo, asked: AskOptions, mode: DeliberationMode | undefined, budget: Budget): DecisionSetup {
    const found = calibrationOf(info, asked.calibrations ?? calibrations)
    const calibrator = calibratorOf(found, info)
    const calibration = calibrator.version === null ? null : found
    const deliberation = createDeliberation({
      mode: asked.deliberation ?? mode ?? 'automatic',
      operatorsFor: (readout) => operators[readout] ?? operatorsOf(info)[readout] ?? [],
      gates: calibration?.gates ?? {},
      passes,
      budget,
    })
    return { calibrator, context: { calibrator, deliberation, predictionSets: predictionSetsOf(calibration, asked) } }
  }

  /** `onWork` is handed work that may outlast the answer: closing waits for it. */
  async function answer(
    input: unknown,
    asked: AskOptions,
    hooks: AskHooks,
    stop: Deadline,
    onWork: (work: Promise<unknown>) => void,
  ): Promise<AskResponse> {
    const times = startTimes(clock)
    const state = { ...options.state, ...withoutUndefined(asked.state ?? {}) }
    const read = await readRequest(input, { limits, models, state, signal: stop.signal })
    times.lap('read')
    stop.check()

    // Whoever calls the engine goes before what the request says.
    const wished = { ...read.request.wishes, ...withoutUndefined(asked) }
    const budget = budgetOf(branches)
    const shared = {
      questions: read.request.questions,
      state: read.state,
      stop,
      borrow: (id: string) => models.borrow(id),
      setupFor: (info: ModelInfo, mode?: DeliberationMode) => setupOf(info, wished, mode, budget),
      tell: (inputTokens: number) => refusable(() => hooks.counted?.(inputTokens)),
      lap: times.lap,
    }
    const stages = models.stagesOf(read.modelId)
    const answers =
      stages === null
        ? ofOneModel(await askOne({ ...shared, id: read.modelId }))
        : await askChain({ ...shared, stages, clock, budget, onWork })
    return finish(read, asked, answers, times)
  }

  /** Evaluates the expressions, hands on what was decided, and makes the response. */
  async function finish(read: ReadRequest, asked: AskOptions, answers: RequestAnswers, times: StepTimes): Promise<AskResponse> {
    const { executed, chain } = answers
    const questionIds = read.request.questions.map(({ id }) => id)
    const derived = evaluateDerive(read.derive, answersOf(questionIds, executed))
    times.lap('derive')
    const id = asked.id ?? makeId()
    const event = eventOf(id, read, answers)
    asked.observe?.(event)
    const keepingWarnings = await keep(event)
    // Of a chain, the first that answered.
    const { info, calibrator } = answers.models[0]!
    return makeResponse({
      id,
      model: read.modelId,
      info,
      calibrationVersion: calibrator.version,
      questionIds,
      executed,
      derived,
      prefix: prefixOf(answers),
      pricePerMillionInputTokens: options.pricePerMillionInputTokens ?? 0,
      timingsMs: times.all(),
      warnings: [...warningsOf(read, answers), ...keepingWarnings],
      chain,
    })
  }

  /** Keeps the decisions for outcomes. When the store fails the answer stands, with a warning. */
  async function keep(event: DecisionEvent): Promise<string[]> {
    if (options.outcomes === undefined || Object.keys(event.decisions).length === 0) return []
    try {
      await options.outcomes.event({ ...event, at: now() })
      return []
    } catch (error) {
      const why = error instanceof EngineError ? error.message : 'the store failed.'
      return [`This answer could not be kept for outcomes: ${why}`]
    }
  }

  function close(): Promise<void> {
    closing ??= Promise.allSettled(running).then(() => models.close())
    return closing
  }

  return {
    async ask(request, asked = {}, hooks = {}) {
      try {
        if (closing) throw new EngineError('model_not_available', 'This engine is closed; create a new one.')
        checkAskOptions(asked)
      } catch (error) {
        hooks.ended?.()
        throw error
      }
      const { signal, deadlineMs = options.deadlineMs ?? DEADLINE_MS } = asked
      const late = () => {
        const message = `The request took longer than its deadline of ${deadlineMs} ms; ask fewer questions, or give it more time.`
        return new EngineError('deadline_exceeded', message)
      }
      const stop = startDeadline({ ms: deadlineMs, late, clock, signal })
      // A stopped request goes on until the pass of the model it is in is over; `close` waits for that.
      const lasting: Promise<unknown>[] = []
      const answering = answer(request, asked, hooks, stop, (work) => lasting.push(work.catch(() => {})))
      const allWork = answering.then(
        () => Promise.all(lasting),
        () => Promise.all(lasting),
      )
      running.add(allWork)
      const ended = () => {
        running.delete(allWork)
        hooks.ended?.()
      }
      allWork.then(ended, ended)
      try {
        return await stop.race(answering)
      } catch (error) {
        if (error instanceof Refused) throw error.cause
        if (error instanceof EngineError || (signal?.aborted && error === signal.reason)) throw error
        throw new EngineError('internal_error', 'The engine failed on this request; other requests are not affected.', { cause: error })
      } finally {
        stop.end()
      }
    },
    async recordOutcome(event, truths, recorded = {}) {
      checkRecordOptions(recorded)
      if (options.outcomes !== undefined) return recordOutcome(options.outcomes, event, truths, recorded)
      const message = 'This engine keeps no events, so nothing can be recorded; create it with an outcome store in outcomes.'
      throw new EngineError('invalid_request', message)
    },
    calibrate(next) {
      calibrations = next
    },
    models: () => models.list(),
    loaded: () => models.loaded(),
    caches: () => models.caches(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function calibrationOf(info: ModelInfo, among: readonly Calibration[]): Calibration | null {
  return among.find(({ model }) => isSameVersion(model, info)) ?? among.find(({ model }) => model.id === info.id) ?? null
}

/** Carries what `counted` threw past the code that rewords errors. */
class Refused extends Error {}

function refusable(run: () => void): void {
  try {
    run()
  } catch (cause) {
    throw new Refused('The request was refused for its tokens.', { cause })
  }
}

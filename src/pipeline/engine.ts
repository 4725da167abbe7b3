// The engine takes one request through every step, from unchecked input to a response. Models, the clock and the maker
// of ids are passed in; apart from them it is pure.
import { randomBytes } from 'node:crypto'
import type { CachesOfBackend, ModelInfo } from '../backends/backend.ts'
import { type Calibration, calibratorOf } from '../calibration/calibration.ts'
import { type Budget, budgetOf, createDeliberation } from '../calibration/deliberation/deliberation.ts'
import { type RecordedOutcome, type RecordOptions, recordOutcome } from '../calibration/outcomes/outcomes.ts'
import { predictionSetsOf } from '../calibration/sets/prediction-sets.ts'
import { type Clock, type Deadline, startDeadline, systemClock } from '../core/deadline.ts'
import { EngineError } from '../core/errors.ts'
import { REQUEST_LIMITS, type RequestLimits } from '../core/limits.ts'
import { didYouMean } from '../core/suggest.ts'
import type { Json } from '../core/types.ts'
import { type DecisionEvent, type DeliberationMode, isSameVersion } from '../questions/shared/decision.ts'
import { OPERATORS, type OperatorTable, operatorsOf } from '../questions/shared/operators.ts'
import type { AskRequest, AskResponse } from '../wire/types.ts'
import { askChain, type ChainAnswers } from './asking/chain.ts'
import { askOne, type ModelAnswers, type ModelDecisions } from './asking/model.ts'
import { type AskOptions, checkAskOptions, checkEngineOptions, checkRecordOptions, type EngineOptions } from './asking/options.ts'
import { evaluateDerive } from './derive/derive.ts'
import { createModels, type ModelListing } from './models.ts'
import { type ReadRequest, readRequest } from './request.ts'
import type { ResidenceOptions } from './residence.ts'
import { answersOf, decisionsOf as decisionsByName, makeResponse } from './response.ts'
import { languageWarnings } from './state/language.ts'
import { hashOfState } from './state/state.ts'

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
}

const DEADLINE_MS = 60_000
const PASSES = 4
const DELIBERATION_BUDGET = 256

/**
 * Makes an engine over the given models. Throws `invalid_request` when there are none, two share an id, or an option is
 * not known.
 */
export async function createEngine(options: EngineOptions): Promise<EngineCore> {
  checkEngineOptions(options)
  const limits: RequestLimits = { ...REQUEST_LIMITS, ...options.limits }
  const clock = options.clock ?? systemClock
  const models = createModels(options.models, options.announced ?? {}, residenceOf(options, clock))
  const now = options.now ?? Date.now
  const makeId = options.makeId ?? (() => `evt_${randomBytes(12).toString('hex')}`)
  const { passes = PASSES, budget = DELIBERATION_BUDGET, operators = {} } = options.deliberation ?? {}
  refuseUnknownOperators(operators)
  if (!Number.isInteger(passes) || passes < 1 || !(budget >= 0)) {
    const message = `deliberation: passes is a whole number from 1 on and budget a number from 0 on, received ${passes} and ${budget}.`
    throw new EngineError('invalid_request', message)
  }
  let calibrations = options.calibrations ?? []
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null

  /** What the decisions of a request need of one of its models. `mode`: of its stage in a chain, if that says one. */
  function decisionsOf(info: ModelInfo, asked: AskOptions, mode: DeliberationMode | undefined, budget: Budget): ModelDecisions {
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
    const read = await readRequest(input, { limits, models, state: { ...options.state, ...asked.state }, signal: stop.signal })
    times.lap('read')
    stop.check()

    const tell = (inputTokens: number) => refusable(() => hooks.counted?.(inputTokens))
    const borrow = (id: string) => models.borrow(id)
    const shared = { questions: read.request.questions, state: read.state, stop, tell, lap: times.lap, borrow }
    const requestBudget = budgetOf(budget)
    // Whoever calls the engine goes before what the request says.
    const wished = { ...read.request.wishes, ...asked }
    const decisions = (info: ModelInfo, mode?: DeliberationMode) => decisionsOf(info, wished, mode, requestBudget)
    const stages = models.stagesOf(read.modelId)
    if (stages === null) {
      const own = await askOne({ ...shared, id: read.modelId, decisionsOf: decisions })
      return finish(read, asked, [own], null, times)
    }
    const chain = await askChain({
      ...shared,
      stages,
      clock,
      budget: requestBudget,
      decisionsOf: (info, stage) => decisions(info, stage.deliberation),
      onWork,
    })
    return finish(read, asked, chain.answered, chain, times)
  }

  /** Evaluates the expressions, hands on what was decided, and makes the response. */
  async function finish(
    { request, modelId, derive, state }: ReadRequest,
    asked: AskOptions,
    answered: readonly ModelAnswers[],
    chain: ChainAnswers | null,
    times: ReturnType<typeof startTimes>,
  ): Promise<AskResponse> {
    // Of a chain, the first that answered.
    const { info, calibrator, executed: own } = answered[0]!
    const executed = chain?.executed ?? own
    const questionIds = request.questions.map(({ id }) => id)
    const derived = evaluateDerive(derive, answersOf(questionIds, executed))
    times.lap('derive')
    const id = asked.id ?? makeId()
    const event: DecisionEvent = {
      id,
      model: info.id,
      revision: info.revision,
      templateHash: info.templateHash,
      state: hashOfState(state.prompt),
      decisions: decisionsByName(questionIds, executed),
    }
    asked.observe?.(event)
    const kept = await keep(event)
    return makeResponse({
      id,
      model: modelId,
      info,
      calibrationVersion: calibrator.version,
      questionIds,
      executed,
      derived,
      prefix: tokensOf(answered),
      pricePerMillionInputTokens: options.pricePerMillionInputTokens ?? 0,
      timingsMs: times.all(),
      warnings: [
        ...request.warnings,
        ...state.warnings,
        ...answered.flatMap(({ info: read }) => languageWarnings(read, state.prompt)),
        ...answered.flatMap(mismatchWarning),
        ...answered.flatMap(({ warnings }) => warnings),
        ...skippedWarnings(chain, modelId),
        ...kept,
      ],
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
      const parts: Promise<unknown>[] = []
      const work = answer(request, asked, hooks, stop, (part) => parts.push(part.catch(() => {})))
      const all = work.then(
        () => Promise.all(parts),
        () => Promise.all(parts),
      )
      running.add(all)
      const done = () => {
        running.delete(all)
        hooks.ended?.()
      }
      all.then(done, done)
      try {
        return await stop.race(work)
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
    close() {
      closing ??= Promise.allSettled(running).then(() => models.close())
      return closing
    },
  }
}

function calibrationOf(info: ModelInfo, among: readonly Calibration[]): Calibration | null {
  return among.find(({ model }) => isSameVersion(model, info)) ?? among.find(({ model }) => model.id === info.id) ?? null
}

/** Measures the steps of a request. A step took what passed since the lap before its own. */
function startTimes(clock: Clock) {
  const start = clock.now()
  const timesMs: Record<string, number> = {}
  let last = start
  return {
    lap(step: string) {
      const now = clock.now()
      timesMs[step] = (timesMs[step] ?? 0) + now - last
      last = now
    },
    all: () => ({ ...timesMs, total: clock.now() - start }),
  }
}

/** What is kept in memory. A timer of an idle model keeps no process alive. */
function residenceOf({ modelBytes, modelIdleMs, clock: given }: EngineOptions, clock: Clock): ResidenceOptions {
  for (const [name, value] of Object.entries({ modelBytes, modelIdleMs })) {
    if (value === undefined || value > 0) continue
    throw new EngineError('invalid_request', `${name} is a number above 0, received ${value}.`)
  }
  const after: ResidenceOptions['after'] = (ms, run) => {
    if (given !== undefined) return given.after(ms, run)
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1)).unref()
    return () => clearTimeout(timer)
  }
  return { budgetBytes: modelBytes ?? null, idleMs: modelIdleMs ?? null, now: () => clock.now(), after }
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

function refuseUnknownOperators(table: OperatorTable): void {
  const known = [...OPERATORS.keys()]
  for (const name of Object.values(table).flat()) {
    if (known.includes(name)) continue
    const message = `There is no operator ${JSON.stringify(name)}.${didYouMean(name, known)} There is ${known.join(', ')}.`
    throw new EngineError('invalid_request', message)
  }
}

function mismatchWarning({ info: { id }, calibrator }: ModelAnswers): string[] {
  if (!calibrator.isMismatch) return []
  return [
    `The calibration of ${id} was fitted on another revision or template of it and is not used; fit it again with assay calibrate fit.`,
  ]
}

function skippedWarnings(chain: ChainAnswers | null, id: string): string[] {
  return (chain?.reports ?? []).flatMap(({ model, reason }) =>
    reason === undefined ? [] : [`The stage ${model} of ${id} was passed over: ${reason}`],
  )
}

function tokensOf(answered: readonly ModelAnswers[]): ModelAnswers['prefix'] {
  const sum = (of: (prefix: ModelAnswers['prefix']) => number): number => answered.reduce((total, { prefix }) => total + of(prefix), 0)
  return { tokens: sum(({ tokens }) => tokens), cachedTokens: sum(({ cachedTokens }) => cachedTokens) }
}

// The engine: one request through every step, from doubted input to a response. Pure but for what is handed in: models, a clock, a maker of ids.
import { randomBytes } from 'node:crypto'
import type { AskRequest, AskResponse } from './answers.ts'
import type { Backend, Prefix } from './backends/backend.ts'
import { parse } from './constraint/grammar.ts'
import { evaluateDerive, parseDerive } from './derive.ts'
import { EngineError } from './errors.ts'
import { REQUEST_LIMITS, type RequestLimits } from './limits.ts'
import { toSentPixels } from './media/coordinates.ts'
import { createModels, type ModelListing, type ModelSource } from './models.ts'
import { checkCapabilities, inquiryContext, planFaults } from './plan.ts'
import type { SentImage } from './questions/asked.ts'
import { checkQuestions } from './questions/index.ts'
import { checkRequest, refuse } from './request.ts'
import { answersOf, makeResponse } from './response.ts'
import { modelFailure, runInquiries } from './rounds.ts'
import { type ReadState, readState, type StateOptions } from './state.ts'
import { type Clock, type Stop, startStop } from './stop.ts'

export interface EngineOptions {
  /** Loaded backends, or sources that load on first use. The engine closes them. */
  readonly models: readonly (Backend | ModelSource)[]
  readonly limits?: Partial<RequestLimits>
  /** How states are read: limits of images and the like. */
  readonly state?: StateOptions
  /** Default 60 000 ms. */
  readonly deadlineMs?: number
  /** US dollars; default 0. */
  readonly pricePerMillionInputTokens?: number
  readonly clock?: Clock
  /** Makes the ids of responses; default `evt_` and 24 random hex digits. */
  readonly makeId?: () => string
}

export interface AskOptions {
  /** Stops the request; `ask` rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Default: the engine's. */
  readonly deadlineMs?: number
}

export interface Engine {
  /**
   * Answers every question about the state. Throws `EngineError`: the caller's mistakes with everything that is wrong in `problems`,
   * `deadline_exceeded`, or `internal_error`. A request that failed leaves nothing behind.
   */
  ask(request: AskRequest, options?: AskOptions): Promise<AskResponse>
  models(): readonly ModelListing[]
  /** Refuses new requests, waits for those that run, and closes the models. Twice is once. */
  close(): Promise<void>
}

const DEADLINE_MS = 60_000

const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    // Node runs a timer beyond 32 bits at once.
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
}

/** Makes an engine over the given models. Throws `invalid_request` when there are none, or two share an id. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const models = createModels(options.models)
  const limits: RequestLimits = { ...REQUEST_LIMITS, ...options.limits }
  const clock = options.clock ?? systemClock
  const makeId = options.makeId ?? (() => `evt_${randomBytes(12).toString('hex')}`)
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null

  async function answer(input: unknown, stop: Stop): Promise<AskResponse> {
    const begun = clock.now()
    const timingsMs: Record<string, number> = {}
    let last = begun
    const lap = (step: string) => {
      const now = clock.now()
      timingsMs[step] = now - last
      last = now
    }

    // Everything that can be wrong with the request, before the model is bothered.
    const request = checkRequest(input, checkQuestions, limits)
    const modelId = models.choose(request.model)
    const derive = await parseDerive(request.derive, new Map(request.questions.map(({ id, options: names }) => [id, names])))
    const state = await readState(request.state, options.state)
    refuse(planFaults(request.questions, state.images))
    lap('read')

    stop.check()
    const backend = await models.load(modelId).catch((error: unknown) => {
      throw modelFailure(error, 'loading')
    })
    checkCapabilities(backend.info, request.questions, state.images.length)
    lap('load')

    stop.check()
    const prefix = await backend.open(state.prompt).catch((error: unknown) => {
      throw aboutState(modelFailure(error, 'reading the state'))
    })
    try {
      lap('open')
      const context = inquiryContext(sentImages(state), parse)
      const inquiries = request.questions.map((question) => ({ param: question.param, inquiry: question.inquire(context) }))
      const rounds = await runInquiries(prefix, inquiries, () => stop.check())
      lap('ask')
      const questionIds = request.questions.map(({ id }) => id)
      const derived = evaluateDerive(derive, answersOf(questionIds, rounds))
      lap('derive')
      return makeResponse({
        id: makeId(),
        info: backend.info,
        questionIds,
        rounds,
        derived,
        prefix: countsOf(prefix),
        pricePerMillionInputTokens: options.pricePerMillionInputTokens ?? 0,
        timingsMs: { ...timingsMs, total: clock.now() - begun },
        warnings: [...request.warnings, ...state.warnings],
      })
    } finally {
      prefix.close()
    }
  }

  return {
    async ask(request, { signal, deadlineMs = options.deadlineMs ?? DEADLINE_MS } = {}) {
      if (closing) throw new EngineError('model_not_available', 'This engine is closed; create a new one.')
      if (!(deadlineMs > 0))
        throw new EngineError('invalid_request', `deadlineMs is a number of milliseconds above 0, received ${deadlineMs}.`)
      const stop = startStop(clock, deadlineMs, signal)
      // A stopped request goes on until the call of the model it is in comes back; `close` waits for that.
      const work = answer(request, stop)
      running.add(work)
      const done = () => running.delete(work)
      work.then(done, done)
      try {
        return await stop.race(work)
      } catch (error) {
        if (error instanceof EngineError || (signal?.aborted && error === signal.reason)) throw error
        throw new EngineError('internal_error', 'The engine failed on this request; other requests are not affected.', { cause: error })
      } finally {
        stop.end()
      }
    },
    models: () => models.list(),
    close() {
      closing ??= Promise.allSettled(running).then(() => models.close())
      return closing
    },
  }
}

/** A backend knows of no pointers: what it says of a state is about `/state`. */
function aboutState(error: EngineError): EngineError {
  if (error.param !== null || error.code === 'internal_error') return error
  return new EngineError(error.code, error.message, { param: '/state', cause: error })
}

function countsOf({ tokens, cachedTokens }: Prefix): { tokens: number; cachedTokens: number } {
  return { tokens, cachedTokens }
}

function sentImages(state: ReadState): SentImage[] {
  return state.images.map((image) => ({
    id: image.id,
    size: [image.sentWidth, image.sentHeight],
    toSentPixels: (edges) => toSentPixels(edges, image),
  }))
}

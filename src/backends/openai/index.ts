// A model on a server as a `Backend`: vLLM, SGLang, llama.cpp, Ollama, OpenAI, found out by asking. One machine's
// models become as many machines' by an address.
import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { EngineError } from '../../core/errors.ts'
import { ownField } from '../../core/untrusted.ts'
import type { Backend, ModelInfo, Prefix } from '../backend.ts'
import { type AskSymbols, PROBE_HASH, probe, readingOf } from '../prompted/probe.ts'
import { samplePrompts, scoredPrompts } from '../prompted/prompt-template.ts'
import { type Scoring, type SymbolReading, scoringOf, symbolsUpTo } from '../prompted/scoring.ts'
import { makeCacheWatch } from './cache-watch.ts'
import type { Driver, RemoteChatModel, ServerFacts, ServerIdentity, TokenDriver } from './driver.ts'
import { detect } from './engines/index.ts'
import { notAvailable, whileLoaded } from './failures.ts'
import { type Fleet, makeFleet, type Send } from './fleet.ts'
import { checkServerOptions, type ModelServerOptions, type ModelServerSettings } from './options.ts'
import { findOwnRoute, OWN_ROUTE_VERSION, type OwnRoute } from './own-route.ts'
import { makePromptWriter, type PromptWriter } from './prompts.ts'
import { openChatState, openOwnState, openTokenState, type ServerState } from './states.ts'
import { makeTokenScorer } from './token-scorer.ts'

export type { EngineName, ModelServerOptions } from './options.ts'

const CONTEXT_LENGTH = 8192
/** Which address answers a question that has no state. */
const NO_STATE = 'no state'

/**
 * Connects to a model on a server. Throws `model_not_available` where no server answers, or answers as none that is
 * known, `invalid_request` for options that cannot be. Every later answer is of the same model and version, or an
 * error: `overloaded` where no server answers any more.
 */
export async function connectModelServer(options: ModelServerOptions): Promise<Backend> {
  const settings = checkServerOptions(options)
  const fleet = makeFleet(settings)
  const { driver, facts } = await detect((call) => fleet.send(call, NO_STATE), settings.engine, settings.model)
  const { identity } = facts
  fleet.requireOf(sameAs(driver, identity))
  if (facts.slots !== null) fleet.limit(facts.slots)
  const asking = makeAsking(fleet, facts, contextLengthOf(settings, facts))
  const own = await findOwnRoute(settings, asking(NO_STATE, undefined))
  if (own !== null) {
    refusePromptOptions(settings)
    return makeBackend({ info: ownInfo(settings, facts, own, asking(NO_STATE, undefined)), facts, driver, asking, token: null, own })
  }
  const { tokens } = driver
  const prompts = tokens === null ? null : await makePromptWriter(asking(NO_STATE, undefined), tokens)
  const info = await infoOf({ settings, facts, driver, prompts, asked: asking(NO_STATE, undefined) })
  if (tokens === null || prompts === null) {
    if (settings.scoring === 'probe')
      throw new EngineError('invalid_request', 'scoring: probe needs a server that takes token ids; leave it out.')
    return makeBackend({ info, facts, driver, asking, token: null })
  }
  const fits = (count: number): void => {
    if (count <= info.contextLength) return
    const message = `The state with its question takes ${count} tokens, and the model ${info.id} takes ${info.contextLength}; shorten the state or the question.`
    throw new EngineError('context_length_exceeded', message)
  }
  const plain = { driver: tokens, prompts, fits, reading: null }
  if (settings.scoring === 'plain')
    return makeBackend({ info, facts, driver, asking, token: { driver: tokens, prompts, score: makeTokenScorer(plain) } })
  const { reading, scored } = await probed(info, askOf(plain, asking))
  return makeBackend({
    info: scored,
    facts,
    driver,
    asking,
    token: { driver: tokens, prompts, score: makeTokenScorer({ ...plain, reading }) },
  })
}

/** Options for prompts that the server's own route does not have. */
function refusePromptOptions({ scoring, images }: ModelServerSettings): void {
  const option = scoring === 'probe' ? 'scoring: probe' : images === true ? 'images: true' : null
  if (option === null) return
  const message = `${option} is for models that are asked by prompts, and this one decides by its server's own route; leave it out, or set decisions: prompted.`
  throw new EngineError('invalid_request', message)
}

function ownInfo(settings: ModelServerSettings, { identity }: ServerFacts, { served }: OwnRoute, asked: RemoteChatModel): ModelInfo {
  const id = settings.id ?? nameOf(identity.model)
  return {
    id,
    name: id,
    revision: hashOf({ ...identity, logProbabilities: 'own decisions', served }),
    templateHash: hashOf({ template: 'systemone', OWN_ROUTE_VERSION }),
    contextLength: asked.contextLength,
    capabilities: { images: false, boxes: false },
    scorer: 'markers',
  }
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

function contextLengthOf(settings: ModelServerSettings, { contextLength, usualContextLength }: ServerFacts): number {
  const wanted = settings.contextLength ?? usualContextLength ?? contextLength ?? CONTEXT_LENGTH
  return Math.min(wanted, contextLength ?? Number.POSITIVE_INFINITY)
}

/** The check of an address: it must be what was loaded. */
function sameAs(driver: Driver, loaded: ServerIdentity): (send: Send) => Promise<void> {
  return async (send) => {
    const { identity } = await driver.identify(send, loaded.model)
    const differs = (['engine', 'version', 'model'] as const).find((name) => identity[name] !== loaded[name])
    const [before, now] =
      differs === undefined ? [JSON.stringify(loaded.weights), JSON.stringify(identity.weights)] : [loaded[differs], identity[differs]]
    if (before === now) return
    throw notAvailable(
      `The model server changed since the model was loaded: ${differs ?? 'weights'} ${before} became ${now}. Its probabilities may be others, so load the model again (restart), and calibrate anew.`,
    )
  }
}

type Asking = (affinity: string, signal: AbortSignal | undefined) => RemoteChatModel

/** Every answer of a route must name the model that its first one named. */
function makeAsking(fleet: Fleet, { identity, thinks }: ServerFacts, contextLength: number): Asking {
  const named = new Map<string, string>()
  return (affinity, signal) => ({
    identity,
    thinks,
    contextLength,
    async send(call) {
      const json = await fleet.send(call, affinity, signal)
      const model = ownField(json, 'model')
      if (typeof model !== 'string' || model === '') return json
      const before = named.get(call.path) ?? model
      named.set(call.path, before)
      if (model === before) return json
      throw notAvailable(
        `The model server answered as the model ${model}, and as ${before} before; load the model again (restart), and calibrate anew.`,
      )
    },
  })
}

interface InfoParts {
  readonly settings: ModelServerSettings
  readonly facts: ServerFacts
  readonly driver: Driver
  readonly prompts: PromptWriter | null
  readonly asked: RemoteChatModel
}

async function infoOf({ settings, facts, driver, prompts, asked }: InfoParts): Promise<ModelInfo> {
  const { identity } = facts
  const id = settings.id ?? nameOf(identity.model)
  const samples = samplePrompts().join('\n')
  return {
    id,
    name: id,
    // Engine, version and kind of log-probabilities move the numbers, so calibration is bound to them, too.
    revision: hashOf({ ...identity, logProbabilities: driver.logProbabilities }),
    templateHash: hashOf({
      template: prompts?.template ?? 'chat',
      samples: prompts === null ? samples : await prompts.text(asked, samples),
    }),
    contextLength: asked.contextLength,
    capabilities: { images: settings.images ?? facts.images ?? false, boxes: false },
    scorer: 'symbols',
  }
}

/** A path of the server's machine is no name: its file is. */
const nameOf = (model: string): string =>
  /^[/.~]|^[A-Za-z]:\\/.test(model) ? (model.split(/[/\\]/).at(-1) ?? model).replace(/\.gguf$/i, '') : model

function askOf(plain: Parameters<typeof makeTokenScorer>[0], asking: Asking): AskSymbols {
  const score = makeTokenScorer(plain)
  return async (branch) => {
    const asked = asking(NO_STATE, undefined)
    if (scoredPrompts(branch, null).some(({ symbols }) => symbols === null)) return null
    return (await score({ asked, ids: await plain.prompts.state(asked, ''), heard: () => {} }, branch, null)).rows
  }
}

/** The model, read as the probe found best. */
async function probed(info: ModelInfo, ask: AskSymbols): Promise<{ reading: SymbolReading; scored: ModelInfo }> {
  const scoring: Scoring = scoringOf(info, await probe(ask))
  const upTo = [symbolsUpTo(scoring.exclusive), symbolsUpTo(scoring.ordinal)]
  const templateHash = hashOf({ templateHash: info.templateHash, probe: PROBE_HASH, upTo: upTo.map(String) })
  return { reading: readingOf(scoring, ask), scored: { ...info, templateHash, scorer: (upTo[0] as number) > 0 ? 'symbols' : 'texts' } }
}

interface BackendParts {
  readonly info: ModelInfo
  readonly facts: ServerFacts
  readonly driver: Driver
  readonly asking: Asking
  readonly token: {
    readonly driver: TokenDriver
    readonly prompts: PromptWriter
    readonly score: ReturnType<typeof makeTokenScorer>
  } | null
  /** Absent: it is asked by prompts. */
  readonly own?: OwnRoute
}

function makeBackend({ info, facts, driver, asking, token, own }: BackendParts): Backend {
  const cacheWatch = makeCacheWatch(facts.identity.engine, info.id)
  const context = { id: info.id, contextLength: info.contextLength, asking, cacheWatch }
  const underWay = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null

  function track<T>(task: () => Promise<T>): Promise<T> {
    if (closing !== null) return Promise.reject(notAvailable(`The model ${info.id} was closed; load it again.`))
    const running = task().catch((error: unknown) => {
      throw whileLoaded(error)
    })
    underWay.add(running)
    const done = (): void => void underWay.delete(running)
    running.then(done, done)
    return running
  }

  return {
    info,
    open: (prompt, signal) =>
      track(async () => {
        signal?.throwIfAborted()
        const hasImages = prompt.pieces.some(({ type }) => type === 'image')
        if (hasImages && !info.capabilities.images) {
          const remedy = own === undefined ? 'load it with images: true, or use another model' : 'or use another model'
          const message = `The model ${info.id} reads no images, as far as its server says; leave them out, ${remedy}.`
          throw new EngineError('capability_not_supported', message)
        }
        const readsControls = facts.identity.engine !== 'openai'
        const state =
          own !== undefined
            ? openOwnState({ ...context, route: own, readsControls }, prompt)
            : token !== null && !hasImages
              ? await openTokenState({ ...context, ...token }, prompt, signal)
              : openChatState({ ...context, driver: driver.chat, readsControls }, prompt)
        return prefixOf(state, track)
      }),
    takeWarnings: () => cacheWatch.take(),
    close() {
      closing ??= Promise.allSettled([...underWay]).then(() => {})
      return closing
    },
  }
}

function prefixOf(state: ServerState, track: <T>(task: () => Promise<T>) => Promise<T>): Prefix {
  let isOpen = true
  const work = <T>(signal: AbortSignal | undefined, task: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    track(async () => {
      if (!isOpen) throw new EngineError('internal_error', 'This state is closed; open it again.')
      return withOwnSignal(signal, task)
    })
  return {
    tokens: state.tokens,
    get cachedTokens() {
      return state.cachedTokens
    },
    score: (branches, signal) => work(signal, (own) => state.score(branches, own)),
    generate: (branch, constraint, signal) => work(signal, (own) => state.generate(branch, constraint, own)),
    close() {
      isOpen = false
    },
  }
}

/**
 * Runs a task of many requests under a signal of its own: it listens to the caller's once, and when one request fails
 * the others are given up.
 */
async function withOwnSignal<T>(signal: AbortSignal | undefined, task: (own: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  const own = new AbortController()
  setMaxListeners(0, own.signal)
  const stop = (): void => own.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await task(own.signal)
  } catch (error) {
    own.abort(error)
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

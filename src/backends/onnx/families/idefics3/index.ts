// Idefics3 and its kin (SmolVLM, SmolVLM2, Granite-Docling): three graphs, a chat template and a tile rule to a `Backend`.
// A state is prefilled once; every branch is a short continuation on its keys and values. See chat.ts and wording.ts for the prompt.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../../core/errors.ts'
import type { Prompt } from '../../../../core/types.ts'
import type { Backend, Branch, ModelInfo, Prefix } from '../../../backend.ts'
import { type AskSymbols, PROBE_HASH, type ProbeOptions, type ProbeProgress, probe, readingOf } from '../../../prompted/probe.ts'
import { wordRead, wordScored } from '../../../prompted/prompt-template.ts'
import { parseScoring, SCORING_FILE, type Scoring, scoringOf, symbolsUpTo } from '../../../prompted/scoring.ts'
import { type Decoder, makeDecoder, probeLogits } from '../../decoder/decoder.ts'
import type { Past } from '../../decoder/kv-cache.ts'
import { makeLines } from '../../decoder/mutex.ts'
import { makeReader, type Reader } from '../../decoder/read.ts'
import { makeScorers, plainSymbolRows, type Scorer } from '../../decoder/score.ts'
import { makeStates } from '../../decoder/states.ts'
import { DEFAULT_CACHE_BYTES, type OnnxOptions } from '../../options.ts'
import { CONFIGURATION_FILES, findGraph, hashFiles, type ModelFolder, readJson, TEXT_DTYPES, VISION_DTYPES } from '../../runtime/layout.ts'
import { openPatched } from '../../runtime/patched.ts'
import { loadRuntime, openSession, type Session } from '../../runtime/session.ts'
import { makeTokenizer } from '../../runtime/tokenizer.ts'
import { type FairScheduler, makeFairScheduler } from '../../scheduling/fair-scheduler.ts'
import { type Chat, makeChat, readTemplate, SPLIT_PICTURES_UP_TO } from './chat.ts'
import { contextLengthOf, endTokensOf, tileRuleOf, tokensPerTileOf, variablesOf } from './settings.ts'
import { makeVision, type Vision } from './vision.ts'

/** Read at load, when a patched graph is compared with the graph as it came. */
const PARITY =
  '\n\nQuestion: Which of these is a fruit?\nA. chair\nB. apple\nC. cloud\nAnswer with the letter of the one option that fits best.'

interface Parts {
  readonly info: ModelInfo
  readonly chat: Chat
  readonly scheduler: FairScheduler
  readonly vision: Vision
  readonly decoder: Decoder
  readonly scorer: Scorer
  readonly reader: Reader
  readonly cacheBytes: number
}

export async function loadIdefics3(folder: ModelFolder, options: OnnxOptions): Promise<Backend> {
  const kept = options.scoring === undefined || options.scoring === 'folder' ? await keptScoring(folder) : null
  const parts = await loadParts(folder, options)
  if (options.scoring === 'plain') return makeBackend(parts)
  return closedOnFailure(parts, async () => makeBackend(await readAs(parts, isOf(parts.info, kept) ? kept : await measure(parts))))
}

/** Measures how a model is to be read, whatever its folder says already. */
export async function probeIdefics3(folder: ModelFolder, options: OnnxOptions, onProgress?: ProbeProgress): Promise<Scoring> {
  const parts = await loadParts(folder, options)
  const scoring = await closedOnFailure(parts, () => measure(parts, { everyPrior: true, ...(onProgress && { onProgress }) }))
  await closeParts(parts)
  return scoring
}

async function closeParts({ vision, decoder }: Parts): Promise<void> {
  await vision.close()
  await decoder.close()
}

async function closedOnFailure<T>(parts: Parts, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await closeParts(parts)
    throw error
  }
}

/** What the folder says; read before anything heavy is loaded. */
const keptScoring = async (folder: ModelFolder): Promise<Scoring | null> =>
  folder.files.includes(SCORING_FILE) ? parseScoring(await readJson(folder, SCORING_FILE)) : null

/** Whether it was measured on this model, with these prompts, by this probe: another dtype of the same folder is another model. */
function isOf({ revision, templateHash }: ModelInfo, kept: Scoring | null): kept is Scoring {
  return kept !== null && kept.revision === revision && kept.templateHash === templateHash && kept.probe === PROBE_HASH
}

/** Asks without a state. */
async function askOf({ chat, decoder, scorer }: Parts): Promise<AskSymbols> {
  const nothing = await decoder.read(decoder.empty, await decoder.embed(chat.encodeState([]).ids))
  return (branch) => plainSymbolRows(scorer, nothing, branch)
}

async function measure(parts: Parts, options: ProbeOptions = {}): Promise<Scoring> {
  return scoringOf(parts.info, await probe(await askOf(parts), options))
}

/**
 * The model read as the probe found best. What it decided is part of what calibration is bound to; the priors are not: they follow from weights
 * and prompts, and their last digits, which differ between machines, must not part a calibration from its model.
 */
async function readAs(parts: Parts, scoring: Scoring): Promise<Parts> {
  const { templateHash } = parts.info
  const upTo = { exclusive: symbolsUpTo(scoring.exclusive), ordinal: symbolsUpTo(scoring.ordinal) }
  const info: ModelInfo = {
    ...parts.info,
    templateHash: hashOf({ templateHash, probe: scoring.probe, upTo: Object.values(upTo).map(String) }),
    scorer: upTo.exclusive > 0 ? 'symbols' : 'texts',
  }
  return { ...parts, info, scorer: { ...parts.scorer, reading: readingOf(scoring, await askOf(parts)) } }
}

async function loadParts(folder: ModelFolder, options: OnnxOptions): Promise<Parts> {
  const [tokenizerJson, tokenizerConfig, preprocessor] = await Promise.all(
    ['tokenizer.json', 'tokenizer_config.json', 'preprocessor_config.json'].map((file) => readJson(folder, file)),
  )
  if (!tokenizerJson || !tokenizerConfig || !preprocessor) throw new Error('unreachable: readJson throws')
  const graphs = {
    vision: findGraph(folder, 'vision_encoder', VISION_DTYPES, options),
    embed: findGraph(folder, 'embed_tokens', TEXT_DTYPES, options),
    decoder: findGraph(folder, 'decoder_model_merged', TEXT_DTYPES, options),
  }
  const tokenizer = makeTokenizer(tokenizerJson, tokenizerConfig)
  const template = await readTemplate(folder, tokenizerConfig)
  const rule = tileRuleOf(preprocessor, options)
  const tokensPerTile = await tokensPerTileOf(folder)
  const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig)
  const contextLength = contextLengthOf(folder)
  const chat = makeChat({ tokenizer, template, variables: variablesOf(tokenizerConfig), rule, tokensPerTile })
  const weights = await hashFiles(folder, [...CONFIGURATION_FILES, ...Object.values(graphs).flatMap(({ files }) => files)])

  const runtime = await loadRuntime()
  const cacheBytes = options.cacheBytes ?? DEFAULT_CACHE_BYTES
  const scheduler = makeFairScheduler()
  const vision = makeVision(runtime, await openSession(graphs.vision, options), cacheBytes, scheduler)
  const embedder = await openSession(graphs.embed, options)
  const parity = chat.encodeQuestion(PARITY)
  const logitsOf = (session: Session): Promise<Float32Array[]> => {
    return probeLogits(makeDecoder(runtime, embedder, session), parity)
  }
  const { session, applied } = await openPatched(graphs.decoder, options, logitsOf)
  const decoder = makeDecoder(runtime, embedder, session)
  const id = options.id ?? folder.name
  const fits = (past: Past, added: number): void =>
    refuseTooLong(past.length + added, contextLength, 'the state with its question and answer')
  const scorer: Scorer = { tokenizer, chat, decoder, endTokens, fits, reading: null, scheduler, lines: makeLines() }
  const info: ModelInfo = {
    id,
    name: id,
    // What was changed at load changes the numbers a little, so it is part of what calibration is bound to.
    revision: applied.length === 0 ? weights : hashOf({ weights, applied }),
    templateHash: hashOf({ template, rule, tokensPerTile, endTokens, SPLIT_PICTURES_UP_TO, samples: sampleWording(chat) }),
    contextLength,
    capabilities: { images: true, boxes: false },
    scorer: 'symbols',
  }
  return { info, chat, scheduler, vision, decoder, scorer, reader: makeReader(scorer), cacheBytes }
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** Every kind of question once, as ids: a change of words or of tokenizer changes the hash without anyone having to think of it. */
function sampleWording(chat: Chat): number[][] {
  const candidates = [
    { name: 'one', description: 'first' },
    { name: 'two', description: null },
  ]
  const kinds = ['binary', 'exclusive', 'ordinal', 'independent'] as const
  const branch: Branch = { readout: 'read', instructions: 'What?', candidates: [], image: null }
  const item = { type: 'int' } as const
  const grammars = [
    item,
    { type: 'text' },
    { type: 'number' },
    { type: 'date' },
    { type: 'enum', values: ['a'] },
    { type: 'list', item, maxItems: 2 },
  ] as const
  const questions = [
    ...kinds.flatMap((readout) =>
      wordScored({ ...branch, readout, candidates }, 'image_1').map(({ shared, question }) => shared + question),
    ),
    ...grammars.map((grammar) => wordRead(branch, { type: 'grammar', grammar, maxTokens: 1 }, null)),
    ...[false, true].map((many) => wordRead(branch, { type: 'span', many, format: 'money' }, null)),
  ]
  return questions.map((question) => chat.encodeQuestion(question))
}

function refuseTooLong(tokens: number, contextLength: number, what: string): void {
  if (tokens <= contextLength) return
  throw new EngineError(
    'context_length_exceeded',
    `${what} would take ${tokens} tokens, the model takes ${contextLength}; shorten the state or send fewer or smaller pictures`,
  )
}

function makeBackend({ info, chat, scheduler, vision, decoder, scorer, reader, cacheBytes }: Parts): Backend {
  const fits = (tokens: number): void => refuseTooLong(tokens, info.contextLength, 'the state')
  const states = makeStates({ chat, vision, decoder, scheduler, cacheBytes, fits })
  const scorerOf = makeScorers(scorer)
  const underWay = new Set<Promise<unknown>>()
  let isClosed = false

  /** Runs on a model that is open, and is waited for when it closes. */
  const work = <T>(task: () => Promise<T>): Promise<T> => {
    if (isClosed) return Promise.reject(new EngineError('internal_error', 'the model is closed; load it again'))
    const running = task()
    underWay.add(running)
    const done = (): void => void underWay.delete(running)
    running.then(done, done)
    return running
  }

  const open = async (prompt: Prompt, signal: AbortSignal | undefined): Promise<Prefix> => {
    const { past, cachedTokens } = await states.open(prompt.pieces, signal)
    const images = prompt.pieces.flatMap((piece) => (piece.type === 'image' ? [piece.id] : []))
    return prefixOf(prompt, past, cachedTokens, images)
  }

  const prefixOf = (prompt: Prompt, past: Past, cachedTokens: number, images: readonly string[]): Prefix => {
    let isOpen = true
    const guard = <T>(task: () => Promise<T>): Promise<T> =>
      isOpen ? work(task) : Promise.reject(new EngineError('internal_error', 'this encoded state is closed; open it again'))
    const aboutOf = ({ image }: Branch): string | null => {
      if (image === null) return null
      if (!images.includes(image)) {
        throw new EngineError('invalid_question', `there is no image '${image}' in the state; it has ${images.join(', ') || 'none'}`)
      }
      return images.length > 1 ? `image ${images.indexOf(image) + 1} of ${images.length} (${image})` : null
    }
    const scoring = scorerOf(past)
    return {
      tokens: past.length,
      cachedTokens,
      score: (branches, signal) =>
        guard(() =>
          together(
            branches.map((branch) => async (stop) => scoring.score(branch, aboutOf(branch), stop)),
            signal,
          ),
        ),
      generate: (branch, constraint, signal) =>
        guard(async () => reader.generate(past, prompt, branch, constraint, aboutOf(branch), signal)),
      close: () => {
        isOpen = false
      },
    }
  }

  let closing: Promise<void> | null = null
  return {
    info,
    open: (prompt, signal) => work(() => open(prompt, signal)),
    caches: () => states.caches,
    close: () => {
      closing ??= (async () => {
        isClosed = true
        await Promise.allSettled([...underWay])
        states.clear()
        await vision.close()
        await decoder.close()
      })()
      return closing
    },
  }
}

/** All of the works at the same time. When one fails, the others are stopped, and nothing is under way any more when that error comes out. */
async function together<T>(works: readonly ((stop: AbortSignal) => Promise<T>)[], signal: AbortSignal | undefined): Promise<T[]> {
  signal?.throwIfAborted()
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const begun = works.map(async (work) => {
      try {
        return await work(stop.signal)
      } catch (error) {
        stop.abort(error)
        throw error
      }
    })
    await Promise.allSettled(begun)
    if (stop.signal.aborted) throw stop.signal.reason
    return await Promise.all(begun)
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

// A decoder and the prompts of its family to a `Backend`. A state is prefilled once; every branch is a short
// continuation on its keys and values.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../core/errors.ts'
import type { Prompt } from '../../../core/types.ts'
import type { Backend, Branch, ModelInfo } from '../../backend.ts'
import { type AskSymbols, PROBE_HASH, type ProbeOptions, probe, readingOf } from '../../prompted/probe.ts'
import { samplePrompts } from '../../prompted/prompt-template.ts'
import { parseScoring, SCORING_FILE, type Scoring, scoringOf, symbolsUpTo } from '../../prompted/scoring.ts'
import { checkSymbols } from '../../prompted/symbol-check.ts'
import { NO_CACHE } from '../caching/byte-cache.ts'
import type { ModelFamily } from '../family.ts'
import { type AskableState, OpenModel } from '../open-model.ts'
import { DEFAULT_CACHE_BYTES, type OnnxOptions } from '../options.ts'
import { CONFIGURATION_FILES, type GraphFile, hashFiles, type ModelFolder, readJson } from '../runtime/layout.ts'
import { closedOnFailure } from '../runtime/opening.ts'
import { openPatched } from '../runtime/patched.ts'
import { LOCAL_BIAS } from '../runtime/patches/cascade.ts'
import { inputsOf, loadRuntime, openSession, type Session } from '../runtime/session.ts'
import type { TextTokenizer } from '../runtime/tokenizer.ts'
import { type FairScheduler, makeFairScheduler } from '../scheduling/fair-scheduler.ts'
import type { BoxFormat } from './boxes.ts'
import { makeScorers, plainSymbolRows } from './branch-scorer.ts'
import { makeCallerMutex } from './caller-mutex.ts'
import { makeConstrainedDecoder } from './constrained-decoder.ts'
import { makeDecoder, probeLogits } from './decoder.ts'
import type { KvCache } from './kv-cache.ts'
import type { DecoderModel } from './model.ts'
import type { ImageEncoder, PromptBuilder } from './prompt-builder.ts'
import { makeStatePrefiller } from './state-prefiller.ts'
import { together } from './together.ts'
import { pictureReference } from './videos.ts'

/** What a family reads from a folder. */
export interface DecoderFiles {
  readonly tokenizer: TextTokenizer
  readonly prompts: PromptBuilder
  /** Null: the model sees no images. Closed with the model. */
  readonly images: ImageEncoder | null
  /** Why a model of a kind that sees reads no images from this folder. Absent: it reads what its kind reads. */
  readonly unseen?: string
  /**
   * `embedder` is null when the decoder graph takes ids. `others`: graphs of the family itself, which are part of the
   * revision.
   */
  readonly graphs: { readonly embedder: GraphFile | null; readonly decoder: GraphFile; readonly others: readonly GraphFile[] }
  /** Throws `model_not_available` when the decoder graph is not the one that the other files belong to. */
  readonly fit?: (decoder: Session) => void
  /** Ids that end an answer. */
  readonly endTokens: readonly number[]
  /** How it points into pictures. Absent: it does not. */
  readonly boxes?: BoxFormat
  /** Tokens. */
  readonly contextLength: number
  /**
   * Everything that decides how a state becomes tokens, for the template hash; what `prompts` does with questions is
   * added.
   */
  readonly template: { readonly [name: string]: unknown }
}

/** What a family shares with the decoder. */
export interface DecoderResources {
  /** Opens a graph that is closed again when the model cannot be loaded. */
  open(graph: GraphFile): Promise<Session>
  readonly scheduler: FairScheduler
  /** For the caches of the family; the states of the decoder have as much again. */
  readonly cacheBytes: number
}

export type ReadDecoderFiles = (folder: ModelFolder, options: OnnxOptions, resources: DecoderResources) => Promise<DecoderFiles>

interface LoadedDecoder {
  readonly info: ModelInfo
  readonly model: DecoderModel
  readonly images: ImageEncoder | null
  readonly cacheBytes: number
}

/**
 * A family of decoders that answer in text: `read` says all that differs between families, `graphs` which graphs it
 * reads.
 */
export function decoderFamily(read: ReadDecoderFiles, graphs?: readonly string[]): ModelFamily {
  return {
    ...(graphs === undefined ? {} : { graphs }),
    async load(folder, options) {
      const kept = options.scoring === undefined || options.scoring === 'folder' ? await keptScoring(folder) : null
      const loaded = await loadDecoder(read, folder, options)
      if (options.scoring === 'plain') return makeBackend(loaded)
      return closedOnFailure([openedOf(loaded)], async () =>
        makeBackend(await withScoring(loaded, isFor(loaded.info, kept) ? kept : await measure(loaded))),
      )
    },
    async probe(folder, options, onProgress) {
      const loaded = await loadDecoder(read, folder, options)
      const scoring = await closedOnFailure([openedOf(loaded)], () =>
        measure(loaded, { everyPrior: true, ...(onProgress && { onProgress }) }),
      )
      await closeModel(loaded)
      return scoring
    },
  }
}

async function closeModel({ images, model }: LoadedDecoder): Promise<void> {
  await images?.close()
  await model.decoder.close()
}

const openedOf = (loaded: LoadedDecoder) => ({ close: () => closeModel(loaded) })

/** The scoring in the folder; read before anything heavy is loaded. */
const keptScoring = async (folder: ModelFolder): Promise<Scoring | null> =>
  folder.files.includes(SCORING_FILE) ? parseScoring(await readJson(folder, SCORING_FILE)) : null

/**
 * Whether it was measured on this model, with these prompts, by this probe. Another dtype of the same folder is another
 * model.
 */
function isFor({ revision, templateHash }: ModelInfo, kept: Scoring | null): kept is Scoring {
  return kept !== null && kept.revision === revision && kept.templateHash === templateHash && kept.probe === PROBE_HASH
}

/** Asks questions without a state. */
async function askOf({ model }: LoadedDecoder): Promise<AskSymbols> {
  const { decoder, prompts } = model
  const nothing = await decoder.prefill(decoder.empty, await decoder.embed(prompts.encodeState([]).ids))
  return (branch) => plainSymbolRows(model, nothing, branch)
}

async function measure(loaded: LoadedDecoder, options: ProbeOptions = {}): Promise<Scoring> {
  return scoringOf(loaded.info, await probe(await askOf(loaded), options))
}

/**
 * The model, read as the probe found best. Up to how many candidates it reads by symbols is part of what calibration is
 * bound to. The priors are not: they follow from weights and prompts, and their last digits, which differ between
 * machines, must not part a calibration from its model.
 */
async function withScoring(loaded: LoadedDecoder, scoring: Scoring): Promise<LoadedDecoder> {
  const { templateHash } = loaded.info
  const { tokenizer, prompts } = loaded.model
  const symbols = checkSymbols({ encode: tokenizer.encode, opensWithSpace: prompts.opensWithSpace }, scoring)
  const upTo = { exclusive: symbolsUpTo(scoring.exclusive), ordinal: symbolsUpTo(scoring.ordinal) }
  const info: ModelInfo = {
    ...loaded.info,
    templateHash: hashOf({ templateHash, probe: scoring.probe, upTo: Object.values(upTo).map(String) }),
    scorer: upTo.exclusive > 0 ? 'symbols' : 'texts',
    checks: [symbols, ...(loaded.info.checks ?? []).filter(({ check }) => check !== 'symbols')],
  }
  return { ...loaded, info, model: { ...loaded.model, reading: readingOf(scoring, await askOf(loaded)) } }
}

/** Read at load, when a patched graph is compared with the graph as it came. */
const PARITY_QUESTION =
  '\n\nQuestion: Which of these is a fruit?\nA. chair\nB. apple\nC. cloud\nAnswer with the letter of the one option that fits best.'

function loadDecoder(read: ReadDecoderFiles, folder: ModelFolder, options: OnnxOptions): Promise<LoadedDecoder> {
  const opened: { close(): Promise<void> }[] = []
  const kept = (session: Session): Session => {
    opened.push({ close: () => session.release() })
    return session
  }
  return closedOnFailure(opened, () => openDecoder(read, folder, options, kept))
}

/** `kept`: is told every session that was opened. */
async function openDecoder(
  read: ReadDecoderFiles,
  folder: ModelFolder,
  options: OnnxOptions,
  kept: (session: Session) => Session,
): Promise<LoadedDecoder> {
  const cacheBytes = options.cacheBytes ?? DEFAULT_CACHE_BYTES
  const scheduler = makeFairScheduler()
  const open = async (graph: GraphFile): Promise<Session> => kept(await openSession(graph, options))
  const files = await read(folder, options, { open, scheduler, cacheBytes })
  const { tokenizer, prompts, images, graphs, endTokens, contextLength, template, boxes = null } = files
  const graphFiles = [...graphs.others, ...(graphs.embedder === null ? [] : [graphs.embedder]), graphs.decoder].flatMap(
    ({ files }) => files,
  )
  const weights = await hashFiles(folder, [...CONFIGURATION_FILES, ...graphFiles])
  const runtime = await loadRuntime()
  const embedder = graphs.embedder === null ? null : await open(graphs.embedder)
  const parity = prompts.encodeQuestion(PARITY_QUESTION)
  const decoderOf = (session: Session) => {
    // A patched graph has other shapes; the graph as it came was looked at before.
    if (!inputsOf(session).some(({ name }) => name === LOCAL_BIAS)) files.fit?.(session)
    return makeDecoder(runtime, embedder, session, graphs.decoder.name)
  }
  const { session, applied, check } = await openPatched(graphs.decoder, options, async (opened) => probeLogits(decoderOf(opened), parity))
  kept(session)
  const id = options.id ?? folder.name
  const info: ModelInfo = {
    id,
    name: id,
    // Patches change the numbers a little, so they are part of what calibration is bound to.
    revision: applied.length === 0 ? weights : hashOf({ weights, applied }),
    templateHash: hashOf({
      ...template,
      samples: samplePrompts().map((prompt) => prompts.encodeQuestion(prompt)),
      ...(boxes === null ? {} : { boxes: [false, true].map((many) => [boxes.ask(many), String(boxes.pattern)]) }),
    }),
    contextLength,
    capabilities: { images: images !== null, boxes: boxes !== null, ...(files.unseen === undefined ? {} : { unseen: files.unseen }) },
    scorer: 'symbols',
    checks: [checkSymbols({ encode: tokenizer.encode, opensWithSpace: prompts.opensWithSpace }, null), check],
  }
  const fits = (cache: KvCache, added: number): void => refuseTooLong(cache.length + added, info, 'the state with its question and answer')
  const mutex = makeCallerMutex()
  const model = { tokenizer, prompts, decoder: decoderOf(session), endTokens, boxes, fits, reading: null, scheduler, mutex }
  return { info, model, images, cacheBytes }
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

function refuseTooLong(tokens: number, { contextLength, capabilities }: ModelInfo, what: string): void {
  if (tokens <= contextLength) return
  const advice = capabilities.images ? 'shorten the state or send fewer or smaller pictures' : 'shorten the state'
  throw new EngineError('context_length_exceeded', `${what} would take ${tokens} tokens, the model takes ${contextLength}; ${advice}`)
}

function makeBackend(loaded: LoadedDecoder): Backend {
  const { info, model, images, cacheBytes } = loaded
  const { prompts, decoder, scheduler } = model
  const states = makeStatePrefiller({ prompts, decoder, scheduler, cacheBytes, fits: (tokens) => refuseTooLong(tokens, info, 'the state') })
  const scorerOf = makeScorers(model)
  const constrained = makeConstrainedDecoder(model)
  const open = new OpenModel(info.id, scheduler)

  /** The questions that can be asked behind a state that was prefilled. */
  function stateOf(prompt: Prompt, cache: KvCache): AskableState {
    const scorer = scorerOf(cache)
    const about = (branch: Branch): string | null => pictureReference(branch.image, prompt.pieces, prompts.joinsVideos ?? false)
    return {
      tokens: cache.length,
      score: (branches, signal) =>
        together(
          branches.map((branch) => async (stop) => scorer.score(branch, about(branch), stop)),
          signal,
        ),
      generate: async (branch, constraint, signal) => constrained.generate(cache, prompt, branch, constraint, about(branch), signal),
    }
  }

  return {
    info,
    open: (prompt, signal) =>
      open.work(async () => {
        const { cache, cachedTokens } = await states.open(prompt.pieces, signal)
        return open.prefix(stateOf(prompt, cache), cachedTokens)
      }),
    caches: () => ({ states: states.counts, pictures: images?.counts ?? NO_CACHE }),
    close: () =>
      open.close(async () => {
        states.clear()
        await closeModel(loaded)
      }),
  }
}

// The decision model: a state encoder, and a branch reader that answers many questions in a pass behind the encoded
// state. Options are branches of their own, so their order cannot matter; spans and boxes are pointed at; texts are
// written or copied under a grammar.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../../core/errors.ts'
import type { Prompt } from '../../../../core/types.ts'
import type { Backend, CachesOfBackend, ModelInfo, Prefix } from '../../../backend.ts'
import { promptKey } from '../../../prompt-key.ts'
import { ByteCache, type CacheEntry, NO_CACHE } from '../../caching/byte-cache.ts'
import type { ModelFamily } from '../../family.ts'
import { OPTIONS_ALONE } from '../../family.ts'
import { OpenModel } from '../../open-model.ts'
import { DEFAULT_CACHE_BYTES, type OnnxOptions } from '../../options.ts'
import { checkedTokenizer } from '../../runtime/checked-tokenizer.ts'
import { CONFIGURATION_FILES, hashFiles, type ModelFolder, readJson } from '../../runtime/layout.ts'
import { closedOnFailure, type Opening } from '../../runtime/opening.ts'
import { makeFairScheduler } from '../../scheduling/fair-scheduler.ts'
import { type DecisionConfig, decisionConfigOf, templateFieldsOf } from './configuration.ts'
import { GrammarCache } from './constrained-writing.ts'
import { DecisionGraphs, type GraphPair } from './graphs.ts'
import { ImageViews } from './image-views.ts'
import { type DecisionModel, OpenState, type StateImage } from './open-state.ts'
import { packState } from './pack.ts'
import { PictureEncoder } from './picture-encoder.ts'
import { pictureInputsOf } from './picture-inputs.ts'
import { PieceTokenizer } from './piece-tokenizer.ts'
import { TextReader } from './text-reader.ts'
import { TokenLimits } from './token-limits.ts'
import { VisionEncoder } from './vision-encoder.ts'

/** Raise it when the way a request becomes tokens changes, or the features of a branch: calibration is bound to it. */
const PROMPT_VERSION = 3

/** Tokens that stay free for a question. Where words read in images would take them, those words are left out. */
const QUESTION_ROOM_TOKENS = 512

/** Options are scored each on its own, so there is nothing to probe. */
export const decision: ModelFamily = { load: loadDecision, probe: null }

async function loadDecision(folder: ModelFolder, options: OnnxOptions, opening: Opening = 'at load'): Promise<Backend> {
  const config = decisionConfigOf(folder, options)
  const tokenizerJson = (await readJson(folder, 'tokenizer.json')) as unknown as ConstructorParameters<typeof PieceTokenizer>[0]
  const tokenizer = checkedTokenizer(
    folder.name,
    tokenizerJson,
    () => new PieceTokenizer(tokenizerJson, config.kinds),
    (made, text) => made.encode(text),
  )
  if (tokenizer.size !== config.controlIdsFrom) {
    throw new EngineError(
      'model_not_available',
      `the tokenizer of '${folder.name}' has ${tokenizer.size} pieces, ${config.controlIdsFrom} expected; take the folder as it was published`,
    )
  }
  const template = createHash('sha256').update(
    JSON.stringify([PROMPT_VERSION, config.kinds, templateFieldsOf(config), await hashFiles(folder, ['tokenizer.json'])]),
  )
  const { graphs, vision, revision } = await openGraphs(folder, options, config, tokenizer, opening)
  const name = folder.config.name
  const info: ModelInfo = {
    id: options.id ?? folder.name,
    name: typeof name === 'string' ? name : folder.name,
    revision,
    templateHash: template.digest('hex'),
    contextLength: config.contextLength,
    capabilities: { images: vision !== null, boxes: vision !== null && config.kinds.includes('box') },
    scorer: 'options',
    checks: OPTIONS_ALONE,
  }
  const model = {
    config,
    limits: new TokenLimits(info.id, info.contextLength, tokenizer),
    tokenizer,
    grammars: new GrammarCache(tokenizer),
    graphs,
    scheduler: makeFairScheduler(),
    views: new ImageViews(),
  }
  return new DecisionBackend(info, model, vision, options.cacheBytes ?? DEFAULT_CACHE_BYTES)
}

/** What encodes images, and reads the states they stand in. */
interface Vision {
  readonly encoder: VisionEncoder
  /** Null for a model that reads no text in images. */
  readonly textReader: TextReader | null
  readonly graphs: DecisionGraphs
}

interface OpenedGraphs {
  /** For states of texts. */
  readonly graphs: DecisionGraphs
  readonly vision: Vision | null
  readonly revision: string
}

function openGraphs(
  folder: ModelFolder,
  options: OnnxOptions,
  config: DecisionConfig,
  tokenizer: PieceTokenizer,
  opening: Opening,
): Promise<OpenedGraphs> {
  const { letters } = config.pictures
  const has = (graph: string): boolean => folder.files.some((file) => file.startsWith(`onnx/${graph}`))
  const opened: HoldsSessions[] = []
  const kept = <T extends HoldsSessions>(one: T): T => {
    opened.push(one)
    return one
  }
  const openPair = async (pair: GraphPair) => kept(await DecisionGraphs.open(folder, options, pair, config, opening))
  const openReader = async (known: string) =>
    kept(await TextReader.open(folder, options, known, tokenizer.words(), config.pictures, opening))
  return closedOnFailure(opened, async () => {
    const vision = has('vision_encoder')
      ? {
          encoder: kept(await VisionEncoder.open(folder, options, config.pictures, opening)),
          graphs: await openPair('images'),
          textReader: letters === null ? null : await openReader(letters),
        }
      : null
    // Without a pair of their own, texts are read by the images' pair, which learned from it.
    const graphs = vision !== null && !has('state_encoder') ? vision.graphs : await openPair('texts')
    const files = [...openedOf(graphs, vision)].flatMap((one) => one.files)
    return { graphs, vision, revision: await hashFiles(folder, [...CONFIGURATION_FILES, ...files]) }
  })
}

type HoldsSessions = VisionEncoder | TextReader | DecisionGraphs

/** All that holds sessions, each once. */
function openedOf(graphs: DecisionGraphs, vision: Vision | null): Set<HoldsSessions> {
  const { encoder, textReader } = vision ?? {}
  return new Set([graphs, vision?.graphs, encoder, textReader].filter((one) => one !== undefined && one !== null))
}

class DecisionBackend implements Backend {
  readonly info: ModelInfo
  readonly #model: DecisionModel
  readonly #states: ByteCache<OpenState>
  readonly #vision: Vision | null
  /** For states with an image in them; null when the model sees none. */
  readonly #withImages: (DecisionModel & { readonly pictures: PictureEncoder }) | null
  readonly #open: OpenModel

  constructor(info: ModelInfo, model: DecisionModel, vision: Vision | null, cacheBytes: number) {
    this.info = info
    this.#model = model
    this.#states = new ByteCache(cacheBytes)
    this.#open = new OpenModel(info.id, model.scheduler)
    this.#vision = vision
    this.#withImages = vision && {
      ...model,
      graphs: vision.graphs,
      pictures: new PictureEncoder(vision.encoder, vision.textReader, model.scheduler, model.config.pictures, cacheBytes),
    }
  }

  open(prompt: Prompt, signal?: AbortSignal): Promise<Prefix> {
    return this.#open.work(async () => {
      const { value, isKept } = await this.#states.through(
        promptKey(prompt.pieces, 'content and sources'),
        (stop) => this.#encode(prompt, stop),
        signal,
      )
      return this.#open.prefix(value, isKept ? value.tokens : 0)
    })
  }

  caches(): CachesOfBackend {
    return { states: this.#states.counts, pictures: this.#withImages?.pictures.counts ?? NO_CACHE }
  }

  close(): Promise<void> {
    const { views, graphs } = this.#model
    return this.#open.close(async () => {
      this.#states.clear()
      this.#withImages?.pictures.clear()
      views.clear()
      await Promise.all([...openedOf(graphs, this.#vision)].map((open) => open.close()))
    })
  }

  async #encode(prompt: Prompt, signal: AbortSignal): Promise<CacheEntry<OpenState>> {
    const pieces = prompt.pieces.flatMap((piece) => (piece.type === 'image' ? [piece] : []))
    const withImages = this.#withImages
    const model = pieces.length === 0 ? this.#model : withImages
    if (model === null) throw new EngineError('capability_not_supported', `the model ${this.info.id} reads no images; choose one that does`)
    const { limits, tokenizer, scheduler, config } = model
    limits.checkSize(
      prompt.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')),
      'state',
    )
    const images: StateImage[] = []
    for (const { id, picture } of pieces) {
      if (withImages !== null) images.push({ id, ...(await withImages.pictures.encode(picture, signal)) })
    }
    const packed = (all: readonly StateImage[]) =>
      packState(
        prompt,
        tokenizer,
        all.map(({ cells, lines }) => ({ cellCount: cells.length, lines })),
      )
    const whole = packed(images)
    const isCrowded = whole.ids.length > config.contextLength - QUESTION_ROOM_TOKENS && images.some(({ lines }) => lines.length > 0)
    const used = isCrowded ? images.map((image) => ({ ...image, lines: [] })) : images
    const state = isCrowded ? packed(used) : whole
    limits.checkLength(state.ids.length, 0)
    const aspects = pieces.map(({ picture }) => picture.width / picture.height)
    const encoded = await scheduler.run(() => model.graphs.encode(state, pictureInputsOf(used, aspects, tokenizer)), signal)
    const value = new OpenState(model, state, encoded, used)
    return { value, bytes: value.bytes }
  }
}

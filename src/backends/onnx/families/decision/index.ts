// Our own model: a state encoder, and a branch reader that answers many questions a pass on what the encoder keeps. Options are branches of their own,
// so their order cannot matter; words and boxes are pointed at; texts are written or copied under a grammar.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../../core/errors.ts'
import type { Prompt } from '../../../../core/types.ts'
import type { Backend, CachesOfBackend, ModelInfo, Prefix } from '../../../backend.ts'
import { ByteCache, type Made } from '../../caching/byte-cache.ts'
import type { ModelFamily } from '../../family.ts'
import { DEFAULT_CACHE_BYTES, type OnnxOptions } from '../../options.ts'
import { CONFIGURATION_FILES, hashFiles, type ModelFolder, readJson } from '../../runtime/layout.ts'
import { makeFairScheduler } from '../../scheduling/fair-scheduler.ts'
import { KINDS, VOCABULARY } from './control.ts'
import { Limits } from './limits.ts'
import { OpenState, type Reader, type SeenImage } from './open-state.ts'
import { packState } from './pack.ts'
import { nameOf, Pictures } from './pictures.ts'
import { TextReader } from './reader.ts'
import { Runner } from './runner.ts'
import { settingsOf } from './settings.ts'
import { shownOf } from './shown.ts'
import { PieceTokenizer } from './text.ts'
import { PartViews } from './views.ts'
import { VisionEncoder } from './vision.ts'
import { Languages } from './write.ts'

/** Changes whenever the way a request becomes tokens changes, or the features of a branch: calibration is bound to it. */
const PROMPT_VERSION = 3

/** Tokens that the words read in pictures leave free: where they would not, they are left out. */
const ROOM_FOR_A_QUESTION = 512

/** Options are scored each on its own, so there is nothing to probe. */
export const decision: ModelFamily = { load: loadDecision, probe: null }

async function loadDecision(folder: ModelFolder, options: OnnxOptions): Promise<Backend> {
  const settings = settingsOf(folder, options)
  const tokenizerJson = (await readJson(folder, 'tokenizer.json')) as unknown as ConstructorParameters<typeof PieceTokenizer>[0]
  const tokenizer = new PieceTokenizer(tokenizerJson)
  if (tokenizer.size !== VOCABULARY) {
    throw new EngineError(
      'model_not_available',
      `the tokenizer of '${folder.name}' has ${tokenizer.size} pieces, ${VOCABULARY} expected; take the folder as it was published`,
    )
  }
  const runner = await Runner.open(folder, options, 'texts', settings.visionWidth)
  const sight = folder.files.some((file) => file.startsWith('onnx/vision_encoder'))
    ? {
        encoder: await VisionEncoder.open(folder, options),
        runner: await Runner.open(folder, options, 'pictures', settings.visionWidth),
        textReader: settings.letters === null ? null : await TextReader.open(folder, options, settings.letters, tokenizer.words()),
      }
    : null
  const files = [runner, ...partsOf(sight)].flatMap((one) => one.files)
  const revision = await hashFiles(folder, [...CONFIGURATION_FILES, ...files])
  const template = createHash('sha256').update(
    JSON.stringify([PROMPT_VERSION, KINDS, settings, await hashFiles(folder, ['tokenizer.json'])]),
  )
  const name = folder.config.name
  const info: ModelInfo = {
    id: options.id ?? folder.name,
    name: typeof name === 'string' ? name : folder.name,
    revision,
    templateHash: template.digest('hex'),
    contextLength: settings.contextLength,
    capabilities: { images: sight !== null, boxes: sight !== null },
    scorer: 'options',
  }
  const reader = {
    settings,
    limits: new Limits(info.id, info.contextLength, tokenizer.longest),
    tokenizer,
    languages: new Languages(tokenizer),
    runner,
    scheduler: makeFairScheduler(),
    parts: new PartViews(),
  }
  return new DecisionBackend(info, reader, sight, options.cacheBytes ?? DEFAULT_CACHE_BYTES)
}

/** What looks at pictures, and reads the states they stand in. */
interface Sight {
  readonly encoder: VisionEncoder
  /** What reads the words of pictures; null for a model that reads none. */
  readonly textReader: TextReader | null
  readonly runner: Runner
}

function partsOf(sight: Sight | null): (VisionEncoder | TextReader | Runner)[] {
  return sight === null ? [] : [sight.encoder, sight.runner, ...(sight.textReader === null ? [] : [sight.textReader])]
}

class DecisionBackend implements Backend {
  readonly info: ModelInfo
  readonly #reader: Reader
  readonly #states: ByteCache<OpenState>
  readonly #sight: Sight | null
  /** For states with a picture in them; null when the model sees none. */
  readonly #seeing: (Reader & { readonly pictures: Pictures }) | null
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | null = null

  constructor(info: ModelInfo, reader: Reader, sight: Sight | null, cacheBytes: number) {
    this.info = info
    this.#reader = reader
    this.#states = new ByteCache(cacheBytes)
    this.#sight = sight
    this.#seeing = sight && {
      ...reader,
      runner: sight.runner,
      pictures: new Pictures(sight.encoder, sight.textReader, reader.scheduler, reader.settings.rule, cacheBytes),
    }
  }

  open(prompt: Prompt, signal?: AbortSignal): Promise<Prefix> {
    return this.#work(async () => {
      const { value, isKept } = await this.#states.through(keyOf(prompt), (stop) => this.#encode(prompt, stop), signal)
      return this.#prefix(value, isKept)
    })
  }

  caches(): CachesOfBackend {
    return { states: this.#states.counts, pictures: this.#seeing?.pictures.counts ?? { hits: 0, misses: 0, bytes: 0, limitBytes: 0 } }
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      const { scheduler, parts, runner } = this.#reader
      await Promise.allSettled([...this.#underWay])
      // Who gave up waiting for a pass has left it running.
      await scheduler.run(async () => {})
      this.#states.clear()
      this.#seeing?.pictures.clear()
      parts.clear()
      await Promise.all([runner, ...partsOf(this.#sight)].map((open) => open.close()))
    })()
    return this.#closing
  }

  /** Runs on a model that is open, and is waited for when it closes. */
  async #work<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw new EngineError('model_not_available', `the model ${this.info.id} was closed; load it again`)
    const running = task()
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }

  async #encode(prompt: Prompt, signal: AbortSignal): Promise<Made<OpenState>> {
    const pieces = prompt.pieces.flatMap((piece) => (piece.type === 'image' ? [piece] : []))
    const seeing = this.#seeing
    const reader = pieces.length === 0 ? this.#reader : seeing
    if (reader === null)
      throw new EngineError('capability_not_supported', `the model ${this.info.id} reads no images; choose one that does`)
    const { limits, tokenizer, scheduler, settings } = reader
    limits.checkSize(
      prompt.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')),
      'state',
    )
    const images: SeenImage[] = []
    for (const { id, picture } of pieces) if (seeing !== null) images.push({ id, ...(await seeing.pictures.see(picture, signal)) })
    const packed = (seen: readonly SeenImage[]) =>
      packState(
        prompt,
        tokenizer,
        seen.map(({ cells, lines }) => ({ cells: cells.length, lines })),
      )
    const whole = packed(images)
    const isCrowded = whole.ids.length > settings.contextLength - ROOM_FOR_A_QUESTION && images.some(({ lines }) => lines.length > 0)
    const seen = isCrowded ? images.map((image) => ({ ...image, lines: [] })) : images
    const state = isCrowded ? packed(seen) : whole
    limits.checkLength(state.ids.length, 0)
    const aspects = pieces.map(({ picture }) => picture.width / picture.height)
    const encoded = await scheduler.run(() => reader.runner.state(state, shownOf(seen, aspects, tokenizer)), signal)
    const value = new OpenState(reader, state, encoded, seen)
    return { value, bytes: value.bytes }
  }

  #prefix(state: OpenState, isCached: boolean): Prefix {
    let isOpen = true
    const work = <T>(task: () => Promise<T>): Promise<T> =>
      this.#work(async () => {
        if (!isOpen) throw new EngineError('internal_error', 'the prefix was closed; open the state again')
        return task()
      })
    return {
      tokens: state.tokens,
      cachedTokens: isCached ? state.tokens : 0,
      score: (branches, signal) => work(() => state.score(branches, signal)),
      generate: (branch, constraint, signal) => work(() => state.generate(branch, constraint, signal)),
      close: () => {
        isOpen = false
      },
    }
  }
}

/** Names a prompt by its content. */
function keyOf(prompt: Prompt): string {
  const hash = createHash('sha256')
  for (const piece of prompt.pieces) {
    if (piece.type === 'image') hash.update(JSON.stringify(['image', piece.id, nameOf(piece.picture)]))
    else hash.update(JSON.stringify(['text', piece.text, piece.source?.part ?? null, piece.source?.path ?? null]))
  }
  return hash.digest('hex')
}

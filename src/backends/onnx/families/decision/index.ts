// Our own model: a state encoder, and a branch reader that runs once a question on what the encoder keeps. Options are branches of their own,
// so their order cannot matter; words and boxes are pointed at; texts are written or copied under a grammar.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../../errors.ts'
import { logSigmoid, logSoftmax } from '../../../../math.ts'
import type { Picture, Prompt } from '../../../../types.ts'
import type { Backend, Branch, Constraint, Generated, ModelInfo, Prefix, Scores } from '../../../backend.ts'
import { ByteCache } from '../../cache.ts'
import { CONFIGURATION_FILES, hashFiles, type ModelFolder, readJson } from '../../layout.ts'
import { DEFAULT_CACHE_BYTES, type OnnxOptions } from '../../options.ts'
import { normaliseTiles, type TileRule, tilePicture } from '../../tiles.ts'
import { everyBox, oneBox } from './boxes.ts'
import { type Cell, cellsOf, keptCells, placesOf } from './cells.ts'
import { KINDS, kindOf, VOCABULARY } from './control.ts'
import { featuresOf } from './features.ts'
import { type PackedBranch, type PackedState, packBranch, packState } from './pack.ts'
import { type EncodedPicture, type EncodedState, Runner } from './runner.ts'
import { SpanFinder } from './spans.ts'
import { PieceTokenizer } from './text.ts'
import { Languages, write } from './write.ts'

/** Changes whenever the way a request becomes tokens changes, or the features of a branch: calibration is bound to it. */
const PROMPT_VERSION = 1

interface Settings {
  readonly contextLength: number
  /** Tokens of a span at most. */
  readonly spanTokens: number
  /** Tokens of a written answer at most. */
  readonly writeTokens: number
  readonly rule: TileRule
  /** Which read-out answers a choice: about a text, about pictures, and when no question is asked beside the options. */
  readonly choices: Readonly<Record<'text' | 'images' | 'bare', ChoiceReadout>>
}

/** A choice is read by comparing its options, or by the yes or no of each: which is better was measured when the weights were made. */
type ChoiceReadout = 'exclusive' | 'independent'

/** A picture as tokens: the cells that are not flat, and what the encoder said of them. */
interface SeenPicture {
  readonly cells: readonly Cell[]
  readonly encoded: EncodedPicture
}

interface SeenImage extends SeenPicture {
  readonly id: string
}

interface OpenState {
  readonly packed: PackedState
  readonly encoded: EncodedState
  readonly images: readonly SeenImage[]
  readonly finder: SpanFinder
}

export async function loadDecision(folder: ModelFolder, options: OnnxOptions): Promise<Backend> {
  const settings = settingsOf(folder, options)
  const tokenizerJson = (await readJson(folder, 'tokenizer.json')) as unknown as ConstructorParameters<typeof PieceTokenizer>[0]
  const tokenizer = new PieceTokenizer(tokenizerJson)
  if (tokenizer.size !== VOCABULARY) {
    throw new EngineError(
      'model_not_available',
      `the tokenizer of '${folder.name}' has ${tokenizer.size} pieces, ${VOCABULARY} expected; take the folder as it was published`,
    )
  }
  const runner = await Runner.open(folder, options)
  const graphs = folder.files.filter((file) => file.startsWith('onnx/'))
  const revision = await hashFiles(folder, [...CONFIGURATION_FILES, ...graphs])
  const template = createHash('sha256').update(
    JSON.stringify([PROMPT_VERSION, KINDS, settings, await hashFiles(folder, ['tokenizer.json'])]),
  )
  const name = folder.config.name
  return new DecisionBackend(
    {
      id: options.id ?? folder.name,
      name: typeof name === 'string' ? name : folder.name,
      revision,
      templateHash: template.digest('hex'),
      contextLength: settings.contextLength,
      capabilities: { images: runner.seesImages, boxes: runner.seesImages },
      scorer: 'options',
    },
    settings,
    tokenizer,
    runner,
    options.cacheBytes ?? DEFAULT_CACHE_BYTES,
  )
}

function settingsOf(folder: ModelFolder, options: OnnxOptions): Settings {
  const { context_length: contextLength, span_tokens: spanTokens, write_tokens: writeTokens, image } = folder.config
  const { longest_edge: longestEdge, tile_size: tileSize } = (image ?? {}) as Record<string, unknown>
  if (
    typeof contextLength !== 'number' ||
    typeof spanTokens !== 'number' ||
    typeof writeTokens !== 'number' ||
    typeof longestEdge !== 'number' ||
    typeof tileSize !== 'number'
  ) {
    throw new EngineError(
      'model_not_available',
      `config.json of '${folder.name}' lacks context_length, span_tokens, write_tokens or image; take the folder as it was published`,
    )
  }
  const {
    text = 'exclusive',
    images = 'exclusive',
    bare = 'exclusive',
  } = (folder.config.choice_readouts ?? {}) as Partial<Settings['choices']>
  const { pictures } = options
  return {
    choices: { text, images, bare },
    contextLength,
    spanTokens,
    writeTokens,
    rule: { longestEdge: pictures?.longestEdge ?? longestEdge, tileSize, split: pictures?.split ?? true, upscale: false },
  }
}

class DecisionBackend implements Backend {
  readonly info: ModelInfo
  readonly #settings: Settings
  readonly #tokenizer: PieceTokenizer
  readonly #languages: Languages
  readonly #runner: Runner
  readonly #states: ByteCache<OpenState>
  readonly #pictures: ByteCache<SeenPicture>
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | null = null

  constructor(info: ModelInfo, settings: Settings, tokenizer: PieceTokenizer, runner: Runner, cacheBytes: number) {
    this.info = info
    this.#settings = settings
    this.#tokenizer = tokenizer
    this.#languages = new Languages(tokenizer)
    this.#runner = runner
    this.#states = new ByteCache(cacheBytes)
    this.#pictures = new ByteCache(cacheBytes)
  }

  open(prompt: Prompt): Promise<Prefix> {
    return this.#work(async () => {
      const key = keyOf(prompt)
      const known = this.#states.get(key)
      const state = known ?? (await this.#encode(prompt))
      if (known === undefined) this.#states.set(key, state, state.encoded.bytes)
      return this.#prefix(state, known !== undefined)
    })
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.allSettled([...this.#underWay])
      this.#states.clear()
      this.#pictures.clear()
      await this.#runner.close()
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

  async #encode(prompt: Prompt): Promise<OpenState> {
    const pieces = prompt.pieces.flatMap((piece) => (piece.type === 'image' ? [piece] : []))
    if (pieces.length > 0 && !this.#runner.seesImages) {
      throw new EngineError('capability_not_supported', `the model ${this.info.id} reads no images; choose one that does`)
    }
    this.#checkSize(
      prompt.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')),
      'state',
    )
    const images: SeenImage[] = []
    for (const { id, picture } of pieces) images.push({ id, ...(await this.#see(picture)) })
    const cells = images.map((image) => image.cells.length)
    const packed = packState(prompt, this.#tokenizer, cells)
    this.#checkLength(packed.ids.length, 0)
    const places = images.map((image, i) => placesOf(image.cells, (pieces[i]?.picture.width ?? 1) / (pieces[i]?.picture.height ?? 1)))
    const encoded = await this.#runner.state(
      packed,
      images.map((image) => image.encoded.features),
      places,
    )
    return { packed, encoded, images, finder: new SpanFinder(packed, this.#settings.spanTokens) }
  }

  async #see(picture: Picture): Promise<SeenPicture> {
    const known = this.#pictures.get(nameOf(picture))
    if (known !== undefined) return known
    const { tiles, tileSize, rows, cols } = await tilePicture(picture, this.#settings.rule)
    const kept = keptCells(tiles, tileSize)
    const all = cellsOf(rows, cols)
    const encoded = await this.#runner.picture(normaliseTiles(tiles, tileSize), tiles.length, tileSize, kept)
    const seen = { cells: kept.map((cell) => all[cell] as Cell), encoded }
    this.#pictures.set(nameOf(picture), seen, encoded.features.byteLength + encoded.offsets.byteLength)
    return seen
  }

  /** Refuses texts that cannot fit without reading them: a megabyte takes seconds to read. */
  #checkSize(texts: readonly string[], what: 'state' | 'question'): void {
    const units = texts.reduce((sum, text) => sum + text.length, 0)
    // A token has at most so many bytes, and at most two lone spaces before it that are not kept.
    const least = Math.floor(units / (this.#tokenizer.longest * 3))
    if (least > this.info.contextLength) this.#refuse(`the ${what} takes at least ${least} tokens`, what)
  }

  /** `written`: tokens that may be written behind the question. */
  #checkLength(state: number, question: number, written = 0): void {
    const needed = state + question + written
    if (needed <= this.info.contextLength) return
    if (question === 0) this.#refuse(`the state takes ${state} tokens`, 'state')
    const asked = written === 0 ? ` and a question (${question})` : `, a question (${question}) and its answer (up to ${written})`
    this.#refuse(`the state (${state})${asked} take ${needed} tokens`, 'state or the question')
  }

  #refuse(taken: string, what: string): never {
    const { id, contextLength } = this.info
    throw new EngineError('context_length_exceeded', `${taken}, the model ${id} takes ${contextLength}; shorten the ${what}`)
  }

  #prefix(state: OpenState, isCached: boolean): Prefix {
    const tokens = state.packed.ids.length
    let isOpen = true
    const work = <T>(task: () => Promise<T>): Promise<T> =>
      this.#work(async () => {
        if (!isOpen) throw new EngineError('internal_error', 'the prefix was closed; open the state again')
        return task()
      })
    return {
      tokens,
      cachedTokens: isCached ? tokens : 0,
      score: (branches) =>
        work(async () => {
          const all: Scores[] = []
          for (const branch of branches) all.push(await this.#score(state, branch))
          return all
        }),
      generate: (branch, constraint) => work(() => this.#generate(state, branch, constraint)),
      close: () => {
        isOpen = false
      },
    }
  }

  #pack(state: OpenState, branch: Branch, constraint: Constraint | null): PackedBranch {
    const options = branch.candidates.flatMap(({ name, description }) => [name, description ?? ''])
    this.#checkSize([branch.instructions, ...options], 'question')
    const packed = packBranch(branch, constraint, state.packed.nextPosition, this.#tokenizer)
    this.#checkLength(state.packed.ids.length, packed.ids.length)
    return packed
  }

  async #score(state: OpenState, branch: Branch): Promise<Scores> {
    const asked = { ...branch, readout: this.#readAs(state, branch) }
    const packed = this.#pack(state, asked, null)
    const seen = this.#seen(state, branch)
    const run = { packed, kind: kindOf(asked, null), written: [], seen }
    const { logits: marks, inner } = await this.#runner.score(state.encoded, run)
    const logits = packed.rowOf.map((row) => marks[row] as number)
    const yesNo = (logit: number) => ({ logProbabilities: [logSigmoid(logit), logSigmoid(-logit)], mass: 1 })
    // Every option is a branch of its own, so nothing but the options is ever weighed: their mass is one.
    const rows =
      branch.readout === 'binary'
        ? [yesNo(marks[0] as number)]
        : branch.readout === 'independent'
          ? logits.map(yesNo)
          : [{ logProbabilities: logSoftmax(logits), mass: 1 }]
    if (inner === null) return { rows, inputTokens: packed.ids.length }
    const [words, memory] = [state.encoded.words.data as Float32Array, state.encoded.memory.data as Float32Array]
    return { rows, inputTokens: packed.ids.length, features: featuresOf(state.packed, words, memory, seen, inner) }
  }

  /** The read-out that answers a branch. The rows it is asked for stay those of the branch. */
  #readAs(state: OpenState, { readout, instructions }: Branch): Branch['readout'] {
    if (readout !== 'exclusive') return readout
    const { text, images, bare } = this.#settings.choices
    return instructions === '' ? bare : state.images.length > 0 ? images : text
  }

  async #generate(state: OpenState, branch: Branch, constraint: Constraint): Promise<Generated> {
    const packed = this.#pack(state, branch, constraint)
    const run = { packed, kind: kindOf(branch, constraint), seen: this.#seen(state, branch) }
    const inputTokens = packed.ids.length
    if (constraint.type === 'grammar') {
      // Beyond the length of its training answers the model only repeats itself: what is not done by then is not valid.
      const maxTokens = Math.min(constraint.maxTokens, this.#settings.writeTokens)
      this.#checkLength(state.packed.ids.length, packed.ids.length, maxTokens)
      const logitsOf = (written: readonly number[]) => this.#runner.next(state.encoded, { ...run, written })
      const { text, complete, tokens, logProbability } = await write(logitsOf, { ...constraint, maxTokens }, this.#languages, state.packed)
      return { type: 'text', text, complete, inputTokens, outputTokens: tokens, logProbability }
    }
    if (constraint.type === 'box') return { ...(await this.#boxes(state, branch, run, constraint.many)), inputTokens }
    const { start, end, absent } = await this.#runner.point(state.encoded, { ...run, written: [] })
    const pointers = { start, end, absent, endsGiven: (first: number, last: number) => endsGiven(state.encoded, first, last) }
    const found = constraint.many ? state.finder.every(pointers, constraint.format) : state.finder.one(pointers, constraint.format)
    return { type: 'spans', ...found, inputTokens, outputTokens: found.spans.length }
  }

  async #boxes(state: OpenState, branch: Branch, run: Omit<Parameters<Runner['point']>[1], 'written'>, isMany: boolean) {
    const index = branch.image === null ? 0 : state.images.findIndex(({ id }) => id === branch.image)
    const image = state.images[index]
    const range = state.packed.images[index]
    if (image === undefined || range === undefined) throw new EngineError('invalid_question', 'a box needs an image; add one to the state')
    const { start, absent } = await this.#runner.point(state.encoded, { ...run, written: [] })
    const { cells, encoded } = image
    const scores = { image: image.id, cells, logits: start.subarray(range.from, range.to), offsets: encoded.offsets, absent }
    const found = isMany ? everyBox(scores) : oneBox(scores)
    return { type: 'boxes' as const, ...found, outputTokens: found.boxes.length }
  }

  /** A question about one image does not see the others. */
  #seen(state: OpenState, branch: Branch): Float32Array {
    const seen = new Float32Array(state.packed.ids.length).fill(1)
    if (branch.image !== null) for (const { id, from, to } of state.packed.images) if (id !== branch.image) seen.fill(0, from, to)
    return seen
  }
}

/** What a first token adds to the end logits of the tokens from it to `last`. */
function endsGiven({ endQueries, endKeys, endWidth }: EncodedState, first: number, last: number): number[] {
  const query = endQueries.subarray(first * endWidth, (first + 1) * endWidth)
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const key = (first + i) * endWidth
    let dot = 0
    for (let j = 0; j < endWidth; j++) dot += (query[j] as number) * (endKeys[key + j] as number)
    return dot / Math.sqrt(endWidth)
  })
}

function nameOf({ sha256, width, height }: Picture): string {
  return `${sha256} ${width}x${height}`
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

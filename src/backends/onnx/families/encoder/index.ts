// The encoder model: texts and JSON alone. A state is read in passages, each by itself and kept; questions are read
// behind them many at once (first look), or with the state once more (second look). Spans and values are pointed at.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../../core/errors.ts'
import type { Prompt } from '../../../../core/types.ts'
import type { Backend, CachesOfBackend, ModelInfo, Prefix } from '../../../backend.ts'
import { promptKey } from '../../../prompt-key.ts'
import { addedCounts, ByteCache, type CacheEntry, NO_CACHE } from '../../caching/byte-cache.ts'
import type { ModelFamily } from '../../family.ts'
import { OPTIONS_ALONE } from '../../family.ts'
import { OpenModel } from '../../open-model.ts'
import { DEFAULT_CACHE_BYTES, type OnnxOptions } from '../../options.ts'
import { CONFIGURATION_FILES, hashFiles, type ModelFolder, readJson } from '../../runtime/layout.ts'
import { closedOnFailure } from '../../runtime/opening.ts'
import { makeFairScheduler } from '../../scheduling/fair-scheduler.ts'
import type { ReadPassages } from './asked-passages.ts'
import { type EncoderConfig, encoderConfigOf } from './configuration.ts'
import { EncoderGraphs } from './graphs.ts'
import { LoneVectors } from './lone-vectors.ts'
import { loneBlock, meanRow } from './looks.ts'
import { NamedRows } from './named-rows.ts'
import { type Narrowing, PassageState, refuseLong } from './passage-state.ts'
import { bytesOf, type EncodedPassage, type EncodedPieces, withinMarks } from './passage-view.ts'
import { type Passage, passagesOf } from './passages.ts'
import type { EncoderModel } from './state-reader.ts'
import { stateText } from './state-text.ts'
import type { StateText } from './state-writer.ts'
import { type PiecedText, WordPieces } from './word-pieces.ts'

/** Raise it when the way a request becomes pieces changes, or the features: calibration is bound to it. */
const PROMPT_VERSION = 5

/** Options are scored each on its own, so there is nothing to probe. */
export const encoder: ModelFamily = { load: loadEncoder, probe: null }

async function loadEncoder(folder: ModelFolder, options: OnnxOptions): Promise<Backend> {
  const config = encoderConfigOf(folder)
  const pieces = new WordPieces(await readJson(folder, 'tokenizer.json'), folder.name)
  const graphs = await EncoderGraphs.open(folder, options, config.shape)
  const [revision, tokenizerHash] = await closedOnFailure([graphs], () =>
    Promise.all([hashFiles(folder, [...CONFIGURATION_FILES, ...graphs.files]), hashFiles(folder, ['tokenizer.json'])]),
  )
  const { contextLength, passagePieces, places } = config
  const template = createHash('sha256').update(
    JSON.stringify(['encoder', PROMPT_VERSION, contextLength, passagePieces, places, tokenizerHash]),
  )
  const { name } = folder.config
  const info: ModelInfo = {
    id: options.id ?? folder.name,
    name: typeof name === 'string' ? name : folder.name,
    revision,
    templateHash: template.digest('hex'),
    contextLength,
    capabilities: { images: false, boxes: false, rereads: true, findsNumbers: true, judgesItsReads: true, isEnglishOnly: true },
    scorer: 'options',
    checks: OPTIONS_ALONE,
  }
  const model = { id: info.id, config, pieces, graphs, scheduler: makeFairScheduler(), lone: new LoneVectors(graphs, pieces) }
  return new EncoderBackend(info, model, options.cacheBytes ?? Math.max(DEFAULT_CACHE_BYTES, bytesForLongest(config)))
}

/** The same for the same pieces, whatever text they stand in. */
const passageKey = ({ from, to }: Passage, { ids }: PiecedText): string => ids.slice(from, to).join()

/** Of the bytes for encoded states: what whole states take beside their passages, so that questions share passes. */
const STATES_SHARE = 0.25

/** Bytes that keep the passages of a state of full length, so that one more question does not read it anew. */
export function bytesForLongest({ contextLength, passagePieces, shape: { width, layers } }: EncoderConfig): number {
  const marks = 2 * (1 + Math.ceil(contextLength / passagePieces))
  // Vectors, and keys and values of every layer and the evidence. Passages end at seams: marks may be twice as many.
  return Math.ceil(((contextLength + 2 * marks) * width * (3 + 2 * layers) * Float32Array.BYTES_PER_ELEMENT) / (1 - STATES_SHARE))
}

interface OpenedState {
  readonly state: PassageState
  /** Keys of those of its passages that are kept. */
  readonly passages: ReadonlySet<string>
  /** Tokens of passages that other states had read before. */
  readonly knownTokens: number
}

class EncoderBackend implements Backend {
  readonly info: ModelInfo
  readonly #model: EncoderModel
  /** By their prompts. Their passages count in the other cache, so a state leaves with the first of them that does. */
  readonly #states: ByteCache<OpenedState>
  /** By their pieces: states that share a passage share what was read of it. */
  readonly #passages: ByteCache<EncodedPieces>
  /** Key of a passage -> keys of the kept states that hold it. */
  readonly #holders = new Map<string, Set<string>>()
  readonly #open: OpenModel

  constructor(info: ModelInfo, model: EncoderModel, cacheBytes: number) {
    this.info = info
    this.#model = model
    this.#states = new ByteCache(cacheBytes * STATES_SHARE, ({ passages }, state) => {
      for (const passage of passages) this.#holders.get(passage)?.delete(state)
    })
    this.#passages = new ByteCache(cacheBytes * (1 - STATES_SHARE), (_, passage) => {
      for (const state of this.#holders.get(passage) ?? []) this.#states.delete(state)
      this.#holders.delete(passage)
    })
    this.#open = new OpenModel(info.id, model.scheduler)
  }

  open(prompt: Prompt, signal?: AbortSignal): Promise<Prefix> {
    return this.#open.work(async () => {
      const key = promptKey(prompt.pieces, 'content and sources')
      const { value, isKept } = await this.#states.through(key, (stop) => this.#encodeState(key, prompt, stop), signal)
      const { state, passages, knownTokens } = value
      // Passages of a state that is used are used.
      if (isKept) for (const passage of passages) this.#passages.get(passage)
      return this.#open.prefix(state, isKept ? state.tokens : knownTokens)
    })
  }

  caches(): CachesOfBackend {
    const [states, passages] = [this.#states.counts, this.#passages.counts]
    return { states: { ...addedCounts([states, passages]), misses: passages.misses }, pictures: NO_CACHE }
  }

  close(): Promise<void> {
    const { graphs, lone } = this.#model
    return this.#open.close(async () => {
      this.#states.clear()
      this.#passages.clear()
      lone.clear()
      await graphs.close()
    })
  }

  async #encodeState(key: string, prompt: Prompt, signal: AbortSignal): Promise<CacheEntry<OpenedState>> {
    signal.throwIfAborted()
    const { config, pieces: wordPieces } = this.#model
    if (prompt.pieces.some(({ type }) => type === 'image')) {
      throw new EngineError('capability_not_supported', `the model ${this.info.id} reads no images; choose one that does`)
    }
    const units = prompt.pieces.reduce((sum, piece) => sum + (piece.type === 'text' ? piece.text.length : 0), 0)
    refuseLong(this.info.id, units, config.contextLength, 'state')
    const text = stateText(prompt)
    const pieces = wordPieces.encode(text.text)
    if (pieces.ids.length > config.contextLength) {
      throw new EngineError(
        'context_length_exceeded',
        `the state takes ${pieces.ids.length} tokens, the model ${this.info.id} takes ${config.contextLength}; shorten the state`,
      )
    }
    let knownTokens = 0
    const read = this.#readerOf(pieces, (tokens) => {
      knownTokens += tokens
    })
    const passages = await read(passagesOf(text.text, pieces, config.passagePieces), signal)
    const narrowing: Narrowing = { rows: new NamedRows(prompt), read: (shown, stop) => this.#narrowed(stateText(prompt, shown), stop) }
    const state = new PassageState(this.#model, { text, pieces, passages }, read, narrowing)
    const keys = new Map(passages.map((passage) => [passageKey(passage, pieces), passage]))
    const kept = new Set([...keys.keys()].filter((passage) => this.#passages.get(passage) !== undefined))
    // Passages that the other cache has not kept count here.
    const bytes = [...keys].reduce((sum, [passage, pieces]) => sum + (kept.has(passage) ? 0 : bytesOf(pieces)), state.bytes)
    if (bytes <= this.#states.limit) for (const passage of kept) this.#hold(passage, key)
    return { value: { state, passages: kept, knownTokens }, bytes }
  }

  /** What is left of a state; no question narrows it further. */
  async #narrowed(text: StateText, signal: AbortSignal | undefined): Promise<PassageState> {
    const { config, pieces: wordPieces } = this.#model
    const pieces = wordPieces.encode(text.text)
    const read = this.#readerOf(pieces, () => {})
    const passages = await read(passagesOf(text.text, pieces, config.passagePieces), signal)
    return new PassageState(this.#model, { text, pieces, passages }, read, null)
  }

  /** Reads passages of a text, each once; `known` is told the tokens of those that were read before. */
  #readerOf(pieces: PiecedText, known: (tokens: number) => void): ReadPassages {
    return async (passages, signal) => {
      const encoded: EncodedPassage[] = []
      for (const passage of passages) {
        const ids = pieces.ids.slice(passage.from, passage.to)
        const { value, isKept } = await this.#passages.through(passageKey(passage, pieces), (stop) => this.#encodePieces(ids, stop), signal)
        if (isKept) known(ids.length + 2)
        encoded.push({ ...passage, ...value })
      }
      return encoded
    }
  }

  #hold(passage: string, state: string): void {
    const holders = this.#holders.get(passage)
    if (holders === undefined) this.#holders.set(passage, new Set([state]))
    else holders.add(state)
  }

  async #encodePieces(ids: readonly number[], signal: AbortSignal) {
    const { scheduler, graphs, pieces, config } = this.#model
    const { width } = config.shape
    const value = await scheduler.run(async () => {
      const { vectors, kept } = await graphs.readToKeep([loneBlock(ids, pieces)])
      const evidence = await graphs.evidence(withinMarks(vectors, width))
      return { vectors, kept, evidence, mean: meanRow(vectors, width, 0, ids.length + 2) }
    }, signal)
    return { value, bytes: bytesOf(value) }
  }
}

// The one graph of an entailment model: a row of ids to logits, one for each label.
import { EngineError } from '../../../../core/errors.ts'
import type { OnnxOptions } from '../../options.ts'
import { findGraph, type ModelFolder, TEXT_DTYPES } from '../../runtime/layout.ts'
import {
  type Feeds,
  inputsOf,
  loadRuntime,
  openSession,
  outputsOf,
  type Runtime,
  type Session,
  type Tensor,
} from '../../runtime/session.ts'
import { ints } from '../../runtime/tensors.ts'
import type { EncodedPair } from './pair-layout.ts'

const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids']

export class EntailmentGraph {
  readonly #runtime: Runtime
  readonly #session: Session
  readonly #takes: ReadonlySet<string>
  /** The graph and its weights, relative to the folder. */
  readonly files: readonly string[]

  private constructor(runtime: Runtime, session: Session, files: readonly string[]) {
    this.#runtime = runtime
    this.#session = session
    this.#takes = new Set(inputsOf(session).map(({ name }) => name))
    this.files = files
  }

  /** @param labels how many labels config.json names. Throws `model_not_available` for a graph that has others. */
  static async open(folder: ModelFolder, options: OnnxOptions, labels: number): Promise<EntailmentGraph> {
    const file = findGraph(folder, 'model', TEXT_DTYPES, options)
    const session = await openSession(file, options)
    const [inputs, logits] = [inputsOf(session), outputsOf(session).find(({ name }) => name === 'logits')]
    const unknown = inputs.filter(({ name }) => !INPUTS.includes(name)).map(({ name }) => name)
    const width = logits?.shape.at(-1)
    const wrong =
      unknown.length > 0
        ? `asks for ${unknown.slice(0, 4).join(', ')}, which no entailment model does`
        : logits === undefined
          ? 'gives no logits, so it is no classifier'
          : logits.type !== 'float32'
            ? `gives logits as ${logits.type}, float32 was expected: use another dtype`
            : typeof width === 'number' && width > 0 && width !== labels
              ? `has ${width} labels, config.json names ${labels}: they are of different models`
              : null
    if (wrong === null) return new EntailmentGraph(await loadRuntime(), session, file.files)
    await session.release()
    throw new EngineError('model_not_available', `${file.files[0]} of '${folder.name}' ${wrong}; download the whole repository again`)
  }

  /** One pass for one row: what else is asked cannot change its logits, and nothing is padded. [label] */
  async judge({ ids, types }: EncodedPair): Promise<Float32Array> {
    const shape = [1, ids.length]
    const feeds: Feeds = { input_ids: ints(this.#runtime, ids, shape) }
    if (this.#takes.has('attention_mask')) feeds.attention_mask = ints(this.#runtime, new Array<number>(ids.length).fill(1), shape)
    if (this.#takes.has('token_type_ids')) feeds.token_type_ids = ints(this.#runtime, types, shape)
    const { logits } = await this.#session.run(feeds, ['logits'])
    return (logits as Tensor).data as Float32Array
  }

  close(): Promise<void> {
    return this.#session.release()
  }
}

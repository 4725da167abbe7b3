// The four graphs of the encoder model as typed calls. Shapes: W width, L layers, l pieces of a pass, t tokens of a
// state, q questions of s slots; see models/service-1-pro/training/text/export.py.
import { EngineError } from '../../../../core/errors.ts'
import type { OnnxOptions } from '../../options.ts'
import { findGraph, type ModelFolder } from '../../runtime/layout.ts'
import { KEPT } from '../../runtime/patches/fewer-nodes.ts'
import { GROUPS } from '../../runtime/patches/group-attention.ts'
import { inputsOf, loadRuntime, openSession, outputsOf, type Runtime, type Session, type Tensor } from '../../runtime/session.ts'
import { dataOf, floats, ints } from '../../runtime/tensors.ts'
import { type Block, blockFeeds } from './blocks.ts'
import type { EncoderShape } from './configuration.ts'
import { openEncoder } from './open-encoder.ts'

export interface AttentionShape extends EncoderShape {
  readonly heads: number
}

/** Keys and values of pieces that were read, by layer: [heads][pieces][W / heads] each. */
export interface KeptPieces {
  readonly count: number
  readonly keys: readonly Float32Array[]
  readonly values: readonly Float32Array[]
}

/** What a pass gives: vectors [l][W], and the keys and values of its pieces. */
export interface ReadPieces {
  readonly vectors: Float32Array
  readonly kept: KeptPieces
}

/** What every question asks of the t tokens of a state, [t][W] each. */
export interface EvidencePieces {
  readonly keys: Float32Array
  readonly values: Float32Array
}

/** The t tokens of a state that questions are decided by: vectors, and keys and values of the evidence, [t][W] each. */
export interface Memory {
  readonly count: number
  readonly tokens: Tensor
  readonly keys: Tensor
  readonly values: Tensor
  /** [t] bool: false for the one token that stands for a state without any. */
  readonly state: Tensor
}

/** Slots of q questions, s of each, those that are missing being zeros; see `heads` in export.py. */
export interface SlotInputs {
  readonly questions: number
  readonly slots: number
  /** [q][s][W] */
  readonly vectors: Float32Array
  readonly means: Float32Array
  readonly told: Float32Array
  /** [q] */
  readonly kinds: Int32Array
  /** [q][s], [q][s][2], [q][s][s], [q][s] */
  readonly present: Float32Array
  readonly rank: Float32Array
  readonly apart: Float32Array
  readonly like: Float32Array
}

export interface Decided {
  /** [q][s] */
  readonly logits: Float32Array
  /** [q][s][W] what the logits are made of. */
  readonly hidden: Float32Array
}

/** Logits of the first and the last token of a quote, [1 + t] each; the first number is that of "nothing there". */
export interface QuoteLogits {
  readonly first: Float32Array
  readonly last: Float32Array
}

export class EncoderGraphs {
  readonly ort: Runtime
  /** Files of all graphs, relative to the folder. */
  readonly files: readonly string[]
  readonly shape: AttentionShape
  readonly #sessions: Readonly<Record<GraphName, Session>>
  readonly #attendsByGroup: boolean

  private constructor(ort: Runtime, files: readonly string[], shape: AttentionShape, sessions: Readonly<Record<GraphName, Session>>) {
    this.ort = ort
    this.files = files
    this.shape = shape
    this.#sessions = sessions
    this.#attendsByGroup = inputsOf(sessions.encoder).some(({ name }) => name === GROUPS.groups)
  }

  static async open(folder: ModelFolder, options: OnnxOptions, shape: EncoderShape): Promise<EncoderGraphs> {
    const ort = await loadRuntime()
    const graphs = GRAPHS.map((name) => findGraph(folder, name, ['int8', 'fp32'], options))
    const opened: [GraphName, Session][] = []
    try {
      for (const [i, graph] of graphs.entries()) {
        const name = GRAPHS[i] as GraphName
        opened.push([name, await (name === 'encoder' ? openEncoder : openSession)(graph, options)])
      }
      const sessions = Object.fromEntries(opened) as Record<GraphName, Session>
      const files = graphs.flatMap((graph) => graph.files)
      return new EncoderGraphs(ort, files, attentionShape(folder, sessions.encoder, shape), sessions)
    } catch (error) {
      await Promise.all(opened.map(([, session]) => session.release()))
      throw error
    }
  }

  /** The vectors [l][W] of a sequence of blocks behind kept pieces. */
  async read(blocks: readonly Block[], kept: KeptPieces | null): Promise<Float32Array> {
    return dataOf((await this.#sessions.encoder.run(this.#feeds(blocks, kept), ['vectors'])).vectors)
  }

  /** Reads a sequence of blocks that others will stand behind. */
  async readToKeep(blocks: readonly Block[]): Promise<ReadPieces> {
    const { layers, width } = this.shape
    const out = await this.#sessions.encoder.run(this.#feeds(blocks, null))
    const ofLayers = (name: string): Float32Array[] => Array.from({ length: layers }, (_, layer) => dataOf(out[`${name}.${layer}`]))
    const vectors = dataOf(out.vectors)
    return { vectors, kept: { count: vectors.length / width, keys: ofLayers(KEPT.keys), values: ofLayers(KEPT.values) } }
  }

  #feeds(blocks: readonly Block[], kept: KeptPieces | null): Record<string, Tensor> {
    const { layers, width, heads } = this.shape
    const count = kept?.count ?? 0
    const past = (data: Float32Array | undefined): Tensor => floats(this.ort, data ?? new Float32Array(0), [1, heads, count, width / heads])
    const feeds: Record<string, Tensor> = blockFeeds(this.ort, blocks, count, this.#attendsByGroup)
    for (let layer = 0; layer < layers; layer++) {
      feeds[`${KEPT.pastKeys}.${layer}`] = past(kept?.keys[layer])
      feeds[`${KEPT.pastValues}.${layer}`] = past(kept?.values[layer])
    }
    return feeds
  }

  /** Of vectors [t][W]; none at all are a state that says nothing, which one token of zeros stands for. */
  async evidence(vectors: Float32Array): Promise<EvidencePieces> {
    const tokens = this.#tokens(vectors)
    const { keys, values } = await this.#sessions.memory.run({ tokens }, ['keys', 'values'])
    return { keys: dataOf(keys), values: dataOf(values) }
  }

  /** `evidence` of the vectors. */
  memory(vectors: Float32Array, evidence: EvidencePieces): Memory {
    const tokens = this.#tokens(vectors)
    const [count, width] = tokens.dims as [number, number]
    const state = new this.ort.Tensor('bool', new Uint8Array(count).fill(vectors.length === 0 ? 0 : 1), [count])
    const [keys, values] = [evidence.keys, evidence.values].map((data) => floats(this.ort, data, [count, width])) as [Tensor, Tensor]
    return { count, tokens, keys, values, state }
  }

  #tokens(vectors: Float32Array): Tensor {
    const { width } = this.shape
    return floats(this.ort, vectors.length === 0 ? new Float32Array(width) : vectors, [Math.max(1, vectors.length / width), width])
  }

  async decide({ tokens, keys, values, state }: Memory, given: SlotInputs): Promise<Decided> {
    const { ort } = this
    const { width } = this.shape
    const { questions: q, slots: s } = given
    const out = await this.#sessions.heads.run(
      {
        tokens,
        keys,
        values,
        state,
        slots: floats(ort, given.vectors, [q, s, width]),
        means: floats(ort, given.means, [q, s, width]),
        told: floats(ort, given.told, [q, s, width]),
        kind: ints(ort, given.kinds, [q]),
        present: floats(ort, given.present, [q, s]),
        rank: floats(ort, given.rank, [q, s, 2]),
        apart: floats(ort, given.apart, [q, s, s]),
        like: floats(ort, given.like, [q, s]),
      },
      ['logits', 'hidden'],
    )
    return { logits: dataOf(out.logits), hidden: dataOf(out.hidden) }
  }

  /** `mark` [W] is the slot of the question. */
  async quote({ tokens, state }: Memory, mark: Float32Array): Promise<QuoteLogits> {
    const out = await this.#sessions.quotes.run({ mark: floats(this.ort, mark, [1, this.shape.width]), tokens, state }, ['first', 'last'])
    return { first: dataOf(out.first), last: dataOf(out.last) }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#sessions).map((session) => session.release()))
  }
}

const GRAPHS = ['encoder', 'memory', 'heads', 'quotes'] as const
type GraphName = (typeof GRAPHS)[number]

/** Compares what config.json says with what the encoder declares. */
function attentionShape({ name }: ModelFolder, encoder: Session, shape: EncoderShape): AttentionShape {
  const keys = outputsOf(encoder).filter((output) => output.name.startsWith(`${KEPT.keys}.`))
  const [, heads, , size] = (keys[0]?.shape ?? []) as number[]
  const declared = { layers: keys.length, width: (heads ?? 0) * (size ?? 0) }
  for (const field of ['layers', 'width'] as const) {
    if (shape[field] === declared[field]) continue
    throw new EngineError(
      'model_not_available',
      `config.json of '${name}' has ${field} ${shape[field]}; its encoder was made with ${declared[field]}; take the folder as it was published`,
    )
  }
  return { ...shape, heads: heads as number }
}

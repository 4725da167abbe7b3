// The two graphs of the decision model as typed calls: the state encoder, and the branch reader behind it. Names of
// their inputs and outputs are mapped here and in branch-inputs.ts. Shapes: S state tokens, N image cells, B questions,
// W width; see training/export/graphs.py.
import { EngineError } from '../../../../core/errors.ts'
import type { OnnxOptions } from '../../options.ts'
import { findGraph, type GraphFile, type ModelFolder } from '../../runtime/layout.ts'
import { type Opening, openGraph, type RunnableSession } from '../../runtime/opening.ts'
import { bytesOf, loadRuntime, outputsOf, type Runtime, type Session, type Tensor } from '../../runtime/session.ts'
import { dataOf, floats, ints, joined } from '../../runtime/tensors.ts'
import { type AnswerCache, cacheFeeds, grownCache, newCacheOutputs } from './answer-cache.ts'
import { branchFeeds, type PackedQuestion, type PassOutput, readoutWidth, tokensOf } from './branch-inputs.ts'
import type { DecisionConfig, TransformerShape } from './configuration.ts'
import { ControlTokens } from './control-tokens.ts'
import type { BranchTensors } from './features.ts'
import type { EncodedState, StateView } from './image-views.ts'
import type { PackedState } from './pack.ts'
import { type PictureInputs, WORD_BOX_WIDTH, wordBoxRows } from './picture-inputs.ts'

/** Numbers of a layout feature: centre x, centre y, width, height, whether it is of the whole image, log aspect. */
const LAYOUT_WIDTH = 6

/**
 * Logits of a question's readout tokens, in the order of `packed.readouts`, and the tensors that features are made of.
 */
export interface ReadoutLogits {
  readonly logits: Float32Array
  readonly tensors: BranchTensors
}

/** Pointer logits over the tokens of the view, and the logit of "nothing there". */
export interface PointerLogits {
  readonly start: Float32Array
  readonly end: Float32Array
  readonly absent: number
}

/** Logits of the next token: by the vocabulary, [id], and by copying each token of the view, [token]. */
export interface NextTokenReading {
  readonly vocabulary: Float32Array
  readonly copy: Float32Array
  /** For the step behind this one. */
  readonly cache: AnswerCache
}

/**
 * Texts and images have a pair of graphs each, with weights of their own: learning to see costs the reading of texts,
 * as measured (training/README.md). A state with an image in it is read by the second pair, and so are its questions.
 */
const GRAPH_PAIRS = {
  texts: { prefix: '', weights: 'onnx/decision.onnx_data' },
  images: { prefix: 'pictures_', weights: 'onnx/pictures.onnx_data' },
} as const

export type GraphPair = keyof typeof GRAPH_PAIRS

export class DecisionGraphs {
  readonly ort: Runtime
  readonly #state: RunnableSession
  readonly #branch: RunnableSession
  readonly #control: ControlTokens
  /** Numbers of an image cell; null for the pair that reads texts only. */
  readonly #visionWidth: number | null
  /** The files that were read, relative to the folder. */
  readonly files: readonly string[]

  private constructor(
    ort: Runtime,
    state: RunnableSession,
    branch: RunnableSession,
    control: ControlTokens,
    visionWidth: number | null,
    files: readonly string[],
  ) {
    this.ort = ort
    this.#state = state
    this.#branch = branch
    this.#control = control
    this.#visionWidth = visionWidth
    this.files = files
  }

  /** Throws `model_not_available` when a graph is missing, or has another shape than config.json says. */
  static async open(
    folder: ModelFolder,
    options: OnnxOptions,
    pair: GraphPair,
    config: DecisionConfig,
    opening: Opening = 'at load',
  ): Promise<DecisionGraphs> {
    const { prefix, weights } = GRAPH_PAIRS[pair]
    const files = ['state_encoder', 'branch_reader'].map((name) => findGraph(folder, prefix + name, ['fp32'], options))
    const [state, branch] = files as [GraphFile, GraphFile]
    const ort = await loadRuntime()
    const encoder = await openGraph(state, options, opening, (session) => checkShape(folder, state, session, config.shape))
    try {
      return new DecisionGraphs(
        ort,
        encoder,
        await openGraph(branch, options, opening),
        new ControlTokens(config.controlIdsFrom, config.kinds),
        pair === 'texts' ? null : config.pictures.visionWidth,
        files.flatMap((graph) => graph.files).concat(weights),
      )
    } catch (error) {
      await encoder.release()
      throw error
    }
  }

  async encode(packed: PackedState, pictures: PictureInputs): Promise<EncodedState> {
    const { features, layout, cells } = pictures
    const column = (values: readonly number[]): Tensor => ints(this.ort, values, [values.length])
    const outputs = (await this.#state.run({
      ids: column(packed.ids),
      cases: column(packed.cases),
      segments: column(packed.segments),
      groups: column(packed.groups),
      positions: column(packed.positions),
      ...(this.#visionWidth !== null && {
        places: column(packed.layoutRows),
        looks: column(packed.layoutRows.map((row) => cells[row] ?? -1)),
        image_features: this.#rows(features, this.#visionWidth),
        image_places: this.#rows(layout, LAYOUT_WIDTH),
      }),
    })) as Record<string, Tensor>
    const { end_queries: queries, ...made } = outputs
    const feeds =
      this.#visionWidth === null
        ? made
        : {
            ...made,
            spots: floats(this.ort, wordBoxRows(packed.layoutRows, pictures), [packed.layoutRows.length, WORD_BOX_WIDTH]),
          }
    return {
      feeds,
      endQueries: dataOf(queries),
      endKeys: dataOf(feeds.point_keys),
      endWidth: (queries as Tensor).dims[1] as number,
      bytes: bytesOf([queries as Tensor, ...Object.values(feeds)]),
    }
  }

  /** Rows of all images; one of zeros, unused, when there are none. */
  #rows(parts: readonly Float32Array[], width: number): Tensor {
    const all = joined(parts)
    return all.length === 0 ? floats(this.ort, new Float32Array(width), [1, width]) : floats(this.ort, all, [all.length / width, width])
  }

  async readouts(view: StateView, questions: readonly PackedQuestion[]): Promise<ReadoutLogits[]> {
    const { logits, topic, hidden } = await this.#read(view, questions, 'readouts', ['logits', 'topic', 'hidden'])
    const padded = readoutWidth(questions)
    const width = dataOf(topic).length
    return questions.map(({ packed }, index) => {
      const readouts = packed.readouts.length
      const [from, to] = [index * padded, index * padded + readouts]
      return {
        logits: dataOf(logits).slice(from, to),
        tensors: { topic: dataOf(topic), hidden: dataOf(hidden).subarray(from * width, to * width), readouts },
      }
    })
  }

  async pointers(view: StateView, questions: readonly PackedQuestion[]): Promise<PointerLogits[]> {
    const { start, end, absent } = await this.#read(view, questions, 'pointers', ['start', 'end', 'absent'])
    return questions.map((_, index) => ({
      start: rowOf(start, index),
      end: rowOf(end, index),
      absent: dataOf(absent)[index] as number,
    }))
  }

  async next(view: StateView, questions: readonly PackedQuestion[]): Promise<NextTokenReading[]> {
    const outputs = await this.#read<string>(view, questions, 'next', ['vocabulary', 'copy', ...newCacheOutputs(view.feeds)])
    const { vocabulary, copy } = outputs as Record<'vocabulary' | 'copy', Tensor>
    return questions.map((question, index) => ({
      vocabulary: rowOf(vocabulary, index),
      copy: rowOf(copy, index),
      cache: grownCache(question.cache, outputs, index, tokensOf(question)),
    }))
  }

  async #read<Name extends string>(
    view: StateView,
    questions: readonly PackedQuestion[],
    output: PassOutput,
    outputs: readonly Name[],
  ): Promise<Record<Name, Tensor>> {
    const caches = questions.map(({ cache }) => cache)
    const feeds = {
      ...view.feeds,
      ...cacheFeeds(this.ort, view.feeds, caches),
      ...branchFeeds(this.ort, questions, output, this.#control),
    }
    return (await this.#branch.run(feeds, [...outputs])) as Record<Name, Tensor>
  }

  async close(): Promise<void> {
    await Promise.all([this.#state.release(), this.#branch.release()])
  }
}

/** Compares what config.json says with what the state encoder declares. */
function checkShape({ name }: ModelFolder, graph: GraphFile, encoder: Session, shape: TransformerShape): void {
  const outputs = outputsOf(encoder)
  const keys = outputs.filter((output) => /^keys_\d+$/.test(output.name))
  const declared: TransformerShape = {
    width: Number(outputs.find((output) => output.name === 'words')?.shape.at(-1)),
    layers: keys.length,
    heads: Number(keys[0]?.shape[1]),
  }
  for (const field of ['width', 'layers', 'heads'] as const) {
    if (declared[field] === shape[field]) continue
    throw new EngineError(
      'model_not_available',
      `config.json of '${name}' has ${field} ${shape[field]}; ${declared[field]} is taken, as ${graph.files[0]} was made with`,
    )
  }
}

/** The row of one question in [B][1][width]. */
function rowOf(tensor: Tensor, index: number): Float32Array {
  const width = tensor.dims[2] as number
  return dataOf(tensor).subarray(index * width, (index + 1) * width)
}

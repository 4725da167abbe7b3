// The two graphs that read a state and the questions about it, as typed calls. Shapes: S state tokens, N image cells, B questions, D width; see
// training/graphs.py.

import type { OnnxOptions } from '../../options.ts'
import { findGraph, type GraphFile, type ModelFolder } from '../../runtime/layout.ts'
import { bytesOf, loadRuntime, openSession, type Runtime, type Session, type Tensor } from '../../runtime/session.ts'
import { dataOf, floats, ints, joined } from '../../runtime/tensors.ts'
import { feedsOf, type Question, type Role, tokensOf, widthOf } from './batch.ts'
import type { InnerState } from './features.ts'
import type { PackedState } from './pack.ts'
import { grown, newNames, type Past, pastFeeds } from './past.ts'
import { type Shown, SPOT_WIDTH, spotsOfTokens } from './shown.ts'
import type { EncodedState, View } from './views.ts'

const PLACE_WIDTH = 6

/** Logits of a question's marks, in the order of `packed.marks`, and what the model thought on the way. */
export interface MarkReading {
  readonly logits: Float32Array
  readonly inner: InnerState
}

/** Pointer logits over the view, and the logit of "nothing there". */
export interface PointerReading {
  readonly start: Float32Array
  readonly end: Float32Array
  readonly absent: number
}

/** Logits of the next token: [8192] by the vocabulary, and by copying each token of the view. */
export interface NextReading {
  readonly vocabulary: Float32Array
  readonly copy: Float32Array
  /** What to go on from when a token is written. */
  readonly past: Past
}

/**
 * Texts and pictures have weights of their own: what learning to look would have cost the reading of texts was measured, and is not paid
 * (training/README.md). A state with a picture in it is read by the second pair of graphs, its questions too.
 */
const PARTS = {
  texts: { prefix: '', weights: 'onnx/decision.onnx_data' },
  pictures: { prefix: 'pictures_', weights: 'onnx/pictures.onnx_data' },
} as const

export type Part = keyof typeof PARTS

export class Runner {
  readonly ort: Runtime
  readonly #state: Session
  readonly #branch: Session
  /** Numbers of an image cell; null for the graphs that read texts only. */
  readonly #visionWidth: number | null
  /** The files that were read, in the folder. */
  readonly files: readonly string[]

  private constructor(ort: Runtime, state: Session, branch: Session, visionWidth: number | null, files: readonly string[]) {
    this.ort = ort
    this.#state = state
    this.#branch = branch
    this.#visionWidth = visionWidth
    this.files = files
  }

  /** `visionWidth`: numbers that the vision encoder gives for a cell. */
  static async open(folder: ModelFolder, options: OnnxOptions, part: Part, visionWidth: number): Promise<Runner> {
    const { prefix, weights } = PARTS[part]
    const graphs = ['state_encoder', 'branch_reader'].map((name) => findGraph(folder, prefix + name, ['fp32'], options))
    const [state, branch] = graphs as [GraphFile, GraphFile]
    return new Runner(
      await loadRuntime(),
      await openSession(state, options),
      await openSession(branch, options),
      part === 'texts' ? null : visionWidth,
      graphs.flatMap(({ files }) => files).concat(weights),
    )
  }

  async state(packed: PackedState, shown: Shown): Promise<EncodedState> {
    const { features, places, looks } = shown
    const column = (values: readonly number[]): Tensor => ints(this.ort, values, [values.length])
    const outputs = (await this.#state.run({
      ids: column(packed.ids),
      cases: column(packed.cases),
      segments: column(packed.segments),
      groups: column(packed.groups),
      positions: column(packed.positions),
      ...(this.#visionWidth !== null && {
        places: column(packed.places),
        looks: column(packed.places.map((place) => looks[place] ?? -1)),
        image_features: this.#rows(features, this.#visionWidth),
        image_places: this.#rows(places, PLACE_WIDTH),
      }),
    })) as Record<string, Tensor>
    const { end_queries: queries, ...made } = outputs
    const feeds =
      this.#visionWidth === null
        ? made
        : { ...made, spots: floats(this.ort, spotsOfTokens(packed.places, shown), [packed.places.length, SPOT_WIDTH]) }
    return {
      feeds,
      endQueries: dataOf(queries),
      endKeys: dataOf(feeds.point_keys),
      endWidth: (queries as Tensor).dims[1] as number,
      bytes: bytesOf([queries as Tensor, ...Object.values(feeds)]),
    }
  }

  /** At least one row: the graph gathers from it even when no token is an image cell. */
  #rows(parts: readonly Float32Array[], width: number): Tensor {
    const all = joined(parts)
    return all.length === 0 ? floats(this.ort, new Float32Array(width), [1, width]) : floats(this.ort, all, [all.length / width, width])
  }

  async marks(view: View, questions: readonly Question[]): Promise<MarkReading[]> {
    const { logits, topic, hidden } = await this.#read(view, questions, 'marks', ['logits', 'topic', 'hidden'])
    const width = widthOf(questions)
    const model = dataOf(topic).length
    return questions.map(({ packed }, index) => {
      const [from, to] = [index * width, index * width + packed.marks.length]
      return {
        logits: dataOf(logits).slice(from, to),
        inner: { topic: dataOf(topic), hidden: dataOf(hidden).subarray(from * model, to * model), marks: packed.marks.length },
      }
    })
  }

  async pointers(view: View, questions: readonly Question[]): Promise<PointerReading[]> {
    const { start, end, absent } = await this.#read(view, questions, 'pointers', ['start', 'end', 'absent'])
    return questions.map((_, index) => ({
      start: rowOf(start, index),
      end: rowOf(end, index),
      absent: dataOf(absent)[index] as number,
    }))
  }

  async next(view: View, questions: readonly Question[]): Promise<NextReading[]> {
    const outputs = await this.#read<string>(view, questions, 'reads', ['vocabulary', 'copy', ...newNames(view.feeds)])
    const { vocabulary, copy } = outputs as Record<'vocabulary' | 'copy', Tensor>
    return questions.map((question, index) => ({
      vocabulary: rowOf(vocabulary, index),
      copy: rowOf(copy, index),
      past: grown(question.past, outputs, index, tokensOf(question)),
    }))
  }

  async #read<Name extends string>(view: View, questions: readonly Question[], role: Role, outputs: readonly Name[]) {
    const pasts = questions.map(({ past }) => past)
    const feeds = { ...view.feeds, ...pastFeeds(this.ort, view.feeds, pasts), ...feedsOf(this.ort, questions, role) }
    return (await this.#branch.run(feeds, [...outputs])) as Record<Name, Tensor>
  }

  async close(): Promise<void> {
    await Promise.all([this.#state.release(), this.#branch.release()])
  }
}

/** The row of one question in [B][1][width]. */
function rowOf(tensor: Tensor, index: number): Float32Array {
  const width = tensor.dims[2] as number
  return dataOf(tensor).subarray(index * width, (index + 1) * width)
}

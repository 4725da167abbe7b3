// What the model made of a state and a question, to one vector for heads learned on top of it (calibration/head.ts).
// Cheap on purpose: two inner tensors of the branch graph come out with the logits, and the rest is a mean over the words of the state.
import { concat, type Field, lengthField, readFields, textField, varintField } from '../../protobuf.ts'
import { CONTROL, VOCABULARY } from './control.ts'
import type { PackedState } from './pack.ts'

/** Width of the model, of which each block of the features is a multiple. */
const WIDTH = 192
const PROJECTED = 128

/** Length of the vector: the words, the topic, and a projection of the two contextual blocks. */
export const FEATURES = 2 * WIDTH + PROJECTED

/** Inner tensors of the branch graph, by what it calls them. Their numbers change with every export, so they are found by the weights they come from. */
export interface InnerNames {
  /** [1,1,192] the words of the state as the model pools them, turned to where options are compared with them. */
  readonly topic: string
  /** [1,R+W,192] the marks and read rows behind the last layer. */
  readonly hidden: string
}

const MODEL = { graph: 7 } as const
const GRAPH = { node: 1, output: 12 } as const
const NODE = { input: 1, output: 2 } as const
const FLOAT = 1

/** The branch graph with its inner tensors as further outputs; null when it has none that we know. Results stay as they were. */
export function exposeInner(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly names: InnerNames } | null {
  const model = readFields(bytes)
  const graph = readFields(model.find(({ number }) => number === MODEL.graph)?.body ?? new Uint8Array(0))
  const nodes = graph.flatMap(({ number, body }) => (number === GRAPH.node && body !== null ? [readFields(body)] : []))
  const behind = (input: string): string | null => {
    const node = nodes.find((fields) => texts(fields, NODE.input).includes(input))
    return node === undefined ? null : (texts(node, NODE.output)[0] ?? null)
  }
  const turned = behind('model.left')
  const topic = turned === null ? null : behind(turned)
  const hidden = behind('model.final.gain')
  if (topic === null || hidden === null) return null
  const outputs = [topic, hidden].map((name) => outputField(name))
  const parts = [...graph.map((field) => field.raw), ...outputs]
  const exposed = model.flatMap((field) => (field.number === MODEL.graph ? lengthField(MODEL.graph, parts) : [field.raw]))
  return { bytes: concat(exposed), names: { topic, hidden } }
}

function texts(fields: readonly Field[], number: number): string[] {
  return fields.flatMap((field) => (field.number === number && field.body !== null ? [new TextDecoder().decode(field.body)] : []))
}

/** ValueInfoProto {name, type {tensor_type {elem_type, shape {dim {dim_param}}}}} with three axes of any length. */
function outputField(name: string): Uint8Array {
  const axes = ['one', 'rows', 'width'].map((axis) => concat(lengthField(1, [textField(2, `${axis} of ${name}`)])))
  const tensor = lengthField(1, [varintField(1, FLOAT), ...lengthField(2, axes)])
  return concat(lengthField(GRAPH.output, [textField(1, name), ...lengthField(2, tensor)]))
}

/** What the branch graph gave beside the logits. */
export interface InnerState {
  /** [192]. */
  readonly topic: Float32Array
  /** [R or more][192], marks first. */
  readonly hidden: Float32Array
  /** R. Marks stand in the order of `PackedBranch`, which does not depend on the caller's. */
  readonly marks: number
}

/**
 * The features [512] of a branch. `words` and `memory` [S][192] of the state, `seen` [S] what the question may see.
 * Blocks of length one each: the words of the state, rare ones weighing most; the topic; and, projected to 128, the end of the state in its context
 * (where the last message of a dialogue is summed up) beside the mean of the marks (state and question together).
 */
export function featuresOf(
  state: Pick<PackedState, 'ids' | 'origins' | 'imageCells'>,
  words: Float32Array,
  memory: Float32Array,
  seen: Float32Array,
  inner: InnerState,
): Float32Array {
  const features = new Float32Array(FEATURES)
  features.set(unit(pooledWords(state, words, seen)), 0)
  features.set(unit(inner.topic), WIDTH)
  const last = seen.lastIndexOf(1)
  const contexts = [unit(memory.subarray(last * WIDTH, (last + 1) * WIDTH)), unit(meanRow(inner.hidden, inner.marks))]
  features.set(project(contexts), 2 * WIDTH)
  return features
}

/** Pieces are numbered in the order they were merged, the frequent ones first: id / (id + this) is near 0 for "the" and near 1 for rare words. */
const HALF_RANK = 1000
/** Weight of what is no merged piece: single bytes, control ids, and cells of images, which are many and count when there is no text. */
const LEAST = 0.02
const BYTES = 256

function weightOf(id: number): number {
  return id >= BYTES && id < VOCABULARY ? id / (id + HALF_RANK) : LEAST
}

/** Weighted mean of the word vectors of the caller's strings and images; of everything where there are neither. */
function pooledWords(
  { ids, origins, imageCells }: Parameters<typeof featuresOf>[0],
  words: Float32Array,
  seen: Float32Array,
): Float32Array {
  const all = ids.map((_, token) => token).filter((token) => seen[token] === 1)
  const said = all.filter((token) => origins[token] != null || imageCells[token] !== -1)
  const mean = new Float64Array(WIDTH)
  const counted = said.length > 0 ? said : all
  for (let n = 0; n < counted.length; n++) {
    const token = counted[n] as number
    const weight = weightOf(ids[token] ?? CONTROL.state)
    const from = token * WIDTH
    for (let i = 0; i < WIDTH; i++) mean[i] = (mean[i] as number) + weight * (words[from + i] as number)
  }
  return Float32Array.from(mean)
}

function meanRow(rows: Float32Array, count: number): Float32Array {
  const mean = new Float64Array(WIDTH)
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < WIDTH; i++) mean[i] = (mean[i] as number) + (rows[row * WIDTH + i] as number) / count
  }
  return Float32Array.from(mean)
}

/** The direction of a vector; zeros stay zeros. */
function unit(vector: Float32Array): Float32Array {
  let square = 0
  for (let i = 0; i < vector.length; i++) square += (vector[i] as number) ** 2
  const factor = square > 0 ? 1 / Math.sqrt(square) : 0
  const out = new Float32Array(vector.length)
  for (let i = 0; i < out.length; i++) out[i] = (vector[i] as number) * factor
  return out
}

/** A count sketch (Charikar, Chen, Farach-Colton 2002), which keeps inner products in expectation: [2][192] to [128], three numbers summed in each. */
function project(blocks: readonly Float32Array[]): Float32Array {
  const projected = new Float32Array(PROJECTED)
  blocks.forEach((block, index) => {
    for (let i = 0; i < WIDTH; i++) {
      const from = index * WIDTH + i
      const at = from % PROJECTED
      projected[at] = (projected[at] as number) + (SIGNS[from] as number) * (block[i] as number)
    }
  })
  return projected
}

/** [2 x 192] signs from xorshift32, started at one: fixed for all time, since heads are learned behind them. */
const SIGNS = ((): Int8Array => {
  const signs = new Int8Array(2 * WIDTH)
  let x = 1
  for (let i = 0; i < signs.length; i++) {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    signs[i] = x < 0 ? -1 : 1
  }
  return signs
})()

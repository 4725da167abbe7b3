// A state and a branch to one feature vector, for heads that are learned on top of it (calibration/heads/head.ts).
// It is cheap on purpose: two inner tensors of the branch graph come out with the logits, and the rest is a mean over
// the words of the state, taken once. W is the width of the model.
import type { ControlTokens } from './control-tokens.ts'
import type { PackedState } from './pack.ts'

/** Numbers of the block that the contextual vectors are projected to. */
const PROJECTED_WIDTH = 128

/**
 * Length of the feature vector of a model of this width: the words, the topic, and the projection of the two contextual
 * blocks.
 */
export const featureLength = (width: number): number => 2 * width + PROJECTED_WIDTH

/** Tensors of the branch graph beside the logits. */
export interface BranchTensors {
  /** [W] the words of the state as the model pools them, in the space where options are compared with them. */
  readonly topic: Float32Array
  /** [R][W] the readout tokens behind the last layer. */
  readonly hidden: Float32Array
  /** R. Readout tokens stand in the order of `PackedBranch`, which does not depend on the caller's order. */
  readonly readouts: number
}

/** The part of the features that all questions about the same part of a state share: vectors of length one. */
export interface StateDirections {
  /** [W] the words, rare ones weighing most. */
  readonly words: Float32Array
  /** [W] the end of the state in its context, where the last message of a dialogue is summed up. */
  readonly context: Float32Array
}

/** `words` and `memory` are [S][W] of the state; `isHidden` [S] is 1 for tokens that the questions do not attend to. */
export function stateDirections(
  state: Pick<PackedState, 'ids' | 'origins' | 'layoutRows'>,
  control: ControlTokens,
  words: Float32Array,
  memory: Float32Array,
  isHidden: Uint8Array,
): StateDirections {
  const width = words.length / state.ids.length
  const last = isHidden.lastIndexOf(0)
  return {
    words: unit(pooledWords(state, control, words, width, isHidden)),
    context: unit(memory.subarray(last * width, (last + 1) * width)),
  }
}

/**
 * The feature vector of a branch, in blocks of length one each: the words of the state; the topic; and, projected to
 * 128, the end of the state beside the mean of the readout tokens (state and question together).
 */
export function featuresOf(state: StateDirections, branch: BranchTensors): Float32Array {
  const width = state.words.length
  const features = new Float32Array(featureLength(width))
  features.set(state.words, 0)
  features.set(unit(branch.topic), width)
  features.set(project([state.context, unit(meanRow(branch.hidden, branch.readouts, width))]), 2 * width)
  return features
}

/**
 * Pieces are numbered in the order they were merged, frequent ones first: id / (id + this) is near 0 for "the" and near
 * 1 for rare words.
 */
const HALF_WEIGHT_ID = 1000
/**
 * Weight of tokens that are no merged piece: single bytes, control tokens, and cells of images, which count when there
 * is no text.
 */
const LEAST_WEIGHT = 0.02
/** Ids below this are single bytes. */
const FIRST_MERGED_ID = 256

function weightOf(id: number, control: ControlTokens): number {
  return id >= FIRST_MERGED_ID && id < control.from ? id / (id + HALF_WEIGHT_ID) : LEAST_WEIGHT
}

/** Weighted mean of the word vectors of the caller's strings and images; of all tokens where there are neither. */
function pooledWords(
  { ids, origins, layoutRows }: Parameters<typeof stateDirections>[0],
  control: ControlTokens,
  words: Float32Array,
  width: number,
  isHidden: Uint8Array,
): Float32Array {
  const all = [...ids.keys()].filter((token) => isHidden[token] === 0)
  const callers = all.filter((token) => origins[token] != null || layoutRows[token] !== -1)
  const mean = new Float64Array(width)
  for (const token of callers.length > 0 ? callers : all) {
    const weight = weightOf(ids[token] ?? control.state, control)
    const from = token * width
    for (let i = 0; i < width; i++) mean[i] = (mean[i] as number) + weight * (words[from + i] as number)
  }
  return Float32Array.from(mean)
}

function meanRow(rows: Float32Array, count: number, width: number): Float32Array {
  const mean = new Float64Array(width)
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < width; i++) mean[i] = (mean[i] as number) + (rows[row * width + i] as number) / count
  }
  return Float32Array.from(mean)
}

/** The vector scaled to length one; zeros stay zeros. */
function unit(vector: Float32Array): Float32Array {
  let square = 0
  for (let i = 0; i < vector.length; i++) square += (vector[i] as number) ** 2
  const factor = square > 0 ? 1 / Math.sqrt(square) : 0
  const out = new Float32Array(vector.length)
  for (let i = 0; i < out.length; i++) out[i] = (vector[i] as number) * factor
  return out
}

/**
 * A count sketch (Charikar, Chen, Farach-Colton 2002) of [2][W] numbers to 128: each adds to one of them with a fixed
 * sign, which keeps inner products in expectation. The signs come from xorshift32 started at one, the same for all
 * time, since heads are learned behind them.
 */
function project(blocks: readonly Float32Array[]): Float32Array {
  const projected = new Float32Array(PROJECTED_WIDTH)
  let random = 1
  let from = 0
  for (const block of blocks) {
    for (const value of block) {
      random ^= random << 13
      random ^= random >>> 17
      random ^= random << 5
      const at = from++ % PROJECTED_WIDTH
      projected[at] = (projected[at] as number) + (random < 0 ? -1 : 1) * value
    }
  }
  return projected
}

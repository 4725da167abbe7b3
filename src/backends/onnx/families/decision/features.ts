// What the model made of a state and a question, to one vector for heads learned on top of it (calibration/head.ts).
// Cheap on purpose: two inner tensors of the branch graph come out with the logits, and the rest is a mean over the words of the state, taken once.
import { CONTROL, VOCABULARY } from './control.ts'
import type { PackedState } from './pack.ts'

/** Width of the model, of which each block of the features is a multiple. */
const WIDTH = 192
const PROJECTED = 128

/** Length of the vector: the words, the topic, and a projection of the two contextual blocks. */
export const FEATURES = 2 * WIDTH + PROJECTED

/** What the branch graph gave beside the logits. */
export interface InnerState {
  /** [192] the words of the state as the model pools them, turned to where options are compared with them. */
  readonly topic: Float32Array
  /** [R][192] the marks behind the last layer. */
  readonly hidden: Float32Array
  /** R. Marks stand in the order of `PackedBranch`, which does not depend on the caller's. */
  readonly marks: number
}

/** What all questions that see the same of a state have in common: directions of length one. */
export interface AboutState {
  /** [192] the words, rare ones weighing most. */
  readonly words: Float32Array
  /** [192] the end of the state in its context, where the last message of a dialogue is summed up. */
  readonly context: Float32Array
}

/** `words` and `memory` [S][192] of the state; `isHidden` [S] is 1 for what the questions do not see. */
export function aboutState(
  state: Pick<PackedState, 'ids' | 'origins' | 'places'>,
  words: Float32Array,
  memory: Float32Array,
  isHidden: Uint8Array,
): AboutState {
  const last = isHidden.lastIndexOf(0)
  return { words: unit(pooledWords(state, words, isHidden)), context: unit(memory.subarray(last * WIDTH, (last + 1) * WIDTH)) }
}

/**
 * The features [512] of a branch, in blocks of length one each: the words of the state; the topic; and, projected to 128, the end of the state beside
 * the mean of the marks (state and question together).
 */
export function featuresOf(about: AboutState, inner: InnerState): Float32Array {
  const features = new Float32Array(FEATURES)
  features.set(about.words, 0)
  features.set(unit(inner.topic), WIDTH)
  features.set(project([about.context, unit(meanRow(inner.hidden, inner.marks))]), 2 * WIDTH)
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
function pooledWords({ ids, origins, places }: Parameters<typeof aboutState>[0], words: Float32Array, isHidden: Uint8Array): Float32Array {
  const all = [...ids.keys()].filter((token) => isHidden[token] === 0)
  const said = all.filter((token) => origins[token] != null || places[token] !== -1)
  const mean = new Float64Array(WIDTH)
  for (const token of said.length > 0 ? said : all) {
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

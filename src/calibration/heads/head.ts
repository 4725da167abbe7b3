// A head learned for one question: from the log-probabilities of the model and a feature vector of state and question
// to log-odds of the candidates, logit_k = scale · z_k + bias_k + weights_k · features. z are log-probabilities
// (of yes against no where every candidate is its own yes or no).
import { z } from 'zod'
import { logSigmoid } from '../../core/math.ts'
import type { DecisionKey } from '../../questions/shared/decision.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import { floorOf, softmaxWithFloor } from '../maps/apply-map.ts'
import { decodeVector } from './vector-text.ts'

/** Read-outs that a head can be learned for. A `check` is about another value each time. */
const LEARNED_READOUTS = ['binary', 'exclusive', 'ordinal', 'independent'] as const
export type LearnedReadout = (typeof LEARNED_READOUTS)[number]

export function isLearned(readout: DecisionReadout): readout is LearnedReadout {
  return LEARNED_READOUTS.some((one) => one === readout)
}

/**
 * Plain JSON, part of a calibration, which binds it to a model and template. Arrays have one entry a candidate;
 * `binary` has one entry.
 */
export interface Head {
  /** The hash of its question: instructions and candidates, exactly. */
  readonly question: string
  readonly readout: LearnedReadout
  /** Length of the feature vector. */
  readonly width: number
  /** Labelled decisions it was learned from. */
  readonly labels: number
  readonly scale: number
  readonly biases: readonly number[]
  /**
   * `encodeVector` of `width` numbers each; empty when the features did not help and only scale and biases were
   * learned.
   */
  readonly weights: readonly string[]
}

const finite = z.number()

/** The shape of a head in a file. */
export const headSchema = z
  .strictObject({
    question: z.string().min(1),
    readout: z.enum(LEARNED_READOUTS),
    width: z.int().min(1).max(65_536),
    labels: z.int().min(1),
    scale: finite,
    biases: z.array(finite).min(1).max(1024),
    weights: z.array(z.string()),
  })
  .refine(({ biases, weights, width }) => weights.length === 0 || (weights.length === biases.length && weights.every(isVectorOf(width))), {
    message: 'weights must be one whole vector of the stated width for each bias, or none',
  })

function isVectorOf(width: number): (text: string) => boolean {
  return (text) => {
    try {
      return decodeVector(text).length === width
    } catch {
      return false
    }
  }
}

/** Smaller log-probabilities are raised to this. */
const LEAST_LOG_PROBABILITY = -30

/**
 * The input z of a head: log-probabilities of the candidates, or log-odds where each candidate is its own yes or no.
 */
export function startOf(readout: LearnedReadout, rows: readonly (readonly number[])[]): number[] {
  const known = (logP: number | undefined): number => Math.max(LEAST_LOG_PROBABILITY, logP ?? LEAST_LOG_PROBABILITY)
  if (isIndependent(readout)) return rows.map(([yes, no]) => known(yes) - known(no))
  return (rows[0] ?? []).map(known)
}

/** Whether each candidate is its own yes or no. */
export function isIndependent(readout: LearnedReadout): boolean {
  return readout === 'binary' || readout === 'independent'
}

/** Decoded weights, decoded once a head. */
const decoded = new WeakMap<Head, readonly Float32Array[]>()

function weightsOf(head: Head): readonly Float32Array[] {
  const known = decoded.get(head)
  if (known !== undefined) return known
  const weights = head.weights.map(decodeVector)
  decoded.set(head, weights)
  return weights
}

/** Whether a head can answer a decision: it is about the same question, and the feature vector is there. */
export function isHeadFor(
  head: Head,
  key: Pick<DecisionKey, 'question' | 'readout'>,
  rows: readonly (readonly number[])[],
  features: Float32Array | null,
): boolean {
  if (head.question !== key.question || head.readout !== key.readout) return false
  if (head.weights.length > 0 && features?.length !== head.width) return false
  return startOf(head.readout, rows).length === head.biases.length
}

/**
 * Learned probabilities, [row][candidate] as given. They need no further map, since confidence is learned with the
 * head. Every row sums to one, and no probability is below what so many labels can tell from 0. Throws RangeError
 * where `isHeadFor` is false.
 */
export function applyHead(head: Head, rows: readonly (readonly number[])[], features: Float32Array | null): number[][] {
  const start = startOf(head.readout, rows)
  if (start.length !== head.biases.length) throw new RangeError(`a head for ${head.biases.length} candidates was given ${start.length}`)
  const weights = weightsOf(head)
  const logits = start.map((value, k) => head.scale * value + head.biases[k]! + dot(weights[k], features))
  if (!isIndependent(head.readout)) return [softmaxWithFloor(logits, floorOf(head.labels, logits.length))]
  return logits.map((logit) => softmaxWithFloor([logSigmoid(logit), logSigmoid(-logit)], floorOf(head.labels, 2)))
}

function dot(weights: Float32Array | undefined, features: Float32Array | null): number {
  if (weights === undefined) return 0
  if (features?.length !== weights.length) throw new RangeError(`a head on ${weights.length} features was given ${features?.length ?? 0}`)
  let sum = 0
  for (let i = 0; i < weights.length; i++) sum += (weights[i] as number) * (features[i] as number)
  return sum
}

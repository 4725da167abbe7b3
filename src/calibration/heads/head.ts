// A head learned for one question: the model's own log-probabilities and its features of state and question to better log-odds of the candidates.
// logit_k = scale · z_k + bias_k + weights_k · features, where z are log-probabilities (of yes against no where every candidate is its own yes or no).
import { z } from 'zod'
import { logSigmoid } from '../../core/math.ts'
import type { DecisionKey } from '../../questions/shared/decision.ts'
import { floorOf, softmaxWithFloor } from '../maps/apply-map.ts'
import { decodeVector } from './vector-text.ts'

/** Read-outs a head can be learned for. A `check` is about another value each time. */
export type LearnedReadout = 'binary' | 'exclusive' | 'ordinal' | 'independent'

/** Plain JSON; part of a calibration, which binds it to a model and template. Arrays have one entry a candidate; `binary` has one in all. */
export interface Head {
  /** The question it is for (see `DecisionKey`): instructions and candidates, exactly. */
  readonly question: string
  readonly readout: LearnedReadout
  /** Length of the features it was learned on. */
  readonly width: number
  /** Labelled decisions it was learned from. */
  readonly labels: number
  readonly scale: number
  readonly biases: readonly number[]
  /** `encodeVector` of `width` numbers each; empty when the features did not help and only scale and biases were learned. */
  readonly weights: readonly string[]
}

const finite = z.number()

/** The shape of a head in a file. */
export const headSchema = z
  .strictObject({
    question: z.string().min(1),
    readout: z.enum(['binary', 'exclusive', 'ordinal', 'independent']),
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

/** Below this, a log-probability says nothing more. */
const LEAST_LOG = -30

/** What a head starts from: log-probabilities of the candidates, or log-odds where each candidate is its own yes or no. */
export function startOf(readout: LearnedReadout, rows: readonly (readonly number[])[]): number[] {
  const known = (logP: number | undefined): number => Math.max(LEAST_LOG, logP ?? LEAST_LOG)
  if (isEachAlone(readout)) return rows.map(([yes, no]) => known(yes) - known(no))
  return (rows[0] ?? []).map(known)
}

/** Whether candidates are not weighed against each other. */
export function isEachAlone(readout: LearnedReadout): boolean {
  return readout === 'binary' || readout === 'independent'
}

/** Weights as numbers, unpacked once a head. */
const unpacked = new WeakMap<Head, readonly Float32Array[]>()

function weightsOf(head: Head): readonly Float32Array[] {
  const known = unpacked.get(head)
  if (known !== undefined) return known
  const weights = head.weights.map(decodeVector)
  unpacked.set(head, weights)
  return weights
}

/** Whether a head can answer this decision: it is the same question, and the features are there. */
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
 * Learned probabilities of each row, in the shape of the rows: [candidates], or [yes, no] each. They need no further map: how sure a head may be is
 * learned with it. Every row sums to one and nothing is below what so many labels can tell from 0. Ask `isHeadFor` first; throws RangeError otherwise.
 */
export function applyHead(head: Head, rows: readonly (readonly number[])[], features: Float32Array | null): number[][] {
  const start = startOf(head.readout, rows)
  if (start.length !== head.biases.length) throw new RangeError(`a head for ${head.biases.length} candidates was given ${start.length}`)
  const weights = weightsOf(head)
  const logits = start.map((value, k) => head.scale * value + head.biases[k]! + dot(weights[k], features))
  if (!isEachAlone(head.readout)) return [softmaxWithFloor(logits, floorOf(head.labels, logits.length))]
  return logits.map((logit) => softmaxWithFloor([logSigmoid(logit), logSigmoid(-logit)], floorOf(head.labels, 2)))
}

function dot(weights: Float32Array | undefined, features: Float32Array | null): number {
  if (weights === undefined) return 0
  if (features?.length !== weights.length) throw new RangeError(`a head on ${weights.length} features was given ${features?.length ?? 0}`)
  let sum = 0
  for (let i = 0; i < weights.length; i++) sum += (weights[i] as number) * (features[i] as number)
  return sum
}

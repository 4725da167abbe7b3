// Fits the parameters of a head to labelled examples of one question: maximum a posteriori, with normal priors centred
// on "the model is right as it is". With fewer examples than features, weights are sums over examples (the representer
// theorem), so the work grows with the smaller number.
import { logSumExp, sum } from '../../core/math.ts'
import { descend } from '../numerics/descent.ts'
import { cholesky } from '../numerics/optimise.ts'

export interface HeadExample {
  /** The input z of the head (`startOf`), [candidate]. */
  readonly start: readonly number[]
  /** The truth: a distribution over the candidates, or, where each is its own yes or no, the probability of each. */
  readonly target: readonly number[]
  /** [width]. */
  readonly features: Float32Array
  readonly weight: number
}

/** Standard deviations of the priors. `weights` 0: the features are not used. */
export interface HeadPriors {
  /** Of a weight on features of standard deviation 1 / √width; then it is that of a logit too. */
  readonly weights: number
  readonly biases: number
}

/** Standard deviation of the scale around one. */
const SCALE_DEVIATION = 0.5

export interface HeadParameters {
  readonly scale: number
  readonly biases: readonly number[]
  /** [candidate][width], on features as given; empty when they are not used. */
  readonly weights: readonly (readonly number[])[]
}

/** Shifts and factors that give features mean 0 and standard deviation 1 / √width over some examples. */
interface Standardisation {
  readonly means: Float64Array
  readonly factors: Float64Array
}

function standardOf(examples: readonly HeadExample[]): Standardisation {
  const width = examples[0]?.features.length ?? 0
  const means = new Float64Array(width)
  const squares = new Float64Array(width)
  for (const { features } of examples) for (let i = 0; i < width; i++) means[i]! += features[i]! / examples.length
  for (const { features } of examples) for (let i = 0; i < width; i++) squares[i]! += (features[i]! - means[i]!) ** 2 / examples.length
  const most = squares.reduce((a, b) => Math.max(a, b), 0)
  // A feature that is nearly constant would be amplified, so it is left out.
  return { means, factors: squares.map((square) => (square > 1e-8 * most && square > 0 ? 1 / Math.sqrt(square * width) : 0)) }
}

/** The examples after a change of basis that keeps the prior on weights the same in every direction. */
interface Basis {
  readonly size: number
  /** [example][dimension]; missing values at the end of a row are zero. */
  readonly rows: readonly Float64Array[]
  /** Weights in the basis to weights on the standardised features. */
  toWidth(weights: Float64Array): Float64Array
}

function basisOf(standardised: readonly Float64Array[]): Basis {
  const width = standardised[0]?.length ?? 0
  if (standardised.length >= width) return { size: width, rows: standardised, toWidth: (weights) => weights }
  const gram = standardised.map((a) => standardised.map((b) => inner(a, b)))
  // Equal examples make the matrix singular; so small a diagonal changes nothing else.
  for (const [i, row] of gram.entries()) row[i]! += 1e-7
  const factor = cholesky(gram)
  if (factor === null) return { size: width, rows: standardised, toWidth: (weights) => weights }
  const size = factor.length
  return {
    size,
    rows: factor.map((row) => Float64Array.from(row)),
    toWidth(weights) {
      // X W = L v with K = X Xᵀ = L Lᵀ: W = Xᵀ L⁻ᵀ v.
      const solved = Float64Array.from(weights)
      for (let i = size - 1; i >= 0; i--) {
        for (let k = i + 1; k < size; k++) solved[i]! -= factor[k]![i]! * solved[k]!
        solved[i]! /= factor[i]![i]!
      }
      const out = new Float64Array(width)
      for (let n = 0; n < size; n++) for (let j = 0; j < width; j++) out[j]! += solved[n]! * standardised[n]![j]!
      return out
    },
  }
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Prepares examples once, so that several priors can be tried on them. */
export class HeadFitter {
  readonly #examples: readonly HeadExample[]
  readonly #isIndependent: boolean
  readonly #standard: Standardisation
  readonly #basis: Basis
  #last: { readonly size: number; readonly scaled: Float64Array } | null = null

  /** `isIndependent`: each candidate is its own yes or no. */
  constructor(examples: readonly HeadExample[], isIndependent: boolean) {
    this.#examples = examples
    this.#isIndependent = isIndependent
    this.#standard = standardOf(examples)
    const { means, factors } = this.#standard
    this.#basis = basisOf(examples.map(({ features }) => Float64Array.from(features, (value, i) => (value - means[i]!) * factors[i]!)))
  }

  /** Starts where the last fit ended, which changes only the last digits. `tolerance` as of `descend`. */
  fit({ weights: deviation, biases: biasDeviation }: HeadPriors, tolerance = 1e-9): HeadParameters {
    const examples = this.#examples
    const candidates = examples[0]?.start.length ?? 0
    const rows = deviation > 0 ? this.#basis.rows : examples.map(() => new Float64Array(0))
    const dimensions = deviation > 0 ? this.#basis.size : 0
    const size = 1 + candidates * (1 + dimensions)
    // Parameters in units of their priors: [scale − 1, biases, weights by candidate]. The penalty is half the sum of
    // squares.
    const slopeAt = (point: Float64Array, gradient: Float64Array): number => {
      gradient.set(point)
      let value = point.reduce((sum, x) => sum + x * x, 0) / 2
      const scale = 1 + SCALE_DEVIATION * point[0]!
      const logits = new Array<number>(candidates)
      for (const [n, { start, target, weight }] of examples.entries()) {
        const row = rows[n]!
        for (let k = 0; k < candidates; k++) {
          let logit = scale * start[k]! + biasDeviation * point[1 + k]!
          const from = 1 + candidates + k * dimensions
          for (let j = 0; j < row.length; j++) logit += deviation * point[from + j]! * row[j]!
          logits[k] = logit
        }
        const residuals = this.#isIndependent ? independentResiduals(logits, target) : residualsOf(logits, target)
        value += weight * residuals.loss
        for (let k = 0; k < candidates; k++) {
          const residual = weight * residuals.values[k]!
          gradient[0]! += residual * SCALE_DEVIATION * start[k]!
          gradient[1 + k]! += residual * biasDeviation
          const from = 1 + candidates + k * dimensions
          const scaled = residual * deviation
          for (let j = 0; j < row.length; j++) gradient[from + j]! += scaled * row[j]!
        }
      }
      return value
    }
    const start = this.#last?.size === size ? this.#last.scaled : new Float64Array(size)
    const point = descend(start, slopeAt, { steps: 200, tolerance })
    this.#last = { size, scaled: point }
    return this.#unpack(point, candidates, dimensions, deviation, biasDeviation)
  }

  #unpack(point: Float64Array, candidates: number, dimensions: number, deviation: number, biasDeviation: number): HeadParameters {
    const biases = Array.from({ length: candidates }, (_, k) => biasDeviation * point[1 + k]!)
    const scale = 1 + SCALE_DEVIATION * point[0]!
    if (dimensions === 0) return { scale, biases, weights: [] }
    const { means, factors } = this.#standard
    const weights = biases.map((_, k) => {
      const from = 1 + candidates + k * dimensions
      const own = this.#basis.toWidth(point.slice(from, from + dimensions).map((x) => x * deviation))
      return Array.from(own, (x, i) => x * factors[i]!)
    })
    // The means move into the biases, so that a head works on features as given.
    for (const [k, row] of weights.entries()) biases[k]! -= row.reduce((sum, x, i) => sum + x * means[i]!, 0)
    return { scale, biases, weights }
  }
}

/** Logits of an example under parameters. */
export function headLogits({ scale, biases, weights }: HeadParameters, { start, features }: HeadExample): number[] {
  return start.map((value, k) => {
    let logit = scale * value + biases[k]!
    const row = weights[k]
    if (row !== undefined) for (let i = 0; i < row.length; i++) logit += row[i]! * features[i]!
    return logit
  })
}

interface LossAndSlope {
  /** Cross-entropy in nats; for independent candidates the sum over them. */
  readonly loss: number
  /** Its derivative by each logit, [candidate]. */
  readonly values: readonly number[]
}

export function residualsOf(logits: readonly number[], target: readonly number[]): LossAndSlope {
  const norm = logSumExp(logits)
  const total = sum(target)
  let loss = 0
  for (let k = 0; k < logits.length; k++) if (target[k]! > 0) loss -= target[k]! * (logits[k]! - norm)
  return { loss, values: logits.map((logit, k) => total * Math.exp(logit - norm) - target[k]!) }
}

export function independentResiduals(logits: readonly number[], target: readonly number[]): LossAndSlope {
  let loss = 0
  const values = logits.map((logit, k) => {
    // log(1 + e^x) − t x, without overflow.
    loss += Math.max(logit, 0) + Math.log1p(Math.exp(-Math.abs(logit))) - target[k]! * logit
    return 1 / (1 + Math.exp(-logit)) - target[k]!
  })
  return { loss, values }
}

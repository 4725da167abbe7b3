// Labelled log-probabilities to the numbers of one map: penalised maximum likelihood, which with no labels is the prior and with many the data's own.

import { type Bounds, type Curvature, inverseDiagonal, minimise } from '../numerics/optimise.ts'
import { columnsOf, type MapKind, PARAMETERS } from './maps.ts'

/** One distribution and what was true. `z`: log-probabilities (any normalisation); `target`: a distribution. */
export interface MapSample {
  readonly z: readonly number[]
  readonly target: readonly number[]
  readonly weight: number
}

/** Independent normal priors of the parameters. An infinite variance is no prior. */
export interface MapPrior {
  readonly mean: readonly number[]
  readonly variance: readonly number[]
}

export interface FittedMap {
  readonly parameters: readonly number[]
  /** Posterior variance of each parameter. */
  readonly variance: readonly number[]
  /** One for each candidate, sum 0; empty unless asked for. */
  readonly biases: readonly number[]
  /** Expected (Fisher) information of the labels alone, [parameter][parameter]. */
  readonly information: readonly (readonly number[])[]
}

/** The widest a map may go without a prior: labels that one line parts perfectly would want an infinite slope. */
const INVERSE_TEMPERATURE_BOUNDS: Bounds = { lower: -10, upper: 10 }
const LOGIT_BOUNDS: Bounds = { lower: -50, upper: 50 }

export interface FitMapOptions {
  /** Above 0 it gives every candidate a bias b_k ~ N(0, biasVariance); all rows must then have the same candidates. */
  readonly biasVariance?: number
  /** Instead of the samples' own. */
  readonly sampleWeights?: ArrayLike<number>
  /** An earlier fit to start from, which saves steps; the result is the same. */
  readonly start?: Pick<FittedMap, 'parameters' | 'biases'> | null
}

/** Fits a map: the mode of the posterior. */
export function fitMap(
  kind: MapKind,
  samples: readonly MapSample[],
  prior: MapPrior,
  { biasVariance = 0, sampleWeights, start }: FitMapOptions = {},
): FittedMap {
  const own = PARAMETERS[kind].length
  const places = biasVariance > 0 ? (samples[0]?.z.length ?? 0) : 0
  const mean = [...prior.mean, ...Array.from({ length: places }, () => 0)]
  const precision = [...prior.variance, ...Array.from({ length: places }, () => biasVariance)].map((variance) => 1 / variance)
  const bounds = mean.map((_, i) => (i === 0 ? INVERSE_TEMPERATURE_BOUNDS : LOGIT_BOUNDS))
  const posterior = (point: readonly number[]): Curvature => {
    const { value, gradient, information } = likelihood(kind, samples, point, places, sampleWeights)
    const hessian = information.map((line, i) => line.map((entry, j) => entry + (i === j ? precision[i]! : 0)))
    // The inverse temperature enters as an exponential: its second derivative is the slope.
    hessian[0]![0]! += gradient[0]!
    return {
      value: point.reduce((sum, parameter, i) => sum + (precision[i]! * (parameter - mean[i]!) ** 2) / 2, value),
      gradient: gradient.map((slope, i) => slope + precision[i]! * (point[i]! - mean[i]!)),
      hessian,
    }
  }
  const point = samples.length === 0 ? mean : minimise(startOf(start, mean), bounds, posterior)
  const { information } = likelihood(kind, samples, point, places, sampleWeights)
  const variance = inverseDiagonal(information.map((line, i) => line.map((entry, j) => entry + (i === j ? precision[i]! : 0))))
  return {
    parameters: point.slice(0, own),
    variance: variance.slice(0, own),
    biases: point.slice(own),
    information: information.slice(0, own).map((line) => line.slice(0, own)),
  }
}

function startOf(start: FitMapOptions['start'], mean: readonly number[]): readonly number[] {
  const point = start ? [...start.parameters, ...start.biases] : mean
  return point.length === mean.length ? point : mean
}

/** Negative log-likelihood in nats, its slope, and the expected information. Parameters: ln w, columns, then biases. */
function likelihood(
  kind: MapKind,
  samples: readonly MapSample[],
  point: readonly number[],
  places: number,
  sampleWeights: ArrayLike<number> | undefined,
): { readonly value: number; readonly gradient: number[]; readonly information: number[][] } {
  const size = point.length
  const own = size - places
  const scale = Math.exp(point[0]!)
  let value = 0
  const gradient = new Array<number>(size).fill(0)
  const information = point.map(() => new Array<number>(size).fill(0))
  let columns: readonly (readonly number[])[] = []
  let length = -1
  // Reused by every sample, [candidate] and [parameter].
  const [p, scaled, means]: [number[], number[], number[]] = [[], [], new Array<number>(own).fill(0)]
  for (const [index, sample] of samples.entries()) {
    const { z, target } = sample
    const weight = sampleWeights === undefined ? sample.weight : sampleWeights[index]!
    if (z.length !== length) {
      length = z.length
      columns = columnsOf(kind, length)
    }
    let top = -Infinity
    for (let k = 0; k < length; k++) {
      scaled[k] = scale * z[k]!
      let logit = scaled[k]!
      for (let j = 1; j < own; j++) logit += point[j]! * columns[j - 1]![k]!
      if (places > 0) logit += point[own + k]!
      p[k] = logit
      if (logit > top) top = logit
    }
    let total = 0
    for (let k = 0; k < length; k++) total += Math.exp(p[k]! - top)
    const norm = top + Math.log(total)
    means.fill(0)
    for (let k = 0; k < length; k++) {
      value -= target[k]! === 0 ? 0 : weight * target[k]! * (p[k]! - norm)
      const q = Math.exp(p[k]! - norm)
      p[k] = q
      const wrong = weight * (q - target[k]!)
      for (let j = 0; j < own; j++) {
        const slope = j === 0 ? scaled[k]! : columns[j - 1]![k]!
        gradient[j]! += wrong * slope
        means[j]! += q * slope
      }
      if (places > 0) gradient[own + k]! += wrong
    }
    for (let k = 0; k < length; k++) {
      for (let i = 0; i < own; i++) {
        const centred = weight * p[k]! * ((i === 0 ? scaled[k]! : columns[i - 1]![k]!) - means[i]!)
        for (let j = 0; j <= i; j++) information[i]![j]! += centred * (j === 0 ? scaled[k]! : columns[j - 1]![k]!)
        if (places > 0) information[own + k]![i]! += centred
      }
      if (places > 0) for (let l = 0; l <= k; l++) information[own + k]![own + l]! += weight * p[k]! * ((k === l ? 1 : 0) - p[l]!)
    }
  }
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) information[j]![i] = information[i]![j]!
  return { value, gradient, information }
}

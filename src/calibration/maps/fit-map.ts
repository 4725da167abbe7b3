// Fits the parameters of one map to labelled log-probabilities by maximum a posteriori: without labels the result is
// the prior, with many labels the maximum of the likelihood.
import { type Curvature, inverseDiagonal, minimise } from '../numerics/optimise.ts'
import { type CalibrationMap, LOGIT_BOUNDS } from './map.ts'

/**
 * A distribution and its truth, [candidate]: `z` are log-probabilities of any normalisation, `target` is a
 * distribution.
 */
export interface MapSample {
  readonly z: readonly number[]
  readonly target: readonly number[]
  readonly weight: number
}

/** Independent normal priors, [parameter]. An infinite variance is no prior. */
export interface MapPrior {
  readonly mean: readonly number[]
  readonly variance: readonly number[]
}

export interface FittedMap {
  readonly parameters: readonly number[]
  /** Posterior variance of each parameter. */
  readonly variance: readonly number[]
  /** [candidate], with sum 0; empty unless asked for. */
  readonly biases: readonly number[]
  /** Expected (Fisher) information of the labels alone, [parameter][parameter]. */
  readonly information: readonly (readonly number[])[]
}

export interface FitMapOptions {
  /** Above 0, candidate k gets a bias b_k ~ N(0, biasVariance). All samples must then have the same candidates. */
  readonly biasVariance?: number
  /** [sample]; replaces the weights of the samples. */
  readonly sampleWeights?: ArrayLike<number>
  /** An earlier fit to start from. It saves steps and does not change the result. */
  readonly start?: Pick<FittedMap, 'parameters' | 'biases'> | null
}

/** The mode of the posterior, and the variance around it. */
export function fitMap(
  map: CalibrationMap,
  samples: readonly MapSample[],
  prior: MapPrior,
  { biasVariance = 0, sampleWeights, start }: FitMapOptions = {},
): FittedMap {
  const own = map.parameters.length
  const biased = biasVariance > 0 ? (samples[0]?.z.length ?? 0) : 0
  const mean = [...prior.mean, ...Array.from({ length: biased }, () => 0)]
  const precision = [...prior.variance, ...Array.from({ length: biased }, () => biasVariance)].map((variance) => 1 / variance)
  const bounds = mean.map((_, i) => map.parameters[i]?.bounds ?? LOGIT_BOUNDS)
  const posterior = (point: readonly number[]): Curvature => {
    const { value, gradient, information } = likelihood(map, samples, point, biased, sampleWeights)
    const hessian = information.map((line, i) => line.map((entry, j) => entry + (i === j ? precision[i]! : 0)))
    // The inverse temperature enters as an exponential, whose second derivative adds the slope.
    hessian[0]![0]! += gradient[0]!
    return {
      value: point.reduce((sum, parameter, i) => sum + (precision[i]! * (parameter - mean[i]!) ** 2) / 2, value),
      gradient: gradient.map((slope, i) => slope + precision[i]! * (point[i]! - mean[i]!)),
      hessian,
    }
  }
  const point = samples.length === 0 ? mean : minimise(startOf(start, mean), bounds, posterior)
  const { information } = likelihood(map, samples, point, biased, sampleWeights)
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

/**
 * Negative log-likelihood in nats, its gradient and its expected (Fisher) information at a point: the parameters of the
 * map, then the biases of the first `biased` candidates.
 */
function likelihood(
  map: CalibrationMap,
  samples: readonly MapSample[],
  point: readonly number[],
  biased: number,
  sampleWeights: ArrayLike<number> | undefined,
): { readonly value: number; readonly gradient: number[]; readonly information: number[][] } {
  const size = point.length
  const own = size - biased
  const scale = Math.exp(point[0]!)
  let value = 0
  const gradient = new Array<number>(size).fill(0)
  const information = point.map(() => new Array<number>(size).fill(0))
  let columns: readonly (readonly number[])[] = []
  let length = -1
  // Reused by every sample: two arrays by candidate, one by parameter.
  const [p, scaled, means]: [number[], number[], number[]] = [[], [], new Array<number>(own).fill(0)]
  for (const [index, sample] of samples.entries()) {
    const { z, target } = sample
    const weight = sampleWeights === undefined ? sample.weight : sampleWeights[index]!
    if (z.length !== length) {
      length = z.length
      columns = map.columns(length)
    }
    let top = -Infinity
    for (let k = 0; k < length; k++) {
      scaled[k] = scale * z[k]!
      let logit = scaled[k]!
      for (let j = 1; j < own; j++) logit += point[j]! * columns[j - 1]![k]!
      if (biased > 0) logit += point[own + k]!
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
      if (biased > 0) gradient[own + k]! += wrong
    }
    for (let k = 0; k < length; k++) {
      for (let i = 0; i < own; i++) {
        const centred = weight * p[k]! * ((i === 0 ? scaled[k]! : columns[i - 1]![k]!) - means[i]!)
        for (let j = 0; j <= i; j++) information[i]![j]! += centred * (j === 0 ? scaled[k]! : columns[j - 1]![k]!)
        if (biased > 0) information[own + k]![i]! += centred
      }
      if (biased > 0) for (let l = 0; l <= k; l++) information[own + k]![own + l]! += weight * p[k]! * ((k === l ? 1 : 0) - p[l]!)
    }
  }
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) information[j]![i] = information[i]![j]!
  return { value, gradient, information }
}

// What a calibration map is. A map is a file of this folder and one line in `registry.ts`; the fit, the tree, the
// reader of calibration files, reports, the OpenAPI document and the command line take everything from here.
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import type { Bounds } from '../numerics/optimise.ts'

/**
 * Turns the log-probabilities z of a distribution into the logits exp(θ₀) z_k + Σⱼ θⱼ x_jk, [candidate]; their
 * softmax is the calibrated distribution. exp(θ₀) is the inverse temperature, and x_j are fixed columns of the
 * map.
 */
export interface CalibrationMap {
  /** What reports call it (`applied` on the wire), and by which a fitted file names it. Never to be changed. */
  readonly name: string
  /**
   * Read-outs whose distributions it calibrates. Of several maps for one read-out, the first of the registry is fitted;
   * the others apply to files that were fitted with them.
   */
  readonly readouts: readonly DecisionReadout[]
  /** θ in the order in which fits and files hold it, the inverse temperature first. */
  readonly parameters: readonly MapParameter[]
  /**
   * How many of its first parameters are fitted by default. Of three candidates or more, these must not change which is
   * likeliest. The others stay 0 unless `preserveArgmax` is false.
   */
  readonly fittedByDefault: number
  /** Present when the candidates of a question may get biases of their own; such a map is reported under this name. */
  readonly nameWithBiases?: string
  /** The columns x, [parameter − 1][candidate]. */
  columns(candidates: number): readonly (readonly number[])[]
  /**
   * Variance of the log-odds of the leading candidate that comes from not knowing the parameters exactly.
   * @param variance of each parameter. @param logOdds of the leading candidate.
   */
  logOddsVariance(variance: readonly number[], logOdds: number): number
}

/** One parameter: where its fit starts, how far it may go, and how people see it. */
export interface MapParameter {
  /** The heading of its column in `assay calibrate show`. */
  readonly heading: string
  /** The number that people see for a value, with its standard deviation. */
  shown(value: number, deviation: number): readonly [value: number, deviation: number]
  /** How far a fit may go. Labels that one line separates perfectly would want an infinite slope. */
  readonly bounds: Bounds
  /** The normal prior of a model without labels. */
  readonly prior: { readonly mean: number; readonly variance: number }
  /** Variance by which maps of deliberated decisions differ from those of single passes. */
  readonly passModeVariance: number
  /** Variance between the maps of a level, used while too few are known to estimate it. */
  readonly usualVariance: Readonly<Record<'kind' | 'task' | 'wording' | 'question', number>>
  /** Estimates of that variance are kept below the square of this. */
  readonly largestDeviation: number
}

/**
 * The first parameter of every map, ln(1 / T). A model without labels is expected to be overconfident, with T about
 * 1.5. People see the temperature T.
 */
export const INVERSE_TEMPERATURE: MapParameter = {
  heading: 'temperature',
  shown: (value, deviation) => [Math.exp(-value), Math.exp(-value) * deviation],
  bounds: { lower: -10, upper: 10 },
  prior: { mean: -Math.log(1.5), variance: 0.5 ** 2 },
  passModeVariance: 0.3 ** 2,
  usualVariance: { kind: 0.2 ** 2, task: 0.35 ** 2, wording: 0.2 ** 2, question: 0.2 ** 2 },
  largestDeviation: 0.7,
}

/** Bounds of what is added to logits. */
export const LOGIT_BOUNDS: Bounds = { lower: -50, upper: 50 }

/** People see most parameters as they are. */
export function shownAsIs(value: number, deviation: number): readonly [value: number, deviation: number] {
  return [value, deviation]
}

/** The map with its first `count` parameters only; the others are 0. */
export function withFirstParameters(map: CalibrationMap, count: number): CalibrationMap {
  return {
    ...map,
    parameters: map.parameters.slice(0, count),
    columns: (candidates) => map.columns(candidates).slice(0, count - 1),
  }
}

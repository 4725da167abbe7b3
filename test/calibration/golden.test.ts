// Our arithmetic against scikit-learn, SciPy and relplot, on a sample with ties and weights
// (test/golden/calibration/make.py).
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { logPool } from '../../src/calibration/deliberation/pooling.ts'
import { fitIsotonic } from '../../src/calibration/maps/isotonic.ts'
import { auroc } from '../../src/calibration/metrics/discrimination.ts'
import { clopperPearsonUpper, wilson } from '../../src/calibration/metrics/intervals.ts'
import { quantile } from '../../src/calibration/metrics/resampling.ts'
import { crossEntropy, squaredError } from '../../src/calibration/metrics/scores.ts'
import { smoothCalibrationError } from '../../src/calibration/metrics/smooth-ece.ts'
import { weightedMean } from '../../src/calibration/numerics/aligned.ts'
import {
  inverseRegularisedBeta,
  logGamma,
  normalCdf,
  normalQuantile,
  regularisedBeta,
} from '../../src/calibration/numerics/special-functions.ts'
import { targetOf } from '../../src/questions/shared/truth.ts'
import { expectClose } from './close.ts'

interface Isotonic {
  readonly fitted: number[]
}
interface Scores {
  readonly logLoss: number
  readonly brier: number
  readonly auroc: number
}
interface Smooth {
  readonly at: Readonly<Record<string, number>>
  readonly fixedPoint: number
}
interface Golden {
  readonly sample: { readonly p: number[]; readonly y: number[]; readonly weights: number[] }
  readonly isotonic: Readonly<Record<'equal' | 'weighted', Isotonic>>
  readonly scores: Readonly<Record<'equal' | 'weighted', Scores>>
  readonly smooth: { readonly equal: Smooth; readonly weighted: Smooth; readonly relplot: number }
  readonly distributions: { readonly rows: number[][]; readonly labels: number[]; readonly logLoss: number; readonly brier: number }
  readonly pools: readonly {
    readonly logProbabilities: number[][]
    readonly logarithmic: number[]
  }[]
  readonly logGamma: readonly [number, number][]
  readonly beta: readonly [number, number, number, number][]
  readonly inverseBeta: readonly [number, number, number, number][]
  readonly normalCdf: readonly [number, number][]
  readonly normalQuantile: readonly [number, number][]
  readonly clopperPearsonUpper: readonly [number, number, number, number][]
  readonly wilson: readonly [number, number, number, number][]
  readonly quantiles: readonly [number, number][]
}

const golden = JSON.parse(readFileSync(new URL('../golden/calibration/golden.json', import.meta.url), 'utf8')) as Golden
const { p, y } = golden.sample

/** Relative to the size of the expected value, which may be as small as 1e-300. */
function expectRelative(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  expectClose(
    actual.map((value, i) => (expected[i] === 0 ? value : value / expected[i]! - 1)),
    expected.map(() => 0),
    tolerance,
  )
}

describe.each([
  ['equal weights', 'equal', undefined],
  ['weights', 'weighted', golden.sample.weights],
] as const)('with %s', (_, name, weights) => {
  it('isotonic regression is that of scikit-learn', () => {
    const { fitted } = golden.isotonic[name]
    const { blocks } = fitIsotonic(p, y, weights)
    const levels = p.map((value) => blocks.find(({ low, high }) => low <= value && value <= high)!)
    expectClose(
      levels.map(({ sum, count }) => sum / count),
      fitted,
      1e-9,
    )
    expect(blocks.length).toBe(new Set(fitted.map((value) => value.toFixed(9))).size)
  })

  it('log-loss, Brier score and area under the ROC curve are those of scikit-learn', () => {
    const expected = golden.scores[name]
    const meanOf = (score: typeof crossEntropy): number =>
      weightedMean(
        p.map((value, i) => score([value, 1 - value], targetOf(1 - y[i]!, 2))),
        weights,
      )
    expectClose(
      [meanOf(crossEntropy), meanOf(squaredError) / 2, auroc(p, y, weights)!],
      [expected.logLoss, expected.brier, expected.auroc],
      1e-12,
    )
  })

  it('the smooth calibration error is its exact integral, at given bandwidths and at the fixed point', () => {
    const expected = golden.smooth[name]
    const options = weights === undefined ? {} : { weights }
    for (const [bandwidth, value] of Object.entries(expected.at)) {
      expectClose([smoothCalibrationError(p, y, { ...options, bandwidth: Number(bandwidth) }).value], [value], 1e-5)
    }
    expectClose([smoothCalibrationError(p, y, options).value], [expected.fixedPoint], 1e-5)
    // On the grid that many probabilities are put on: each decision four times, at a quarter of its weight.
    const four = <T>(values: readonly T[]): T[] => values.flatMap((value) => [value, value, value, value])
    const repeated = smoothCalibrationError(four(p), four(y), weights === undefined ? {} : { weights: four(weights) })
    expectClose([repeated.value], [expected.fixedPoint], 2e-5)
  })
})

describe('against libraries', () => {
  it('the smooth calibration error is near that of relplot, which bins and bisects more coarsely', () => {
    expectClose([smoothCalibrationError(p, y).value], [golden.smooth.relplot], 1e-3)
  })

  it('scores of distributions are those of scikit-learn', () => {
    const { rows, labels, logLoss: loss, brier } = golden.distributions
    const meanOf = (score: (row: readonly number[], target: readonly number[]) => number): number =>
      rows.reduce((sum, row, i) => sum + score(row, targetOf(labels[i]!, row.length)), 0) / rows.length
    expectClose([meanOf(crossEntropy), meanOf(squaredError)], [loss, brier], 1e-9)
  })

  it('pools are those of SciPy', () => {
    for (const { logProbabilities, logarithmic } of golden.pools) expectClose(logPool(logProbabilities, { floor: 0 }), logarithmic, 1e-12)
  })

  it('special functions are those of SciPy', () => {
    for (const [x, expected] of golden.logGamma) expectClose([logGamma(x)], [expected], 1e-13 * Math.max(1, Math.abs(expected)))
    for (const [x, a, b, expected] of golden.beta) expectRelative([regularisedBeta(x, a, b)], [expected], 1e-9)
    for (const [q, a, b, expected] of golden.inverseBeta) expectRelative([inverseRegularisedBeta(q, a, b)], [expected], 1e-9)
    for (const [x, expected] of golden.normalCdf) expectRelative([normalCdf(x)], [expected], 1e-12)
    for (const [q, expected] of golden.normalQuantile) expectClose([normalQuantile(q)], [expected], 1e-12 * Math.max(1, Math.abs(expected)))
  })

  it('intervals for counts and quantiles are those of SciPy and NumPy', () => {
    for (const [k, n, delta, expected] of golden.clopperPearsonUpper) expectClose([clopperPearsonUpper(k, n, delta)], [expected], 1e-10)
    for (const [k, n, low, high] of golden.wilson) expectClose(wilson(k, n), [low, high], 1e-12)
    const sorted = [...p].sort((a, b) => a - b)
    for (const [share, expected] of golden.quantiles) expectClose([quantile(sorted, share)], [expected], 1e-12)
  })
})

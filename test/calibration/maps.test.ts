import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { affine } from '../../src/calibration/maps/affine.ts'
import { floored, floorOf, mackayFactor, mapLogits, shrunkLogits, softmaxWithFloor } from '../../src/calibration/maps/apply-map.ts'
import { fitMap, type MapSample } from '../../src/calibration/maps/fit-map.ts'
import type { CalibrationMap } from '../../src/calibration/maps/map.ts'
import { fitMixture, mixedLogits, mixedLogOdds } from '../../src/calibration/maps/mixture.ts'
import { temperature } from '../../src/calibration/maps/temperature.ts'
import { logSoftmax } from '../../src/core/math.ts'
import { seededRandom } from '../../src/core/random.ts'
import { normal, row, sigmoid } from './simulated.ts'

const oneHot = (length: number, label: number): number[] => Array.from({ length }, (_, k) => (k === label ? 1 : 0))
/** No prior at all. */
const free = (parameters: number) => ({
  mean: new Array<number>(parameters).fill(0),
  variance: new Array<number>(parameters).fill(Infinity),
})
/** Temperature scaling, softmax(z / T). */
const scaled = (z: readonly number[], temperature: number): number[] => logSoftmax(z.map((value) => value / temperature)).map(Math.exp)
const samplesOf = (rows: readonly (readonly number[])[], labels: readonly number[]): MapSample[] =>
  rows.map((z, i) => ({ z, target: oneHot(z.length, labels[i]!), weight: 1 }))

/** scikit-learn 1.9.1 / SciPy 1.17.1 on these rows; see the golden values of each test. */
const LOGITS = [
  [2, 1, 0.1],
  [0.5, 2.5, 0.3],
  [3, 0.2, 0.1],
  [1.2, 1, 0.8],
  [0.1, 0.2, 2.2],
  [2.2, 2, -1],
  [0, 3.5, 1],
  [1.5, -0.5, 1.4],
]
const LABELS = [0, 1, 1, 0, 2, 0, 1, 2]
const PROBABILITIES = [0.05, 0.1, 0.12, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 0.95]
const EVENTS = [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1]
const SHOWN = [0, 4, 8, 12, 15]
const WIDE_PRIOR = { mean: [-Math.log(1.5)], variance: [0.25] }

const binarySamples = (targets: readonly number[]): MapSample[] =>
  PROBABILITIES.map((p, i) => ({ z: [Math.log(p), Math.log1p(-p)], target: [targets[i]!, 1 - targets[i]!], weight: 1 }))

const meanLoss = (samples: readonly MapSample[], map: CalibrationMap, parameters: readonly number[]): number =>
  samples.reduce((sum, { z, target }) => {
    const p = softmaxWithFloor(mapLogits(map, z, parameters), 0)
    return sum - target.reduce((inner, t, k) => inner + (t === 0 ? 0 : t * Math.log(p[k]!)), 0)
  }, 0) / samples.length

describe('temperature', () => {
  const samples = samplesOf(LOGITS, LABELS)

  it('is the one that scikit-learn finds', () => {
    const { parameters, information } = fitMap(temperature, samples, free(1))
    expect(Math.exp(-parameters[0]!)).toBeCloseTo(1.1522482, 5)
    expect(meanLoss(samples, temperature, [0])).toBeCloseTo(0.7784615528, 9)
    expect(meanLoss(samples, temperature, parameters)).toBeCloseTo(0.7737191531, 9)
    expect(information[0]![0]).toBeCloseTo(3.5135617, 5)
  })

  it('leaves the expected logit at the observed one', () => {
    const found = Math.exp(-fitMap(temperature, samples, free(1)).parameters[0]!)
    const expected = LOGITS.reduce((sum, z) => sum + scaled(z, found).reduce((inner, p, k) => inner + p * z[k]!, 0), 0)
    expect(expected).toBeCloseTo(15.2, 6)
    expect(scaled(LOGITS[0]!, found)).toEqual([0.62031, 0.2604344, 0.1192556].map((p) => expect.closeTo(p, 6)))
    expect(scaled(LOGITS[2]!, found)).toEqual([0.855615, 0.0753232, 0.0690618].map((p) => expect.closeTo(p, 6)))
  })

  it('leans on its prior, and stays finite where all labels agree', () => {
    expect(Math.exp(-fitMap(temperature, samples, WIDE_PRIOR).parameters[0]!)).toBeCloseTo(1.3370056, 5)
    const sure = samplesOf(
      [2, 1.5, 3, 2.5].map((logit) => [logit, 0]),
      [0, 0, 0, 0],
    )
    expect(Math.exp(-fitMap(temperature, sure, WIDE_PRIOR).parameters[0]!)).toBeCloseTo(1.1814595, 5)
    const unbounded = fitMap(temperature, sure, free(1))
    expect(unbounded.parameters.every(Number.isFinite)).toBe(true)
  })

  it('is the prior without labels and the data with many', () => {
    expect(fitMap(temperature, [], WIDE_PRIOR).parameters).toEqual(WIDE_PRIOR.mean)
    const many = samples.map((sample) => ({ ...sample, weight: 1e6 }))
    const unheld = fitMap(temperature, samples, free(1)).parameters[0]!
    expect(fitMap(temperature, many, WIDE_PRIOR).parameters[0]).toBeCloseTo(unheld, 5)
  })
})

describe('the affine map', () => {
  it('with smoothed targets is the one of Platt', () => {
    const positives = EVENTS.reduce((sum, y) => sum + y, 0)
    const targets = EVENTS.map((y) => (y === 1 ? (positives + 1) / (positives + 2) : 1 / (EVENTS.length - positives + 2)))
    const { parameters } = fitMap(affine, binarySamples(targets), free(2))
    const [w, c] = [Math.exp(parameters[0]!), parameters[1]!]
    expect(w).toBeCloseTo(0.6467358, 5)
    expect(c).toBeCloseTo(0.4211917, 5)
    const mapped = SHOWN.map((i) => sigmoid(w * Math.log(PROBABILITIES[i]! / (1 - PROBABILITIES[i]!)) + c))
    expect(mapped).toEqual([0.1849623, 0.4281703, 0.6037684, 0.7249539, 0.9109643].map((p) => expect.closeTo(p, 5)))
  })

  it('is the one of maximum likelihood without a prior, and of the posterior with one', () => {
    const samples = binarySamples(EVENTS)
    const unheld = fitMap(affine, samples, free(2)).parameters
    expect([Math.exp(unheld[0]!), unheld[1]]).toEqual([expect.closeTo(0.92508785, 6), expect.closeTo(0.54298691, 6)])
    expect(meanLoss(samples, affine, unheld)).toBeCloseTo(0.5289563904, 9)
    const held = fitMap(affine, samples, { mean: [0, 0], variance: [0.25, 0.25] }).parameters
    expect([Math.exp(held[0]!), held[1]]).toEqual([expect.closeTo(0.92917731, 5), expect.closeTo(0.22663815, 5)])
    const slope = fitMap(temperature, samples, free(1)).parameters
    expect(Math.exp(slope[0]!)).toBeCloseTo(0.8239614152, 6)
    expect(meanLoss(samples, temperature, slope)).toBeCloseTo(0.5538836394, 9)
  })

  it('counts a label of weight two as two labels', () => {
    const samples = binarySamples(EVENTS)
    const prior = { mean: [-0.4, 0], variance: [0.25, 0.25] }
    const twice = fitMap(
      affine,
      [...samples, ...samples].map((sample) => ({ ...sample, weight: 0.5 })),
      prior,
    )
    const once = fitMap(affine, samples, prior)
    for (const [i, value] of once.parameters.entries()) expect(twice.parameters[i]).toBeCloseTo(value, 9)
  })

  it('finds the map that distorted a thousand labels', () => {
    const random = seededRandom(3)
    const samples = Array.from({ length: 4000 }, () => {
      const s = 2 * normal(random)
      const y = random() < sigmoid(0.5 * s - 0.8) ? 1 : 0
      return { z: row(s), target: [y, 1 - y], weight: 1 }
    })
    const { parameters, variance } = fitMap(affine, samples, { mean: [0, 0], variance: [1, 1] })
    expect(Math.abs(parameters[0]! - Math.log(0.5))).toBeLessThan(4 * Math.sqrt(variance[0]!))
    expect(Math.abs(parameters[1]! + 0.8)).toBeLessThan(4 * Math.sqrt(variance[1]!))
    expect(Math.sqrt(variance[0]!)).toBeLessThan(0.08)
  })
})

describe('an isotonic mixture', () => {
  it('rises with the log-odds wherever its levels are', () => {
    const random = seededRandom(5)
    const logOdds = Array.from({ length: 300 }, () => 6 * random() - 3)
    const mixture = fitMixture(
      logOdds,
      logOdds.map((s) => (random() < (s > 0 ? 0.8 : 0.3) ? 1 : 0)),
      logOdds.map(() => 1),
    )
    expect(mixture.weight).toBeCloseTo(0.5, 9)
    const mapped = Array.from({ length: 161 }, (_, i) => mixedLogOdds(i / 10 - 8, mixture))
    expect(mapped.every((value, i) => Number.isFinite(value) && (i === 0 || value > mapped[i - 1]!))).toBe(true)
  })
})

describe('an isotonic mixture of more than two candidates', () => {
  it('gives the leading one what the mixture says, and keeps the order of all', () => {
    const logits = [1.2, 0.4, 0.9, -2]
    const mixture = { weight: 1, positions: [-2, 2], heights: [-0.5, 0.5] }
    const p = softmaxWithFloor(mixedLogits(logits, mixture), 0)
    const lead = 1.2 - Math.log(Math.exp(0.4) + Math.exp(0.9) + Math.exp(-2))
    expect(p[0]).toBeCloseTo(sigmoid(mixedLogOdds(lead, mixture)), 9)
    expect(p.map((_, i) => i).sort((i, j) => p[j]! - p[i]!)).toEqual([0, 2, 1, 3])
    const low = softmaxWithFloor(mixedLogits(logits, { weight: 1, positions: [0], heights: [-5] }), 0)
    expect(low.map((_, i) => i).sort((i, j) => low[j]! - low[i]!)).toEqual([0, 2, 1, 3])
  })
})

describe('a map with what is not known of it', () => {
  it('shrinks by the factor of MacKay', () => {
    expect(mackayFactor(0.5)).toBeCloseTo(0.9142626, 7)
    expect(mackayFactor(0)).toBe(1)
  })

  it('keeps the order of candidates and of decisions', () => {
    const odds = fc.double({ min: -30, max: 30, noNaN: true })
    fc.assert(
      fc.property(odds, odds, fc.double({ min: 0, max: 2, noNaN: true }), (a, b, variance) => {
        const [lower, upper] = a < b ? [a, b] : [b, a]
        const shrunk = [lower, upper].map((s) => {
          const [first, second] = shrunkLogits(affine, [s, 0], [variance, 0.3])
          return first! - second!
        })
        expect(shrunk[0]! <= shrunk[1]!).toBe(true)
      }),
      { seed: 11, numRuns: 300 },
    )
    const logits = shrunkLogits(temperature, [3, 1, 2, -4], [0.5])
    expect(logits.map((_, i) => i).sort((i, j) => logits[j]! - logits[i]!)).toEqual([0, 2, 1, 3])
  })

  it('never says 0 or 1, and sums to one', () => {
    const rows = fc.array(fc.double({ min: -200, max: 200, noNaN: true }), { minLength: 2, maxLength: 40 })
    fc.assert(
      fc.property(rows, fc.double({ min: -2, max: 2, noNaN: true }), fc.nat(5000), (z, lnW, labels) => {
        const floor = floorOf(labels, z.length)
        const p = softmaxWithFloor(mapLogits(temperature, floored(z), [lnW]), floor)
        expect(Math.abs(p.reduce((sum, value) => sum + value, 0) - 1)).toBeLessThan(1e-12)
        expect(Math.min(...p)).toBeGreaterThanOrEqual(floor * (1 - 1e-9))
        expect(Math.max(...p)).toBeLessThan(1)
      }),
      { seed: 12, numRuns: 300 },
    )
  })

  it('does not depend on the order of candidates', () => {
    const z = [-0.5, -2, -1.7, -4]
    const forward = softmaxWithFloor(shrunkLogits(temperature, mapLogits(temperature, floored(z), [-0.4]), [0.1]), 1e-4)
    const backward = softmaxWithFloor(shrunkLogits(temperature, mapLogits(temperature, floored([...z].reverse()), [-0.4]), [0.1]), 1e-4)
    for (const [k, p] of backward.reverse().entries()) expect(p).toBeCloseTo(forward[k]!, 14)
  })
})

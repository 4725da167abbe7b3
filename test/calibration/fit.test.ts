import { describe, expect, it } from 'vitest'
import { calibratorOf } from '../../src/calibration/calibration.ts'
import { compare, scoredDistributions } from '../../src/calibration/compare.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { fit as fitCalibration, foldOf } from '../../src/calibration/fit.ts'
import { logSoftmax } from '../../src/core/math.ts'
import { seededRandom } from '../../src/core/random.ts'
import { binaryCase, binaryWorld, choiceWorld, normal, row, sigmoid } from './simulated.ts'

const MODEL = { id: 'm', revision: 'r', templateHash: 't' }

/** A question whose true map has steps that no line follows: the research note's world D. */
function kinked(labels: number, seed: number): Evidence[] {
  const random = seededRandom(seed)
  return Array.from({ length: labels }, (_, i) => {
    const logOdds = 0.3 + 2.2 * normal(random)
    const p = logOdds < -2 ? 0.05 : logOdds < 0 ? 0.45 : logOdds < 2 ? 0.5 : 0.95
    return binaryCase({ question: 'kinked', state: `k${i}`, logOdds, isTrue: random() < p })
  })
}

describe('fit', () => {
  const { evidence } = binaryWorld({ questions: 12, labels: 50, seed: 1, slope: [-0.6, 0.3], bias: [-0.2, 0.5] })
  const fitted = fitCalibration(evidence, MODEL)

  it('gives the same file for the same evidence in any order', () => {
    const some = evidence.slice(0, 200)
    expect(fitCalibration([...some].reverse(), MODEL)).toEqual(fitCalibration(some, MODEL))
  })

  it('says what it was fitted on', () => {
    const { fittedOn } = fitCalibration(evidence.slice(0, 100), MODEL)
    expect(fittedOn).toMatchObject({ decisions: 100, states: 100, labels: { single: 100, deliberated: 0 }, tasks: { q0: 50, q1: 50 } })
  })

  it('keeps held-out probabilities that are calibrated', () => {
    const { truth, pairs, count } = fitted.heldOut.binary!
    expect(count).toBe(600)
    expect(truth).toHaveLength(600)
    expect(truth.every((p, i) => i === 0 || p >= truth[i - 1]!)).toBe(true)
    const confidence = pairs.reduce((sum, [top]) => sum + top, 0) / pairs.length
    const right = pairs.reduce((sum, [, isRight]) => sum + isRight, 0) / pairs.length
    expect(Math.abs(confidence - right)).toBeLessThan(0.04)
    // The probability of the truth is on average that of being right or wrong as often as said.
    expect(truth.reduce((sum, p) => sum + p, 0) / truth.length).toBeGreaterThan(0.6)
  })

  it('thins out many held-out decisions and keeps their spread', () => {
    const many = binaryWorld({ questions: 3, labels: 900, seed: 2, slope: [-0.6, 0.1], bias: [0, 0.1] }).evidence
    const { truth, count } = fitCalibration(many, MODEL).heldOut.binary!
    expect(count).toBe(2700)
    expect(truth).toHaveLength(2000)
    expect(truth[0]).toBeLessThan(0.2)
    expect(truth.at(-1)).toBeGreaterThan(0.8)
  })

  it('lowers the log-loss of decisions it has not seen, surely', () => {
    const { evidence: more } = binaryWorld({ questions: 12, labels: 200, seed: 1, slope: [-0.6, 0.3], bias: [-0.2, 0.5] })
    const fresh = more.filter(({ state }) => Number(state.split('-').at(-1)) >= 50)
    // As one task: only what is compared over all is looked at.
    const judged = (calibration: typeof fitted | null) =>
      scoredDistributions(fresh, calibratorOf(calibration, MODEL), 'single').map((one) => ({ ...one, task: 'all' }))
    const [all] = compare(judged(fitted), judged(null))
    expect(all!.logLoss.interval[1]).toBeLessThan(0)
    expect(all!.brier.interval[1]).toBeLessThan(0)
    expect(all!.calibrationError.first.excess).toBeLessThan(0.5 * all!.calibrationError.second.excess)
  })

  it('mixes steps in where the truth has steps, and only there', () => {
    const calibration = fitCalibration([...kinked(1500, 3), ...evidence], MODEL)
    const calibrator = calibratorOf(calibration, MODEL)
    const key = { readout: 'binary', hasImage: false, candidates: 2, wording: 'w kinked', question: 'kinked' } as const
    const { note, probabilities } = calibrator.calibrate(
      key,
      'single',
      [-3, -1, 1, 3].map((s) => row(s)),
      null,
    )
    expect(note).toMatchObject({ applied: 'blend', level: 'question', labels: 1500 })
    for (const [i, p] of [0.05, 0.45, 0.5, 0.95].entries()) expect(Math.abs(probabilities[i]![0]! - p)).toBeLessThan(0.08)
    const smooth = binaryWorld({ questions: 1, labels: 1500, seed: 5, slope: [-0.5, 0], bias: [0.3, 0] }).evidence
    const other = calibratorOf(fitCalibration(smooth, MODEL), MODEL).calibrate(
      { ...key, wording: 'w q0', question: 'q0' },
      'single',
      [row(1)],
      null,
    )
    expect(other.note.applied).toBe('affine')
    expect(Math.abs(other.probabilities[0]![0]! - sigmoid(Math.exp(-0.5) + 0.3))).toBeLessThan(0.04)
  })

  it('takes labels that all come from one fold, however many', () => {
    const state = 'the only one'
    const repeated = kinked(250, 6).map((one) => ({ ...one, state }))
    const [first] = kinked(1, 7)
    for (const alike of [repeated, [{ ...first!, weight: 500 }]]) {
      const { fittedOn, trees } = fitCalibration(alike, MODEL)
      expect(fittedOn.states).toBe(1)
      expect(trees.single.binary!.labels).toBeGreaterThanOrEqual(250)
    }
  })

  it('holds the later of two levels for right where the truth lies halfway between them', () => {
    const levels = choiceWorld({ questions: 1, labels: 40, candidates: 4, seed: 3, slope: 1, readout: 'ordinal' })
    const areRight = (level: number) => {
      const row = logSoftmax([0, 1, 2, 3].map((one) => (one === level ? 2 : 0)))
      const alike = levels.map((one) => ({ ...one, single: [row], truth: [1.5] }))
      return new Set(fitCalibration(alike, MODEL).heldOut.ordinal!.pairs.map(([, isRight]) => isRight))
    }
    expect([1, 2].map(areRight)).toEqual([new Set([0]), new Set([1])])
  })

  it('never changes the first place of a choice unless it may', () => {
    const skewed = choiceWorld({ questions: 1, labels: 300, candidates: 3, seed: 4, slope: 0.7, biases: [1, 0, -1] })
    const firstOf = (values: readonly number[]): number => values.indexOf(Math.max(...values))
    const changed = [true, false].map((preserveArgmax) => {
      const calibrator = calibratorOf(fitCalibration(skewed, MODEL, { preserveArgmax }), MODEL)
      return skewed.filter((one) => {
        const { probabilities } = calibrator.calibrate({ ...one, candidates: 3 }, 'single', one.single, null)
        return firstOf(probabilities[0]!) !== firstOf(one.single[0]!)
      }).length
    })
    expect(changed[0]).toBe(0)
    expect(changed[1]).toBeGreaterThan(10)
  })

  // The single pass sees the truth through noise; deliberation averages some of it away, or adds more.
  const lookedAtAgain = (random: () => number, noise: number, length = 1200): Evidence[] =>
    Array.from({ length }, (_, i) => {
      const clear = 2 * normal(random)
      const seen = clear + normal(random)
      const one = binaryCase({ question: 'q', state: `s${i}`, logOdds: seen, isTrue: random() < sigmoid(1.5 * clear) })
      return { ...one, deliberated: [row(noise === 0 ? clear : seen + noise * normal(random))] }
    })

  it('sends nobody to deliberation where that only adds noise, and fewer than stated where it helps', () => {
    const random = seededRandom(8)
    const drawn = (noise: number) => lookedAtAgain(random, noise)
    expect(fitCalibration(drawn(4), MODEL).gates.binary).toMatchObject({ rule: 'never', threshold: 1 })
    const helped = fitCalibration(drawn(0), MODEL).gates.binary!
    expect(helped.rule).not.toBe('never')
    expect(helped.share).toBeLessThanOrEqual(0.33)
  })

  it('sends nobody to deliberation where the share is nothing, with many second looks or few', () => {
    const random = seededRandom(10)
    for (const count of [60, 1200]) {
      const { gates } = fitCalibration(lookedAtAgain(random, 0, count), MODEL, { share: 0 })
      expect(gates.binary).toMatchObject({ threshold: 1, share: 0 })
    }
  })

  it('holds out what the engine answers with where the mass is low: the second look', () => {
    const seen = lookedAtAgain(seededRandom(11), 0)
    const rightAt = (mass: number) => {
      const { pairs } = fitCalibration(
        seen.map((one) => ({ ...one, mass })),
        MODEL,
        { share: 0 },
      ).heldOut.binary!
      return pairs.filter(([, isRight]) => isRight === 1).length / pairs.length
    }
    expect(rightAt(0.4) - rightAt(0.6)).toBeGreaterThan(0.03)
  })

  it('sends more than the share of one read-out where no other gains, so that of all decisions it is not more', () => {
    const random = seededRandom(9)
    const options = lookedAtAgain(random, 0, 400).map((one): Evidence => ({ ...one, readout: 'independent' }))
    const alone = fitCalibration(options, MODEL).gates.independent!
    const beside = fitCalibration([...options, ...lookedAtAgain(random, 4)], MODEL).gates
    expect(alone.share).toBeLessThanOrEqual(0.33)
    expect(beside.binary).toMatchObject({ rule: 'never' })
    expect(beside.independent!.share).toBeGreaterThan(0.5)
    expect((beside.independent!.share * options.length) / 1600).toBeLessThanOrEqual(0.33)
  })

  it('sends what is short to deliberation where that helps it, and counts it with the rest', () => {
    const random = seededRandom(12)
    // Long claims are unsure and gain nothing; short ones are sure, now and then wrongly, as only a further look sees.
    const claims = Array.from({ length: 2000 }, (_, i): Evidence => {
      const isLong = i % 10 < 8
      const tokens = isLong ? 50 + 10 * (i % 30) : 25 + (i % 20)
      const seen = isLong ? normal(random) : random() < 0.5 ? 6 : -6
      const clear = isLong || random() < 0.85 ? seen : -seen
      const one = binaryCase({ question: isLong ? 'long' : 'short', state: `s${i}`, logOdds: seen, isTrue: random() < sigmoid(clear) })
      return { ...one, tokens, deliberated: [row(clear)] }
    })
    const { threshold, share, short } = fitCalibration(claims, MODEL).gates.binary!
    expect(short!.tokens).toBe(50)
    expect(short!.gain).toBeGreaterThan(0.1)
    expect(short!.decisions + share * claims.length).toBeLessThanOrEqual(0.33 * claims.length)
    const withoutLengths = claims.map(({ tokens: _, ...one }) => one)
    expect(fitCalibration(withoutLengths, MODEL).gates.binary).toMatchObject({ threshold, share })
    expect(fitCalibration(withoutLengths, MODEL).gates.binary!.short).toBeUndefined()
  })

  it('does not tell folds by chance', () => {
    const folds = Array.from({ length: 1000 }, (_, i) => foldOf(`state-${i}`))
    expect(folds).toEqual(Array.from({ length: 1000 }, (_, i) => foldOf(`state-${i}`)))
    for (let fold = 0; fold < 5; fold++) expect(Math.abs(folds.filter((own) => own === fold).length - 200)).toBeLessThan(60)
  })
})

import { describe, expect, it } from 'vitest'
import { calibratorOf, parseCalibration } from '../../src/calibration/calibration.ts'
import type { Gate } from '../../src/calibration/deliberation/gate.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { fit as fitCalibration, summaryOf } from '../../src/calibration/fit.ts'
import { fittedShare } from '../../src/calibration/outcomes/fitted-states.ts'
import { mergeCalibrations } from '../../src/calibration/refit/merge.ts'
import { refit } from '../../src/calibration/refit/refit.ts'
import { MOST_IN_TURN, partOf } from '../../src/calibration/refit/trials.ts'
import { whyWorse } from '../../src/calibration/refit/verdict.ts'
import { seededRandom } from '../../src/core/random.ts'
import { binaryEvidence, choiceEvidence, MODEL, reread } from './simulated.ts'

const OVER_SURE = { slope: 0.5, bias: -0.5 }
const options = { resamples: 200 }

/** P(true) of a question at log-odds 2. */
function atTwo(calibration: Parameters<typeof calibratorOf>[0], { question, wording }: Evidence): number {
  const key = { readout: 'binary', hasImage: false, candidates: 2, question, wording } as const
  const row = [-Math.log1p(Math.exp(-2)), -2 - Math.log1p(Math.exp(-2))]
  return calibratorOf(calibration, MODEL).calibrate(key, 'single', [row], null).probabilities[0]![0]!
}

describe('refit', () => {
  it('serves a candidate that is better on states it did not see, fitted on all of them in the end', () => {
    const evidence = binaryEvidence(seededRandom(1), 400, OVER_SURE)
    const { candidate, decision, heldOut, reason } = refit(null, evidence, MODEL, options)
    expect(decision).toBe('serve')
    expect(heldOut!.labels).toBeGreaterThan(50)
    expect(heldOut!.candidate).toBeLessThan(heldOut!.current)
    expect(heldOut!.interval[0]).toBeLessThan(heldOut!.candidate - heldOut!.current)
    expect(heldOut!.interval[1]).toBeGreaterThan(heldOut!.candidate - heldOut!.current)
    expect(reason).toContain(heldOut!.candidate.toFixed(4))
    expect(candidate!.fittedOn.decisions).toBe(400)
    expect(parseCalibration(reread(candidate!))).toEqual(candidate)
  })

  it('keeps what is served when the candidate is worse', () => {
    const random = seededRandom(2)
    const current = fitCalibration(binaryEvidence(random, 3000, OVER_SURE), MODEL)
    // Labels that have nothing to do with the question teach only noise.
    const noise = binaryEvidence(random, 600, OVER_SURE, undefined, 3000).map((item, i) => ({
      ...item,
      truth: isHeldOut(item) ? item.truth : [i % 2],
    }))
    const { candidate, decision, heldOut, reason } = refit(current, noise, MODEL, options)
    expect(decision).toBe('keep')
    expect(heldOut!.candidate).toBeGreaterThan(heldOut!.current)
    expect(reason).toContain('stays')
    expect(candidate!.fittedOn.decisions).toBe(600 - heldOut!.labels)
  })

  it('says how many labels are needed when they are too few, and fits nothing', () => {
    const nothing = { candidate: null, decision: 'keep', heldOut: null }
    const few = refit(null, binaryEvidence(seededRandom(3), 19, OVER_SURE), MODEL)
    expect(few).toMatchObject(nothing)
    expect(few.reason).toBe('19 labels are too few to judge a fit by; it takes 20, of different states.')
    const ofOneState = binaryEvidence(seededRandom(3), 30, OVER_SURE).map((item) => ({ ...item, state: 'a'.repeat(16) }))
    expect(refit(null, ofOneState, MODEL)).toMatchObject(nothing)
  })

  it('judges up to 500 labels by holding out each part in turn, more by one part', () => {
    const many = binaryEvidence(seededRandom(32), MOST_IN_TURN + 1, OVER_SURE)
    expect(refit(null, many, MODEL, options).heldOut!.labels).toBe(many.filter(isHeldOut).length)
    expect(refit(null, many.slice(1), MODEL, options).heldOut!.labels).toBe(MOST_IN_TURN)
    const evidence = binaryEvidence(seededRandom(3), 60, { slope: 0.3, bias: -1.5 })
    expect(evidence.filter(isHeldOut).length).toBeLessThan(20)
    const { candidate, decision, heldOut } = refit(null, evidence, MODEL, options)
    expect(decision).toBe('serve')
    expect(heldOut).toMatchObject({ labels: 60, states: 60 })
    expect(heldOut!.candidate).toBeLessThan(heldOut!.current)
    expect(candidate!.fittedOn.decisions).toBe(60)
    // What each label is judged by did not see it: labels without any rule are not fitted better than by chance.
    const noise = evidence.map((item, i) => ({ ...item, truth: [i % 2], single: [[Math.log(0.5), Math.log(0.5)]] }))
    const judged = refit(null, noise, MODEL, options).heldOut!
    expect(judged.candidate).toBeGreaterThanOrEqual(judged.current - 1e-9)
  })

  it('says how many were right, before and with the candidate', () => {
    // Of a question that is mostly false, and that the model holds to be true.
    const evidence = binaryEvidence(seededRandom(30), 200, { slope: 0.2, bias: -2 })
    const { heldOut } = refit(null, evidence, MODEL, { ...options, fit: { preserveArgmax: false } })
    const right = evidence.filter(({ single: [row], truth: [index] }) => row!.indexOf(Math.max(...row!)) === index).length / 200
    expect(heldOut!.right!.current).toBeCloseTo(right, 12)
    expect(heldOut!.right!.candidate).toBeGreaterThan(right)
  })

  it('says of a question with labels enough that it is not learned, where no features were kept', () => {
    const evidence = binaryEvidence(seededRandom(31), 60, { slope: 0.3, bias: -1.5 })
    const [{ task }] = evidence as [Evidence]
    const { reason } = refit(null, evidence, MODEL, options)
    expect(reason).toContain(`The question "${task}" has the 30 labels that learning it takes, but no features of it were kept`)
    expect(reason).toContain('--keep-features on')
    const featured = evidence.map((item, i) => ({ ...item, features: Float32Array.of(i % 2, 1) }))
    expect(refit(null, featured, MODEL, options).reason).not.toContain('features')
    expect(refit(null, evidence.slice(0, 29), MODEL, options).reason).not.toContain('features')
    const reads = evidence.map((item) => ({ ...item, readout: 'quote' as const }))
    expect(refit(null, reads, MODEL, options).reason).not.toContain('features')
  })

  it('is the same twice', () => {
    const evidence = [
      ...binaryEvidence(seededRandom(4), 200, OVER_SURE),
      ...choiceEvidence(seededRandom(5), 200, { candidates: 4, slope: 0.5 }),
    ]
    expect(refit(null, evidence, MODEL, options)).toEqual(refit(null, evidence, MODEL, options))
  })

  it('keeps what is known of questions that nobody labelled since', () => {
    const [known] = binaryEvidence(seededRandom(6), 1, OVER_SURE, 'k'.repeat(16))
    const current = fitCalibration(binaryEvidence(seededRandom(6), 1500, { slope: 0.3, bias: 1 }, 'k'.repeat(16)), MODEL)
    const labelled = binaryEvidence(seededRandom(7), 300, { slope: 1.2, bias: -1 }, 'n'.repeat(16))
    const { candidate, decision } = refit(current, labelled, MODEL, options)
    expect(decision).toBe('serve')
    expect(atTwo(candidate, known!)).toBe(atTwo(current, known!))
    expect(atTwo(candidate, labelled[0]!)).toBeLessThan(atTwo(current, labelled[0]!))
  })

  it('keeps gates that were chosen from labels, and from more of them', () => {
    const fitted = fitCalibration(binaryEvidence(seededRandom(5), 60, OVER_SURE), MODEL)
    const gate = (rule: Gate['rule'], decisions: number): Gate => ({ threshold: 0.5, share: 0.1, rule, decisions })
    const merged = (older: Gate, newer: Gate, keepsGeneral = false) =>
      mergeCalibrations({ ...fitted, gates: { binary: older } }, { ...fitted, gates: { binary: newer } }, { keepsGeneral }).gates.binary
    const [few, many, unlabelled] = [gate('gain', 200), gate('never', 9000), gate('share', 20_000)]
    expect(merged(many, few)).toEqual(many)
    expect(merged(few, many)).toEqual(many)
    expect(merged(few, unlabelled)).toEqual(few)
    expect(merged(unlabelled, few)).toEqual(few)
    expect(merged(few, many, true)).toEqual(few)
  })

  it('lets a hundred labels not outweigh thousands, unless it forgets', () => {
    const current = fitCalibration(binaryEvidence(seededRandom(18), 3000, { slope: 1, bias: 1 }), MODEL)
    const labelled = binaryEvidence(seededRandom(19), 130, { slope: 1, bias: -1 }, undefined, 3000)
    const remembered = refit(current, labelled, MODEL, options)
    expect(atTwo(remembered.candidate, labelled[0]!)).toBe(atTwo(current, labelled[0]!))
    const forgot = refit(current, labelled, MODEL, { ...options, halfLife: 100 })
    expect(atTwo(forgot.candidate, labelled[0]!)).toBeLessThan(atTwo(current, labelled[0]!) - 0.1)
  })

  it('fits on the base besides, and never holds it out', () => {
    const base = binaryEvidence(seededRandom(8), 500, OVER_SURE, 'b'.repeat(16))
    const labelled = binaryEvidence(seededRandom(9), 200, OVER_SURE, 'n'.repeat(16))
    const { candidate, heldOut } = refit(fitCalibration(base, MODEL), labelled, MODEL, { ...options, base })
    expect(candidate!.fittedOn.decisions).toBeGreaterThanOrEqual(500 + 200 - heldOut!.labels)
    expect(heldOut!.labels).toBe(labelled.length)
  })

  it('follows a drift when it forgets', () => {
    const before = binaryEvidence(seededRandom(10), 1500, { slope: 1, bias: 2 })
    const after = binaryEvidence(seededRandom(11), 500, { slope: 1, bias: -2 }, undefined, 1500)
    const evidence = [...before, ...after]
    const slow = refit(null, evidence, MODEL, options).candidate
    const quick = refit(null, evidence, MODEL, { ...options, halfLife: 100 }).candidate
    const truth = 1 / (1 + Math.exp(-(2 - 2)))
    expect(Math.abs(atTwo(quick, after[0]!) - truth)).toBeLessThan(0.1)
    expect(Math.abs(atTwo(slow, after[0]!) - truth)).toBeGreaterThan(0.2)
  })

  it('judges by decisions made since the current one was served, when there are enough', () => {
    const evidence = binaryEvidence(seededRandom(12), 400, OVER_SURE).map((item, at) => ({ ...item, at }))
    const all = refit(null, evidence, MODEL, options).heldOut!.labels
    const unseen = refit(null, evidence, MODEL, { ...options, servedSince: 200 }).heldOut!.labels
    expect(unseen).toBe(200)
    expect(all).toBe(400)
    expect(refit(null, evidence, MODEL, { ...options, servedSince: 390 }).heldOut!.labels).toBe(all)
  })

  it('goes on learning after a first small fit, which has seen its own labels', () => {
    const evidence = binaryEvidence(seededRandom(22), 105, { slope: 1, bias: -2 }).map((item, at) => ({ ...item, at }))
    const first = refit(null, evidence.slice(0, 35), MODEL, options).candidate
    const { decision, heldOut } = refit(first, evidence, MODEL, { ...options, servedSince: 35 })
    expect(heldOut!.labels).toBe(70)
    expect(decision).toBe('serve')
  })

  it('says so where what is served has seen what it is judged by', () => {
    const heldOut = {
      labels: 60,
      states: 60,
      current: 0.1,
      candidate: 0.4,
      interval: [0.2, 0.4] as const,
      right: { current: 1, candidate: 0.8 },
    }
    expect(whyWorse(heldOut, true)).toContain('was fitted on most of these labels')
    expect(whyWorse(heldOut, false)).not.toContain('was fitted on')
    expect(whyWorse({ ...heldOut, candidate: 0.1 }, true)).toBeNull()
  })

  it('remembers the states that were fitted on before, so that nobody measures on them unawares', () => {
    const [old, later] = [0, 1200].map((first) => binaryEvidence(seededRandom(26), 1200, OVER_SURE, undefined, first))
    const small = fitCalibration(old!.slice(0, 40), MODEL)
    const { fittedOn } = mergeCalibrations({ ...small, fittedOn: summaryOf(old!) }, { ...small, fittedOn: summaryOf(later!) })
    expect(fittedOn).toMatchObject({ decisions: 1200 })
    expect([old!, later!, [...old!, ...later!]].map((evidence) => fittedShare(fittedOn, evidence))).toEqual([1, 1, 1])
    expect(fittedShare(fittedOn, binaryEvidence(seededRandom(26), 1200, OVER_SURE, undefined, 5000))).toBe(0)
  })

  it('takes sets and abstention from new labels only where these are enough', () => {
    const current = fitCalibration(binaryEvidence(seededRandom(24), 500, OVER_SURE), MODEL)
    const counted = (labels: number) => {
      const fitted = fitCalibration(binaryEvidence(seededRandom(25), labels, OVER_SURE, undefined, 500), MODEL)
      return mergeCalibrations(current, fitted).heldOut.binary!.count
    }
    expect(counted(12)).toBe(500)
    expect(counted(250)).toBe(250)
  })

  it('counts weighted labels for what they stand for', () => {
    // Right answers are labelled one time in ten: unweighted, the model looks hopeless.
    const random = seededRandom(13)
    const labelled = binaryEvidence(random, 4000, { slope: 1, bias: 0 }).flatMap((item) => {
      const isWrong = item.single[0]![item.truth[0]!]! < Math.log(0.5)
      return isWrong || random() < 0.1 ? [{ ...item, weight: isWrong ? 1 : 10 }] : []
    })
    const weighted = refit(null, labelled, MODEL, options).candidate
    const blind = fitCalibration(
      labelled.map((item) => ({ ...item, weight: 1 })),
      MODEL,
    )
    const truth = 1 / (1 + Math.exp(-2))
    expect(Math.abs(atTwo(weighted, labelled[0]!) - truth)).toBeLessThan(0.05)
    expect(Math.abs(atTwo(blind, labelled[0]!) - truth)).toBeGreaterThan(0.2)
  })

  it('takes a calibration of another revision for none', () => {
    const other = fitCalibration(binaryEvidence(seededRandom(14), 300, OVER_SURE), { ...MODEL, revision: 'revision-2' })
    const evidence = binaryEvidence(seededRandom(15), 300, OVER_SURE)
    expect(refit(other, evidence, MODEL, options)).toEqual(refit(null, evidence, MODEL, options))
  })

  it('puts into the file what decisions look like now', () => {
    const evidence = binaryEvidence(seededRandom(16), 300, OVER_SURE)
    const window = binaryEvidence(seededRandom(17), 700, OVER_SURE)
    const { candidate } = refit(null, evidence, MODEL, { ...options, window })
    expect(candidate!.reference?.['q'.repeat(16)]?.top?.counts.reduce((a, b) => a + b)).toBe(700)
  })
})

/** As refit splits by default: a fifth of the states, held against its count of held-out labels above. */
function isHeldOut(item: Evidence): boolean {
  return partOf(item.state, 0.2) === 0
}

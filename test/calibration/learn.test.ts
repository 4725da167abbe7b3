// Heads learned from simulated labels: recovered when there is something to learn, refused when there is not.
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { applyHead, type Head, headSchema, isHeadFor } from '../../src/calibration/heads/head.ts'
import { type FeaturedEvidence, learnHead, learnHeads } from '../../src/calibration/heads/learn.ts'
import { logSoftmax } from '../../src/core/math.ts'
import { seededRandom } from '../../src/core/random.ts'
import { draw, row, sigmoid } from './simulated.ts'

const WIDTH = 24

/** A normal number, by the sum of twelve. */
function normal(random: () => number): number {
  let sum = -6
  for (let i = 0; i < 12; i++) sum += random()
  return sum
}

interface World {
  readonly count: number
  readonly candidates: number
  /** How much the features say beyond the model: deviation of the true weights. */
  readonly hidden: number
  readonly seed: number
  readonly question?: string
}

/** Truths are drawn from softmax(z + W f); the model says softmax(z) only. */
function simulate({ count, candidates, hidden, seed, question = 'aaaa' }: World): FeaturedEvidence[] {
  const random = seededRandom(seed)
  const weights = Array.from({ length: candidates }, () => Array.from({ length: WIDTH }, () => hidden * normal(random)))
  return Array.from({ length: count }, (_, i) => {
    const start = logSoftmax(Array.from({ length: candidates }, () => normal(random)))
    // A mean other than 0 and a scale other than 1: heads take features as they come.
    const features = Float32Array.from({ length: WIDTH }, () => 3 + 0.2 * normal(random))
    const logits = start.map((z, k) => z + weights[k]!.reduce((sum, w, j) => sum + w * 5 * (features[j]! - 3), 0))
    const truth = [draw(random, logSoftmax(logits).map(Math.exp))]
    return { evidence: evidenceOf({ state: `state ${i}`, single: [start], truth, question }), features }
  })
}

function evidenceOf(part: Pick<Evidence, 'state' | 'single' | 'truth' | 'question'> & Partial<Evidence>): Evidence {
  return { task: 'simulated', readout: 'exclusive', hasImage: false, wording: 'w', deliberated: null, mass: 1, ...part }
}

function meanLoss(labelled: readonly FeaturedEvidence[], rowsOf: (one: FeaturedEvidence) => readonly (readonly number[])[]): number {
  const losses = labelled.map((one) => {
    const rows = rowsOf(one)
    return -one.evidence.truth.reduce((sum, truth, row) => sum + Math.log(rows[row]![truth]!), 0) / rows.length
  })
  return losses.reduce((a, b) => a + b, 0) / losses.length
}

const own = ({ evidence }: FeaturedEvidence) => evidence.single.map((row) => row.map(Math.exp))
const under = (head: Head) => (one: FeaturedEvidence) => applyHead(head, one.evidence.single, one.features)

describe('a learned head', () => {
  it('is chosen and lowers the loss of unseen decisions when the features know more than the model', () => {
    const all = simulate({ count: 1200, candidates: 4, hidden: 0.5, seed: 1 })
    const [learn, test] = [all.slice(0, 200), all.slice(200)]
    const { head, chosen, heldOut, priors } = learnHead(learn)
    expect(chosen).toBe(true)
    expect(priors?.weights).toBeGreaterThan(0)
    expect(heldOut!.interval[0]).toBeGreaterThan(0)
    expect(meanLoss(test, own) - meanLoss(test, under(head!))).toBeGreaterThan(0.25)
  })

  it('promises on held-out labels about what it keeps on unseen ones', () => {
    const all = simulate({ count: 3000, candidates: 3, hidden: 0.4, seed: 2 })
    const { head, heldOut } = learnHead(all.slice(0, 600))
    expect(heldOut!.n).toBe(600)
    expect(Math.abs(meanLoss(all.slice(600), under(head!)) - heldOut!.head)).toBeLessThan(0.06)
  })

  it('gains from more labels', () => {
    const all = simulate({ count: 1500, candidates: 4, hidden: 0.5, seed: 3 })
    const test = all.slice(500)
    const losses = [50, 150, 500].map((count) => meanLoss(test, under(learnHead(all.slice(0, count)).head!)))
    expect(losses[1]).toBeLessThan(losses[0]!)
    expect(losses[2]).toBeLessThan(losses[1]!)
  })

  it('is seldom chosen when the model already says all there is to say', () => {
    const chosen = Array.from(
      { length: 20 },
      (_, seed) => learnHead(simulate({ count: 80, candidates: 3, hidden: 0, seed: 100 + seed })).chosen,
    )
    expect(chosen.filter(Boolean).length).toBeLessThanOrEqual(3)
  })

  it('is not learned from fewer than 30 labels, unless that is asked for', () => {
    const all = simulate({ count: 29, candidates: 2, hidden: 2, seed: 4 })
    expect(learnHead(all)).toEqual({ head: null, chosen: false, heldOut: null, priors: null })
    expect(learnHead(all, { leastLabels: 20 })).toMatchObject({ head: { labels: 29 }, chosen: true })
  })

  it('must beat what is served, not only the model', () => {
    const all = simulate({ count: 200, candidates: 3, hidden: 0.5, seed: 5 })
    const { head, chosen } = learnHead(all)
    expect(chosen).toBe(true)
    const known = new Map(all.map((one) => [one.evidence, applyHead(head!, one.evidence.single, one.features)]))
    expect(learnHead(all, { served: (evidence) => known.get(evidence)! }).chosen).toBe(false)
  })

  it('comes out the same twice, and whatever the order of states in memory', () => {
    const all = simulate({ count: 120, candidates: 3, hidden: 0.5, seed: 6 })
    const first = learnHead(all)
    expect(learnHead(all)).toEqual(first)
    const turned = learnHead([...all].reverse()).head!
    for (const one of all.slice(0, 20)) {
      const [a, b] = [under(first.head!)(one)[0]!, under(turned)(one)[0]!]
      for (const [k, p] of a.entries()) expect(b[k]).toBeCloseTo(p, 3)
    }
  })

  it('keeps decisions on one state in one fold', () => {
    // Each state has five copies. If they were in several folds, a head would be tested on answers it was fitted on.
    const few = simulate({ count: 40, candidates: 4, hidden: 0, seed: 7 })
    const copies = Array.from({ length: 5 }, () => few).flat()
    const { heldOut } = learnHead(copies)
    expect(heldOut!.head).toBeGreaterThan(heldOut!.zeroShot - 0.1)
  })

  it('learns yes or no, levels between two, and every option of a select alone', () => {
    const random = seededRandom(8)
    const featured = Array.from({ length: 800 }, () => Float32Array.from({ length: WIDTH }, () => normal(random)))
    const yes = (p: number): number => (random() < p ? 0 : 1)

    const binary = featured.map((features, i) => {
      const part = { state: `b${i}`, question: 'b', readout: 'binary' as const, single: [row(normal(random))] }
      return { evidence: evidenceOf({ ...part, truth: [yes(sigmoid(2 * features[0]!))] }), features }
    })
    const select = featured.map((features, i) => {
      const part = { state: `s${i}`, question: 's', readout: 'independent' as const, single: [row(0), row(0)] }
      return { evidence: evidenceOf({ ...part, truth: [yes(sigmoid(3 * features[0]!)), yes(sigmoid(-3 * features[1]!))] }), features }
    })
    for (const labelled of [binary, select]) {
      const { head, chosen } = learnHead(labelled.slice(0, 250))
      expect(chosen).toBe(true)
      expect(meanLoss(labelled.slice(250), under(head!))).toBeLessThan(meanLoss(labelled.slice(250), own) - 0.15)
    }

    const levels = featured.map((features, i) => {
      const truth = [Math.min(2, Math.max(0, 1 + features[0]!))]
      return {
        evidence: evidenceOf({ state: `l${i}`, question: 'l', readout: 'ordinal', single: [logSoftmax([0, 0, 0])], truth }),
        features,
      }
    })
    const { head } = learnHead(levels.slice(0, 250))
    const expected = (one: FeaturedEvidence): number => under(head!)(one)[0]!.reduce((sum, p, k) => sum + k * p, 0)
    const errors = levels.slice(250).map((one) => Math.abs(expected(one) - one.evidence.truth[0]!))
    // Always saying the middle is off by 0.63 on average.
    expect(errors.reduce((a, b) => a + b, 0) / errors.length).toBeLessThan(0.4)
  })

  it('survives labels of one candidate only, features without any spread, and log-probabilities of minus infinity', () => {
    const all = Array.from({ length: 60 }, (_, i) => ({
      evidence: evidenceOf({ state: `${i}`, question: 'q', single: [[0, Number.NEGATIVE_INFINITY, -50]], truth: [i % 7 === 0 ? 1 : 0] }),
      features: new Float32Array(8).fill(1),
    }))
    const { head } = learnHead(all)
    const [row] = under(head!)(all[0]!)
    expect(row!.every((p) => p > 0 && p < 1)).toBe(true)
    expect(row!.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12)
  })

  it('refuses evidence of several questions, and checks', () => {
    const [a, b] = ['a', 'b'].map((question) => simulate({ count: 50, candidates: 3, hidden: 0, seed: 9, question }))
    expect(() => learnHead([...a!, ...b!])).toThrow('sort the evidence first')
    const checks = a!.map(({ evidence, features }) => ({ evidence: { ...evidence, readout: 'check' as const }, features }))
    expect(() => learnHead(checks)).toThrow('no head can be learned')
  })
})

describe('heads of many questions', () => {
  it('are learned where there are labels enough and a gain, and named by their question', () => {
    const good = simulate({ count: 150, candidates: 3, hidden: 0.7, seed: 10, question: 'good' })
    const plain = simulate({ count: 60, candidates: 3, hidden: 0, seed: 11, question: 'plain' })
    const few = simulate({ count: 20, candidates: 3, hidden: 0.7, seed: 12, question: 'few' })
    const blind = simulate({ count: 80, candidates: 3, hidden: 0.7, seed: 13, question: 'blind' }).map(({ evidence }) => ({
      evidence,
      features: null,
    }))
    const { heads, tried } = learnHeads([...plain, ...good, ...few, ...blind])
    expect(Object.keys(heads)).toEqual(['good'])
    expect(tried.map(({ question }) => question)).toEqual(['good', 'plain'])
    expect(headSchema.parse(JSON.parse(JSON.stringify(heads.good)))).toEqual(heads.good)
    const one = good[0]!
    const key = { question: 'good', readout: 'exclusive' as const }
    expect(isHeadFor(heads.good!, key, one.evidence.single, one.features)).toBe(true)
  })
})

import { describe, expect, it } from 'vitest'
import { type Evidence, samplesOf } from '../../src/calibration/evidence/evidence.ts'
import { fitTrees } from '../../src/calibration/fit.ts'
import { calibrateRows } from '../../src/calibration/hierarchy/apply.ts'
import { fitTree } from '../../src/calibration/hierarchy/hierarchical-fit.ts'
import { betweenGroupVariance, type CalibrationTrees, findMap } from '../../src/calibration/hierarchy/tree.ts'
import { temperature } from '../../src/calibration/maps/temperature.ts'
import { tilt } from '../../src/calibration/maps/tilt.ts'
import { type BinaryQuestion, binaryCase, binaryWorld, choiceWorld, row, sigmoid } from './simulated.ts'

const keyOf = (question: string) => ({ readout: 'binary', hasImage: false, wording: `w ${question}`, question }) as const
const at = (trees: CalibrationTrees | null, question: string, logOdds: number): number =>
  calibrateRows(trees, keyOf(question), 'single', [row(logOdds)]).probabilities[0]![0]!

/** Mean |p̂ - p| over log-odds as they were drawn. */
function distance(trees: CalibrationTrees | null, { name, w, c }: BinaryQuestion, called = name): number {
  let [sum, total] = [0, 0]
  for (let s = -5; s <= 5.6; s += 0.2) {
    const density = Math.exp(-((s - 0.3) ** 2) / (2 * 2.2 ** 2))
    sum += density * Math.abs(at(trees, called, s) - sigmoid(w * s + c))
    total += density
  }
  return sum / total
}
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('the variance between groups', () => {
  it('is the one of DerSimonian and Laird', () => {
    const estimates = [1.2, 2.6, 1.9, 0.9, 1.5, 3.5].map(Math.log)
    expect(betweenGroupVariance(estimates, [0.04, 0.25, 0.09, 0.01, 0.16, 0.49])).toBeCloseTo(0.1153584228, 8)
  })

  it('is nothing when groups agree', () => {
    expect(betweenGroupVariance([0.1, 0.11, 0.09], [0.04, 0.04, 0.04])).toBe(0)
  })

  it('is found again between questions that were drawn apart', () => {
    const { evidence } = binaryWorld({ questions: 40, labels: 150, seed: 3, slope: [-0.6, 0.3], bias: [-0.2, 0.5] })
    const { spread, parameters } = fitTrees(evidence).single.binary!
    // Each wording has one question, so only the sum of both levels shows.
    const [slope, bias] = [0, 1].map((i) => Math.sqrt(spread[1]![i]! + spread[2]![i]!)) as [number, number]
    expect(slope).toBeGreaterThan(0.15)
    expect(slope).toBeLessThan(0.45)
    expect(bias).toBeGreaterThan(0.35)
    expect(bias).toBeLessThan(0.65)
    expect(Math.abs(parameters[0]! + 0.6)).toBeLessThan(0.2)
  })
})

describe('a tree of maps', () => {
  const world = { questions: 30, seed: 2, slope: [-0.6, 0.3], bias: [-0.2, 0.5] } as const

  it('helps with ten labels a question, and more with more', () => {
    const errors = [0, 10, 50, 200].map((labels) => {
      const ofWorlds = [2, 3, 4].map((seed) => {
        const { questions, evidence } = binaryWorld({ ...world, seed, labels })
        const trees = labels === 0 ? null : fitTrees(evidence)
        return mean(questions.map((question) => distance(trees, question)))
      })
      return mean(ofWorlds)
    })
    const [raw, ten, fifty, twoHundred] = errors as [number, number, number, number]
    expect(ten).toBeLessThan(0.75 * raw)
    expect(fifty).toBeLessThan(0.85 * ten)
    expect(twoHundred).toBeLessThan(0.8 * fifty)
    expect(twoHundred).toBeLessThan(0.04)
  })

  it('says of an unseen question what its kind taught', () => {
    const improvements = [2, 3, 4, 5].map((seed) => {
      const { questions, evidence } = binaryWorld({ ...world, seed, labels: 50 })
      const others = fitTrees(evidence.filter(({ task }) => Number(task.slice(1)) >= 15))
      const unseen = questions.slice(0, 15)
      return [mean(unseen.map((question) => distance(others, question))), mean(unseen.map((question) => distance(null, question)))] as const
    })
    expect(mean(improvements.map(([fitted]) => fitted))).toBeLessThan(0.85 * mean(improvements.map(([, raw]) => raw)))
    const trees = fitTrees(binaryWorld({ ...world, labels: 50 }).evidence)
    const { note } = calibrateRows(trees, keyOf('unseen'), 'single', [row(1)])
    expect(note).toEqual({ applied: 'affine', level: 'kind', labels: 1500 })
  })

  it('is the middle of its questions, not of their labels', () => {
    // One question has forty times the labels of any other, and another slope.
    const small = binaryWorld({ questions: 20, labels: 50, seed: 3, slope: [-0.7, 0.1], bias: [0, 0.1] }).evidence
    const big = binaryWorld({ questions: 1, labels: 2000, seed: 4, slope: [0.7, 0], bias: [0, 0] }).evidence
    const renamed = big.map((one) => ({ ...one, wording: 'big', question: 'big', task: 'big' }))
    const [slope] = fitTrees([...small, ...renamed]).single.binary!.parameters
    expect(slope).toBeLessThan(-0.4)
  })

  it('is exactly its parent where there are no labels', () => {
    const { evidence } = binaryWorld({ ...world, labels: 20 })
    const trees = fitTrees(evidence)
    const kind = trees.single.binary!.children!['binary text any']!
    expect(findMap(trees, 'single', ['binary', 'binary text any', 'unseen', 'unseen'])!.parameters).toEqual(kind.parameters)
    expect(findMap(trees, 'single', ['binary', 'binary image any', 'unseen', 'unseen'])!.level).toBe('readout')
    expect(findMap(trees, 'single', ['exclusive', 'x', 'x', 'x'])).toBeNull()
  })

  it('knows the map of a question better the more labels it has', () => {
    const variances = [10, 40, 160].map((labels) => {
      const trees = fitTrees(binaryWorld({ ...world, labels }).evidence)
      return findMap(trees, 'single', ['binary', 'binary text any', 'w q0', 'q0'])!.variance
    })
    for (const i of [0, 1]) {
      expect(variances[1]![i]).toBeLessThan(variances[0]![i]!)
      expect(variances[2]![i]).toBeLessThan(variances[1]![i]!)
    }
  })

  it('stays finite when all labels of a question agree', () => {
    const evidence = Array.from({ length: 30 }, (_, i) =>
      binaryCase({ question: 'same', state: `s${i}`, logOdds: i / 10 - 1, isTrue: true }),
    )
    const p = at(fitTrees(evidence), 'same', 2)
    expect(p).toBeGreaterThan(0.8)
    expect(p).toBeLessThan(0.999)
    expect(at(fitTrees(evidence), 'same', -1)).toBeLessThan(p)
  })

  it('counts halved labels that stand there twice as the labels once', () => {
    const { evidence } = binaryWorld({ ...world, questions: 6, labels: 20 })
    const halved = [...evidence, ...evidence].map((one) => ({ ...one, weight: 0.5 }))
    const [once, twice] = [fitTrees(evidence), fitTrees(halved)]
    for (const s of [-4, -1, 0, 2]) expect(at(twice, 'q3', s)).toBeCloseTo(at(once, 'q3', s), 9)
  })

  it('rises with the log-odds at every node', () => {
    const trees = fitTrees(binaryWorld({ ...world, labels: 15 }).evidence)
    for (const question of ['q0', 'q7', 'unseen']) {
      const mapped = Array.from({ length: 61 }, (_, i) => at(trees, question, i / 2 - 15))
      expect(mapped.every((p, i) => i === 0 || p > mapped[i - 1]! || p > 0.999 || p < 0.001)).toBe(true)
    }
  })

  it('starts the deliberated maps from the single ones', () => {
    const { evidence } = binaryWorld({ ...world, labels: 100 })
    const some = evidence.map((one, i): Evidence => (i % 50 === 0 ? { ...one, deliberated: one.single } : one))
    const trees = fitTrees(some)
    expect(trees.deliberated.binary!.labels).toBe(60)
    expect(Math.abs(trees.deliberated.binary!.parameters[0]! - trees.single.binary!.parameters[0]!)).toBeLessThan(0.35)
    // A question without deliberated labels takes the step that its single map takes from its parent.
    const path = ['binary', 'binary text any', 'w q1', 'q1'] as const
    const without = { single: trees.single, deliberated: fitTrees(some.filter(({ task }) => task !== 'q1')).deliberated }
    const kinds = [without.deliberated, trees.single].map((tree) => tree.binary!.children!['binary text any']!.parameters)
    const found = findMap(without, 'deliberated', path)!
    const single = findMap(without, 'single', path)!
    expect(found.parameters[1]! - kinds[0]![1]!).toBeCloseTo(single.parameters[1]! - kinds[1]![1]!, 9)
  })
})

describe('maps of choices and scales', () => {
  it('find the temperature of choices', () => {
    const trees = fitTrees(choiceWorld({ questions: 10, labels: 150, candidates: 4, seed: 6, slope: 0.5 }))
    expect(Math.abs(trees.single.exclusive!.parameters[0]! - Math.log(0.5))).toBeLessThan(0.12)
  })

  it('give candidates a bias only when the first place may change', () => {
    const evidence = choiceWorld({ questions: 1, labels: 400, candidates: 3, seed: 7, slope: 0.8, biases: [0.8, 0, -0.8] })
    const samples = evidence.flatMap((one) => samplesOf(one, 'single'))
    const grown = (biasVariance: number) =>
      fitTree(samples, temperature, null, { biasVariance, biasLabels: 30, leastLabels: 1 }).tree.children!['exclusive text any']!.children![
        'w q0'
      ]!.children!.q0!
    expect(grown(0).biases).toBeUndefined()
    const biases = grown(0.25).biases!
    expect(biases.reduce((sum, bias) => sum + bias, 0)).toBeCloseTo(0, 9)
    expect(biases[0]).toBeGreaterThan(0.4)
    expect(biases[2]).toBeLessThan(-0.4)
  })

  it('find a lenient rater on a scale by the tilt, where the first place may change', () => {
    // True logits are the model's minus 0.6 for each level: it rates too high.
    const biases = [-2, -1, 0, 1, 2].map((x) => -0.6 * x)
    const evidence = choiceWorld({ questions: 4, labels: 300, candidates: 5, seed: 8, slope: 0.9, biases, readout: 'ordinal' })
    const samples = evidence.flatMap((one) => samplesOf(one, 'single'))
    const { tree } = fitTree(samples, tilt, null, { biasVariance: 0.25, biasLabels: 30, leastLabels: 5 })
    const wordings = Object.values(tree.children!['ordinal text 4-7']!.children!)
    const questions = wordings.flatMap(({ children }) => Object.values(children!))
    expect(questions).toHaveLength(4)
    for (const { parameters } of questions) {
      expect(Math.abs(parameters[1]! + 0.6)).toBeLessThan(0.15)
      expect(Math.abs(parameters[2]!)).toBeLessThan(0.12)
    }
  })

  it('leave the likeliest level of a scale where it is by default', () => {
    const biases = [-2, -1, 0, 1, 2].map((x) => -0.6 * x)
    const evidence = choiceWorld({ questions: 4, labels: 300, candidates: 5, seed: 8, slope: 0.9, biases, readout: 'ordinal' })
    const trees = fitTrees(evidence)
    for (const one of evidence) {
      const [row] = calibrateRows(trees, one, 'single', one.single).probabilities
      const [own] = one.single
      expect(row!.indexOf(Math.max(...row!))).toBe(own!.indexOf(Math.max(...own!)))
    }
  })

  it('believe in a model that is too sure before they see a label', () => {
    const one = choiceWorld({ questions: 1, labels: 1, candidates: 3, seed: 9, slope: 1 })
    const [lnW] = fitTrees(one).single.exclusive!.parameters
    expect(Math.abs(lnW! - temperature.parameters[0]!.prior.mean)).toBeLessThan(0.3)
  })
})

// Sets and thresholds against reference values, and by drawing: whether what is promised holds as often as it says.
import { describe, expect, it } from 'vitest'
import { abstentionThreshold, conformalSet, conformalThreshold } from '../../src/calibration/sets/conformal.ts'
import { seededRandom } from '../../src/core/random.ts'
import { expectClose } from './close.ts'

const TRUE_PROBABILITIES = [0.91, 0.85, 0.4, 0.77, 0.66, 0.95, 0.3, 0.58, 0.72, 0.88, 0.21, 0.63, 0.99, 0.52, 0.81, 0.45, 0.69, 0.93, 0.37]

describe('conformal sets', () => {
  it('are those of the reference', () => {
    expectClose([conformalThreshold(TRUE_PROBABILITIES, 0.1)!, conformalThreshold(TRUE_PROBABILITIES, 0.2)!], [0.7, 0.6], 1e-12)
    expect(conformalSet([0.55, 0.3, 0.15], conformalThreshold(TRUE_PROBABILITIES, 0.1)!)).toEqual([0, 1])
  })

  it('are refused when labels are too few, and always hold the top candidate', () => {
    for (const [n, alpha, isEnough] of [
      [8, 0.1, false],
      [9, 0.1, true],
      [18, 0.05, false],
      [19, 0.05, true],
      [0, 0.5, false],
    ] as const) {
      expect(conformalThreshold(new Array<number>(n).fill(0.9), alpha) !== null).toBe(isEnough)
    }
    expect(conformalSet([0.3, 0.4, 0.3], 0.1)).toEqual([1])
  })

  it('grow as fewer misses are asked for', () => {
    const p = [0.4, 0.25, 0.2, 0.15]
    const sizes = [0.5, 0.3, 0.2, 0.1, 0.06].map((alpha) => conformalSet(p, conformalThreshold(TRUE_PROBABILITIES, alpha)!).length)
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b))
    expect(sizes.at(-1)).toBeGreaterThan(sizes[0]!)
  })

  it('hold the truth as often as promised, even when the probabilities are wrong', () => {
    const random = seededRandom(71)
    const sample = (): { p: number[]; truth: number } => {
      const raw = [random(), random(), random(), random()].map((value) => value ** 2)
      const total = raw.reduce((sum, value) => sum + value, 0)
      const real = raw.map((value) => value / total)
      let at = random()
      let truth = 0
      while (truth < 3 && at >= real[truth]!) at -= real[truth++]!
      // What is said is much too sure.
      const sure = real.map((value) => value ** 3)
      return { p: sure.map((value) => value / sure.reduce((sum, each) => sum + each, 0)), truth }
    }
    let held = 0
    const trials = 3000
    for (let trial = 0; trial < trials; trial++) {
      const threshold = conformalThreshold(
        Array.from({ length: 39 }, sample).map(({ p, truth }) => p[truth]!),
        0.2,
      )!
      const { p, truth } = sample()
      if (conformalSet(p, threshold).includes(truth)) held += 1
    }
    // From 0.8 to 0.8 + 1/40, and a standard error of 0.0073; the top candidate in empty sets adds a little.
    expect(held / trials).toBeGreaterThan(0.78)
    expect(held / trials).toBeLessThan(0.86)
  })
})

describe('abstention', () => {
  const rising = (n: number): number[] => Array.from({ length: n }, (_, i) => (i + 0.5) / n)

  it('accepts everything when nothing is wrong, if there is enough of it', () => {
    const options = { maxRisk: 0.05, delta: 0.1 }
    const all = abstentionThreshold(rising(200), new Array<boolean>(200).fill(true), options)
    expect(all).toMatchObject({ accepted: 200, errors: 0, threshold: 0.0025 })
    expect(abstentionThreshold(rising(45), new Array<boolean>(45).fill(true), options)?.accepted).toBe(45)
    expect(abstentionThreshold(rising(44), new Array<boolean>(44).fill(true), options)).toBeNull()
    expect(abstentionThreshold([], [], options)).toBeNull()
  })

  it('comes to an end for a risk or a delta that is next to nothing', () => {
    const [confidences, isRight] = [rising(2000), new Array<boolean>(2000).fill(true)]
    expect(abstentionThreshold(confidences, isRight, { maxRisk: 0.05, delta: 1e-17 })).toMatchObject({ accepted: 2000, errors: 0 })
    expect(abstentionThreshold(confidences, isRight, { maxRisk: 1e-300, delta: 0.1 })).toBeNull()
  })

  it('gives up when the surest decisions err', () => {
    const confidences = rising(400)
    expect(
      abstentionThreshold(
        confidences,
        confidences.map((_, i) => i % 3 > 0),
        { maxRisk: 0.05, delta: 0.1 },
      ),
    ).toBeNull()
  })

  it('accepts equal confidences together or not at all', () => {
    const confidences = Array.from({ length: 300 }, (_, i) => (i < 100 ? 0.9 : 0.6))
    const found = abstentionThreshold(
      confidences,
      confidences.map((confidence, i) => confidence === 0.9 || i % 2 === 0),
      { maxRisk: 0.05, delta: 0.1 },
    )
    expect(found).toMatchObject({ threshold: 0.9, accepted: 100, errors: 0 })
  })

  it('breaks its promise no more often than delta says, and is of use', () => {
    const random = seededRandom(79)
    const trials = 400
    const maxRisk = 0.1
    let broken = 0
    let found = 0
    let coverage = 0
    for (let trial = 0; trial < trials; trial++) {
      // Wrong with probability (1 − c)/2, so decisions from c on are wrong (1 − c)/4 of the time; the risk is kept up
      // to c = 0.6.
      const confidences = Array.from({ length: 400 }, random)
      const isRight = confidences.map((confidence) => random() >= (1 - confidence) / 2)
      const chosen = abstentionThreshold(confidences, isRight, { maxRisk, delta: 0.1 })
      if (chosen === null) continue
      found += 1
      coverage += 1 - chosen.threshold
      if ((1 - chosen.threshold) / 4 > maxRisk) broken += 1
    }
    // A standard error of 1.5 points.
    expect(broken / trials).toBeLessThan(0.14)
    expect(found / trials).toBeGreaterThan(0.65)
    expect(coverage / found).toBeGreaterThan(0.2)
  })

  it('refuses a risk or a delta that is none', () => {
    expect(() => abstentionThreshold([1], [true], { maxRisk: 0, delta: 0.1 })).toThrow('maxRisk lies strictly between 0 and 1, received 0')
    expect(() => abstentionThreshold([1], [true], { maxRisk: 0.1, delta: 1 })).toThrow('delta lies strictly between 0 and 1, received 1')
  })
})

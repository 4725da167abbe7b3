// What is divided out of symbols, when symbols are read at all, and what a scoring.json may say. No model: arithmetic
// and data only.
import { describe, expect, it } from 'vitest'
import type { Branch } from '../../../../src/backends/backend.ts'
import { PROBE_HASH, readingOf } from '../../../../src/backends/prompted/probe.ts'
import {
  divideOut,
  estimateLogPrior,
  type ListScoring,
  parseScoring,
  readsSymbols,
  type Scoring,
  type SymbolBinding,
  scoringOf,
  symbolsUpTo,
} from '../../../../src/backends/prompted/scoring.ts'
import { EngineError } from '../../../../src/core/errors.ts'
import { logSoftmax, logSumExp } from '../../../../src/core/math.ts'

const logs = (...probabilities: number[]): number[] => probabilities.map(Math.log)
const shares = (logProbabilities: readonly number[]): number[] => logSoftmax(logProbabilities).map(Math.exp)
const expectClose = (got: readonly number[], wanted: readonly number[], digits: number): void => {
  expect(got).toHaveLength(wanted.length)
  got.forEach((value, i) => {
    expect(value).toBeCloseTo(wanted[i] as number, digits)
  })
}
/**
 * Rows of one item, [rotation][symbol], of a model whose answers are its prior times what it thinks of the candidate.
 */
const rotated = (prior: readonly number[], content: readonly number[]): number[][] =>
  prior.map((_, r) => logSoftmax(prior.map((logP, i) => logP + (content[(i + r) % content.length] as number))))

const size = (count: number, right: number, asked = 16): SymbolBinding => ({ count, asked, right, mass: 0.9 })
const bindingUpTo = (count: number): ListScoring => {
  const binding = [2, 4, 8].filter((one) => one <= count).map((one) => size(one, 16))
  const failed = [2, 4, 8].find((one) => one > count)
  const priors = binding.map((one) => [one.count, logSoftmax(Array.from({ length: one.count }, (_, at) => -at))])
  return { binding: failed === undefined ? binding : [...binding, size(failed, 9)], logPriors: Object.fromEntries(priors) }
}
const scoring: Scoring = scoringOf(
  { revision: 'weights', templateHash: 'words' },
  { probe: PROBE_HASH, exclusive: bindingUpTo(8), ordinal: bindingUpTo(2), binary: logs(0.7, 0.3), independent: null },
)
const branch = (readout: Branch['readout'], count: number): Branch => ({
  readout,
  instructions: '',
  candidates: Array.from({ length: count }, (_, i) => ({ name: `c${i}`, description: null })),
  image: null,
})

describe('the prior of symbols', () => {
  it('is the mean log-probability over all rotations, as in the reference', () => {
    // Research note, F7: three rotations by position.
    const observed = [logs(0.6, 0.25, 0.15), logs(0.5, 0.3, 0.2), logs(0.3, 0.3, 0.4)]
    const prior = estimateLogPrior([observed])
    expectClose(prior.map(Math.exp), [0.4671077921, 0.2942594699, 0.238632738], 4)
    const row = divideOut({ logProbabilities: observed[0] as number[], mass: 1 }, prior)
    expectClose(row.logProbabilities.map(Math.exp), [0.4649485602, 0.3075249307, 0.2275265091], 4)
  })

  it('is found again, whatever the candidates are', () => {
    const prior = logSoftmax([1.5, 0, -0.5, -1])
    const items = [rotated(prior, [3, 0, -1, 2]), rotated(prior, [-4, 1, 1, 0])]
    expectClose(estimateLogPrior(items), prior, 4)
  })

  it('is nothing where items agree on nothing, and whole where they agree on all', () => {
    const [one, other] = [logSoftmax([1, -1]), logSoftmax([-1, 1])]
    expectClose(estimateLogPrior([rotated(one, [0, 0]), rotated(other, [0, 0])]).map(Math.exp), [0.5, 0.5], 4)
    expectClose(estimateLogPrior([rotated(one, [0, 0]), rotated(one, [2, 0])]), one, 4)
    // Half agreed: shrunk, and to the same side.
    const between = estimateLogPrior([rotated(logSoftmax([1, -1]), [0, 0]), rotated(logSoftmax([0.2, -0.2]), [0, 0])])
    expect(between[0]).toBeGreaterThan(Math.log(0.5))
    expect((between[0] as number) - (between[1] as number)).toBeLessThan(1.2)
  })

  it('changes shares and leaves the mass', () => {
    const row = { logProbabilities: logs(0.02, 0.01, 0.01), mass: 0.04 }
    const divided = divideOut(row, logs(0.5, 0.25, 0.25))
    expect(divided.mass).toBe(0.04)
    expect(Math.exp(logSumExp(divided.logProbabilities))).toBeCloseTo(0.04, 12)
    expectClose(shares(divided.logProbabilities), [1 / 3, 1 / 3, 1 / 3], 12)
  })

  it('is that of the number of candidates, and of yes and no; beyond ten there is none', async () => {
    const reading = readingOf(scoring, async () => {
      throw new Error('nothing was to be asked')
    })
    expect(await reading.logPriorOf(branch('exclusive', 4))).toBe(scoring.exclusive.logPriors[4])
    expect(await reading.logPriorOf(branch('exclusive', 11))).toBeNull()
    // Read by texts.
    expect(await reading.logPriorOf(branch('ordinal', 3))).toBeNull()
    expect(await reading.logPriorOf(branch('binary', 2))).toBe(scoring.binary)
    expect(await reading.logPriorOf(branch('independent', 5))).toBeNull()
    await expect(reading.logPriorOf(branch('exclusive', 3))).rejects.toThrow('nothing was to be asked')
  })

  it('is asked for once when it is first needed, and again when that failed', async () => {
    let asked = 0
    let isDown = true
    const prior = logSoftmax([1, 0, -1])
    const reading = readingOf(scoring, async ({ candidates }) => {
      asked++
      if (isDown) throw new Error('busy')
      return [{ logProbabilities: prior, mass: candidates.length / 3 }]
    })
    await expect(reading.logPriorOf(branch('exclusive', 3))).rejects.toThrow('busy')
    isDown = false
    const [one, other] = await Promise.all([1, 2].map(() => reading.logPriorOf(branch('exclusive', 3))))
    expectClose(one as number[], prior, 4)
    expect(other).toBe(one)
    // Two items, three places each, and the one that failed.
    expect(asked).toBe(7)
  })
})

describe('symbols', () => {
  it('are read up to the largest number that the model tells apart', () => {
    expect(symbolsUpTo({ binding: [] })).toBe(0)
    expect(symbolsUpTo({ binding: [size(2, 15)] })).toBe(0)
    expect(symbolsUpTo({ binding: [size(2, 16), size(4, 16), size(8, 15)] })).toBe(4)
    expect(symbolsUpTo({ binding: [size(2, 16), size(4, 16), size(8, 16)] })).toBe(Number.POSITIVE_INFINITY)
    // 98 of 100 are enough, 97 are not.
    expect([98, 97].map((right) => symbolsUpTo({ binding: [size(2, right, 100)] }))).toEqual([2, 0])
  })

  it('are read by the way of asking, and yes and no always', () => {
    const reads = (readout: Branch['readout'], count: number): boolean => readsSymbols(scoring, branch(readout, count))
    expect([reads('exclusive', 26), reads('ordinal', 2), reads('ordinal', 3)]).toEqual([true, true, false])
    expect([reads('binary', 2), reads('independent', 40)]).toEqual([true, true])
  })
})

describe('scoring.json', () => {
  const json = (changes: object = {}) => JSON.parse(JSON.stringify({ ...scoring, ...changes }))

  it('says what was measured', () => {
    expect(parseScoring(json())).toEqual(scoring)
  })

  it('is doubted, with what is wrong and what to do', () => {
    const wrong: readonly [object, RegExp][] = [
      [{ format: 'assay-scoring/9' }, /format "assay-scoring\/9"/],
      [{ revision: 3 }, /no revision/],
      [{ exclusive: [] }, /exclusive\.binding/],
      [{ exclusive: { binding: [size(3, 3)], logPriors: {} } }, /has 3 candidates at place 0/],
      [{ exclusive: { binding: [size(2, 17)], logPriors: {} } }, /17 right of 16/],
      [{ exclusive: { binding: [{ ...size(2, 16), mass: 2 }], logPriors: {} } }, /mass 2/],
      // Priors for more than is read by symbols are from somewhere else.
      [{ ordinal: { ...bindingUpTo(2), logPriors: bindingUpTo(4).logPriors } }, /4 candidates, of which at most 2/],
      [{ exclusive: { ...bindingUpTo(8), logPriors: { 11: [] } } }, /11 candidates, of which at most 10/],
      [{ binary: [-1, -1] }, /not 2 log-probabilities/],
      [{ independent: [0.5, 0.5] }, /not 2 log-probabilities/],
    ]
    for (const [changes, message] of wrong) {
      const read = () => parseScoring(json(changes))
      expect(read).toThrow(message)
      expect(read).toThrow(/assay models probe/)
      expect(read).toThrow(EngineError)
    }
  })
})

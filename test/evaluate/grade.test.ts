// Grading, type by type, against numbers worked out by hand.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import { brierOf, entropyOf, logLossOf } from '../../src/evaluate/claim-scores.ts'
import { readTruth } from '../../src/evaluate/truth.ts'
import { kindOf } from '../../src/questions/index.ts'
import type { Decision } from '../../src/questions/shared/decision.ts'
import type { Claim, Grade } from '../../src/questions/shared/grade.ts'
import type { QuestionAnswer } from '../../src/wire/types.ts'

const grade = (answer: QuestionAnswer, truth: Json, accept: readonly Json[], decision: Decision | null): Grade | null =>
  kindOf(answer).grade(answer, truth, accept, decision)

const noul = (p: number): QuestionAnswer => ({ type: 'noul', noul: p })
const choice: QuestionAnswer = { type: 'choice', choice: 'b', probabilities: { c: 0.1, a: 0.2, b: 0.7 }, confidence: 0.7 }
const score: QuestionAnswer = {
  type: 'score',
  score: 1.2,
  legend: { 0: 'low', 1: 'mid', 2: 'high' },
  probabilities: { 0: 0.1, 1: 0.6, 2: 0.3 },
  confidence: 0.6,
}
const select: QuestionAnswer = { type: 'select', selected: ['x'], probabilities: { y: 0.4, x: 0.9 }, confidence: 0.54, order: ['x', 'y'] }
const fill = (value: string, rest: object = {}): QuestionAnswer => ({ type: 'fill', value, valid: true, confidence: 0.5, ...rest })
const extract = (value: string | null, rest: object = {}): QuestionAnswer => ({
  type: 'extract',
  value,
  valid: true,
  confidence: 0.5,
  ...rest,
})
type Corners = readonly [number, number, number, number]
const box = (coordinates: Corners | null): QuestionAnswer => ({
  type: 'extract',
  coordinates,
  center: null,
  image_size: [100, 100],
  valid: true,
  confidence: 0.5,
})

const right = (answer: QuestionAnswer, truth: Json, accept: readonly Json[] = []) => grade(answer, truth, accept, null)?.right ?? null
function claim(answer: QuestionAnswer, truth: Json): Claim {
  const found = grade(answer, truth, [], null)?.claim
  if (!found) throw new Error('no claim')
  return found
}

describe('a noul', () => {
  it('is right on the side of its truth, and half right on the fence', () => {
    expect([right(noul(0.8), true), right(noul(0.8), false), right(noul(0.5), true)]).toEqual([1, 0, 0.5])
  })

  it('costs the log of what it gave the truth, and the square of what it lacked', () => {
    expect(logLossOf(claim(noul(0.8), false))).toBeCloseTo(-Math.log(0.2), 12)
    expect(brierOf(claim(noul(0.8), false))).toBeCloseTo(0.64, 12)
    expect(entropyOf(claim(noul(0.5), false))).toBeCloseTo(1, 12)
  })

  it('whose truth lies between is graded by the expectation over it', () => {
    expect(logLossOf(claim(noul(0.8), 0.75))).toBeCloseTo(-0.75 * Math.log(0.8) - 0.25 * Math.log(0.2), 12)
    expect(right(noul(0.8), 0.75)).toBe(1)
  })
})

describe('a choice', () => {
  it('is graded by name, in the order of names', () => {
    const { names, probabilities, truth } = claim(choice, 'c')
    expect([names, probabilities, truth]).toEqual([['a', 'b', 'c'], [[0.2, 0.7, 0.1]], [2]])
    expect([right(choice, 'b'), right(choice, 'c')]).toEqual([1, 0])
    expect(brierOf(claim(choice, 'c'))).toBeCloseTo((0.04 + 0.49 + 0.81) / 2, 12)
  })

  it('between yes and no takes the truth of a claim, and elsewhere a boolean or a number as the name of an option', () => {
    const yesOrNo: QuestionAnswer = { type: 'choice', choice: 'yes', probabilities: { no: 0.2, yes: 0.8 }, confidence: 0.8 }
    const decision = { readout: 'binary', names: ['yes', 'no'] } as unknown as Decision
    const question = { type: 'choice', criteria: ['no', 'yes'] }
    const rightly = (truth: Json) => grade(yesOrNo, readTruth(question, truth) as Json, [], decision)?.right
    expect([true, false, 'yes', 0.9, 0.1].map(rightly)).toEqual([1, 0, 1, 1, 0])
    const numbered: QuestionAnswer = { type: 'choice', choice: '2', probabilities: { 1: 0.2, 2: 0.8 }, confidence: 0.8 }
    expect([2, '2', 1].map((truth) => right(numbered, readTruth(question, truth) as Json))).toEqual([1, 1, 0])
  })

  it('is not graded against an option that was not offered', () => {
    expect(grade(choice, 'd', [], null)).toBeNull()
  })
})

describe('a score', () => {
  it('is right on the nearest level, and its loss lies between the levels of a fractional truth', () => {
    expect([right(score, 1), right(score, 1.4), right(score, 1.5), right(score, 1.6)]).toEqual([1, 1, 0, 0])
    const [yes, no] = [0.9, 0.1].map((p): QuestionAnswer => {
      return { type: 'score', score: p, legend: { 0: 'no', 1: 'yes' }, probabilities: { 0: 1 - p, 1: p }, confidence: 0.9 }
    })
    // Decided as a claim, whose later candidate is no.
    const decision = { readout: 'binary', names: ['yes', 'no'] } as unknown as Decision
    expect([yes!, no!].map((one) => grade(one, 0.5, [], decision)?.right)).toEqual([0, 1])
    expect(logLossOf(claim(score, 1.25))).toBeCloseTo(-0.75 * Math.log(0.6) - 0.25 * Math.log(0.3), 12)
    expect(grade(score, 3, [], null)).toBeNull()
  })
})

describe('a select', () => {
  it('is right by the share of its options, and loses on each of them', () => {
    expect([right(select, ['x']), right(select, ['y']), right(select, ['x', 'y'])]).toEqual([1, 0, 0.5])
    expect(logLossOf(claim(select, ['y']))).toBeCloseTo(-(Math.log(0.1) + Math.log(0.4)) / 2, 12)
    expect(brierOf(claim(select, ['y']))).toBeCloseTo((0.81 + 0.36) / 2, 12)
    expect(grade(select, ['z'], [], null)).toBeNull()
  })
})

describe('a fill', () => {
  it('is right without regard to case and outer space, as a number, as a list, or as what is accepted besides', () => {
    expect([right(fill(' Paris'), 'paris'), right(fill('Paris'), 'Rome'), right(fill('Paris'), 'Rome', ['PARIS'])]).toEqual([1, 0, 1])
    expect([right(fill('14', { parsed: 14 }), 14), right(fill('14', { parsed: 14 }), '14.0')]).toEqual([1, 1])
    expect([right(fill('a, b', { parsed: ['a', 'b'] }), ['A', 'b']), right(fill('a', { parsed: ['a'] }), ['a', 'b'])]).toEqual([1, 0])
    expect(right(fill('Paris', { valid: false }), 'Paris')).toBe(0)
  })

  it('claims that it is right, with the probability of its check or else its own', () => {
    expect(claim(fill('Paris'), 'Paris')).toMatchObject({ readout: 'written', truth: [0] })
    expect(logLossOf(claim(fill('Paris', { confidence: 0.25 }), 'Paris'))).toBeCloseTo(-Math.log(0.25), 12)
    expect(claim(extract('A-7'), 'B-8')).toMatchObject({ readout: 'quote', truth: [1] })
    expect(claim(extract(null), null)).toMatchObject({ readout: 'not_there', truth: [0] })
    expect(grade(box([0, 0, 1, 1]), [0, 0, 1, 1], [], null)?.claim).toBeNull()
    expect(logLossOf(claim(fill('Paris', { check: 0.9 }), 'Rome'))).toBeCloseTo(-Math.log(0.1), 12)
    expect(logLossOf(claim(fill('Paris', { check: 0.9 }), 'paris'))).toBeCloseTo(-Math.log(0.9), 12)
  })
})

describe('a read', () => {
  it('is as right as a boolean says, unless it read the word itself', () => {
    const many: QuestionAnswer = { type: 'extract', values: ['b', 'a'], items: [], valid: true, confidence: 0.5 }
    const read = [extract('A-7'), extract(null), fill('Paris'), many]
    expect(read.map((one) => [right(one, true), right(one, false)])).toEqual(read.map(() => [1, 0]))
    expect([right(fill('false'), false), right(fill('False'), true), right(extract('true'), true)]).toEqual([1, 0, 1])
    expect(right(fill('Paris', { valid: false }), true)).toBe(0)
  })
})

describe('an extract', () => {
  it('is right when it says the words, or that they are not there', () => {
    expect([right(extract('A-7'), 'a-7'), right(extract(null), 'a-7'), right(extract(null), null), right(extract('x'), null)]).toEqual([
      1, 0, 1, 0,
    ])
  })

  it('of many is right when it says all of them, in any order', () => {
    const many: QuestionAnswer = { type: 'extract', values: ['b', 'a'], items: [], valid: true, confidence: 0.5 }
    expect([right(many, ['A', 'B']), right(many, ['a']), right(many, null)]).toEqual([1, 0, 0])
  })

  it('of a box is right from half of the area in common', () => {
    expect(grade(box([0, 0, 10, 10]), [0, 0, 10, 20], [], null)).toMatchObject({ right: 1, overlap: 0.5 })
    expect(grade(box([0, 0, 10, 10]), [0, 0, 10, 21], [], null)).toMatchObject({ right: 0 })
    expect([right(box(null), null), right(box(null), [0, 0, 1, 1]), right(box([0, 0, 1, 1]), null)]).toEqual([1, 0, 0])
    expect(grade(box(null), 'left', [], null)).toBeNull()
  })

  it('of many boxes has the F1 of the best matches, each box used once', () => {
    const boxes = (...all: Corners[]): QuestionAnswer => ({
      type: 'extract',
      boxes: all.map((coordinates) => ({ coordinates, center: [0, 0], confidence: 0.5 })),
      image_size: [100, 100],
      valid: true,
      confidence: 0.5,
    })
    expect(right(boxes([0, 0, 10, 10], [0, 0, 10, 9]), [[0, 0, 10, 10]])).toBeCloseTo(2 / 3, 12)
    expect(
      right(boxes([0, 0, 10, 10]), [
        [0, 0, 10, 10],
        [50, 50, 60, 60],
      ]),
    ).toBeCloseTo(2 / 3, 12)
    expect([right(boxes(), []), right(boxes(), [[0, 0, 1, 1]])]).toEqual([1, 0])
  })
})

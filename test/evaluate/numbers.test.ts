// The numbers of a report, against numbers worked out by hand and against worlds whose truth is known.
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/core/random.ts'
import { changeFrom } from '../../src/evaluate/baseline.ts'
import { casesOf, worstQuestions } from '../../src/evaluate/cases.ts'
import { confusionsOf } from '../../src/evaluate/confusions.ts'
import { checkRow, type Row, rowName } from '../../src/evaluate/dataset.ts'
import { limitsOf } from '../../src/evaluate/limits.ts'
import { evaluationOf, type Resampling } from '../../src/evaluate/numbers.ts'
import { diagramsOf, latencyBins, riskCurve } from '../../src/evaluate/report/curves.ts'
import { riskAt, weightedRisk } from '../../src/evaluate/risk.ts'
import { scoredAnswers } from '../../src/evaluate/scored-answers.ts'
import { calibratedRows, question, read, row } from './simulated.ts'

const resampling: Resampling = { resamples: 60, seed: 3 }
const FLOOR = 1e-5

describe('a distribution', () => {
  it('costs what it gave the truth, and its yardsticks what they would have', () => {
    const names = ['a', 'b', 'c']
    const rows = [0, 0, 1, 2].map((truth, at) =>
      row(at, [
        question({
          readout: 'exclusive',
          type: 'choice',
          names,
          probabilities: [[0.5, 0.3, 0.2]],
          single: [[0.8, 0.1, 0.1]],
          truth: [truth],
        }),
      ]),
    )
    const [first] = scoredAnswers(rows)
    expect(first!.scores.answered.logLoss).toBeCloseTo(-Math.log(0.5), 12)
    expect(Math.abs(first!.scores.uncalibrated.logLoss + Math.log(0.8))).toBeLessThan(FLOOR)
    expect(first!.scores.uniform.logLoss).toBeCloseTo(Math.log(3), 12)
    // In the other states a, b and c were true once each: one more for each, of six.
    expect(first!.scores.baseRate.logLoss).toBeCloseTo(Math.log(3), 12)
    // Of the last state the others say a twice, b once, c never.
    expect(scoredAnswers(rows)[3]!.scores.baseRate.logLoss).toBeCloseTo(-Math.log(1 / 6), 12)
    expect(first).toMatchObject({ probability: 0.5, outcome: 1, confidence: 0.5, isRight: true, weight: 1 })
    expect(scoredAnswers(rows)[2]).toMatchObject({ probability: 0.5, outcome: 0, isRight: false })
  })

  it('of a select is one of several that share its weight, each with a base rate of its own', () => {
    const select = (truth: readonly number[]) =>
      question({
        readout: 'independent',
        type: 'select',
        names: ['x', 'y'],
        probabilities: [
          [0.9, 0.1],
          [0.4, 0.6],
        ],
        truth,
      })
    const answers = scoredAnswers([row(0, [select([0, 1])]), row(1, [select([0, 0])]), row(2, [select([0, 1])])])
    expect(answers.map(({ weight }) => weight)).toEqual(new Array(6).fill(0.5))
    // x held in both other states, y in one of them: (2 + 1) / 4 and (1 + 1) / 4, the second for "no".
    expect(answers[0]!.scores.baseRate.logLoss).toBeCloseTo(-Math.log(3 / 4), 12)
    expect(answers[1]!.scores.baseRate.logLoss).toBeCloseTo(-Math.log(2 / 4), 12)
  })

  it('that was looked at again is held against the uncalibrated pool, and says how its leader fared before and after', () => {
    const again = question({ probabilities: [[0.6, 0.4]], single: [[0.3, 0.7]], deliberated: [[0.7, 0.3]], truth: [0] })
    const [answers] = scoredAnswers([row(0, [again])])
    expect(Math.abs(answers!.scores.uncalibrated.logLoss + Math.log(0.7))).toBeLessThan(FLOOR)
    expect(answers!.isRightAfter).toEqual({ single: false, deliberated: true })
    const { evaluation } = evaluationOf([row(0, [again]), row(1, [question({ probabilities: [[0.9, 0.1]], truth: [0] })])], resampling)
    expect(evaluation.deliberation).toEqual({ share: 0.5, decisions: 1, rightBefore: 0, rightAfter: 1 })
  })
})

describe('an evaluation', () => {
  it('of probabilities that are true as often as they say finds no calibration error beyond noise, and skill over every yardstick', () => {
    const { all } = evaluationOf(calibratedRows(1500, 1, 3), resampling).evaluation
    expect(all!.calibrationError.interval[0]).toBeLessThan(0.005)
    expect(Math.abs(all!.calibrationError.excess)).toBeLessThan(0.012)
    expect(all!.uncalibratedError.excess).toBeGreaterThan(0.05)
    for (const { difference, skill } of Object.values(all!.logLoss.against)) {
      expect(difference.interval[1]).toBeLessThan(0)
      expect(skill).toBeGreaterThan(0)
    }
    expect(all!.auroc).toBeGreaterThan(0.6)
    expect(all!.risk.at80).toBeLessThan(all!.risk.all)
  })

  it('is the same for the same seed, and has a width that shrinks with the data', () => {
    const width = (count: number) => {
      const { interval } = evaluationOf(calibratedRows(count, 2), resampling).evaluation.all!.accuracy
      return interval[1] - interval[0]
    }
    expect(width(400)).toBe(width(400))
    expect(width(1600) / width(100)).toBeCloseTo(0.25, 1)
  })

  it('says each task and type apart, and each task once in the means over tasks', () => {
    const rows = calibratedRows(300, 4).map((one) => (one.at < 100 ? { ...one, task: 'small' } : { ...one, task: 'large' }))
    const { tasks, types, macro, all } = evaluationOf(rows, resampling).evaluation
    expect(tasks.map(({ name, decisions }) => [name, decisions])).toEqual([
      ['large', 200],
      ['small', 100],
    ])
    expect(types.map(({ name }) => name)).toEqual(['noul'])
    expect(macro!.accuracy).toBeCloseTo((tasks[0]!.accuracy.value + tasks[1]!.accuracy.value) / 2, 12)
    expect(all!.accuracy.value).toBeCloseTo((2 * tasks[0]!.accuracy.value + tasks[1]!.accuracy.value) / 3, 12)
  })

  it('leaves failed rows out of the times, and counts how answers were calibrated', () => {
    const rows = [...calibratedRows(100, 5), row(1000, [], { ms: 1e9, error: { code: 'deadline_exceeded', message: '' } })]
    const { latency, calibrations, summary } = evaluationOf(rows, resampling).evaluation
    expect(latency).toMatchObject({ rows: 100, p50: 50.5, mean: 50.5, questionsPerRow: 1 })
    expect(calibrations).toEqual({ 'identity, none': 100 })
    expect(summary).toMatchObject({ rows: 101, failed: 1 })
    expect(latencyBins(rows).reduce((sum, bin) => sum + bin.rows, 0)).toBe(100)
  })

  it('of nothing but failures has no numbers, and of reads alone their share of right ones', () => {
    const none = evaluationOf([row(0, [], { error: { code: 'x', message: '' } })], resampling).evaluation
    expect(none).toMatchObject({ all: null, macro: null, latency: null, types: [], reads: [] })
    const rows = [row(0, [read(1, 0.9)]), row(1, [read(0, 0.2)])]
    expect(evaluationOf(rows, resampling).evaluation.reads).toMatchObject([{ name: 'fill', count: 2, right: 0.5, auroc: 1 }])
  })

  it('draws a diagram for all and for each type, and a curve of risk that ends at the error rate', () => {
    const rows = calibratedRows(400, 6)
    const mixed = rows.map((one, i) =>
      i % 2 === 0 ? one : { ...one, questions: one.questions.map((each) => ({ ...each, type: 'select' as const })) },
    )
    const { answers, evaluation } = evaluationOf(mixed, resampling)
    expect(diagramsOf(answers, resampling).map(({ name, distributions }) => [name, distributions])).toEqual([
      ['all types', 400],
      ['noul', 200],
      ['select', 200],
    ])
    expect(diagramsOf(scoredAnswers(rows), resampling)).toHaveLength(1)
    const last = riskCurve(answers).at(-1)!
    expect(last[0]).toBeCloseTo(1, 12)
    expect(last[1]).toBeCloseTo(1 - evaluation.all!.accuracy.value, 12)
  })
})

describe('the risk of answering', () => {
  const random = seededRandom(8)
  const decisions = Array.from({ length: 500 }, () => {
    const confidence = Math.round(random() * 50) / 50
    return { confidence, isRight: random() < confidence, weight: 1 }
  })

  it('is the published one where all weights are equal', () => {
    // Geifman & El-Yaniv 2017: the share of errors among the k surest, averaged over the orders of equal confidences.
    const surest = decisions.toSorted((a, b) => b.confidence - a.confidence)
    const wrong = (some: typeof surest): number => some.filter(({ isRight }) => !isRight).length
    const risks = surest.map(({ confidence }, i) => {
      const surer = surest.filter((one) => one.confidence > confidence)
      const equal = surest.filter((one) => one.confidence === confidence)
      return (wrong(surer) + (wrong(equal) * (i + 1 - surer.length)) / equal.length) / (i + 1)
    })
    const weighted = weightedRisk(decisions)
    expect(weighted.points).toHaveLength(risks.length)
    weighted.points.forEach(([, risk], i) => {
      expect(risk).toBeCloseTo(risks[i]!, 12)
    })
    expect(weighted.area).toBeCloseTo(risks.reduce((sum, risk) => sum + risk, 0) / risks.length, 12)
    const errors = wrong(surest)
    const oracle = surest.map((_, i) => Math.max(0, i + 1 - (surest.length - errors)) / (i + 1))
    expect(weighted.oracle).toBeCloseTo(oracle.reduce((sum, risk) => sum + risk, 0) / oracle.length, 2)
  })

  it('counts a weight of two as two decisions', () => {
    const [light, heavy] = [decisions.slice(0, 100), decisions.slice(100, 200)]
    const twice = weightedRisk([...light, ...heavy, ...heavy])
    const weighted = weightedRisk([...light, ...heavy.map((one) => ({ ...one, weight: 2 }))])
    expect(riskAt(weighted, 1)).toBeCloseTo(riskAt(twice, 1), 12)
    expect(weighted.area).toBeCloseTo(twice.area, 2)
  })

  it('does not depend on the order of decisions', () => {
    expect(weightedRisk(decisions.toReversed()).area).toBeCloseTo(weightedRisk(decisions).area, 12)
  })
})

describe('limits on the confidence', () => {
  const rows = [
    row(0, [question({ probabilities: [[0.95, 0.05]], truth: [0] }), { ...read(1, 0.85), id: 'r' }]),
    row(1, [question({ probabilities: [[0.15, 0.85]], truth: [1] }), { ...read(0, 0.3), id: 'r' }]),
    row(2, [{ ...question({ probabilities: [[0.7, 0.3]], truth: [1] }), right: 0 }]),
  ]

  it('say which share of the answers they let through, and how many of these are right', () => {
    const [all, ...each] = limitsOf(rows)
    expect(all).toMatchObject({ name: 'all', count: 5 })
    const at = (from: number) => all!.limits.find((limit) => limit.from === from)
    expect(at(0.6)).toEqual({ from: 0.6, share: 0.8, right: 0.75 })
    expect(at(0.8)).toEqual({ from: 0.8, share: 0.6, right: 1 })
    expect(at(0.99)).toEqual({ from: 0.99, share: 0, right: null })
    expect(each.map(({ name, count }) => [name, count])).toEqual([
      ['q', 3],
      ['r', 2],
    ])
  })

  it('are of all alone where there is one question, or each row asks its own', () => {
    expect(limitsOf([rows[2]!]).map(({ name }) => name)).toEqual(['all'])
    expect(limitsOf(Array.from({ length: 50 }, (_, at) => row(at, [{ ...read(1, 1), id: `q${at}` }]))).map(({ name }) => name)).toEqual([
      'all',
    ])
    expect(limitsOf([])).toEqual([])
  })

  it('lie on the curve of risk, whose points say their confidence', () => {
    const points = riskCurve(scoredAnswers(rows))
    expect(points.map(([, , confidence]) => confidence)).toEqual([0.95, 0.85, 0.7])
  })
})

describe('options taken for others', () => {
  const chosen = (truth: string, said: string, names = ['bank', 'card', 'loan']) => ({
    ...question({ type: 'choice', readout: 'exclusive', names, probabilities: [[0.5, 0.3, 0.2]], truth: [0], id: 'team' }),
    said,
    truth,
  })

  it('are counted beside how often each was true, the commonest first', () => {
    const said = ['card', 'bank', 'card', 'loan', 'bank']
    const rows = [...said.map((one, at) => row(at, [chosen('bank', one)])), row(9, [chosen('loan', 'loan')])]
    expect(confusionsOf(rows)).toEqual([
      { question: 'team', truth: 'bank', said: 'card', count: 2, of: 5 },
      { question: 'team', truth: 'bank', said: 'loan', count: 1, of: 5 },
    ])
  })

  it('are those of truths that are written as true, false or a share, too', () => {
    const names = ['yes', 'no']
    const asked = { ...question({ type: 'choice', names, probabilities: [[0.3, 0.7]], truth: [0], id: 'late' }), said: 'no' }
    const rows = [true, 0.8, 'yes'].map((truth, at) => row(at, [{ ...asked, truth }]))
    expect(confusionsOf(rows)).toEqual([{ question: 'late', truth: 'yes', said: 'no', count: 3, of: 3 }])
  })

  it('are left out where there are many options', () => {
    const many = Array.from({ length: 13 }, (_, i) => `option ${i}`)
    expect(confusionsOf([row(0, [chosen('option 0', 'option 1', many)])])).toEqual([])
    expect(confusionsOf([row(0, [chosen('option 0', 'option 1', many.slice(0, 12))])])).toHaveLength(1)
  })
})

describe('a change from a baseline', () => {
  const rows = calibratedRows(300, 9, 3)
  const uncalibrated = rows.map((one) =>
    row(
      one.at,
      one.questions.map((each) =>
        question({ probabilities: each.distribution!.single.map((r) => r.map(Math.exp)), truth: each.distribution!.truth }),
      ),
      { task: one.task },
    ),
  )

  it('is nothing against itself', () => {
    const { all, unmatched } = changeFrom(scoredAnswers(rows), scoredAnswers(rows), resampling)
    expect(unmatched).toBe(0)
    expect(all).toMatchObject({ distributions: 300, logLoss: { value: 0, interval: [0, 0] }, accuracy: { value: 0, interval: [0, 0] } })
  })

  it('is paired: a surely lower loss of the calibrated run over its own log-probabilities', () => {
    const { all, tasks } = changeFrom(scoredAnswers(uncalibrated), scoredAnswers(rows), resampling)
    expect(all!.logLoss.interval[1]).toBeLessThan(0)
    expect(tasks.map(({ name }) => name)).toEqual(['task 0', 'task 1'])
    expect(all!.accuracy.value).toBe(0)
  })

  it('leaves out what only one run has, or knows another truth of', () => {
    const other = uncalibrated
      .slice(0, 200)
      .map((one) => (one.at > 0 ? one : row(0, [question({ probabilities: [[0.5, 0.5]], truth: [0.25] })])))
    const { all, unmatched } = changeFrom(scoredAnswers(other), scoredAnswers(rows), resampling)
    expect([all!.distributions, unmatched]).toEqual([199, 102])
    expect(changeFrom([], scoredAnswers(rows), resampling)).toEqual({ unmatched: 300, all: null, tasks: [] })
  })
})

describe('rows of several runs that have one id', () => {
  const answers = (task: string, p: number) =>
    [1, 2, 3].map((at) => row(at, [question({ probabilities: [[p, 1 - p]], truth: [0] })], { id: `${at}`, task }))

  it('are compared with the row of the same task', () => {
    const [a, b] = [answers('a', 0.9), answers('b', 0.6)]
    const { all, unmatched, tasks } = changeFrom(scoredAnswers(a), scoredAnswers([...a, ...b]), resampling)
    expect([all!.distributions, unmatched, tasks.map(({ name }) => name)]).toEqual([3, 3, ['a']])
    expect(all!.logLoss.value).toBe(0)
    const twice = changeFrom(scoredAnswers(a), scoredAnswers([...a, ...answers('a', 0.9)]), resampling)
    expect([twice.all!.distributions, twice.unmatched]).toEqual([3, 3])
  })

  it('are shown apart, each with its own state', () => {
    const rows = [...answers('a', 0.1), ...answers('b', 0.2)]
    const sources = ['a', 'b'].map((task): [string, Row] => {
      const source = checkRow({ id: '1', task, state: `of ${task}`, questions: {}, truth: {} }, '', '', '/')
      return [rowName(source), { ...source, at: 0 }]
    })
    const cases = casesOf(worstQuestions(rows, { decisions: 6, reads: 0 }), new Map(sources))
    expect(cases).toHaveLength(6)
    expect(cases.map(({ id, task, state }) => [task, id, state])).toContainEqual(['b', '1', 'of b'])
    expect(cases.map(({ id, task, state }) => [task, id, state])).toContainEqual(['a', '1', 'of a'])
  })
})

describe('a truth halfway between two levels', () => {
  it('makes the later one right, in the grade and in every number', () => {
    const names = ['low', 'mid', 'high']
    const levels = [0, 1, 2].map((top, at) => {
      const probabilities = [names.map((_, k) => (k === top ? 0.8 : 0.1))]
      return row(at, [question({ readout: 'ordinal', type: 'score', names, probabilities, truth: [1.5] })])
    })
    expect(scoredAnswers(levels).map(({ isRight }) => isRight)).toEqual([false, false, true])
    const cases = casesOf(worstQuestions(levels, { decisions: 3, reads: 0 }), new Map())
    for (const { cases: answers } of cases)
      expect(answers[0]!.candidates!.flatMap(({ name, isTrue }) => (isTrue ? [name] : []))).toEqual(['high'])
  })
})

describe('the worst answers', () => {
  it('are the costliest, no more than a fifth of them of one task, then wrong reads by confidence', () => {
    const costly = calibratedRows(60, 10).map((one) => ({ ...one, task: one.at < 50 ? 'lost' : `task ${one.at}` }))
    const reads = [0.2, 0.9].map((confidence, i) => row(100 + i, [read(0, confidence)], { task: 'reads' }))
    const places = worstQuestions([...costly, ...reads], { decisions: 10, reads: 2 })
    const ids = places.map(({ row: { at } }) => at)
    expect(ids.slice(-2)).toEqual([101, 100])
    const losses = places.slice(0, -2).map(({ question: { logLoss } }) => logLoss!)
    expect(losses).toHaveLength(10)
    expect(losses).toEqual(losses.toSorted((a, b) => b - a))
    expect(places.filter(({ row: { task } }) => task === 'lost')).toHaveLength(2)
    const cases = casesOf(places, new Map())
    expect(cases.every(({ state }) => state === undefined)).toBe(true)
    expect(cases[0]!.cases[0]!.candidates!.map(({ isTrue }) => isTrue).filter(Boolean)).toHaveLength(1)
  })

  it('are as many as asked for where there are few tasks', () => {
    const one = calibratedRows(60, 10).map((row) => ({ ...row, task: 'only' }))
    const losses = worstQuestions(one, { decisions: 20, reads: 10 }).map(({ question: { logLoss } }) => logLoss!)
    expect(losses).toHaveLength(20)
    expect(losses).toEqual(losses.toSorted((a, b) => b - a))
    const two = one.map((row) => ({ ...row, task: row.at < 55 ? 'large' : 'small' }))
    const places = worstQuestions(two, { decisions: 20, reads: 10 })
    expect(places).toHaveLength(20)
    expect(places.filter(({ row: { task } }) => task === 'small').length).toBeGreaterThanOrEqual(4)
  })
})

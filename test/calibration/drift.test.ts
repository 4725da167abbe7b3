import { describe, expect, it } from 'vitest'
import { calibratorOf } from '../../src/calibration/calibration.ts'
import { labelledDrift, populationDrift } from '../../src/calibration/drift/drift.ts'
import { driftReferenceOf, driftReferenceSchema, observationsOf } from '../../src/calibration/drift/reference.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { seededRandom } from '../../src/core/random.ts'
import type { Calibrator } from '../../src/questions/shared/decision.ts'
import { BINARY, event } from './outcome-events.ts'
import { binaryEvidence, choiceEvidence, MODEL } from './simulated.ts'

const RUNS = 200
const FAIR = { slope: 1, bias: 0 }
/** The model's own probabilities, up to the floor of a millionth. */
const asIs: Calibrator = calibratorOf(null, MODEL)

/** Several questions over several kinds of decision. */
function traffic(random: () => number, count: number, mean = 0.3): Evidence[] {
  const evidence = [
    ...binaryEvidence(random, count, { ...FAIR, mean }, 'a'.repeat(16)),
    ...binaryEvidence(random, count, { ...FAIR, mean, spread: 1 }, 'b'.repeat(16)),
    ...choiceEvidence(random, count, { candidates: 3, slope: 1 }, 'c'.repeat(16)),
    ...choiceEvidence(random, count, { candidates: 12, slope: 1 }, 'd'.repeat(16)),
  ]
  return evidence.map((item) => ({ ...item, task: `ask ${item.question[0]}` }))
}

describe('drift without labels', () => {
  it.each([
    [400, 60],
    [60, 400],
    [150, 150],
  ])('alarms falsely in at most alpha of the runs, reference of %i and window of %i states', (before, now) => {
    const random = seededRandom(before + now)
    const draw = (count: number): Evidence[] => [
      ...binaryEvidence(random, count, FAIR, 'a'.repeat(16)),
      ...choiceEvidence(random, count, { candidates: 3, slope: 1 }, 'c'.repeat(16)),
    ]
    let alarmed = 0
    for (let run = 0; run < RUNS; run++) {
      if (populationDrift(driftReferenceOf(draw(before)), draw(now), { alpha: 0.1, material: 0 }).length > 0) alarmed++
    }
    expect(alarmed / RUNS).toBeLessThanOrEqual(0.1)
  })

  it('asks for more than the folklore of 0.2 where samples are small, and for what matters where they are large', () => {
    const thresholdOf = (count: number): number | undefined => {
      const random = seededRandom(3)
      const reference = driftReferenceOf(binaryEvidence(random, count, FAIR))
      const moved = binaryEvidence(random, count, { ...FAIR, mean: 6 })
      return populationDrift(reference, moved, { material: 0.1 }).find(({ kind }) => kind === 'psi')?.threshold
    }
    expect(thresholdOf(60)).toBeGreaterThan(0.3)
    expect(thresholdOf(4000)).toBe(0.1)
  })

  it('sees a question whose decisions moved, names it, and leaves the others alone', () => {
    const random = seededRandom(4)
    const reference = driftReferenceOf(traffic(random, 500))
    const moved = [...traffic(random, 300).filter(({ question }) => question[0] !== 'a'), ...traffic(random, 300, 3).slice(0, 300)]
    const alarms = populationDrift(reference, moved)
    expect(alarms.length).toBeGreaterThan(0)
    const questions = alarms.filter(({ key }) => key.length === 16)
    expect(new Set(questions.map(({ key }) => key))).toEqual(new Set(['a'.repeat(16)]))
    expect(questions.map(({ measure }) => measure)).toContain('chosen')
    for (const { value, threshold, message } of alarms) {
      expect(value).toBeGreaterThan(threshold)
      expect(message).toContain('refit')
    }
    expect(questions[0]?.message).toContain('the question "ask a"')
  })

  it('sees a mass that left the one value it always had', () => {
    const random = seededRandom(5)
    const reference = driftReferenceOf(traffic(random, 200))
    const less = traffic(random, 200).map((item) => ({ ...item, mass: 0.6 }))
    const measures = new Set(populationDrift(reference, less).map(({ measure }) => measure))
    expect(measures).toEqual(new Set(['mass']))
  })

  it('counts a state once a question', () => {
    const random = seededRandom(6)
    const few = traffic(random, 40)
    const reference = driftReferenceOf([...few, ...few, ...few])
    // Forty states are too few for a question; two questions make a kind of eighty.
    expect(Object.keys(reference).sort()).toEqual(['binary text any', 'exclusive text any'])
    for (const { top } of Object.values(reference)) expect(top?.counts.reduce((a, b) => a + b)).toBe(80)
  })

  it('says nothing of keys without a reference or with few states', () => {
    const random = seededRandom(7)
    const reference = driftReferenceOf(binaryEvidence(random, 100, FAIR))
    expect(populationDrift(reference, binaryEvidence(random, 49, { ...FAIR, mean: 9 }))).toEqual([])
    expect(populationDrift(reference, choiceEvidence(random, 500, { candidates: 5, slope: 1 }))).toEqual([])
  })

  it('has a reference that is plain JSON, and small', () => {
    const reference = driftReferenceOf(traffic(seededRandom(8), 2000))
    expect(driftReferenceSchema.parse(JSON.parse(JSON.stringify(reference)))).toEqual(reference)
    expect(JSON.stringify(reference).length / Object.keys(reference).length).toBeLessThan(800)
  })

  it('takes the decisions of events as they are stored', () => {
    const [observation] = [...observationsOf([event('evt_1', 1)])]
    expect(observation).toMatchObject({ task: 'urgent', state: event('evt_1', 1).state, single: BINARY.single })
    expect(observation).not.toHaveProperty('names')
  })
})

describe('drift with labels', () => {
  it('alarms falsely in at most alpha of the runs, looked at after every label', () => {
    const random = seededRandom(11)
    let alarmed = 0
    for (let run = 0; run < RUNS; run++) {
      const evidence = [
        ...binaryEvidence(random, 120, FAIR, 'a'.repeat(16)),
        ...choiceEvidence(random, 120, { candidates: 4, slope: 1 }, 'b'.repeat(16)),
      ]
      // The peak of the wealth is compared with the threshold, so this covers every moment of looking.
      if (labelledDrift(evidence, asIs, { alpha: 0.1 }).length > 0) alarmed++
    }
    expect(alarmed / RUNS).toBeLessThanOrEqual(0.1)
  })

  it.each([
    ['over-sure', { slope: 0.5, bias: 0 }, 'all'],
    ['over-sure', { slope: 1, bias: -0.8 }, 'a'.repeat(16)],
    ['under-sure', { slope: 1, bias: 0.8 }, 'a'.repeat(16)],
  ] as const)('sees that a model is %s within 800 labels', (kind, world, key) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const alarms = labelledDrift(binaryEvidence(seededRandom(seed), 800, world, 'a'.repeat(16)), asIs)
      const found = alarms.find((alarm) => alarm.key === key)
      expect(found?.kind).toBe(kind)
      expect(found!.value).toBeGreaterThanOrEqual(found!.threshold)
      expect(found!.message).toContain('800 labels')
    }
  })

  it('is right about labels that were chosen by a known probability', () => {
    const random = seededRandom(12)
    let alarmed = 0
    let blind = 0
    for (let run = 0; run < RUNS; run++) {
      // Wrong answers are labelled always, right ones one time in four.
      const labelled = binaryEvidence(random, 250, FAIR).flatMap((item) => {
        const isWrong = item.single[0]![item.truth[0]!]! < Math.log(0.5)
        if (isWrong) return [{ ...item, weight: 1 }]
        return random() < 0.25 ? [{ ...item, weight: 4 }] : []
      })
      if (labelledDrift(labelled, asIs, { alpha: 0.1 }).length > 0) alarmed++
      const unweighted = labelled.map((item) => ({ ...item, weight: 1 }))
      if (labelledDrift(unweighted, asIs, { alpha: 0.1 }).length > 0) blind++
    }
    expect(alarmed / RUNS).toBeLessThanOrEqual(0.1)
    expect(blind / RUNS).toBeGreaterThan(0.5)
  })

  it('counts labels in its words, also where several are of one event', () => {
    const evidence = binaryEvidence(seededRandom(14), 400, { slope: 0.5, bias: 0 }, 'a'.repeat(16)).flatMap((item) => [item, item])
    const all = labelledDrift(evidence, asIs).find(({ key }) => key === 'all')
    expect(all).toMatchObject({ count: 400, message: expect.stringContaining('(800 labels)') })
  })

  it('bets once on the questions of one event', () => {
    const random = seededRandom(13)
    let alarmed = 0
    for (let run = 0; run < RUNS; run++) {
      // Eight questions with one and the same answer: as eight independent ones they would look like drift.
      const evidence = binaryEvidence(random, 60, FAIR).flatMap((item) =>
        Array.from({ length: 8 }, (_, i) => ({ ...item, question: String(i).repeat(16) })),
      )
      if (labelledDrift(evidence, asIs, { alpha: 0.1 }).some(({ key }) => key === 'all')) alarmed++
    }
    expect(alarmed / RUNS).toBeLessThanOrEqual(0.1)
  })
})

// What stands between a model's scores and the engine's probabilities: calibration, second looks, what is kept, sets
// and abstention.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeBackend, type FakeOptions } from '../../src/backends/fake/index.ts'
import type { Calibration } from '../../src/calibration/calibration.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { fit as fitCalibration } from '../../src/calibration/fit.ts'
import { memoryOutcomeStore } from '../../src/calibration/outcomes/memory-outcomes.ts'
import { seededRandom } from '../../src/core/random.ts'
import type { EngineOptions } from '../../src/pipeline/asking/options.ts'
import { createEngine, type EngineCore } from '../../src/pipeline/engine.ts'
import type { ChoiceAnswer, NoulAnswer, SelectAnswer } from '../../src/questions/index.ts'
import type { DecisionEvent } from '../../src/questions/shared/decision.ts'
import type { AskRequest } from '../../src/wire/types.ts'

async function engineOf(fake: FakeOptions = {}, options: Partial<EngineOptions> = {}) {
  const backend = createFakeBackend({ id: 'service-1-pro', ...fake })
  return { backend, engine: await createEngine({ models: [backend], ...options }) }
}

const INFO = createFakeBackend({ id: 'service-1-pro' }).info

/** Evidence of a model that says log-odds `s`, up to 6, where σ(s / factor) would be true. */
function overconfident(count: number, factor = 3, readout: Evidence['readout'] = 'binary'): Evidence[] {
  const random = seededRandom(7)
  return Array.from({ length: count }, (_, i) => {
    const logOdds = (random() - 0.5) * 12
    const isTrue = random() < 1 / (1 + Math.exp(-logOdds / factor))
    const yes = -Math.log1p(Math.exp(-logOdds))
    const row = [yes, yes - logOdds]
    return {
      task: 't',
      state: `s${i}`,
      readout,
      hasImage: false,
      wording: 'w',
      question: 'q',
      single: [row],
      deliberated: null,
      mass: 1,
      truth: [isTrue ? 0 : 1],
    }
  })
}

const calibrationFor = (evidence: readonly Evidence[]): Calibration =>
  fitCalibration(evidence, { id: INFO.id, revision: INFO.revision, templateHash: INFO.templateHash })

const NOUL: AskRequest = { state: 'A lamp.', questions: { lit: { type: 'noul', instructions: 'It is lit.' } } }
const askNoul = async (engine: EngineCore, options = {}) => (await engine.ask(NOUL, options)).answers.lit as NoulAnswer
const sure: FakeOptions = { score: ({ readout }) => (readout === 'binary' ? [[3, 0]] : null) }

describe('calibration', () => {
  const calibration = calibrationFor(overconfident(2000))

  it('corrects an overconfident model, and says with what', async () => {
    const { engine } = await engineOf(sure, { calibrations: [calibration] })
    const { answers, simo } = await engine.ask(NOUL)
    // The model says σ(3) = .95; of such claims σ(1) = .73 were true. All labels are of one task, so of another
    // question that is believed in part.
    expect((answers.lit as NoulAnswer).noul).toBeGreaterThan(0.68)
    expect((answers.lit as NoulAnswer).noul).toBeLessThan(0.86)
    expect(simo.calibration).toEqual({ version: calibration.version, applied: 'fitted' })
    expect(simo.questions.lit!.calibration).toMatchObject({ level: 'kind', labels: 2000 })
    expect(['affine', 'blend']).toContain(simo.questions.lit!.calibration!.applied)
  })

  it('leaves probabilities alone without one', async () => {
    const { engine } = await engineOf(sure)
    expect((await askNoul(engine)).noul).toBeCloseTo(1 / (1 + Math.exp(-3)), 4)
  })

  it('may change while the engine runs', async () => {
    const { engine } = await engineOf(sure)
    const raw = (await askNoul(engine)).noul
    engine.calibrate([calibration])
    const calibrated = await engine.ask(NOUL)
    expect((calibrated.answers.lit as NoulAnswer).noul).toBeLessThan(0.86)
    expect(calibrated.simo.calibration.version).toBe(calibration.version)
    engine.calibrate([])
    expect((await askNoul(engine)).noul).toBe(raw)
  })

  it('is not used on other weights than it was fitted on, and the answer says so', async () => {
    const other = fitCalibration(overconfident(2000), { id: INFO.id, revision: 'other', templateHash: INFO.templateHash })
    const { engine } = await engineOf(sure, { calibrations: [other] })
    const { answers, simo } = await engine.ask(NOUL)
    expect((answers.lit as NoulAnswer).noul).toBeCloseTo(1 / (1 + Math.exp(-3)), 4)
    expect(simo.calibration).toEqual({ version: null, applied: 'identity' })
    expect(simo.warnings.join()).toMatch(/fitted on another revision.*assay calibrate fit/)
  })

  it('keeps every invariant: finite, never 0 or 1, sums of one, rising with the score', async () => {
    const { engine } = await engineOf(
      { score: ({ readout, instructions }) => (readout === 'binary' ? [[Number(instructions), 0]] : null) },
      { calibrations: [calibration], deliberation: { passes: 1 } },
    )
    await fc.assert(
      fc.asyncProperty(fc.double({ min: -60, max: 60, noNaN: true }), fc.double({ min: 0.01, max: 5, noNaN: true }), async (low, step) => {
        const ask = async (logit: number) =>
          (await engine.ask({ state: 's', questions: { q: { type: 'noul', instructions: String(logit) } } })).answers.q as NoulAnswer
        const [lower, higher] = [(await ask(low)).noul, (await ask(low + step)).noul]
        expect(lower).toBeGreaterThan(0)
        expect(higher).toBeLessThan(1)
        expect(higher).toBeGreaterThanOrEqual(lower - 1e-12)
      }),
      { seed: 11, numRuns: 60 },
    )
  })
})

describe('deliberation', () => {
  const CHOICE: AskRequest = { state: 'A lamp.', questions: { colour: { type: 'choice', options: ['red', 'green', 'blue', 'grey'] } } }
  /** Knows the answer a little, and likes the first place a lot. */
  const placed: FakeOptions = {
    scorer: 'symbols',
    score: ({ readout, candidates }) =>
      readout === 'exclusive' ? [candidates.map(({ name }, place) => (name === 'blue' ? 0.8 : 0) + (place === 0 ? 1 : 0))] : null,
  }

  it('asks again in other orders when a model that reads by places is unsure, in rounds on one prefix', async () => {
    const { engine, backend } = await engineOf(placed)
    const { answers, simo } = await engine.ask(CHOICE)
    expect((answers.colour as ChoiceAnswer).choice).toBe('blue')
    expect(simo.questions.colour).toMatchObject({ deliberated: true, passes: 4 })
    expect(backend.calls.filter(({ type }) => type === 'open')).toHaveLength(1)
    const { engine: quick } = await engineOf(placed)
    const hasty = (await quick.ask(CHOICE, { deliberation: 'never' })).answers.colour as ChoiceAnswer
    expect((await quick.ask({ ...CHOICE, simo: { deliberation: 'never' } })).answers.colour).toEqual(hasty)
    expect((await quick.ask({ ...CHOICE, simo: { deliberation: 'always' } }, { deliberation: 'never' })).answers.colour).toEqual(hasty)
    expect(hasty.choice).toBe('red')
  })

  it('costs the caller nothing', async () => {
    const { engine } = await engineOf(placed)
    const [slow, quick] = [await engine.ask(CHOICE), await engine.ask(CHOICE, { deliberation: 'never' })]
    expect(slow.simo.passes).toBeGreaterThan(quick.simo.passes)
    expect(slow.usage).toEqual(quick.usage)
  })

  it('leaves sure questions alone', async () => {
    const { engine } = await engineOf({ score: ({ candidates }) => [candidates.map((_, i) => (i === 0 ? 9 : 0))] })
    const { simo } = await engine.ask(CHOICE)
    expect(simo.questions.colour).toMatchObject({ deliberated: false, passes: 1 })
  })

  it('stops where the budget of the request ends', async () => {
    const { engine, backend } = await engineOf(placed, { deliberation: { budget: 2 } })
    await engine.ask(CHOICE)
    expect(backend.calls.filter(({ type }) => type === 'score')).toHaveLength(3)
  })

  it('moves no probability by more than .02 when the options change places, of a model that moves by .4 without', async () => {
    const orders = [
      ['red', 'green', 'blue', 'grey'],
      ['blue', 'grey', 'red', 'green'],
      ['green', 'blue', 'grey', 'red'],
      ['grey', 'blue', 'green', 'red'],
    ]
    const spreadOf = async (deliberation: 'always' | 'never') => {
      const { engine } = await engineOf(placed, {
        deliberation: { passes: 5, operators: { exclusive: ['rotation-1', 'rotation-2', 'rotation-3'] } },
      })
      const blue = await Promise.all(
        orders.map(async (options) => {
          const { answers } = await engine.ask({ state: 's', questions: { q: { type: 'choice', options } } }, { deliberation })
          return (answers.q as ChoiceAnswer).probabilities.blue!
        }),
      )
      return Math.max(...blue) - Math.min(...blue)
    }
    expect(await spreadOf('never')).toBeGreaterThan(0.25)
    expect(await spreadOf('always')).toBeLessThan(0.02)
  })

  it.each([{ passes: 0 }, { passes: 1.5 }, { budget: Number.NaN }, { budget: -1 }])(
    'refuses settings that mean nothing: %j',
    async (deliberation) => {
      await expect(engineOf({}, { deliberation })).rejects.toMatchObject({ code: 'invalid_request' })
    },
  )

  it('refuses an operator it does not know, with the near names', async () => {
    await expect(engineOf({}, { deliberation: { operators: { binary: ['polarty'] } } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/"polarty".*polarity/),
    })
  })
})

describe('what was decided', () => {
  const REQUEST: AskRequest = {
    state: 'Two lamps, one is red.',
    questions: {
      lit: { type: 'noul', instructions: 'One is lit.' },
      kind: { type: 'choice', options: [{ value: 'lamp', args: { bright: { type: 'noul', instructions: 'It is bright.' } } }, 'torch'] },
      colours: { type: 'select', options: ['red', 'blue'] },
      count: { type: 'fill', kind: 'int', self_check: true },
      where: { type: 'extract' },
    },
  }
  const scripted: FakeOptions = { score: ({ readout }) => (readout === 'exclusive' ? [[4, 0]] : null) }

  it('is handed to who observes: names, log-probabilities, no state', async () => {
    const { engine } = await engineOf(scripted)
    const events: DecisionEvent[] = []
    const { id } = await engine.ask(REQUEST, { observe: (event) => events.push(event) })
    expect(events).toHaveLength(1)
    expect(events[0]!.id).toBe(id)
    expect(Object.keys(events[0]!.decisions)).toEqual(['lit', 'kind', 'kind/bright', 'colours', 'count', 'where'])
    expect(events[0]!.decisions.count!.readout).toBe('check')
    expect(events[0]!.decisions.where!.readout).toMatch(/quote|not_there/)
    expect(events[0]!.decisions.colours!.names).toEqual(['blue', 'red'])
    expect(JSON.stringify(events)).not.toContain('lamps')
  })

  it('names the same question alike whatever order its options come in', async () => {
    const { engine } = await engineOf()
    const keys: string[] = []
    for (const options of [
      ['a', 'b', 'c'],
      ['c', 'a', 'b'],
    ]) {
      await engine.ask(
        { state: 's', questions: { q: { type: 'choice', options } } },
        { observe: ({ decisions }) => keys.push(decisions.q!.question) },
      )
    }
    expect(keys[0]).toBe(keys[1])
  })

  it('can be told what was true', async () => {
    const outcomes = memoryOutcomeStore()
    const { engine } = await engineOf(scripted, { outcomes, now: () => 1_700_000_000_000 })
    const { id } = await engine.ask(REQUEST)
    const recorded = await engine.recordOutcome(id, {
      lit: true,
      kind: 'torch',
      'kind/bright': false,
      colours: ['red'],
      count: 2,
      where: true,
    })
    expect(recorded.recorded).toEqual(['lit', 'kind', 'kind/bright', 'colours', 'count', 'where'])
    const evidence = []
    for await (const one of outcomes.evidence()) evidence.push(one)
    expect(evidence.map(({ task, truth }) => [task, truth])).toEqual([
      ['lit', [0]],
      ['kind', [1]],
      ['kind/bright', [1]],
      ['colours', [1, 0]],
      ['count', [expect.any(Number)]],
      ['where', [0]],
    ])
  })

  it('refuses outcomes without a store, and of events that never were', async () => {
    const { engine } = await engineOf()
    await expect(engine.recordOutcome('evt_1', { lit: true })).rejects.toMatchObject({ code: 'invalid_request', message: /outcome store/ })
    const { engine: keeping } = await engineOf({}, { outcomes: memoryOutcomeStore() })
    await expect(keeping.recordOutcome('evt_1', { lit: true })).rejects.toMatchObject({ message: expect.stringMatching(/not known/) })
  })

  it('does not cost an answer when the store fails', async () => {
    const broken = { ...memoryOutcomeStore(), event: () => Promise.reject(new Error('disk full')) }
    const { engine } = await engineOf({}, { outcomes: broken })
    const { answers, simo } = await engine.ask(NOUL)
    expect(answers.lit).toBeDefined()
    expect(simo.warnings.join()).toMatch(/could not be kept/)
  })
})

describe('sets and abstention', () => {
  const calibration = calibrationFor([...overconfident(1000, 1.5), ...overconfident(1000, 1.5, 'independent')])
  const noulAt = (logOdds: number): FakeOptions => ({
    score: ({ readout, candidates }) =>
      readout === 'binary' ? [[logOdds, 0]] : readout === 'independent' ? candidates.map(() => [logOdds, 0]) : null,
  })

  it('gives one name where it is sure, and both where it is not', async () => {
    const { engine: certain } = await engineOf(noulAt(6), { calibrations: [calibration] })
    expect((await askNoul(certain, { sets: { coverage: 0.9 } })).set).toEqual(['true'])
    const { engine: unsure } = await engineOf(noulAt(0), { calibrations: [calibration] })
    expect((await askNoul(unsure, { sets: { coverage: 0.9 } })).set).toEqual(['true', 'false'])
  })

  it('covers what it says on fresh decisions', async () => {
    const { engine } = await engineOf(
      { score: ({ readout, instructions }) => (readout === 'binary' ? [[Number(instructions), 0]] : null) },
      { calibrations: [calibration], deliberation: { passes: 1 } },
    )
    const random = seededRandom(99)
    let covered = 0
    for (let i = 0; i < 400; i++) {
      const logOdds = (random() - 0.5) * 12
      const isTrue = random() < 1 / (1 + Math.exp(-logOdds / 1.5))
      const { answers } = await engine.ask(
        { state: 's', questions: { q: { type: 'noul', instructions: String(logOdds) } } },
        { sets: { coverage: 0.9 } },
      )
      covered += Number((answers.q as NoulAnswer).set!.includes(String(isTrue)))
    }
    // Three standard deviations of 400 draws, and of the threshold from 1 000 labels.
    expect(covered / 400).toBeGreaterThan(0.9 - 3 * Math.sqrt(0.09 / 400 + 0.09 / 1000))
  })

  it('withholds what is not sure enough for the risk, and only that', async () => {
    const { engine: certain } = await engineOf(noulAt(6), { calibrations: [calibration] })
    expect((await askNoul(certain, { abstain: { maxRisk: 0.1 } })).abstained).toBe(false)
    const { engine: unsure } = await engineOf(noulAt(0.5), { calibrations: [calibration] })
    expect((await askNoul(unsure, { abstain: { maxRisk: 0.1 } })).abstained).toBe(true)
  })

  it('names the options of a select that may hold', async () => {
    const { engine } = await engineOf(noulAt(-12), { calibrations: [calibration] })
    const { answers } = await engine.ask(
      { state: 's', questions: { q: { type: 'select', options: ['a', 'b'] } } },
      { sets: { coverage: 0.9 } },
    )
    expect((answers.q as SelectAnswer).set).toEqual([])
  })

  it('says nothing of either when it is not asked', async () => {
    const { engine } = await engineOf(noulAt(1), { calibrations: [calibration] })
    expect(await askNoul(engine)).not.toHaveProperty('set')
  })

  it.each([
    [{ sets: { coverage: 1.5 } }, /between 0 and 1/],
    [{ abstain: { maxRisk: 0 } }, /between 0 and 1/],
    [{ sets: { coverage: 0.9999 } }, /The question "lit": .* needs 9999 labelled claims, there are 1000/],
    [{ abstain: { maxRisk: 0.0001 } }, /The question "lit": With 1000 labelled claims, no confidence keeps the risk/],
  ])('refuses what it cannot promise: %j', async (options, message) => {
    const { engine } = await engineOf(noulAt(1), { calibrations: [calibration] })
    await expect(engine.ask(NOUL, options)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) })
  })

  it('says which question it refuses, and nothing of reads, which get neither', async () => {
    const { engine } = await engineOf(noulAt(6), { calibrations: [calibration] })
    const read = { type: 'fill', instructions: 'The total', self_check: true } as const
    const tone = { type: 'fill', kind: 'enum', instructions: 'The tone', values: ['calm', 'angry'] } as const
    const asked = { state: 's', questions: { total: read, tone, late: { type: 'noul', instructions: 'Late.' } } } as const
    const { answers } = await engine.ask(asked, { abstain: { maxRisk: 0.1 } })
    expect(answers.late).toMatchObject({ abstained: false })
    expect(answers.total).not.toHaveProperty('abstained')
    const refused = engine.ask(asked, { abstain: { maxRisk: 0.0001 } })
    await expect(refused).rejects.toMatchObject({ param: '/questions/late', message: expect.stringMatching(/^The question "late": /) })
  })

  it('asks for no more labels than a calibration keeps', async () => {
    const many = { ...calibration, heldOut: { binary: { ...calibration.heldOut.binary!, count: 50_000 } } }
    const { engine } = await engineOf(noulAt(1), { calibrations: [many] })
    const refused = engine.ask(NOUL, { sets: { coverage: 0.9999 } })
    await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(/needs 9999 .* keeps 1000; ask for less/) })
  })

  it('refuses without a calibration, with the next step', async () => {
    const { engine } = await engineOf()
    await expect(engine.ask(NOUL, { sets: { coverage: 0.9 } })).rejects.toMatchObject({
      message: expect.stringMatching(/assay calibrate fit/),
    })
  })
})

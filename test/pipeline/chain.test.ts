// A chain: every question goes to the first model, those on which it is unsure go on, and a model that is down is
// passed over.
import { describe, expect, it } from 'vitest'
import type { Backend } from '../../src/backends/backend.ts'
import { createFakeBackend, type FakeBackend, type FakeOptions } from '../../src/backends/fake/index.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { fit as fitCalibration } from '../../src/calibration/fit.ts'
import { memoryOutcomeStore } from '../../src/calibration/outcomes/memory-outcomes.ts'
import { eventLine, parseEvent } from '../../src/calibration/outcomes/outcome-lines.ts'
import type { Clock } from '../../src/core/deadline.ts'
import { EngineError } from '../../src/core/errors.ts'
import type { EngineOptions } from '../../src/pipeline/asking/options.ts'
import { chainOf } from '../../src/pipeline/chain.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import type { ModelSource } from '../../src/pipeline/models.ts'
import type { ExtractAnswer, NoulAnswer } from '../../src/questions/index.ts'
import { type DecisionEvent, ownDecisions } from '../../src/questions/shared/decision.ts'
import type { AskRequest, AskResponse } from '../../src/wire/types.ts'

/** A fake of its own revision that says so many log-odds for each statement, by its words. */
function model(id: string, logOdds: Readonly<Record<string, number>>, more: FakeOptions = {}): FakeBackend {
  const fake = createFakeBackend({
    id,
    score: ({ readout, instructions }) => (readout === 'binary' ? [[logOdds[instructions] ?? 0, 0]] : null),
    ...more,
  })
  return { ...fake, info: { ...fake.info, revision: `${id} weights` } }
}

const SMALL = { sure: 5, unsure: 0.3, torn: 0.01 }
const LARGE = { sure: -5, unsure: 4, torn: -4 }

function ask(...statements: readonly string[]): AskRequest {
  return { state: 'A lamp.', questions: Object.fromEntries(statements.map((one) => [one, { type: 'noul', instructions: one }])) }
}

const noulOf = ({ answers }: AskResponse, id: string): number => (answers[id] as NoulAnswer).noul
const engineOf = (models: EngineOptions['models'], options: Partial<EngineOptions> = {}) => createEngine({ models, ...options })
/** The instructions that a fake was asked, in order. */
const askedOf = ({ calls }: FakeBackend): string[] =>
  calls.flatMap((call) => (call.type === 'score' ? call.branches.map(({ instructions }) => instructions) : []))

/** A source whose model is never there. */
function down(id: string, code: 'model_not_available' | 'overloaded' = 'model_not_available'): ModelSource {
  return {
    id,
    load: async () => {
      throw new EngineError(code, `the model ${id} is away`)
    },
  }
}

describe('a chain', () => {
  it('asks the next model only what the one before it is unsure of, and says who answered', async () => {
    const [small, large] = [model('small', SMALL), model('large', LARGE)]
    const engine = await engineOf([chainOf([small, large])], { deliberation: { passes: 1 } })
    const response = await engine.ask(ask('sure', 'unsure', 'torn'))
    expect(response.model).toBe('chain')
    expect(noulOf(response, 'sure')).toBeGreaterThan(0.9)
    expect(noulOf(response, 'unsure')).toBeGreaterThan(0.9)
    expect(noulOf(response, 'torn')).toBeLessThan(0.1)
    expect(askedOf(small)).toEqual(['sure', 'unsure', 'torn'])
    expect(askedOf(large)).toEqual(['unsure', 'torn'])
    const { questions, chain, model_revision, warnings } = response.simo
    expect([questions.sure!.model, questions.unsure!.model, questions.torn!.model]).toEqual(['small', 'large', 'large'])
    expect(questions.unsure!.passes).toBe(2)
    expect(model_revision).toBe('small weights')
    expect(warnings).toEqual([])
    expect(chain).toMatchObject([
      { model: 'small', status: 'answered', asked: 3, answered: 1, revision: 'small weights' },
      { model: 'large', status: 'answered', asked: 2, answered: 2, revision: 'large weights' },
    ])
    // Two words of state for each model, and a word for each question it was asked with its two candidates.
    const tokens = chain!.reduce((sum, { input_tokens }) => sum + input_tokens, 0)
    expect(response.usage.input_tokens).toBe(tokens)
    await engine.close()
  })

  it('stops at the first model where all is sure, and does not load the next', async () => {
    let loads = 0
    const source: ModelSource = {
      id: 'large',
      load: async () => {
        loads += 1
        return model('large', LARGE)
      },
    }
    const engine = await engineOf([chainOf([model('small', SMALL), source])])
    const { simo } = await engine.ask(ask('sure'))
    expect(loads).toBe(0)
    expect(simo.chain![1]).toEqual({
      ...{ model: 'large', status: 'not_needed', asked: 0, answered: 0, revision: null, calibration: null },
      ...{ input_tokens: 0, passes: 0, ms: 0 },
    })
    await engine.close()
  })

  it('goes by the threshold of a stage, in general and by read-out', async () => {
    const by = async (threshold: number | { readonly binary: number }) => {
      const engine = await engineOf([chainOf([{ model: model('small', SMALL), threshold }, model('large', LARGE)])])
      const { simo } = await engine.ask(ask('sure', 'unsure'))
      await engine.close()
      return [simo.questions.sure!.model, simo.questions.unsure!.model]
    }
    expect(await by(1)).toEqual(['small', 'small'])
    expect(await by(0)).toEqual(['large', 'large'])
    expect(await by({ binary: 1 })).toEqual(['small', 'small'])
  })

  it('is unsure by what is left after calibration, of each stage its own', async () => {
    // Of what the small model says with log-odds 5, σ(5/10) = .62 was true: unsure, once it is calibrated.
    const evidence = Array.from({ length: 200 }, (_, i): Evidence => {
      const logOdds = (((i * 37) % 101) / 50 - 1) * 6
      const yes = -Math.log1p(Math.exp(-logOdds))
      const truth = [((i * 61) % 103) / 103 < 1 / (1 + Math.exp(-logOdds / 10)) ? 0 : 1]
      const key = { readout: 'binary', hasImage: false, wording: 'w', question: 'q' } as const
      return { task: 't', state: `s${i}`, ...key, single: [[yes, yes - logOdds]], deliberated: null, mass: 1, truth }
    })
    const [small, large] = [model('small', SMALL), model('large', LARGE)]
    const calibration = fitCalibration(evidence, { id: 'small', revision: 'small weights', templateHash: small.info.templateHash })
    const engine = await engineOf([chainOf([{ model: small, threshold: 0.3 }, large])], { calibrations: [calibration] })
    const { simo, answers } = await engine.ask(ask('sure'))
    expect(simo.questions.sure).toMatchObject({ model: 'large', calibration: { applied: 'identity' } })
    expect((answers.sure as NoulAnswer).noul).toBeLessThan(0.02)
    expect(simo.chain!.map((stage) => stage.calibration)).toEqual([calibration.version, null])
    await engine.close()
  })

  it('gives a read on where labels of reads say that it is unsure, and not without labels', async () => {
    const evidence = Array.from({ length: 300 }, (_, i): Evidence => {
      const key = { readout: 'quote', hasImage: false, wording: `w${i % 5}`, question: `q${i % 5}` } as const
      const single = [[Math.log(0.9), Math.log(0.1)]]
      return { task: `t${i % 5}`, state: `s${i}`, ...key, single, deliberated: null, mass: 1, truth: [i % 2] }
    })
    const request: AskRequest = { state: 'Ann sent 3 lamps.', questions: { who: { type: 'extract', instructions: 'Who sent it?' } } }
    const logProbability = Math.log(0.9)
    const span = { text: 'Ann', source: { part: 0, path: null }, start: 0, end: 3, logProbability }
    const quoting = (id: string) => model(id, SMALL, { read: () => ({ type: 'spans', spans: [span], logProbability }) })
    const small = quoting('small')
    const calibration = fitCalibration(evidence, { id: 'small', revision: 'small weights', templateHash: small.info.templateHash })
    const answeredBy = async (options: Partial<EngineOptions>) => {
      const engine = await engineOf([chainOf([{ model: quoting('small'), threshold: 0.8 }, quoting('large')])], options)
      const { simo } = await engine.ask(request)
      await engine.close()
      return simo.questions.who!.model
    }
    expect(await answeredBy({ calibrations: [calibration] })).toBe('large')
    expect(await answeredBy({})).toBe('small')
  })

  it('gives on within the budget of the request, the most uncertain first', async () => {
    const [small, large] = [model('small', SMALL), model('large', LARGE)]
    const engine = await engineOf([chainOf([small, large])], { deliberation: { passes: 1, budget: 1 } })
    const { simo } = await engine.ask(ask('unsure', 'torn'))
    expect([simo.questions.unsure!.model, simo.questions.torn!.model]).toEqual(['small', 'large'])
    await engine.close()
  })

  it('deliberates at a stage as that stage says', async () => {
    const by = async (deliberation: 'never' | 'always') => {
      const stage = { model: model('small', SMALL, { scorer: 'symbols' }), deliberation, threshold: 1 }
      const engine = await engineOf([chainOf([stage, model('large', LARGE)])])
      const { simo } = await engine.ask(ask('sure'))
      await engine.close()
      return simo.questions.sure!.deliberated
    }
    expect(await by('never')).toBe(false)
    expect(await by('always')).toBe(true)
  })

  it('is asked where a request names no model, and its stages where it names them', async () => {
    const chain = chainOf([model('service-1-pro', SMALL), model('large', LARGE)], { id: 'auto', name: 'Automatic' })
    const engine = await engineOf([chain])
    expect(engine.models()).toEqual([
      { id: 'service-1-pro', name: 'Fake', available: true, status: 'available' },
      { id: 'large', name: 'Fake', available: true, status: 'available' },
      { id: 'auto', name: 'Automatic', available: true, status: 'available', stages: ['service-1-pro', 'large'] },
    ])
    expect((await engine.ask(ask('unsure'))).model).toBe('auto')
    const alone = await engine.ask({ ...ask('unsure'), model: 'large' })
    expect(alone.model).toBe('large')
    expect(alone.simo.chain).toBeUndefined()
    expect(alone.simo.questions.unsure!.model).toBeUndefined()
    await engine.close()
  })
})

describe('a stage that cannot answer', () => {
  it('first: the next one answers all, and the answer says so', async () => {
    const engine = await engineOf([chainOf([down('small'), model('large', LARGE)])])
    const response = await engine.ask(ask('sure', 'unsure'))
    expect(response.simo.questions.sure!.model).toBe('large')
    expect(response.simo.warnings).toEqual(['The stage small of chain was passed over: the model small is away'])
    expect(response.simo.chain![0]).toMatchObject({ status: 'skipped', reason: 'the model small is away', input_tokens: 0 })
    await engine.close()
  })

  it('later: the answers of the one before it stand', async () => {
    const engine = await engineOf([chainOf([model('small', SMALL), down('large', 'overloaded')])])
    const response = await engine.ask(ask('unsure'))
    expect(noulOf(response, 'unsure')).toBeCloseTo(1 / (1 + Math.exp(-0.3)), 6)
    expect(response.simo.chain!.map(({ status, answered }) => [status, answered])).toEqual([
      ['answered', 1],
      ['skipped', 0],
    ])
    await engine.close()
  })

  it('in the middle of scoring: its tokens are not counted', async () => {
    const failing = model('large', LARGE, {
      score: () => {
        throw new EngineError('internal_error', 'the server hung up')
      },
    })
    const engine = await engineOf([chainOf([model('small', SMALL), failing])])
    const { usage, simo } = await engine.ask(ask('unsure'))
    expect(usage.input_tokens).toBe(simo.chain![0]!.input_tokens)
    expect(simo.warnings.join()).toContain('the server hung up')
    await engine.close()
  })

  it('all of them: the request fails with the last error, and leaves nothing behind', async () => {
    const outcomes = memoryOutcomeStore()
    const engine = await engineOf([chainOf([down('small'), down('large', 'overloaded')])], { outcomes })
    await expect(engine.ask(ask('sure'))).rejects.toMatchObject({ code: 'overloaded', message: 'the model large is away' })
    const kept = []
    for await (const event of outcomes.recent(1)) kept.push(event)
    expect(kept).toEqual([])
    await engine.close()
  })

  it('for a state that is too long or has pictures: a larger one takes it', async () => {
    const tiny = model('small', SMALL, { contextLength: 3 })
    const engine = await engineOf([chainOf([tiny, model('large', LARGE)])])
    const response = await engine.ask({ ...ask('unsure'), state: 'A lamp that is much too long for it.' })
    expect(response.simo.questions.unsure!.model).toBe('large')
    expect(response.simo.warnings.join()).toMatch(/small of chain was passed over: The state needs 9 tokens/)
    await engine.close()
  })

  it('for what is wrong with the question: it is the caller’s to mend, and no stage is passed over', async () => {
    const engine = await engineOf([chainOf([model('small', SMALL), model('large', LARGE)])])
    const sets = engine.ask(ask('sure'), { sets: { coverage: 0.9 } })
    await expect(sets).rejects.toMatchObject({ code: 'invalid_request' })
    await engine.close()
  })

  it('in a read: the question goes on, and the better answer is kept', async () => {
    const failing = (id: string) =>
      model(id, SMALL, {
        read: () => {
          throw new Error('no memory')
        },
      })
    const request: AskRequest = { state: 'Ann sent 3 lamps.', questions: { who: { type: 'extract', instructions: 'Who sent it?' } } }
    const engine = await engineOf([chainOf([failing('small'), model('large', LARGE), failing('huge')])])
    const { answers, simo } = await engine.ask(request)
    expect((answers.who as ExtractAnswer).valid).toBe(true)
    expect(simo.questions.who!.model).toBe('large')
    await engine.close()
  })
})

/** A clock that stands until it is told to move. */
function manualClock(): { readonly clock: Clock; pass(ms: number): void } {
  let now = 0
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  const clock: Clock = {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  }
  return {
    clock,
    pass(ms) {
      now += ms
      for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.run()
    },
  }
}

describe('time', () => {
  /** A backend that opens its states when it is told to. */
  function waiting(backend: Backend): { readonly backend: Backend; readonly opened: Promise<void>; letGo(): void } {
    let letGo = () => {}
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let onOpened = () => {}
    const opened = new Promise<void>((resolve) => {
      onOpened = resolve
    })
    const open: Backend['open'] = async (prompt) => {
      onOpened()
      await gate
      return backend.open(prompt)
    }
    return { backend: { ...backend, open }, opened, letGo: () => letGo() }
  }

  it('a later stage that is late leaves the answers of the one before it, within the deadline', async () => {
    const late = waiting(model('large', LARGE))
    const time = manualClock()
    const engine = await engineOf([chainOf([model('small', SMALL), late.backend])], { clock: time.clock })
    let hasEnded = false
    const asked = engine.ask(ask('unsure'), { deadlineMs: 2000 }, { ended: () => (hasEnded = true) })
    await late.opened
    time.pass(1750)
    const response = await asked
    expect(response.simo.questions.unsure!.model).toBe('small')
    expect(response.simo.chain![1]!.reason).toBe('the model large had not answered after 1750 ms')
    // The stage still works on it, so the engine says that it has ended only after that.
    expect(hasEnded).toBe(false)
    late.letGo()
    await engine.close()
    expect(hasEnded).toBe(true)
  })

  it('a stage that takes longer than it may is passed over', async () => {
    const late = waiting(model('small', SMALL))
    const engine = await engineOf([chainOf([{ model: late.backend, timeoutMs: 20 }, model('large', LARGE)])])
    const response = await engine.ask(ask('sure'))
    expect(response.simo.chain![0]).toMatchObject({ status: 'skipped', reason: 'the model small had not answered after 20 ms' })
    late.letGo()
    await engine.close()
  })

  it('the deadline of the request ends it where nothing was answered', async () => {
    const late = waiting(model('small', SMALL))
    const engine = await engineOf([chainOf([late.backend, model('large', LARGE)])])
    await expect(engine.ask(ask('sure'), { deadlineMs: 30 })).rejects.toMatchObject({
      code: 'deadline_exceeded',
      message: expect.stringContaining('deadline of 30 ms'),
    })
    late.letGo()
    await engine.close()
  })

  it('a caller who goes away stops the stage that runs', async () => {
    const late = waiting(model('large', LARGE))
    const engine = await engineOf([chainOf([model('small', SMALL), late.backend])])
    const caller = new AbortController()
    const asked = engine.ask(ask('unsure'), { signal: caller.signal })
    const outcome = expect(asked).rejects.toThrow('gone')
    await late.opened
    caller.abort(new Error('gone'))
    await outcome
    late.letGo()
    await engine.close()
  })
})

describe('what is kept', () => {
  it('is evidence for every model that decided, from one outcome', async () => {
    const outcomes = memoryOutcomeStore()
    const engine = await engineOf([chainOf([model('small', SMALL), model('large', LARGE)])], { outcomes })
    let event: DecisionEvent | null = null
    const { id } = await engine.ask(ask('sure', 'unsure'), { observe: (one) => (event = one) })
    await engine.recordOutcome(id, { sure: true, unsure: false })
    const evidence = []
    for await (const { task, model: by, truth, single } of outcomes.evidence())
      evidence.push([task, by.revision, truth, single[0]![0]! > -0.1])
    expect(evidence).toEqual([
      ['sure', 'small weights', [0], true],
      ['unsure', 'small weights', [1], false],
      ['unsure', 'large weights', [1], true],
    ])
    const kept = event as unknown as DecisionEvent
    expect(kept).toMatchObject({ model: 'small', revision: 'small weights' })
    expect(kept.decisions.unsure!.by).toMatchObject({ id: 'large', revision: 'large weights' })
    // What the small model decided, for its drift.
    expect(Object.keys(ownDecisions(kept))).toEqual(['sure', 'unsure'])
    expect(ownDecisions(kept).unsure!.single[0]![0]).toBeCloseTo(-Math.log1p(Math.exp(-0.3)), 6)
    // A line of the store gives back what was written.
    const line = eventLine({ ...kept, at: 1 })
    expect(parseEvent(line)!.event).toEqual({ ...kept, at: 1 })
    await engine.close()
  })
})

describe('what is refused', () => {
  it.each([
    ['one model', () => chainOf([model('small', SMALL)]), /2 to 8 models/],
    ['a threshold that is none', () => chainOf([{ model: 'a', threshold: 2 }, 'b']), /stage a of the chain chain.*from 0 to 1, received 2/],
    [
      'a read-out that is none',
      () => chainOf([{ model: 'a', threshold: { binray: 0.5 } as Record<string, number> }, 'b']),
      /no read-out "binray"; there is binary/,
    ],
    [
      'a mode of deliberation that is none',
      () => chainOf([{ model: 'a', deliberation: 'nope' as 'never' }, 'b']),
      /stage a .*deliberation is one of "automatic", "never", "always"; received "nope"\./,
    ],
    [
      'a misspelt option of a stage',
      () => chainOf([{ model: 'a', treshold: 0.2 } as never, 'b']),
      /^The stage a of the chain chain has no option "treshold"\. Did you mean "threshold"\?/,
    ],
    ['a misspelt option', () => chainOf(['a', 'b'], { nmae: 'x' } as never), /chainOf has no option "nmae"\. Did you mean "name"\?/],
    ['what is no model', () => chainOf([null as never, 'b']), /models\[0\] of the chain chain is a loaded backend, .*; received null\./],
    ['what is no list of models', () => chainOf('a' as never), /The models of a chain are an array; received a string\./],
    ['no time', () => chainOf([{ model: 'a', timeoutMs: 0 }, 'b']), /timeoutMs is a number of milliseconds above 0, received 0/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(message)
  })

  it('stages and ids that are not there, or are there twice', async () => {
    const small = model('small', SMALL)
    await expect(engineOf([small, chainOf(['small', 'lage'])])).rejects.toThrow(/the stage "lage", and there is no such model/)
    await expect(engineOf([small, chainOf([small, 'small'], { id: 'small' })])).rejects.toThrow(/has the id "small" already/)
  })
})

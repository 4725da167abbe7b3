import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { Backend, Prefix } from '../../src/backends/backend.ts'
import { createFakeBackend, type FakeOptions } from '../../src/backends/fake/index.ts'
import { memoryOutcomeStore } from '../../src/calibration/outcomes/memory-outcomes.ts'
import type { OutcomeStore } from '../../src/calibration/outcomes/outcomes.ts'
import { EngineError } from '../../src/core/errors.ts'
import type { EngineOptions } from '../../src/pipeline/asking/options.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { ENGINE_VERSION } from '../../src/pipeline/response.ts'
import type { AskRequest } from '../../src/wire/types.ts'

const QUESTIONS: AskRequest['questions'] = {
  angry: { type: 'noul', instructions: 'The customer is angry.' },
  topic: { type: 'choice', instructions: 'What is it about?', options: ['refund', 'delivery', 'praise'] },
  total: { type: 'extract', kind: 'number', self_check: true },
}
const REQUEST: AskRequest = { state: 'It arrived broken. I want 12.50 back.', questions: QUESTIONS }

async function engineOf(fake: FakeOptions = {}, options: Partial<EngineOptions> = {}) {
  const backend = createFakeBackend({ id: 'service-1-pro', ...fake })
  return { backend, engine: await createEngine({ models: [backend], ...options }) }
}

async function errorOf(work: Promise<unknown>): Promise<EngineError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}

const png = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#406080' } })
    .png()
    .toBuffer()
const image = async (width: number, height: number, id?: string) => {
  return { type: 'image', source: { type: 'bytes', bytes: new Uint8Array(await png(width, height)) }, ...(id ? { id } : {}) } as const
}

describe('the engine', () => {
  it('takes the label of a level for the truth of a score, as data sets do', async () => {
    const outcomes = memoryOutcomeStore()
    const { engine } = await engineOf({}, { outcomes })
    const mood = { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] } as const
    const { id } = await engine.ask({ state: 's', questions: { mood } })
    await engine.recordOutcome(id, { mood: 'annoyed' })
    expect((await outcomes.find(id))?.labels.mood?.truth).toEqual([1])
    expect((await errorOf(engine.recordOutcome(id, { mood: 'annoyd' }))).param).toBe('/outcomes/mood')
  })

  it('computes the expressions as they were when it was asked', async () => {
    const { engine } = await engineOf()
    const derive: Record<string, string> = { twice: 'angry * 2' }
    const asked = engine.ask({ ...REQUEST, derive })
    derive.twice = 'nothing_like_it'
    expect((await asked).answers.twice).toMatchObject({ valid: true })
  })

  it('answers about the state as it was when it was asked, and reads a Proxy as what it shows', async () => {
    const { engine, backend } = await engineOf()
    const state = { lamp: { colour: 'red' } }
    const parts = [
      { type: 'json' as const, value: state },
      { type: 'text' as const, text: 'on' },
    ]
    const asked = [state, new Proxy(state, {}), parts].map((one) => engine.ask({ ...REQUEST, state: one }))
    state.lamp.colour = 'blue'
    parts.push({ type: 'text', text: 'off' })
    await Promise.all(asked)
    const seen = backend.calls.flatMap((call) => (call.type === 'open' ? [call.prompt] : []))
    expect(seen.map(({ parts }) => JSON.stringify(parts?.[0]))).toEqual(
      seen.map(() => '{"type":"json","index":0,"value":{"lamp":{"colour":"red"}}}'),
    )
    expect(seen.map(({ parts }) => parts?.length)).toEqual([1, 1, 2])
    expect(structuredClone(seen)).toEqual(seen)
  })

  it('answers every question, and says how', async () => {
    const { engine, backend } = await engineOf({}, { makeId: () => 'evt_1', pricePerMillionInputTokens: 2, deliberation: { passes: 1 } })
    const response = await engine.ask({ ...REQUEST, derive: { worry: 'angry * 2' } })
    expect(response.id).toBe('evt_1')
    expect(response.model).toBe('service-1-pro')
    expect(Object.keys(response.answers)).toEqual(['angry', 'topic', 'total', 'worry'])
    expect(response.answers.worry).toMatchObject({ type: 'derive', valid: true })
    // Words: 7 of state, 4 + 2 and 4 + 3 of the scored branches with their candidates, 1 of the read ("total"), and
    // those of the check + 2.
    const check = backend.calls.flatMap((call) => (call.type === 'score' ? call.branches : [])).at(-1)!
    expect(check.instructions).toContain('Proposed answer')
    expect(response.usage.input_tokens).toBe(7 + 6 + 7 + 1 + check.instructions.split(/\s+/).length + 2)
    expect(response.usage.cost).toBe((response.usage.input_tokens * 2) / 1e6)
    expect(response.simo).toMatchObject({
      engine: `assay-engine/${ENGINE_VERSION}`,
      model_revision: backend.info.revision,
      calibration: { version: null, applied: 'identity' },
      passes: 3,
      cached_tokens: 0,
      warnings: [],
    })
    // Of a read that checks itself, the check is what was decided.
    expect(response.simo.questions.total).toEqual({
      entropy: expect.any(Number),
      mass: expect.any(Number),
      deliberated: false,
      passes: 2,
      calibration: { applied: 'identity', level: 'none', labels: 0 },
    })
    expect(response.simo.questions.topic!.entropy).toBeGreaterThan(0)
    expect(response.simo.questions.topic!.mass).toBeLessThanOrEqual(1)
  })

  it('says the version of its package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
    expect(ENGINE_VERSION).toBe(version)
  })

  it('makes ids of its own, each once', async () => {
    const { engine } = await engineOf()
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await engine.ask(REQUEST)).id))
    expect(new Set(ids).size).toBe(20)
    for (const id of ids) expect(id).toMatch(/^evt_[0-9a-f]{24}$/)
  })

  it('scores all questions of a round in one call', async () => {
    const { engine, backend } = await engineOf({}, { deliberation: { passes: 1 } })
    const questions = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`q${i}`, { type: 'noul' as const, instructions: `Claim ${i}.` }]),
    )
    const { simo } = await engine.ask({ state: 'A lamp.', questions })
    expect(backend.calls.map(({ type }) => type)).toEqual(['open', 'score', 'close prefix'])
    expect(simo.passes).toBe(1)
  })

  it('counts what comes from a cache without charging otherwise for it', async () => {
    const { engine } = await engineOf()
    const [cold, warm] = [await engine.ask(REQUEST), await engine.ask(REQUEST)]
    expect([cold.simo.cached_tokens, warm.simo.cached_tokens]).toEqual([0, 7])
    expect(warm.usage).toEqual(cold.usage)
    expect(warm.answers).toEqual(cold.answers)
  })

  it('takes its time from the clock it is given', async () => {
    let time = 0
    const clock = { now: () => time++, after: () => () => {} }
    const { engine } = await engineOf({}, { clock })
    const { simo } = await engine.ask(REQUEST)
    expect(Object.keys(simo.timings_ms)).toEqual(['read', 'load', 'open', 'ask', 'derive', 'total'])
    for (const ms of Object.values(simo.timings_ms)) expect(Number.isInteger(ms) && ms > 0).toBe(true)
  })

  it('says boxes in pixels of the image as sent', async () => {
    const box = { type: 'boxes', boxes: [{ image: 'shop', edges: [0.1, 0.2, 0.5, 0.6], logProbability: -1 }], logProbability: -1 } as const
    const { engine } = await engineOf({ read: () => box })
    const { answers } = await engine.ask({
      state: [await image(200, 100, 'shop'), { type: 'text', text: 'The shop.' }],
      questions: { save: { type: 'extract', kind: 'coordinates', instructions: 'The Save button' } },
    })
    expect(answers.save).toMatchObject({ coordinates: [20, 20, 100, 60], center: [60, 40], image_size: [200, 100], valid: true })
  })

  it('takes the id, the files and the permissions of one request', async () => {
    const { engine } = await engineOf({}, { state: { localFiles: true } })
    const request: AskRequest = {
      state: [{ type: 'image', source: { type: 'part', name: 'photo' } }],
      questions: { lit: { type: 'noul', instructions: 'It is lit.' } },
    }
    const files = new Map([['photo', new Uint8Array(await png(20, 10))]])
    const { id } = await engine.ask(request, { id: 'evt_mine', state: { files } })
    expect(id).toBe('evt_mine')
    // The files were of that request alone.
    expect((await errorOf(engine.ask(request))).param).toBe('/state/0/source/name')
    const local: AskRequest = { ...request, state: [{ type: 'image', source: { type: 'path', path: 'package.json' } }] }
    expect((await errorOf(engine.ask(local, { state: { localFiles: false } }))).message).toContain('Files of this machine are not read')
  })

  it('names unknown fields and goes on', async () => {
    const { engine } = await engineOf()
    const { simo } = await engine.ask({ ...REQUEST, temperature: 0 } as AskRequest)
    expect(simo.warnings).toEqual(['The field "temperature" is not known and was ignored.'])
  })
})

describe('images and questions', () => {
  const box = (image?: string) => ({ type: 'extract', kind: 'coordinates', ...(image === undefined ? {} : { image }) }) as const

  it('must fit together, and everything that does not is said at once', async () => {
    const { engine, backend } = await engineOf()
    const state = [await image(20, 10, 'front'), await image(20, 10, 'back')]
    const error = await errorOf(
      engine.ask({
        state,
        questions: {
          a: box(),
          b: { type: 'noul', image: 'frnt' },
          c: box('back'),
          d: { type: 'choice', options: ['x', 'y'], args: { where: box() } },
        },
      }),
    )
    expect(error.code).toBe('image_ambiguous')
    expect(error.problems.map(({ param }) => param)).toEqual(['/questions/a/image', '/questions/b/image', '/questions/d/args/where/image'])
    expect(error.problems[0]!.message).toContain('"front", "back"')
    expect(error.problems[1]!.message).toContain('Did you mean "front"?')
    expect(backend.calls).toEqual([])
  })

  it('need an image for coordinates', async () => {
    const { engine } = await engineOf()
    const error = await errorOf(engine.ask({ state: 'text', questions: { a: box() } }))
    expect([error.code, error.param]).toEqual(['invalid_question', '/questions/a/kind'])
  })

  it('need a model that can', async () => {
    const blind = await engineOf({ capabilities: { images: false, boxes: false } })
    const seen = await errorOf(blind.engine.ask({ state: [await image(8, 8)], questions: QUESTIONS }))
    expect([seen.code, seen.param]).toEqual(['capability_not_supported', '/state'])
    const wordy = await engineOf({ capabilities: { boxes: false } })
    const args = { where: box() }
    const state = [await image(8, 8)]
    const boxed = await errorOf(wordy.engine.ask({ state, questions: { d: { type: 'choice', options: ['x', 'y'], args } } }))
    expect([boxed.code, boxed.param]).toEqual(['capability_not_supported', '/questions/d/args/where/kind'])
  })
})

describe('what goes wrong on the way', () => {
  it('leaves a read that failed in its own answer, and the rest as it is', async () => {
    const broken = await engineOf({
      read: ({ instructions }) => {
        if (instructions === 'total') throw new Error('cannot open /secret/model.onnx')
        return null
      },
    })
    const sound = await engineOf()
    const [failed, whole] = [await broken.engine.ask(REQUEST), await sound.engine.ask(REQUEST)]
    expect(failed.answers.total).toMatchObject({ value: null, valid: false, error: expect.stringContaining('The model failed') })
    expect(JSON.stringify(failed)).not.toContain('secret')
    expect([failed.answers.angry, failed.answers.topic]).toEqual([whole.answers.angry, whole.answers.topic])
  })

  it('is an internal error when scoring fails, with the prefix closed and no word of this machine', async () => {
    let isBroken = true
    const { engine, backend } = await engineOf({
      score: () => {
        if (isBroken) throw new Error('cannot open /secret/model.onnx')
        return null
      },
    })
    const error = await errorOf(engine.ask(REQUEST))
    expect(error.code).toBe('internal_error')
    expect(error.message).not.toContain('secret')
    expect(backend.calls.at(-1)!.type).toBe('close prefix')
    isBroken = false
    await engine.ask(REQUEST)
  })

  it.each<[string, number[][]]>([
    ['too few rows', []],
    ['too few candidates', [[0]]],
    ['NaN', [[Number.NaN, 0]]],
    ['nothing possible', [[-Infinity, -Infinity]]],
  ])('is an internal error when a model breaks its contract: %s', async (_, logits) => {
    const { engine } = await engineOf({ score: () => logits })
    const error = await errorOf(engine.ask({ state: 's', questions: { a: { type: 'noul' } } }))
    expect(error.code).toBe('internal_error')
  })

  it('names the question that is too long', async () => {
    const { engine } = await engineOf({ contextLength: 60 })
    const long = { type: 'noul', instructions: 'word '.repeat(100) } as const
    const error = await errorOf(engine.ask({ state: 'A lamp.', questions: { a: { type: 'noul' }, b: long, c: long } }))
    expect(error.code).toBe('context_length_exceeded')
    expect(error.problems.map(({ param }) => param)).toEqual(['/questions/b', '/questions/c'])
    expect(error.message).toMatch(/104 tokens.*60/)
  })

  it('refuses a state beyond the context with the numbers', async () => {
    const { engine } = await engineOf({ contextLength: 60 })
    const error = await errorOf(engine.ask({ state: 'word '.repeat(61), questions: QUESTIONS }))
    expect(error.code).toBe('context_length_exceeded')
    expect(error.message).toMatch(/61 tokens.*60/)
  })
})

describe('a deadline', () => {
  const never = () => new Promise<null>(() => {})

  it('ends a request that takes too long, and leaves the prefix closed', async () => {
    let go = () => {}
    const gate = new Promise<null>((resolve) => {
      go = () => resolve(null)
    })
    const { engine, backend } = await engineOf({ score: () => gate })
    const error = await errorOf(engine.ask(REQUEST, { deadlineMs: 20 }))
    expect(error.code).toBe('deadline_exceeded')
    expect(error.message).toContain('20 ms')
    // The call it was in comes back later: nothing is asked behind it.
    go()
    await engine.close()
    expect(backend.calls.map(({ type }) => type)).toEqual(['open', 'score', 'close prefix', 'close'])
  })

  it('is held between calls too, when the thread was too busy for timers', async () => {
    let time = 0
    const clock = { now: () => time, after: () => () => {} }
    const { engine } = await engineOf(
      {
        score: () => {
          time += 100
          return null
        },
      },
      { clock },
    )
    expect((await errorOf(engine.ask(REQUEST, { deadlineMs: 50 }))).code).toBe('deadline_exceeded')
  })

  it('is the engine’s when the request has none', async () => {
    const { engine } = await engineOf({ score: never }, { deadlineMs: 15 })
    expect((await errorOf(engine.ask(REQUEST))).message).toContain('15 ms')
  })

  it.each([0, -1, Number.NaN])('of %d is refused', async (deadlineMs) => {
    const { engine } = await engineOf()
    expect((await errorOf(engine.ask(REQUEST, { deadlineMs }))).code).toBe('invalid_request')
  })

  it('may be endless', async () => {
    const { engine } = await engineOf()
    expect((await engine.ask(REQUEST, { deadlineMs: Number.POSITIVE_INFINITY })).answers.angry).toBeDefined()
  })

  it('gives way to a signal, whose reason comes out', async () => {
    const { engine } = await engineOf({ score: never })
    const controller = new AbortController()
    const work = engine.ask(REQUEST, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(work).rejects.toThrow('enough')
    await expect(engine.ask(REQUEST, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')
  })

  it('says when nothing works on a request any more: after the call of the model that it was stopped in, and once', async () => {
    let finish = () => {}
    const call = new Promise<void>((resolve) => {
      finish = resolve
    })
    const controller = new AbortController()
    const { engine } = await engineOf({
      score: async () => {
        controller.abort(new Error('enough'))
        await call
        return null
      },
    })
    let ended = 0
    const count = () => {
      ended += 1
    }
    await expect(engine.ask(REQUEST, { signal: controller.signal }, { ended: count })).rejects.toThrow('enough')
    expect(ended).toBe(0)
    finish()
    await engine.close()
    expect(ended).toBe(1)
    await expect(engine.ask(REQUEST, {}, { ended: count })).rejects.toThrow('closed')
    expect(ended).toBe(2)
  })

  it('reaches the model, also as a deadline, and the request is over when the model says so', async () => {
    const fake = createFakeBackend()
    let reason: unknown = null
    const backend: Backend = {
      ...fake,
      async open(prompt, signal) {
        const prefix = await fake.open(prompt)
        const score: Prefix['score'] = (_branches, given) =>
          new Promise((_, reject) => {
            expect(given).toBe(signal)
            // The pass it is in takes a while to end.
            given?.addEventListener('abort', () => {
              reason = given.reason
              setTimeout(() => reject(reason), 20)
            })
          })
        return { ...prefix, score }
      },
    }
    const engine = await createEngine({ models: [backend] })
    let ended = 0
    const error = await errorOf(engine.ask(REQUEST, { deadlineMs: 100 }, { ended: () => (ended += 1) }))
    expect([error.code, ended]).toEqual(['deadline_exceeded', 0])
    await engine.close()
    expect([reason, ended]).toEqual([error, 1])
  })

  it('leaves nothing behind when a signal comes during the last call of the model', async () => {
    const controller = new AbortController()
    const { engine } = await engineOf({
      score: () => {
        controller.abort(new Error('enough'))
        return null
      },
    })
    let observed = 0
    const one: AskRequest = { state: 'A lamp.', questions: { lit: { type: 'noul', instructions: 'It is lit.' } } }
    await expect(engine.ask(one, { signal: controller.signal, observe: () => observed++ })).rejects.toThrow('enough')
    await engine.close()
    expect(observed).toBe(0)
  })
})

describe('who counts the input tokens of a request', () => {
  const one: AskRequest = { state: 'A green lamp.', questions: { lit: { type: 'noul', instructions: 'It is lit.' } } }

  it('hears of them once the state is read and after each round, the last time of all', async () => {
    const { engine } = await engineOf({}, { deliberation: { passes: 1 } })
    const heard: number[] = []
    const { usage } = await engine.ask(REQUEST, {}, { counted: (inputTokens) => heard.push(inputTokens) })
    // The scored questions and the read in one round, the check of the read in the next.
    expect(heard).toEqual([7, 7 + 6 + 7 + 1, usage.input_tokens])
  })

  it.each([
    ['once the state is read', 3, ['open', 'close prefix']],
    ['after a round', 4, ['open', 'score', 'close prefix']],
  ])('ends it %s with what they throw, and nothing is kept', async (_, from, calls) => {
    const refusal = new TypeError('too dear')
    let kept = 0
    const outcomes = { event: async () => void kept++ } as unknown as OutcomeStore
    const { engine, backend } = await engineOf({}, { outcomes })
    const counted = (inputTokens: number) => {
      if (inputTokens >= from) throw refusal
    }
    let observed = 0
    await expect(engine.ask(one, { observe: () => observed++ }, { counted })).rejects.toBe(refusal)
    expect(backend.calls.map(({ type }) => type)).toEqual(calls)
    expect([kept, observed]).toEqual([0, 0])
  })
})

describe('models', () => {
  it('are chosen by id, and the default is service-1-pro', async () => {
    const [one, two] = [createFakeBackend({ id: 'small' }), createFakeBackend({ id: 'service-1-pro' })]
    const engine = await createEngine({ models: [one, two] })
    expect((await engine.ask(REQUEST)).model).toBe('service-1-pro')
    expect((await engine.ask({ ...REQUEST, model: null })).model).toBe('service-1-pro')
    expect((await engine.ask({ ...REQUEST, model: 'small' })).model).toBe('small')
  })

  it('fall back to the first when the default is not among them', async () => {
    const engine = await createEngine({ models: [createFakeBackend({ id: 'small' }), createFakeBackend({ id: 'large' })] })
    expect((await engine.ask(REQUEST)).model).toBe('small')
  })

  it('that are not there are refused, with near names', async () => {
    const { engine } = await engineOf({}, { announced: { 'service-1': 'Service 1' } })
    const unknown = await errorOf(engine.ask({ ...REQUEST, model: 'servce-1-pro' }))
    expect([unknown.code, unknown.param]).toEqual(['model_not_found', '/model'])
    expect(unknown.message).toContain('Did you mean "service-1-pro"?')
    expect((await errorOf(engine.ask({ ...REQUEST, model: 'service-1' }))).code).toBe('model_not_available')
    expect((await errorOf(engine.ask({ ...REQUEST, model: '__proto__' }))).code).toBe('model_not_found')
  })

  it('are listed with what is to come', async () => {
    const { engine } = await engineOf({}, { announced: { 'service-1': 'Service 1' } })
    expect(engine.models()).toEqual([
      { id: 'service-1-pro', name: 'Fake', available: true, status: 'available' },
      { id: 'service-1', name: 'Service 1', available: false, status: 'coming_soon' },
    ])
  })

  it('are loaded on first use, once for all who wait', async () => {
    let loads = 0
    const load = async (): Promise<Backend> => {
      loads += 1
      return createFakeBackend({ id: 'lazy' })
    }
    const engine = await createEngine({ models: [{ id: 'lazy', load }] })
    expect(loads).toBe(0)
    expect(engine.loaded()).toEqual([])
    await Promise.all([engine.ask(REQUEST), engine.ask(REQUEST)])
    await engine.ask(REQUEST)
    expect(loads).toBe(1)
    expect(engine.loaded()).toEqual([createFakeBackend({ id: 'lazy' }).info])
  })

  it('that failed to load are tried again', async () => {
    let loads = 0
    const load = async (): Promise<Backend> => {
      loads += 1
      if (loads === 1) throw new Error('ENOENT: /secret/model')
      return createFakeBackend({ id: 'lazy' })
    }
    const engine = await createEngine({ models: [{ id: 'lazy', load }] })
    const error = await errorOf(engine.ask(REQUEST))
    expect([error.code, error.message.includes('secret')]).toEqual(['internal_error', false])
    expect((await engine.ask(REQUEST)).model).toBe('lazy')
  })

  it('need to be there, each with an id of its own', async () => {
    expect((await errorOf(createEngine({ models: [] }))).message).toContain('at least one model')
    expect((await errorOf(createEngine({ models: [createFakeBackend(), createFakeBackend()] }))).message).toContain(
      'Two models have the id "fake"',
    )
  })
})

describe('close', () => {
  it('is what a block that uses the engine does at its end', async () => {
    const backend = createFakeBackend()
    const engine = await createEngine({ models: [backend] })
    await engine.ask(REQUEST)
    await engine[Symbol.asyncDispose]()
    expect(backend.calls.at(-1)!.type).toBe('close')
    expect((await errorOf(engine.ask(REQUEST))).message).toContain('closed')
  })

  it('waits for what runs, closes every model once, and refuses what comes later', async () => {
    let go = () => {}
    const gate = new Promise<null>((resolve) => {
      go = () => resolve(null)
    })
    const [busy, idle] = [createFakeBackend({ id: 'busy', score: () => gate }), createFakeBackend({ id: 'idle' })]
    const engine = await createEngine({ models: [busy, idle] })
    const work = engine.ask({ ...REQUEST, questions: { a: { type: 'noul' } } })
    await new Promise((resolve) => setTimeout(resolve, 5))
    const closed = Promise.all([engine.close(), engine.close()])
    expect((await errorOf(engine.ask(REQUEST))).message).toContain('closed')
    go()
    await closed
    expect((await work).answers.a).toBeDefined()
    expect(busy.calls.map(({ type }) => type)).toEqual(['open', 'score', 'close prefix', 'close'])
    expect(idle.calls).toEqual([{ type: 'close' }])
  })
})

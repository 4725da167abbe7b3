// What is refused of the options of an engine and of its calls: anything that would be ignored.
import { describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { memoryOutcomeStore } from '../../src/calibration/outcomes/memory-outcomes.ts'
import { createEngine as createShippedEngine, localModel, modelServer } from '../../src/index.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import type { AskRequest } from '../../src/wire/types.ts'

const REQUEST: AskRequest = { state: 'It rains.', questions: { wet: { type: 'noul', instructions: 'It is wet.' } } }
const backend = () => createFakeBackend({ id: 'service-1-pro' })
const refused = (message: string) => ({ code: 'invalid_request', message: expect.stringContaining(message) })

describe('createEngine refuses', () => {
  it.each<[string, unknown, string]>([
    ['a misspelt option', { modles: [] }, 'createEngine has no option "modles". Did you mean "models"?'],
    ['a misspelt limit', { models: [backend()], limits: { question: 3 } }, 'limits has no option "question". Did you mean "questions"?'],
    ['a misspelt way to read', { models: [backend()], state: { imges: 3 } }, 'state has no option "imges". Did you mean "images"?'],
    ['a misspelt setting', { models: [backend()], deliberation: { pass: 3 } }, 'deliberation has no option "pass". Did you mean "passes"?'],
    ['names of models', { models: ['service-1-pro'] }, 'models[0] is a loaded backend, a source such as shippedModel()'],
    ['one model', { models: backend() }, 'models is an array'],
    ['null', null, 'The options of createEngine are an object of models, '],
    [
      'a misspelt read-out',
      { models: [backend()], deliberation: { operators: { exclusiv: ['swap'] } } },
      'operators has no option "exclusiv". Did you mean "exclusive"?',
    ],
    [
      'an operator that is no list',
      { models: [backend()], deliberation: { operators: { exclusive: 'swap' } } },
      'The operators of exclusive are an array of names; received "swap".',
    ],
    ['a limit below 1', { models: [backend()], limits: { questions: -1 } }, 'questions is a whole number from 1 on, received -1.'],
    ['a limit that is a text', { models: [backend()], limits: { options: 'x' } }, 'options is a whole number from 1 on, received "x".'],
    ['a deadline that is over', { models: [backend()], deadlineMs: 0 }, 'deadlineMs is a number of milliseconds above 0'],
  ])('%s', async (_, options, message) => {
    await expect(createEngine(options as never)).rejects.toMatchObject(refused(message))
    await expect(createShippedEngine(options as never)).rejects.toMatchObject(refused(message))
  })
})

describe('a model is refused for', () => {
  it.each<[string, () => unknown, string]>([
    ['a misspelt option of a folder', () => localModel('folder', { worker: 2 } as never), 'localModel has no option "worker".'],
    [
      'a misspelt option of a server',
      () => modelServer({ url: 'http://a:1', modle: 'x' } as never),
      'modelServer has no option "modle". Did you mean "model"',
    ],
    ['no address', () => modelServer({} as never), 'url is the address of a model server, such as http://127.0.0.1:8000'],
    ['an address that is not set', () => modelServer({ url: undefined as never }), 'or a list of them; received nothing.'],
    ['a list that holds none', () => modelServer({ url: ['http://a:1', undefined as never] }), 'received an array.'],
    ['no addresses', () => modelServer({ url: [] }), 'a model server needs a url'],
    ['an address without its scheme', () => modelServer({ url: 'localhost:8000' }), 'asked over http or https, not localhost:.'],
    ['half an address', () => modelServer({ url: ['http://a:1', '10.0.0.1'] }), '"10.0.0.1" is no address'],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(expect.objectContaining(refused(message)))
  })
})

describe('ask refuses', () => {
  it.each<[string, unknown, string]>([
    ['a misspelt option', { deadline: 5 }, 'ask has no option "deadline". Did you mean "deadlineMs"?'],
    ['an option of clients', { timeout: 5 }, 'ask has no option "timeout". It takes deliberation, sets'],
    ['a mode that there is not', { deliberation: 'nevr' }, 'received "nevr". Did you mean "never"?'],
    ['what is no signal', { signal: 5 }, 'signal is an AbortSignal'],
    ['what is no function', { observe: true }, 'observe is a function'],
    ['null', null, 'The options of ask are an object of deliberation, '],
  ])('%s, and says that the request has ended', async (_, options, message) => {
    const engine = await createEngine({ models: [backend()] })
    let ended = 0
    const asking = engine.ask(REQUEST, options as never, { ended: () => ended++ })
    await expect(asking).rejects.toMatchObject(refused(message))
    expect(ended).toBe(1)
  })
})

it('recordOutcome refuses a misspelt option', async () => {
  const engine = await createEngine({ models: [backend()], outcomes: memoryOutcomeStore() })
  const { id } = await engine.ask(REQUEST)
  const recording = engine.recordOutcome(id, { wet: true }, { selectionProbabilty: 0.5 } as never)
  await expect(recording).rejects.toMatchObject(refused('Did you mean "selectionProbability"?'))
})

describe('an option that is undefined is as if it were not there:', () => {
  it('local files stay closed', async () => {
    const engine = await createEngine({ models: [backend()], state: { localFiles: false } })
    const state = [{ type: 'image', source: { type: 'path', path: 'photo.png' } }] as const
    const asking = engine.ask({ ...REQUEST, state }, { state: { localFiles: undefined } })
    await expect(asking).rejects.toMatchObject({ message: expect.stringContaining('Files of this machine are not read') })
  })

  it('a wish of the request stands', async () => {
    const sure = createFakeBackend({ id: 'service-1-pro', scorer: 'symbols', score: () => [[Math.log(0.99), Math.log(0.01)]] })
    const engine = await createEngine({ models: [sure] })
    const { simo } = await engine.ask({ ...REQUEST, simo: { deliberation: 'always' } }, { deliberation: undefined })
    expect(simo.questions.wet!.deliberated).toBe(true)
  })

  it('a limit stands', async () => {
    const engine = await createEngine({ models: [backend()], limits: { questions: undefined } as never })
    const questions = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`q${i}`, REQUEST.questions.wet!]))
    await expect(engine.ask({ ...REQUEST, questions })).rejects.toMatchObject({ code: 'too_many_questions' })
  })

  it('models that are to come are announced', async () => {
    const engine = await createShippedEngine({ models: [backend()], announced: undefined } as never)
    expect(engine.models()).toContainEqual(expect.objectContaining({ id: 'service-1', status: 'coming_soon' }))
  })
})

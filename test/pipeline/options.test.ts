// What is refused of the options of an engine and of its calls: anything that would be ignored.
import { describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { memoryOutcomeStore } from '../../src/calibration/outcomes/memory-outcomes.ts'
import { createEngine as createShippedEngine } from '../../src/index.ts'
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
    ['a deadline that is over', { models: [backend()], deadlineMs: 0 }, 'deadlineMs is a number of milliseconds above 0'],
  ])('%s', async (_, options, message) => {
    await expect(createEngine(options as never)).rejects.toMatchObject(refused(message))
    await expect(createShippedEngine(options as never)).rejects.toMatchObject(refused(message))
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

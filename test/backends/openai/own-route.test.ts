// The decision routes of servers themselves: when they are asked, what they are asked, and what they may answer
// wrongly. Against imitations of documented fields, and against our own service.
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Branch, Candidate } from '../../../src/backends/backend.ts'
import { createFakeBackend } from '../../../src/backends/fake/index.ts'
import type { Prompt } from '../../../src/core/types.ts'
import { choice, createEngine, extract, noul, score, select } from '../../../src/index.ts'
import { textPrompt } from '../../contract/backend-suite.ts'
import { type Running, startRunning } from '../../service/running.ts'
import { closedAfterEach, errorOf } from './connected.ts'
import {
  type Imitation,
  llamaCppRoutes,
  ollamaRoutes,
  openaiRoutes,
  send,
  sglangRoutes,
  systemOneOnlyRoutes,
  systemOneRoute,
  vllmRoutes,
} from './imitations.ts'

const PATH = '/v1/systemone'
const { start, connect } = closedAfterEach()

const none = (name: string): Candidate => ({ name, description: null })
const branch = (readout: Branch['readout'], instructions: string, candidates: readonly Candidate[]): Branch => ({
  readout,
  instructions,
  candidates,
  image: null,
})
const CLAIM = branch('binary', 'It is late.', [none('true'), none('false')])
const CHOICE = branch('exclusive', 'What is it?', [none('refund'), { name: 'delivery', description: 'it is late' }, none('praise')])
const LEVELS = branch('ordinal', 'How urgent?', [none('low'), { name: 'high', description: 'today' }])

const bodiesOf = ({ requests }: Imitation) => requests.filter(({ path }) => path === PATH).map(({ body }) => body)

describe('the decision route of a server', () => {
  it.each([
    ['llama.cpp', llamaCppRoutes],
    ['sglang', sglangRoutes],
    ['ollama', ollamaRoutes],
    ['none of them', systemOneOnlyRoutes],
  ])('is asked on %s, where it answers for trained models only', async (_, routes) => {
    const server = await start({ ...systemOneRoute(), ...routes })
    const backend = await connect({ url: server.url })
    expect(backend.info).toMatchObject({ scorer: 'markers', capabilities: { images: false, boxes: false } })
    const [scores] = await (await backend.open(textPrompt('A lamp is late.'))).score([CHOICE])
    expect(Math.exp(scores!.rows[0]!.logProbabilities[0]!)).toBeGreaterThan(0)
    expect(bodiesOf(server)).toHaveLength(2)
    expect(server.requests.map(({ path }) => path)).not.toContain('/completion')
  })

  it('is left alone on vLLM, which answers for any model, unless it is asked for', async () => {
    const server = await start({ ...vllmRoutes, ...systemOneRoute({ hasDiagnostics: true }) })
    const prompted = await connect({ url: server.url })
    expect(prompted.info.scorer).toBe('symbols')
    expect(bodiesOf(server)).toEqual([])
    const own = await connect({ url: server.url, decisions: 'own' })
    const [scores] = await (await own.open(textPrompt('A lamp is late.'))).score([CHOICE])
    expect(scores!.rows[0]!.mass).toBe(0.9)
    expect(own.info.revision).not.toBe(prompted.info.revision)
    expect(own.info.templateHash).not.toBe(prompted.info.templateHash)
  })

  it('is not there: the model is asked by prompts, or refused where the route was asked for', async () => {
    for (const routes of [llamaCppRoutes, ollamaRoutes, openaiRoutes]) {
      expect((await connect({ url: (await start(routes)).url })).info.scorer).toBe('symbols')
    }
    const general = await start(llamaCppRoutes)
    general.instead = (request, response) => {
      if (request.url !== PATH) return false
      send(response, 501, { error: { code: 501, message: 'this model does not decide', type: 'not_supported_error' } })
      return true
    }
    expect((await connect({ url: general.url })).info.scorer).toBe('symbols')
    const { code, message } = await errorOf(connect({ url: general.url, decisions: 'own' }))
    expect(code).toBe('model_not_available')
    expect(message).toMatch(/\/v1\/systemone of the model toy cannot be asked: .*"this model does not decide".*leave decisions out/)
    expect((await connect({ url: (await start({ ...llamaCppRoutes, ...systemOneRoute() })).url, decisions: 'prompted' })).info.scorer).toBe(
      'symbols',
    )
  })

  it('that fails while it is looked for is no reason to ask by prompts', async () => {
    const server = await start(llamaCppRoutes)
    server.instead = (request, response) => {
      if (request.url !== PATH) return false
      send(response, 500, { error: { message: 'out of memory' } })
      return true
    }
    expect((await errorOf(connect({ url: server.url, retries: 0 }))).message).toMatch(
      /failed on \/v1\/systemone \(status 500\): "out of memory".*set decisions: prompted/,
    )
    server.instead = (request) => request.url === PATH
    expect((await errorOf(connect({ url: server.url, retries: 0, timeoutMs: 1500 }))).code).toBe('deadline_exceeded')
  })

  it('does not go with options for prompts', async () => {
    const { url } = await start({ ...llamaCppRoutes, ...systemOneRoute() })
    for (const option of [{ scoring: 'probe' }, { images: true }] as const) {
      const { code, message } = await errorOf(connect({ url, ...option }))
      expect([code, message]).toEqual(['invalid_request', expect.stringMatching(/decides by its server's own route; leave it out, or set/)])
    }
  })
})

describe('what a decision route is asked', () => {
  it('is one question a request, in the fields that all servers know', async () => {
    const server = await start({ ...llamaCppRoutes, ...systemOneRoute() })
    const backend = await connect({ url: server.url })
    const prefix = await backend.open(textPrompt('A lamp is late.'))
    const described = { ...CLAIM, candidates: [{ name: 'true', description: 'a day or more' }, none('false')] }
    await prefix.score([CLAIM, described, CHOICE, LEVELS])
    const [, ...asked] = bodiesOf(server)
    expect(asked.every(({ model, state }) => model === 'toy' && state === 'A lamp is late.')).toBe(true)
    expect(asked.map(({ questions }) => questions.question)).toEqual([
      { type: 'noul', instructions: 'It is late.' },
      { type: 'noul', instructions: 'It is late.', criteria: { true: 'a day or more' } },
      { type: 'choice', instructions: 'What is it?', criteria: { refund: null, delivery: 'it is late', praise: null } },
      { type: 'score', instructions: 'How urgent?', criteria: ['low', 'high: today'] },
    ])
  })

  it('has JSON objects as they are, and lists, chats and parts as text', async () => {
    const server = await start({ ...llamaCppRoutes, ...systemOneRoute() })
    const backend = await connect({ url: server.url })
    const stateOf = async (prompt: Prompt) => {
      await (await backend.open(prompt)).score([CLAIM])
      return bodiesOf(server).at(-1).state
    }
    const { pieces } = textPrompt('as the engine writes it')
    const json = (value: never | object): Prompt => ({ pieces, parts: [{ type: 'json', index: 0, value: value as never }] })
    expect(await stateOf(json({ a: { b: [1, 'x'] } }))).toEqual({ a: { b: [1, 'x'] } })
    expect(await stateOf(json([{ role: 'user', content: [{ type: 'image_url' }] }]))).toBe('as the engine writes it')
    expect(await stateOf(json({ messages: [] }))).toBe('as the engine writes it')
    const both: Prompt = {
      pieces,
      parts: [
        { type: 'text', index: 0, text: 'x' },
        { type: 'json', index: 1, value: {} },
      ],
    }
    expect(await stateOf(both)).toBe('as the engine writes it')
    // The server puts it into a template, and reads names of control tokens wherever they stand.
    expect(await stateOf(textPrompt('<|im_end|>'))).toBe('< |im_end|>')
    expect(await stateOf(json({ '[SEP]': '<|im_end|>' }))).toEqual({ '[ SEP]': '< |im_end|>' })
  })

  it('asks of each option of a selection, and of a list that is longer than servers take', async () => {
    const server = await start({ ...ollamaRoutes, ...systemOneRoute() })
    const backend = await connect({ url: server.url })
    const prefix = await backend.open(textPrompt('It is in Lima.'))
    const many = Array.from({ length: 30 }, (_, i) => none(`place ${i}`))
    const [selected, list] = await prefix.score([
      branch('independent', 'What is there?', [none('price'), none('date')]),
      branch('exclusive', 'Where is it?', many),
    ])
    expect(selected!.rows).toHaveLength(2)
    const claims = bodiesOf(server).map(({ questions }) => questions.question.instructions)
    expect(claims).toEqual(
      expect.arrayContaining(['One of the answers to "What is there?" is: price.', 'The answer to "Where is it?" is: place 29.']),
    )
    const sum = list!.rows[0]!.logProbabilities.reduce((total, log) => total + Math.exp(log), 0)
    expect(sum).toBeCloseTo(list!.rows[0]!.mass, 9)
  })
})

describe('a decision route that answers wrongly', () => {
  const wrong = async (answer: unknown, asked: Branch = CHOICE, more: object = {}) => {
    const server = await start({ ...llamaCppRoutes, ...systemOneRoute() })
    const backend = await connect({ url: server.url, retries: 0 })
    const prefix = await backend.open(textPrompt('A lamp is late.'))
    server.instead = (request, response: ServerResponse) => {
      if (request.url !== PATH) return false
      if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(answer)
      else send(response, 200, { model: 'toy', answers: answer, usage: { input_tokens: 9, output_tokens: 0 }, ...more })
      return true
    }
    return errorOf(prefix.score([asked]))
  }
  const good = { refund: 0.5, delivery: 0.25, praise: 0.25 }

  it.each<[what: string, answer: unknown, asked: Branch, message: RegExp]>([
    ['other questions', { other: { type: 'noul', noul: 0.5 } }, CLAIM, /for other questions than asked \(other\)/],
    ['no answer', {}, CLAIM, /without an answer/],
    ['null', { question: null }, CLAIM, /without an answer/],
    ['another type', { question: { type: 'choice', probabilities: good } }, CLAIM, /with a choice, where a noul was asked for/],
    ['no probability', { question: { type: 'noul', noul: null } }, CLAIM, /with null as the probability of "noul"/],
    ['a log-probability', { question: { type: 'noul', noul: -9999 } }, CLAIM, /with -9999 as the probability of "noul"/],
    ['more than all', { question: { noul: 1.5 } }, CLAIM, /with 1.5 as the probability of "noul"/],
    ['no distribution', { question: { type: 'choice', choice: 'refund' } }, CHOICE, /with nothing as the probability of "refund"/],
    [
      'an option less',
      { question: { type: 'choice', probabilities: { refund: 0.5, delivery: 0.5 } } },
      CHOICE,
      /with nothing as the probability of "praise"/,
    ],
    [
      'other options',
      { question: { type: 'choice', probabilities: { ...good, else: 0 } } },
      CHOICE,
      /with probabilities of other options than asked \("else"\)/,
    ],
    [
      'shares of more than one',
      { question: { type: 'choice', probabilities: { ...good, refund: 0.9 } } },
      CHOICE,
      /with probabilities that sum to 1.400/,
    ],
    [
      'levels by name',
      { question: { type: 'score', probabilities: { low: 1, high: 0 } } },
      LEVELS,
      /of other options than asked \("low"\)/,
    ],
    ['a page', '<!doctype html><title>Sign in</title>', CLAIM, /answered \/v1\/systemone with an HTML page \(status 200\)/],
  ])('%s', async (_, answer, asked, message) => {
    const error = await wrong(answer, asked)
    expect(error.code).toBe('model_not_available')
    expect(error.message).toMatch(message)
  })

  it('as another model, or with other weights than before', async () => {
    expect((await wrong({ question: { noul: 0.5 } }, CLAIM, { model: 'other' })).message).toMatch(
      /answered as the model other, and as toy before/,
    )
    const simo = { model_revision: 'r2', calibration: { version: 'c1' } }
    expect((await wrong({ question: { noul: 0.5 } }, CLAIM, { simo })).message).toMatch(
      /weights or calibration unnamed became r2 c1\. Load the model again/,
    )
  })

  it('slowly', async () => {
    const server = await start({ ...llamaCppRoutes, ...systemOneRoute() })
    const backend = await connect({ url: server.url, retries: 0, timeoutMs: 1500 })
    server.instead = (request) => request.url === PATH
    expect((await errorOf((await backend.open(textPrompt('x'))).score([CLAIM]))).message).toMatch(/did not answer within 1500 ms/)
  })

  it('keeps small and rounded probabilities finite', async () => {
    const server = await start(systemOneOnlyRoutes)
    const backend = await connect({ url: server.url })
    const prefix = await backend.open(textPrompt('A lamp is late.'))
    server.instead = (request, response) => {
      if (request.url !== PATH) return false
      send(response, 200, { model: 'toy', answers: { question: { type: 'choice', probabilities: { refund: 1, delivery: 0, praise: 0 } } } })
      return true
    }
    const [scores] = await prefix.score([CHOICE])
    expect(scores!.rows[0]!.logProbabilities.every(Number.isFinite)).toBe(true)
    expect(scores!.inputTokens).toBeGreaterThan(0)
  })
})

describe('our own service as a server', () => {
  let running: Running | null = null
  afterEach(async () => {
    await running?.end()
    running = null
  })

  it('gives an engine elsewhere its own answers', async () => {
    const fake = createFakeBackend({ id: 'service-1-pro' })
    running = await startRunning({ models: [fake] })
    const backend = await connect({ url: running.url, apiKey: running.secret, model: 'service-1-pro' })
    const engine = await createEngine({ models: [backend] })
    const request = {
      state: { order: 4711, text: 'It came late.' },
      questions: {
        late: noul('It is late.'),
        topic: choice('What is it?', ['refund', 'delivery', 'praise']),
        urgency: score('How urgent?', ['low', 'medium', 'high']),
        named: select('What is named?', ['price', 'date']),
      },
    }
    const { answers, simo } = await engine.ask(request, { deliberation: 'never' })
    const direct = await (await running.ask({ ...request, simo: { deliberation: 'never' } })).json()
    expect(answers.late.noul).toBeCloseTo(direct.answers.late.noul, 5)
    for (const [name, share] of Object.entries(answers.topic.probabilities))
      expect(share).toBeCloseTo(direct.answers.topic.probabilities[name], 5)
    for (const [level, share] of Object.entries(answers.urgency.probabilities))
      expect(share).toBeCloseTo(direct.answers.urgency.probabilities[level], 5)
    expect(simo.model_revision).toBe(backend.info.revision)
    const reading = engine.ask({ state: 'x', questions: { words: extract('Which order?') } })
    await expect(reading).rejects.toMatchObject({
      message: expect.stringContaining("decides by its server's own route, which quotes and writes nothing"),
    })
    await engine.close()
  })

  it('refuses a wrong key, and is missed when it is gone', async () => {
    running = await startRunning({ models: [createFakeBackend({ id: 'service-1-pro' })] })
    expect((await errorOf(connect({ url: running.url, apiKey: 'service_sk_none', model: 'service-1-pro' }))).message).toMatch(
      /refuses the key/,
    )
    const backend = await connect({ url: running.url, apiKey: running.secret, model: 'service-1-pro' })
    const prefix = await backend.open(textPrompt('It came late.'))
    await prefix.score([CLAIM])
    const { url } = running
    await running.end()
    expect((await errorOf(prefix.score([CLAIM]))).message).toMatch(new RegExp(`The model server at ${new URL(url).host} gave no answer`))
    running = null
  })
})

// Servers that answer slowly, wrongly, or as another than they were: each an error that says what and what next. And
// several addresses as one.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Backend, Branch } from '../../../src/backends/backend.ts'
import type { ModelServerOptions } from '../../../src/backends/openai/index.ts'
import { textPrompt } from '../../contract/backend-suite.ts'
import { closedAfterEach, errorOf } from './connected.ts'
import {
  type Imitation,
  imitate,
  llamaCppRoutes,
  ollamaRoutes,
  openaiRoutes,
  type Routes,
  send,
  sglangRoutes,
  vllmRoutes,
} from './imitations.ts'

const { start, connect } = closedAfterEach()

const none = (name: string) => ({ name, description: null })
const LETTERS: Branch = {
  readout: 'exclusive',
  instructions: 'What is it?',
  candidates: ['refund', 'delivery', 'praise'].map(none),
  image: null,
}
const score = async (backend: Backend, text = 'A lamp is late.') => {
  const prefix = await backend.open(textPrompt(text))
  return (await prefix.score([LETTERS]))[0]!
}

/** Answers one path otherwise. */
const at =
  (path: string, answer: (response: ServerResponse, body: Parameters<NonNullable<Imitation['instead']>>[2]) => void) =>
  (request: IncomingMessage, response: ServerResponse, body: Parameters<NonNullable<Imitation['instead']>>[2]): boolean => {
    if (request.url !== path) return false
    answer(response, body)
    return true
  }

describe('an engine is found out', () => {
  it.each([
    ['llama.cpp', llamaCppRoutes],
    ['vllm', vllmRoutes],
    ['sglang', sglangRoutes],
    ['ollama', ollamaRoutes],
    ['openai', openaiRoutes],
  ])('%s, and scores letters', async (engine, routes) => {
    const server = await start(routes as Routes)
    const backend = await connect({ url: `${server.url}/v1/` })
    const { rows } = await score(backend)
    expect(rows[0]!.mass).toBeGreaterThan(0)
    const paths = server.requests.map(({ path }) => path)
    const route = {
      'llama.cpp': '/completion',
      vllm: '/v1/completions',
      sglang: '/generate',
      ollama: '/api/chat',
      openai: '/v1/chat/completions',
    }[engine]
    expect(paths).toContain(route)
  })

  it('and all of them give the same probabilities of the same model', async () => {
    const logs: (readonly number[])[] = []
    for (const routes of [llamaCppRoutes, vllmRoutes, sglangRoutes]) {
      const { rows } = await score(await connect({ url: (await start(routes)).url }))
      logs.push(rows[0]!.logProbabilities)
    }
    const close = (log: number, i: number): void => expect(log).toBeCloseTo(logs[0]![i]!, 9)
    for (const other of logs.slice(1)) other.forEach(close)
  })

  it('engine, version and kind of log-probabilities are part of what calibration is bound to', async () => {
    const vllm = await connect({ url: (await start(vllmRoutes)).url })
    const newer = await connect({ url: (await start({ ...vllmRoutes, 'GET /version': { answer: () => ({ version: '0.31.0' }) } })).url })
    expect(newer.info.revision).not.toBe(vllm.info.revision)
    expect(newer.info.templateHash).toBe(vllm.info.templateHash)
  })

  it('takes as many tokens as are asked for, and no more than the server does', async () => {
    const long = { capabilities: ['completion'], model_info: { 'toy.context_length': 40_960 } }
    const { url } = await start({ ...ollamaRoutes, 'POST /api/show': { fields: ['model'], answer: () => long } })
    const lengthOf = async (options: Partial<ModelServerOptions>) => (await connect({ url, ...options })).info.contextLength
    expect(await lengthOf({})).toBe(8192)
    expect(await lengthOf({ contextLength: 32_768 })).toBe(32_768)
    expect(await lengthOf({ contextLength: 100_000 })).toBe(40_960)
  })

  it('is loaded with options that there are', async () => {
    const options = { url: 'http://127.0.0.1:1', scoring: 'folder' } as unknown as ModelServerOptions
    const { code, message } = await errorOf(connect(options))
    expect([code, message]).toEqual(['invalid_request', 'scoring is plain or probe; received "folder".'])
  })

  it('sends the key, and the state in front of each question', async () => {
    const server = await start(vllmRoutes)
    const backend = await connect({ url: server.url, apiKey: 'sk-1' })
    const prefix = await backend.open(textPrompt('A lamp is late.'))
    await prefix.score([LETTERS, { ...LETTERS, instructions: 'Which?' }])
    const asked = server.requests.filter(({ path }) => path === '/v1/completions')
    const prompts = asked.map(({ body }) => body.prompt as number[])
    for (const prompt of prompts) expect(prompt.slice(0, prefix.tokens)).toEqual(prompts[0]!.slice(0, prefix.tokens))
    expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer sk-1')).toBe(true)
    expect(prefix.cachedTokens).toBe(prefix.tokens)
  })

  it('names the models where there are several', async () => {
    const two: Routes = { ...openaiRoutes, 'GET /v1/models': { answer: () => ({ data: [{ id: 'a' }, { id: 'b' }] }) } }
    const { message } = await errorOf(connect({ url: (await start(two)).url }))
    expect(message).toMatch(/several models; name one of a, b/)
    expect((await connect({ url: (await start(two)).url, model: 'b' })).info.id).toBe('b')
  })
})

describe('a bad server', () => {
  const refused = async (routes: Routes, path: string, answer: Parameters<typeof at>[1], options: Partial<ModelServerOptions> = {}) => {
    const server = await start(routes)
    const backend = await connect({ url: server.url, retries: 0, ...options })
    server.instead = at(path, answer)
    return { error: await errorOf(score(backend)), server, backend }
  }

  it('that is not there', async () => {
    const server = await imitate(openaiRoutes)
    await server.close()
    const { code, message } = await errorOf(connect({ url: server.url }))
    expect(code).toBe('model_not_available')
    expect(message).toMatch(/gave no answer \(ECONNREFUSED\); check that it runs/)
  })

  it('that goes away once the model is loaded: its callers may try again', async () => {
    for (const status of [502, 503, 504]) {
      const { error } = await refused(vllmRoutes, '/v1/completions', (response) => send(response, status, {}))
      expect([status, error.code]).toEqual([status, 'overloaded'])
      expect(error.message).toContain(`failed on /v1/completions (status ${status})`)
    }
    const { server, backend } = await refused(vllmRoutes, '/v1/completions', (response) => send(response, 503, {}))
    await server.close()
    const { code, message } = await errorOf(score(backend))
    expect([code, message]).toEqual(['overloaded', expect.stringContaining('gave no answer')])
  })

  it('that fails on what is asked: trying again would not help', async () => {
    const { error } = await refused(vllmRoutes, '/v1/completions', (response) => send(response, 500, {}))
    expect(error.code).toBe('model_not_available')
  })

  it('that answers slowly', async () => {
    const { error } = await refused(vllmRoutes, '/v1/completions', () => {}, { timeoutMs: 8000 })
    expect(error.code).toBe('deadline_exceeded')
    expect(error.message).toMatch(/did not answer within 8000 ms \(1 attempt\); .*raise timeoutMs/)
  })

  it('that refuses the key, without showing it', async () => {
    const { error } = await refused(
      vllmRoutes,
      '/v1/completions',
      (response) => send(response, 401, { error: { message: 'bad key sk-9' } }),
      { apiKey: 'sk-9' },
    )
    expect(error.message).toMatch(/refuses the key \(status 401\)/)
    expect(error.message).not.toContain('sk-9')
  })

  it('whose words are shown as they are where there is no key', async () => {
    const { error } = await refused(vllmRoutes, '/v1/completions', (response) => send(response, 400, { error: { message: 'too hot' } }), {
      apiKey: '',
    })
    expect(error.message).toContain('"too hot"')
  })

  it('that answers with a page', async () => {
    const page = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>Sign in</title>')
    }
    const { error } = await refused(vllmRoutes, '/v1/completions', page)
    expect(error.message).toMatch(/answered \/v1\/completions with an HTML page \(status 200\); check that its address/)
  })

  it('that answers with other ids than asked', async () => {
    const other = (response: ServerResponse) =>
      send(response, 200, { choices: [{ text: 'x', logprobs: { top_logprobs: [{ 'token_id:7': -1 }] } }] })
    expect((await refused(vllmRoutes, '/v1/completions', other)).error.message).toMatch(
      /other token ids than asked .*take vLLM 0\.30 or newer/,
    )
    const triples = (response: ServerResponse) =>
      send(response, 200, { text: '', meta_info: { output_token_ids_logprobs: [[[-1, 7, null]]] } })
    expect((await refused(sglangRoutes, '/generate', triples)).error.message).toMatch(/other token ids than asked/)
    const entry = { id: 7, token: 'x', logprob: -1, top_logprobs: [{ id: 7, token: 'x', logprob: -1 }] }
    const forced = (response: ServerResponse) => send(response, 200, { content: 'x', completion_probabilities: [entry] })
    expect((await refused(llamaCppRoutes, '/completion', forced)).error.message).toMatch(/answered with token 7 where 65 was asked for/)
  })

  it('that writes zero as -9999, for one answer or for all', async () => {
    const some = (response: ServerResponse, body: { logprob_token_ids: number[] }) => {
      const logs = Object.fromEntries(body.logprob_token_ids.map((id, i) => [`token_id:${id}`, i === 0 ? -9999 : -1]))
      send(response, 200, { choices: [{ text: 'x', logprobs: { top_logprobs: [logs] } }] })
    }
    const server = await start(vllmRoutes)
    const backend = await connect({ url: server.url })
    server.instead = at('/v1/completions', some)
    const { rows } = await score(backend)
    expect(rows[0]!.logProbabilities[0]).toBe(-1000)
    const all = (response: ServerResponse, body: { logprob_token_ids: number[] }) =>
      send(response, 200, {
        choices: [
          { text: 'x', logprobs: { top_logprobs: [Object.fromEntries(body.logprob_token_ids.map((id) => [`token_id:${id}`, -9999]))] } },
        ],
      })
    expect((await refused(vllmRoutes, '/v1/completions', all)).error.message).toMatch(/probability zero.*--logprobs-mode raw_logprobs/)
  })

  it('whose likeliest tokens say neither yes nor no of any option', async () => {
    const server = await start(openaiRoutes)
    const backend = await connect({ url: server.url })
    const likeliest = (logprobs: Readonly<Record<string, number>>) => (response: ServerResponse) => {
      const [first] = Object.keys(logprobs)
      const top_logprobs = Object.entries(logprobs).map(([token, logprob]) => ({ token, logprob }))
      const content = [{ token: first, logprob: 0, top_logprobs }]
      send(response, 200, { choices: [{ message: { content: first }, logprobs: { content } }] })
    }
    const candidates = Array.from({ length: 12 }, (_, i) => none(`option ${i}`))
    const answers: readonly Readonly<Record<string, number>>[] = [{ x: 0 }, { x: 0, Yes: -9999, No: -9999 }]
    for (const logprobs of answers) {
      server.instead = at('/v1/chat/completions', likeliest(logprobs))
      const prefix = await backend.open(textPrompt('A lamp is late.'))
      const [{ rows }] = (await prefix.score([{ ...LETTERS, candidates }])) as [Awaited<ReturnType<typeof prefix.score>>[0]]
      const [{ logProbabilities, mass }] = rows as [(typeof rows)[0]]
      expect(new Set(logProbabilities).size).toBe(1)
      expect([mass, Number.isFinite(logProbabilities[0])]).toEqual([0, true])
    }
  })

  it('that gives log-probabilities of null, or none', async () => {
    const nulls = (response: ServerResponse, body: { logprob_token_ids: number[] }) =>
      send(response, 200, {
        choices: [
          { text: 'x', logprobs: { top_logprobs: [Object.fromEntries(body.logprob_token_ids.map((id) => [`token_id:${id}`, null]))] } },
        ],
      })
    expect((await refused(vllmRoutes, '/v1/completions', nulls)).error.message).toMatch(
      /no log-probability \(null\) where one was asked for/,
    )
    const none = (response: ServerResponse) => send(response, 200, { choices: [{ message: { content: 'A' }, logprobs: null }] })
    expect((await refused(openaiRoutes, '/v1/chat/completions', none)).error.message).toMatch(/take a model that gives log-probabilities/)
    const ollama = (response: ServerResponse) => send(response, 200, { message: { content: 'A' }, done: true })
    expect((await refused(ollamaRoutes, '/api/chat', ollama)).error.message).toMatch(/take Ollama 0\.12\.11 or newer/)
  })

  it('that gives log-probabilities behind its samplers', async () => {
    const entry = { id: 7, token: 'x', logprob: -1, top_logprobs: [{ id: 7, token: 'x', logprob: -1 }] }
    const biased = (response: ServerResponse, body: { logit_bias?: [[number, number]] }) => {
      const id = body.logit_bias?.[0][0]
      send(response, 200, { content: 'x', completion_probabilities: [id === undefined ? entry : { ...entry, id, logprob: 0 }] })
    }
    expect((await refused(llamaCppRoutes, '/completion', biased)).error.message).toMatch(/behind its samplers/)
  })

  it('that says how long a prompt may be', async () => {
    const long = (response: ServerResponse) =>
      send(response, 400, {
        error: {
          type: 'exceed_context_size_error',
          message: 'request exceeds the available context size',
          n_prompt_tokens: 9000,
          n_ctx: 4096,
        },
      })
    const { error } = await refused(llamaCppRoutes, '/completion', long)
    expect(error.code).toBe('context_length_exceeded')
    expect(error.message).toMatch(/needs 9000 tokens, and the model server takes 4096/)
  })

  it('that changes its version midway', async () => {
    const server = await start(vllmRoutes)
    const backend = await connect({ url: server.url, checkEveryMs: 0 })
    await score(backend)
    server.instead = at('/version', (response) => send(response, 200, { version: '0.31.0' }))
    const { code, message } = await errorOf(score(backend))
    expect(code).toBe('model_not_available')
    expect(message).toMatch(/version 0\.30\.0 became 0\.31\.0.*load the model again/)
  })

  it('that answers as another model than before', async () => {
    const server = await start(openaiRoutes)
    const backend = await connect({ url: server.url })
    await score(backend)
    server.instead = at('/v1/chat/completions', (response) =>
      send(response, 200, {
        model: 'toy-2026-02-02',
        choices: [
          { message: { content: 'A' }, logprobs: { content: [{ token: 'A', logprob: -1, top_logprobs: [{ token: 'A', logprob: -1 }] }] } },
        ],
      }),
    )
    expect((await errorOf(score(backend))).message).toMatch(/answered as the model toy-2026-02-02, and as toy-2026-01-01 before/)
  })

  it('that is busy for a moment is asked again', async () => {
    const server = await start(vllmRoutes)
    const backend = await connect({ url: server.url, retries: 2 })
    let refusals = 2
    server.instead = (request, response) => {
      if (request.url !== '/v1/completions' || refusals-- <= 0) return false
      send(response, 429, { error: { message: 'busy' } })
      return true
    }
    await score(backend)
    expect(refusals).toBe(-1)
    refusals = 3
    const { code, message } = await errorOf(score(backend))
    expect([code, message]).toEqual(['overloaded', expect.stringMatching(/takes no more requests now \(status 429\): "busy"/)])
  })
})

describe('many questions at once', () => {
  const many = Array.from({ length: 24 }, (_, i): Branch => ({ ...LETTERS, instructions: `Which, ${i}?` }))

  it('listen to the signal of the caller without a warning', async () => {
    const warnings: Error[] = []
    const hear = (warning: Error): void => void warnings.push(warning)
    process.on('warning', hear)
    const backend = await connect({ url: (await start(vllmRoutes)).url, concurrency: 24 })
    const prefix = await backend.open(textPrompt('A lamp is late.'))
    expect(await prefix.score(many, new AbortController().signal)).toHaveLength(24)
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings.map(({ name }) => name)).not.toContain('MaxListenersExceededWarning')
  })

  it('are given up when one of them fails', async () => {
    const server = await start(vllmRoutes)
    const backend = await connect({ url: server.url, concurrency: 1, retries: 0 })
    const prefix = await backend.open(textPrompt('A lamp is late.'))
    let asked = 0
    server.instead = at('/v1/completions', (response, body) => {
      if (++asked === 1) send(response, 200, vllmRoutes['POST /v1/completions']!.answer(body))
      else send(response, 400, { error: { message: 'no' } })
    })
    expect((await errorOf(prefix.score(many))).message).toMatch(/refused \/v1\/completions \(status 400\): "no"/)
    await backend.close()
    expect(asked).toBeLessThan(24)
  })
})

describe('several addresses', () => {
  const states = Array.from({ length: 12 }, (_, i) => `State ${i}.`)

  it('share the states, and each state stays where it is', async () => {
    const servers = await Promise.all([start(vllmRoutes), start(vllmRoutes)])
    const backend = await connect({ url: servers.map(({ url }) => url) })
    const asked = (server: Imitation) => server.requests.filter(({ path }) => path === '/v1/completions').length
    for (const state of states) await score(backend, state)
    const first = servers.map(asked)
    expect(Math.min(...first)).toBeGreaterThan(0)
    for (const state of states) await score(backend, state)
    expect(servers.map(asked)).toEqual(first.map((count) => 2 * count))
  })

  it('stand in for each other', async () => {
    const [one, two] = [await start(vllmRoutes), await start(vllmRoutes)]
    const backend = await connect({ url: [one.url, two.url] })
    one.instead = (_, response) => {
      response.destroy()
      return true
    }
    for (const state of states) await score(backend, state)
    expect(two.requests.filter(({ path }) => path === '/v1/completions')).toHaveLength(states.length)
  })

  it('must be the same model and version', async () => {
    const [one, two] = [await start(vllmRoutes), await start({ ...vllmRoutes, 'GET /version': { answer: () => ({ version: '0.31.0' }) } })]
    const backend = await connect({ url: [one.url, two.url] })
    for (const state of states) await score(backend, state)
    const used = [one, two].map((server) => server.requests.some(({ path }) => path === '/v1/completions'))
    expect(used.filter(Boolean)).toHaveLength(1)
  })

  it('take no more requests at a time than they may', async () => {
    const server = await start(vllmRoutes)
    const backend = await connect({ url: server.url, concurrency: 2 })
    let most = 0
    const waiting: (() => void)[] = []
    server.instead = (request, response, body) => {
      if (request.url !== '/v1/completions') return false
      waiting.push(() => send(response, 200, vllmRoutes['POST /v1/completions']!.answer(body)))
      most = Math.max(most, waiting.length)
      // Whoever may come beside these two has time to.
      if (waiting.length === 2) setTimeout(() => waiting.splice(0).map((answer) => answer()), 50)
      return true
    }
    await Promise.all(states.map((state) => score(backend, state)))
    expect(most).toBe(2)
  })
})

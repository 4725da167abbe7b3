// `--model-server` in every command that takes it, against an imitated server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineFlags } from '../../src/cli/command.ts'
import { modelServerIn } from '../../src/cli/model-server.ts'
import { runCli } from '../../src/cli/program.ts'
import { modelsOf } from '../../src/cli/serve-models.ts'
import { createEngine, modelServer } from '../../src/index.ts'
import { DEFAULT_SETTINGS } from '../../src/service/settings.ts'
import type { AskRequest } from '../../src/wire/types.ts'
import { type Imitation, imitate, send, vllmRoutes } from '../backends/openai/imitations.ts'
import { fakeTerminal } from '../shared/terminal.ts'

let server: Imitation
beforeAll(async () => {
  server = await imitate(vllmRoutes)
})
afterAll(() => server.close())

const make = async (_: string | null, { server: given }: EngineFlags = {}) =>
  createEngine({ models: [modelServer(given!)], calibrations: [] })

describe('--model-server', () => {
  it('answers a request, and says how much of the state was in the cache', async () => {
    const { terminal, heard } = fakeTerminal(process.cwd())
    const args = ['ask', '--state', 'A lamp is late.', '--choice', 'What is it?=praise,delivery', '--model-server', `toy=${server.url}`]
    expect(await runCli(args, terminal, make)).toBe(0)
    const { model, answers, simo, usage } = JSON.parse(heard.out)
    expect(model).toBe('toy')
    expect(['praise', 'delivery']).toContain(answers.q1.choice)
    expect(simo.questions.q1.mass).toBeGreaterThan(0)
    expect(simo.cached_tokens).toBeGreaterThan(0)
    expect(usage.input_tokens).toBeGreaterThan(simo.cached_tokens)
  })

  it('adds models to a service', async () => {
    const { terminal } = fakeTerminal(process.cwd())
    const sources = await modelsOf({ modelServer: [`toy=${server.url}`, 'http://127.0.0.1:9,http://127.0.0.2:9'] }, terminal)
    expect(sources.map(({ id }) => id)).toEqual(['toy', '127.0.0.1:9'])
    const backend = await sources[0]!.load()
    expect(backend.info).toMatchObject({ id: 'toy', contextLength: 4096 })
    await backend.close()
  })

  it('asks each server as much at a time as the settings of the service say', async () => {
    let [running, most] = [0, 0]
    const gate = await imitate(vllmRoutes)
    // Slow enough that all that is sent at once is there at once.
    gate.instead = (request, response, body) => {
      if (request.url !== '/v1/completions') return false
      most = Math.max(most, ++running)
      setTimeout(() => {
        running--
        send(response, 200, vllmRoutes['POST /v1/completions']!.answer(body))
      }, 50)
      return true
    }
    const { terminal } = fakeTerminal(process.cwd())
    const [source] = await modelsOf({ modelServer: [gate.url] }, terminal, { ...DEFAULT_SETTINGS, serverConcurrency: 2 })
    const engine = await createEngine({ models: [source!] })
    const questions = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`q${i}`, { type: 'noul', instructions: `It is ${i}.` }]))
    await engine.ask({ state: 'A lamp is late.', questions } as AskRequest)
    await engine.close()
    await gate.close()
    expect(most).toBe(2)
  })

  it('chooses its own device', async () => {
    const { terminal, heard } = fakeTerminal(process.cwd())
    const args = ['ask', '--state', 'x', '--noul', 'It is.', '--device', 'cuda', '--model-server', server.url]
    expect(await runCli(args, terminal, make)).toBe(2)
    expect(heard.err).toContain('--model-server and --device were given; the server chooses its own device')
  })

  it('reads names and copies, and refuses what is no address, or two models', async () => {
    expect(modelServerIn('org/qwen=http://a:1, https://b/v1')).toEqual({ model: 'org/qwen', url: ['http://a:1', 'https://b/v1'] })
    expect(modelServerIn('http://a:1/x')).toEqual({ url: ['http://a:1/x'] })
    expect(() => modelServerIn('localhost:8000')).toThrow(/takes addresses like http:\/\/host:8000/)
    const { terminal, heard } = fakeTerminal(process.cwd())
    const args = ['ask', '--state', 'x', '--noul', 'It is.', '--model', 'service-1-pro', '--model-server', server.url]
    expect(await runCli(args, terminal, make)).toBe(2)
    expect(heard.err + heard.out).toMatch(/--model-server and --model were given; keep one of them/)
  })
})

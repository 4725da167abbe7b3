// A chain behind HTTP: it answers requests that name no model, says who answered, has its own price, and is as the
// OpenAPI document describes it.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend, type FakeBackend, type FakeOptions } from '../../src/backends/fake/index.ts'
import { EngineError } from '../../src/core/errors.ts'
import { chainOf } from '../../src/pipeline/chain.ts'
import { createMetrics } from '../../src/service/metrics.ts'
import { type Described, described, documentOf } from './described.ts'
import { QUESTION, type Running, startRunning } from './running.ts'

let wire: Described
// Schemas are compiled when they are first used, which takes long on a busy machine.
beforeAll(() => {
  wire = described(documentOf())
  const reply = new Response('{}', { headers: { 'content-type': 'application/json' } })
  wire.faults('post', '/v1/ask', reply, {})
  wire.faults('get', '/v1/models', reply, {})
})
let running: Running | null = null
afterEach(async () => running?.end())

function model(id: string, logOdds: number, more: FakeOptions = {}): FakeBackend {
  const fake = createFakeBackend({ id, score: ({ readout }) => (readout === 'binary' ? [[logOdds, 0]] : null), ...more })
  return { ...fake, info: { ...fake.info, revision: id } }
}

const CHAIN_PRICE = { auto: 5_000_000_000n, '*': 1_000_000_000n }

describe('a service with a chain', () => {
  it('answers requests without a model by it, at its own price, as the document says', async () => {
    running = await startRunning({
      models: [chainOf([model('service-1-pro', 0.1), model('large', 4)], { id: 'auto' })],
      settings: { prices: CHAIN_PRICE },
    })
    await running.store.ledger.credit('main', 1_000_000_000n, 'for the test')
    const reply = await running.ask(QUESTION)
    const said = await reply.json()
    expect(wire.faults('post', '/v1/ask', reply, said)).toEqual([])
    expect(said.model).toBe('auto')
    expect(said.simo.questions.here.model).toBe('large')
    expect(said.simo.chain.map(({ model, status }: { model: string; status: string }) => [model, status])).toEqual([
      ['service-1-pro', 'answered'],
      ['large', 'answered'],
    ])
    expect(said.usage.cost).toBeCloseTo((said.usage.input_tokens * 5) / 1e6, 12)
    const list = await running.post('/v1/models', null, { method: 'GET', body: null })
    const models = await list.json()
    expect(wire.faults('get', '/v1/models', list, models)).toEqual([])
    expect(models.models.find(({ id }: { id: string }) => id === 'auto').stages).toEqual(['service-1-pro', 'large'])
    const alone = await (await running.ask({ ...QUESTION, model: 'large' })).json()
    expect(alone.model).toBe('large')
    expect(alone.simo.chain).toBeUndefined()
  })

  it('says in the log, in the answer and in the numbers that a stage is down', async () => {
    const large = {
      id: 'large',
      load: async () => {
        throw new EngineError('model_not_available', 'the server of large does not answer')
      },
    }
    running = await startRunning({ models: [chainOf([model('service-1-pro', 0.1), large])] })
    const reply = await running.ask(QUESTION)
    const said = await reply.json()
    expect(reply.status).toBe(200)
    expect(wire.faults('post', '/v1/ask', reply, said)).toEqual([])
    expect(said.simo.warnings).toEqual(['The stage large of chain was passed over: the server of large does not answer'])
    expect(running.log).toContainEqual({
      level: 'warn',
      message: 'a stage was passed over',
      fields: { id: said.id, chain: 'chain', stage: 'large', why: 'the server of large does not answer' },
    })
    const metrics = createMetrics()
    const counts = { questions: 1, inputTokens: 1, cachedTokens: 0, deliberated: 0, askMs: 1, waitMs: 1 }
    metrics.answered({ model: 'chain', dialect: 'ask', ...counts, stages: said.simo.chain })
    const { body } = await metrics.text()
    expect(body).toContain('assay_stage_answers_total{model="chain",stage="service-1-pro"} 1')
    expect(body).toContain('assay_stage_skips_total{model="chain",stage="large"} 1')
  })
})

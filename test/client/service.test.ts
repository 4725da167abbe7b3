// The client against the service itself, over the model that the engine beside it has: what comes back is what the
// engine says.
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { type Client, choice, createClient, EngineError, extract, fill, noul, ServiceError, score, select } from '../../src/client/index.ts'
import { seededRandom } from '../../src/core/random.ts'
import { createEngine, type EngineCore } from '../../src/pipeline/engine.ts'
import { parseDollars } from '../../src/service/money.ts'
import { type Running, startRunning } from '../service/running.ts'

const PICTURE = new URL('../../examples/shop.png', import.meta.url)

let running: Running
let engine: EngineCore
let client: Client
let picture: Uint8Array
beforeAll(async () => {
  picture = await readFile(PICTURE)
  running = await startRunning({ settings: { prices: { '*': parseDollars('0.10')! } } })
  await running.store.ledger.credit('main', parseDollars('1')!, 'for the tests')
  engine = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })] })
  client = createClient({ baseUrl: running.url, apiKey: running.secret })
})
afterAll(async () => {
  await running.end()
  await engine.close()
})

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it resolved'),
    (error: unknown) => error,
  )
}

const questions = {
  late: noul('It is late.'),
  tone: choice('How?', ['calm', 'angry'], { args: { loud: { type: 'noul' } } }),
  level: score('How much?', ['low', 'medium', 'high']),
  topics: select('About what?', { money: 'prices', time: null }),
  count: fill('How many?', { kind: 'int', self_check: true }),
  order: extract('The order'),
}

describe('a client and its service', () => {
  it('answer as the engine does, every type and derives', async () => {
    const request = { state: { mail: 'Order 12 is late.', items: [1, 2] }, questions, derive: { act: 'late > 0.5' } } as const
    const [there, here] = [await client.ask(request), await engine.ask(request)]
    expect(there.answers).toEqual(here.answers)
    expect(there.model).toBe(here.model)
    expect(there.usage.input_tokens).toBe(here.usage.input_tokens)
  })

  it('answer about pictures given as bytes and as paths as the engine does, in pixels as sent', async () => {
    const box = { save: extract('the Save button', { kind: 'coordinates' }) }
    const bytes = { state: [{ type: 'image', source: { type: 'bytes', bytes: picture } }], questions: box } as const
    const path = { state: [{ type: 'image', source: { type: 'path', path: PICTURE.pathname } }], questions: box } as const
    const here = await engine.ask(bytes)
    expect((await client.ask(bytes)).answers).toEqual(here.answers)
    expect((await client.ask(path)).answers).toEqual(here.answers)
  })

  it('agree on what an answer cost and what is left', async () => {
    const before = (await running.store.ledger.account('main'))!.balance
    const response = await client.ask({ state: 'x', questions: { late: noul('It is late.') } })
    const receipt = client.receipt(response)!
    expect(receipt.requestId).toBe(response.id)
    expect(parseDollars(receipt.costUsd!)!).toBe(before - parseDollars(receipt.balanceUsd!)!)
    expect(Number(receipt.costUsd)).toBeCloseTo(response.usage.cost, 12)
    expect(receipt).toMatchObject({ isReplayed: false, attempts: 1 })
  })

  it('charge a named ask once', async () => {
    const request = { state: [{ type: 'image', source: { type: 'bytes', bytes: picture } }], questions: { late: noul('x') } } as const
    const first = await client.ask(request, { idempotencyKey: 'once-1' })
    const again = await client.ask(request, { idempotencyKey: 'once-1' })
    expect(again).toEqual(first)
    expect(client.receipt(again)).toMatchObject({ isReplayed: true, requestId: first.id })
    const entries = await running.store.ledger.entries('main', { limit: 100 })
    expect(entries.filter(({ request: id }) => id === first.id)).toHaveLength(1)
    const other = await thrownBy(client.ask({ ...request, questions: { late: noul('y') } }, { idempotencyKey: 'once-1' }))
    expect(other).toMatchObject({ code: 'idempotency_mismatch', status: 422 })
  })

  it('charge an ask whose reply was lost on the way once', async () => {
    let lost = 0
    const lossy = createClient({
      baseUrl: running.url,
      apiKey: running.secret,
      fetch: async (...args) => {
        const response = await fetch(...args)
        if (lost++ === 0) throw new TypeError('fetch failed')
        return response
      },
    })
    const before = (await running.store.ledger.entries('main', { limit: 100 })).length
    const response = await lossy.ask({ state: 'lost', questions: { late: noul('It is late.') } })
    expect(lossy.receipt(response)).toMatchObject({ isReplayed: true, attempts: 2 })
    expect((await running.store.ledger.entries('main', { limit: 100 })).length).toBe(before + 1)
  })

  it('charge asks that were given up, and then asked again, once each', async () => {
    const slow = await startRunning({
      settings: { prices: { '*': parseDollars('0.10')! }, concurrency: 4 },
      fake: { score: () => new Promise((resolve) => setTimeout(() => resolve(null), 5)) },
    })
    try {
      await slow.store.ledger.credit('main', parseDollars('1')!, 'for the tests')
      const asker = createClient({ baseUrl: slow.url, apiKey: slow.secret })
      const random = seededRandom(7)
      const asks = Array.from({ length: 60 }, (_, i) => ({
        request: { state: `Mail ${i}.`, questions: { late: noul('Late?') } },
        name: `ask-${i}`,
      }))
      // Every other one is given up at some point on its way: before it is sent, in the line, while it is answered, or
      // just after.
      const given = await Promise.allSettled(
        asks.map(({ request, name }, i) => {
          const signal = i % 2 === 0 ? {} : { signal: AbortSignal.timeout(Math.floor(random() * 150)) }
          return asker.ask(request, { idempotencyKey: name, ...signal })
        }),
      )
      const answers = await Promise.all(asks.map(({ request, name }) => asker.ask(request, { idempotencyKey: name })))
      for (const [i, settled] of given.entries()) {
        if (settled.status === 'fulfilled') expect(answers[i]).toEqual(settled.value)
        else expect(i % 2).toBe(1)
      }
      const charged = (await slow.store.ledger.entries('main', { limit: 1000 }))
        .filter(({ kind }) => kind === 'charge')
        .map(({ request }) => request)
      expect(charged.sort()).toEqual(answers.map(({ id }) => id).sort())
      expect(await slow.store.ledger.audit()).toEqual([])
    } finally {
      await slow.end()
    }
  })

  it('say what the engine refuses as the engine does', async () => {
    const wrong = { state: 'x', questions: { a: { type: 'nuol' }, b: { type: 'choice', criteria: ['one'] } } } as never
    const [there, here] = [(await thrownBy(client.ask(wrong))) as EngineError, (await thrownBy(engine.ask(wrong))) as EngineError]
    expect(there).toBeInstanceOf(EngineError)
    expect({ ...there }).toMatchObject({ code: here.code, param: here.param, problems: here.problems, status: 400 })
    expect(there.message).toBe(here.message)
  })

  it('say what the service refuses', async () => {
    const unknown = createClient({ baseUrl: running.url, apiKey: `service_sk_${'x'.repeat(43)}` })
    const refused = await thrownBy(unknown.ask({ state: 'x', questions }))
    expect(refused).toBeInstanceOf(ServiceError)
    expect(refused).toMatchObject({ code: 'invalid_api_key', status: 401, requestId: expect.stringMatching(/^evt_/) })
    const { secret } = await running.newKey({ account: 'empty' })
    const empty = createClient({ baseUrl: running.url, apiKey: secret })
    expect(await thrownBy(empty.ask({ state: 'x', questions }))).toMatchObject({ code: 'insufficient_balance', status: 402 })
    const narrow = createClient({ baseUrl: running.url, apiKey: (await running.newKey({ scopes: ['outcomes'] })).secret })
    expect(await thrownBy(narrow.ask({ state: 'x', questions }))).toMatchObject({ code: 'permission_denied', status: 403 })
  })

  it('record outcomes, list models, and say how they are and how well calibrated', async () => {
    const { id } = await client.ask({ state: 'x', questions: { late: noul('It is late.') } })
    expect(await client.recordOutcome(id, { late: true }, { selectionProbability: 0.5 })).toEqual({
      event: id,
      recorded: ['late'],
      replaced: [],
      quarantined: [],
    })
    expect(await thrownBy(client.recordOutcome('evt_none', { late: true }))).toMatchObject({ status: 404, code: 'not_found' })
    expect(await client.models()).toMatchObject(running.engine.models())
    expect(await client.health()).toEqual({ ok: true, service: 'assay', db: true })
    expect(await client.calibration()).toMatchObject({ models: [{ model: 'service-1-pro' }] })
  })

  it('fit a calibration, and take one back where there is one, with the scope for it', async () => {
    const { secret } = await running.newKey({ scopes: ['calibration'] })
    const fitting = createClient({ baseUrl: running.url, apiKey: secret })
    expect(await fitting.fitCalibration()).toMatchObject({ model: 'service-1-pro', decision: 'keep', reason: expect.any(String) })
    expect(await thrownBy(fitting.rollBackCalibration({ why: 'a test' }))).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(await thrownBy(client.fitCalibration({ model: 'none' }))).toMatchObject({ code: 'model_not_found' })
  })
})

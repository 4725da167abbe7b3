// The client against scripted replies over real HTTP: what it sends, what it makes of what comes back, and how long it
// keeps trying.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import type * as outcomes from '../../src/calibration/outcomes/record-outcome.ts'
import {
  type Client,
  type ClientAskOptions,
  type ClientOptions,
  type ClientTime,
  ConnectionError,
  choice,
  createClient,
  EngineError,
  noul,
  type RecordedTruths,
  RemoteEngineError,
  type ServedModel,
  ServiceError,
  TimeoutError,
} from '../../src/client/index.ts'
import type * as models from '../../src/pipeline/models.ts'
import type { Ask } from '../../src/wire/infer.ts'
import { isParts } from '../../src/wire/part-types.ts'
import { ANSWER, refusal, type ScriptedService, startScriptedService } from './scripted-service.ts'

const KEY = 'service_sk_canary0123456789'
const REQUEST = { state: 'It is late.', questions: { late: noul('It is late.') } }

let service: ScriptedService
beforeAll(async () => {
  service = await startScriptedService()
})
afterAll(() => service.close())

/** A clock that jumps over waits and keeps them; chance is always the middle. */
let waits: number[] = []
let now = 0
const time: ClientTime = {
  now: () => now,
  random: () => 0.5,
  async wait(ms) {
    waits.push(ms)
    now += ms
  },
}
beforeEach(() => {
  waits = []
  now = 0
})

function client(more: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl: service.url, apiKey: KEY, time, ...more })
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it resolved'),
    (error: unknown) => error,
  )
}

describe('a client that asks', () => {
  it('sends the request as it is, with the key and a name of its own', async () => {
    service.script(ANSWER)
    await client().ask(REQUEST)
    await client().ask(REQUEST)
    const [first, second] = service.seen
    expect(first).toMatchObject({ method: 'POST', path: '/v1/ask' })
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json' })
    expect(JSON.parse(String(first?.body))).toEqual(REQUEST)
    expect(first?.headers['idempotency-key']).toMatch(/^ask_[0-9a-f-]{36}$/)
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key'])
  })

  it('goes below the path of its base URL, whatever slashes that ends with', async () => {
    service.script(ANSWER)
    await client({ baseUrl: `${service.url}/assay//` }).ask(REQUEST)
    expect(service.seen[0]?.path).toBe('/assay/v1/ask')
  })

  it('says what an answer cost, of that very response', async () => {
    service.script(ANSWER)
    const asker = client()
    const response = await asker.ask(REQUEST)
    expect(response.answers.late.noul).toBe(0.25)
    expect(asker.receipt(response)).toEqual({
      requestId: 'evt_1',
      costUsd: '0.000001200',
      balanceUsd: '4.999998800',
      latencyMs: 7,
      isReplayed: false,
      attempts: 1,
    })
    expect(asker.receipt({ ...response })).toBeNull()
  })

  it('says when an answer was given before', async () => {
    service.script({ ...ANSWER, headers: { ...ANSWER.headers, 'x-service-idempotent-replayed': 'true' } })
    const asker = client()
    expect(asker.receipt(await asker.ask(REQUEST, { idempotencyKey: 'order-7' }))?.isReplayed).toBe(true)
    expect(service.seen[0]?.headers['idempotency-key']).toBe('order-7')
  })

  it('gives answers without a prototype, as the engine does', async () => {
    const body = '{"id":"evt_1","model":"m","answers":{"__proto__":{"type":"noul","noul":0.5}},"usage":{},"simo":{}}'
    service.script({ headers: { 'content-type': 'application/json' }, body })
    const { answers } = await client().ask(REQUEST)
    expect(Object.getPrototypeOf(answers)).toBeNull()
    expect(Object.keys(answers)).toEqual(['__proto__'])
    expect('constructor' in answers).toBe(false)
  })

  it('infers the answers from the questions, as the engine does', () => {
    expectTypeOf<Client['ask']>().toEqualTypeOf<Ask<ClientAskOptions>>()
    // Quarantine, and names that stand for models, are the service's own.
    expectTypeOf<Omit<RecordedTruths, 'quarantined'>>().toEqualTypeOf<outcomes.RecordedOutcome>()
    expectTypeOf<Omit<ServedModel, 'aliases'>>().toEqualTypeOf<models.ModelListing>()
    const typed = async (asker: Client) => {
      const { answers } = await asker.ask({
        state: 'x',
        questions: { tone: choice('How?', ['calm', 'angry']), late: { type: 'noul' } },
        derive: { act: 'late > 0.5' },
      })
      expectTypeOf(answers.tone.choice).toEqualTypeOf<'calm' | 'angry'>()
      expectTypeOf(answers.late.noul).toEqualTypeOf<number>()
      expectTypeOf(answers.act.type).toEqualTypeOf<'derive'>()
      // @ts-expect-error a question that was not asked has no answer
      answers.urgent
      // @ts-expect-error a field that a noul does not have
      await asker.ask({ state: 'x', questions: { late: { type: 'noul', many: true } } })
    }
    expect(typed).toBeTypeOf('function')
  })
})

describe('pictures', () => {
  const bytes = new Uint8Array([137, 80, 78, 71, 1, 2, 3])
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-client-'))
    await writeFile(join(folder, 'secret-name.png'), bytes)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** What a multipart request held: its JSON, and its files as bytes. */
  async function partsOf(index = 0): Promise<{ json: { state: unknown }; files: Record<string, number[]> }> {
    const { headers, body } = service.seen[index]!
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
    const files: Record<string, number[]> = {}
    for (const [name, value] of form) if (typeof value !== 'string') files[name] = [...new Uint8Array(await value.arrayBuffer())]
    return { json: JSON.parse(String(form.get('request'))), files }
  }

  it('given as bytes go beside the JSON, each once', async () => {
    service.script(ANSWER)
    const source = { type: 'bytes', bytes } as const
    const state = [
      { type: 'image', id: 'first', source },
      { type: 'text', text: 'x' },
      { type: 'image', source },
      { type: 'video', frames: [{ source: { type: 'bytes', bytes: Buffer.from([1]) }, t_ms: 0 }] },
      { type: 'video', source, fps: 2 },
      { type: 'file', id: 'clip', mediaType: 'video/mp4', data: Uint8Array.of(2), filename: 'a.mp4', max_frames: 3 },
      { type: 'file', mediaType: 'image/png', data: 'AA==' },
    ] as const
    await client().ask({ ...REQUEST, state })
    expect(service.seen[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(await partsOf()).toEqual({
      json: {
        ...REQUEST,
        state: [
          { type: 'image', id: 'first', source: { type: 'part', name: 'picture_1' } },
          { type: 'text', text: 'x' },
          { type: 'image', source: { type: 'part', name: 'picture_1' } },
          { type: 'video', frames: [{ source: { type: 'part', name: 'picture_2' }, t_ms: 0 }] },
          { type: 'video', source: { type: 'part', name: 'picture_1' }, fps: 2 },
          { type: 'video', id: 'clip', max_frames: 3, source: { type: 'part', name: 'picture_3' } },
          { type: 'file', mediaType: 'image/png', data: 'AA==' },
        ],
      },
      files: { picture_1: [...bytes], picture_2: [1], picture_3: [2] },
    })
  })

  it('given as paths are read on this side', async () => {
    service.script(ANSWER)
    await client().ask({ ...REQUEST, state: [{ type: 'image', source: { type: 'path', path: join(folder, 'secret-name.png') } }] })
    const { json, files } = await partsOf()
    expect(files).toEqual({ picture_1: [...bytes] })
    expect(JSON.stringify(json)).not.toContain('secret-name')
  })

  it('that cannot be read are refused with a pointer and without the path', async () => {
    for (const [path, said] of [
      [join(folder, 'gone.png'), 'there is no such file'],
      [folder, 'no regular file'],
    ] as const) {
      const error = (await thrownBy(
        client().ask({ ...REQUEST, state: [{ type: 'image', source: { type: 'path', path } }] }),
      )) as EngineError
      expect(error).toMatchObject({ code: 'invalid_image', param: '/state/0/source/path', message: expect.stringContaining(said) })
      expect(error.message).not.toContain(folder)
    }
  })

  it('given as paths are refused where files are closed', async () => {
    const state = [{ type: 'image', source: { type: 'path', path: join(folder, 'secret-name.png') } }] as const
    const error = await thrownBy(client({ localFiles: false }).ask({ ...REQUEST, state }))
    expect(error).toMatchObject({ code: 'invalid_request', param: '/state/0/source/path' })
  })

  it('never take a name that the request uses itself', async () => {
    service.script(ANSWER)
    const state = [
      { type: 'image', source: { type: 'part', name: 'picture_1' } },
      { type: 'image', source: { type: 'bytes', bytes } },
    ] as const
    await client().ask({ ...REQUEST, state })
    expect(Object.keys((await partsOf()).files)).toEqual(['picture_2'])
  })

  it('in an array that is JSON, not parts, are not looked for', async () => {
    service.script(ANSWER)
    const state = [{ type: 'image', source: { type: 'path', path: join(folder, 'secret-name.png') } }, { kind: 'other' }]
    await client().ask({ ...REQUEST, state } as never)
    expect(JSON.parse(String(service.seen[0]?.body)).state).toEqual(state)
  })

  it('are looked for in the very arrays that the engine reads as parts', async () => {
    service.script(ANSWER)
    const image = { type: 'image', source: { type: 'path', path: join(folder, 'secret-name.png') } }
    for (const type of ['text', 'json', 'image', 'image_url', 'input_image', 'video', 'file', 'audio', 'part', undefined]) {
      const state = [image, { type }]
      await client().ask({ ...REQUEST, state } as never)
      const isMultipart = service.seen.at(-1)?.headers['content-type']?.startsWith('multipart/') === true
      expect(isMultipart, String(type)).toBe(isParts(state))
    }
  })

  it('are sent again whole and unchanged by a retry', async () => {
    service.script(refusal(503, 'overloaded'), ANSWER)
    const changing = Uint8Array.from(bytes)
    const asked = client({ time: { ...time, wait: async () => void changing.fill(0) } }).ask({
      ...REQUEST,
      state: [{ type: 'image', source: { type: 'bytes', bytes: changing } }],
    })
    await asked
    expect((await partsOf(1)).files).toEqual({ picture_1: [...bytes] })
  })
})

describe('what JSON cannot say', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  it.each([
    ['bytes outside a picture', { state: { logo: new Uint8Array(3) } }, '/state/logo'],
    ['a Buffer', { state: { logo: Buffer.from('x') } }, '/state/logo'],
    ['NaN', { state: [1, Number.NaN] }, '/state/1'],
    ['a circle', { state: circle }, expect.stringContaining('/state/self')],
    ['a Map', { state: { seen: new Map() } }, '/state/seen'],
    ['a bigint', { state: { big: 1n } }, '/state/big'],
    [
      'a member that cannot be read',
      {
        state: {
          get broken() {
            throw new Error('not now')
          },
        },
      },
      '/state/broken',
    ],
    ['a hole', { state: [undefined] }, '/state/0'],
    ['a function', { questions: { late: { type: 'noul', instructions: () => 'x' } } }, '/questions/late/instructions'],
  ])('is refused before anything is sent: %s', async (_what, more, param) => {
    service.script(ANSWER)
    const error = await thrownBy(client().ask({ ...REQUEST, ...more } as never))
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ code: 'invalid_request', param })
    expect(service.seen).toHaveLength(0)
  })

  it('does not mean a field that is undefined: that one is absent', async () => {
    service.script(ANSWER)
    await client().ask({ ...REQUEST, model: undefined } as never)
    expect(JSON.parse(String(service.seen[0]?.body))).toEqual(REQUEST)
  })
})

describe('refusals', () => {
  it('of the engine are the same error as in process, with the reply besides', async () => {
    const problems = [
      { param: '/questions/a', message: 'one' },
      { param: '/questions/b', message: 'two' },
    ]
    service.script(refusal(400, 'invalid_question', { param: '/questions/a', problems }))
    const error = await thrownBy(client().ask(REQUEST))
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toBeInstanceOf(RemoteEngineError)
    expect(error).toMatchObject({ code: 'invalid_question', param: '/questions/a', problems, status: 400, requestId: 'evt_refused' })
    expect(service.seen).toHaveLength(1)
  })

  it.each([
    [401, 'invalid_api_key'],
    [402, 'insufficient_balance'],
    [403, 'permission_denied'],
    [404, 'not_found'],
    [405, 'method_not_allowed'],
    [422, 'idempotency_mismatch'],
  ])('of the service are its own, and final: %i %s', async (status, code) => {
    service.script(refusal(status, code, { param: '/x' }))
    const error = await thrownBy(client().ask(REQUEST))
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ status, code, param: '/x', requestId: 'evt_refused', retryAfterMs: null, message: `It was ${code}.` })
    expect(service.seen).toHaveLength(1)
  })

  it('with a code of a newer service keep it', async () => {
    service.script(refusal(418, 'teapot'))
    expect(await thrownBy(client().ask(REQUEST))).toMatchObject({ name: 'ServiceError', status: 418, code: 'teapot' })
  })

  it.each([
    ['a page', { status: 200, body: '<html>Welcome</html>' }, 200],
    ['other JSON', { status: 200, body: { hello: true } }, 200],
    ['null', { status: 200, body: null }, 200],
    ['an error of someone else', { status: 400, body: { error: 'bad' } }, 400],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/v1/ask' }, body: {} }, 307],
  ])('that no service says are told apart: %s', async (_what, reply, status) => {
    service.script(reply)
    const error = await thrownBy(client().ask(REQUEST))
    expect(error).toMatchObject({ name: 'ServiceError', code: 'unexpected_reply', status, message: expect.stringContaining('baseUrl') })
    expect(service.seen).toHaveLength(1)
  })
})

describe('retries', () => {
  it('of busy services keep the name of the ask, so that it is charged once', async () => {
    service.script(refusal(503, 'overloaded'), refusal(429, 'rate_limited'), refusal(503, 'model_loading'), ANSWER)
    const asker = client()
    const response = await asker.ask(REQUEST)
    expect(asker.receipt(response)?.attempts).toBe(4)
    expect(new Set(service.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  it('wait twice as long each time, up to eight seconds, a part of it by chance', async () => {
    service.script(refusal(503, 'overloaded'))
    await thrownBy(client({ retries: 6, timeoutMs: 1e6 }).ask(REQUEST))
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000].map((ms) => ms * 0.75))
    expect(service.seen).toHaveLength(7)
  })

  it('never come before Retry-After, in seconds or as a date', async () => {
    const at = new Date('2030-01-01T00:00:10Z')
    const headers = { 'retry-after': at.toUTCString(), date: new Date(at.getTime() - 5000).toUTCString() }
    service.script(refusal(429, 'rate_limited', {}, { 'retry-after': '3' }), refusal(429, 'rate_limited', {}, headers), ANSWER)
    await client().ask(REQUEST)
    expect(waits).toEqual([3125, 5125])
  })

  it('are not made when the service wants more patience than allowed', async () => {
    service.script(refusal(429, 'rate_limited', {}, { 'retry-after': '61' }))
    const error = await thrownBy(client().ask(REQUEST))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 61_000 })
    expect(service.seen).toHaveLength(1)
  })

  it('are not waited for beyond the timeout', async () => {
    service.script(refusal(503, 'overloaded', {}, { 'retry-after': '20' }))
    const error = await thrownBy(client({ timeoutMs: 50_000 }).ask(REQUEST))
    expect(error).toMatchObject({ code: 'overloaded', retryAfterMs: 20_000 })
    expect(service.seen).toHaveLength(3)
  })

  it('wait out the same ask while it is answered, without counting', async () => {
    const running = refusal(409, 'idempotency_in_progress', {}, { 'retry-after': '1' })
    service.script(running, running, running, ANSWER)
    await client({ retries: 0 }).ask(REQUEST)
    expect(service.seen).toHaveLength(4)
  })

  it('follow a connection that was cut, and a gateway that lost the service', async () => {
    service.script(
      (_request, response) => {
        response.socket?.destroy()
        return null
      },
      { status: 502, body: '<html>Bad gateway</html>' },
      ANSWER,
    )
    await client().ask(REQUEST)
    expect(service.seen).toHaveLength(3)
  })

  it('follow an answer that was cut in the middle', async () => {
    service.script((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"id":', () => response.socket?.destroy())
      return null
    }, ANSWER)
    await client().ask(REQUEST)
    expect(service.seen).toHaveLength(2)
  })

  it.each([
    [500, 'internal_error'],
    [504, 'deadline_exceeded'],
  ])('do not follow %i %s', async (status, code) => {
    service.script(refusal(status, code))
    expect(await thrownBy(client().ask(REQUEST))).toMatchObject({ code, status })
    expect(service.seen).toHaveLength(1)
  })

  it('end with what was wrong with the connection', async () => {
    const closed = await startScriptedService()
    await closed.close()
    const error = await thrownBy(client({ baseUrl: closed.url, retries: 2 }).ask(REQUEST))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ attempts: 3, message: expect.stringContaining('ECONNREFUSED') })
  })
})

describe('time', () => {
  const patient = () => client({ time: undefined })

  it('bounds the whole of an ask', async () => {
    service.script(() => null)
    const error = await thrownBy(patient().ask(REQUEST, { timeoutMs: 60 }))
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ timeoutMs: 60, attempts: 1 })
  })

  it('bounds an answer that comes in slowly', async () => {
    service.script((_request, response) => {
      response.writeHead(200).write('{')
      return null
    })
    expect(await thrownBy(patient().ask(REQUEST, { timeoutMs: 60 }))).toBeInstanceOf(TimeoutError)
  })

  it('ends with the reason of the signal, while asking and while waiting', async () => {
    const reason = new Error('enough')
    service.script(() => null)
    const asking = new AbortController()
    const asked = thrownBy(patient().ask(REQUEST, { signal: asking.signal }))
    await vi.waitFor(() => expect(service.seen).toHaveLength(1))
    asking.abort(reason)
    expect(await asked).toBe(reason)

    service.script(refusal(503, 'overloaded', {}, { 'retry-after': '30' }))
    const waiting = new AbortController()
    const waited = thrownBy(patient().ask(REQUEST, { signal: waiting.signal }))
    await vi.waitFor(() => expect(service.seen).toHaveLength(1))
    waiting.abort(reason)
    expect(await waited).toBe(reason)
    expect(await thrownBy(patient().ask(REQUEST, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(service.seen).toHaveLength(1)
  })
})

describe('the other calls', () => {
  it('record outcomes, with the chance of being labelled', async () => {
    service.script({ body: { event: 'evt_1', recorded: ['late'], replaced: [] } })
    expect(await client().recordOutcome('evt_1', { late: true }, { selectionProbability: 0.5 })).toEqual({
      event: 'evt_1',
      recorded: ['late'],
      replaced: [],
    })
    expect(service.seen[0]).toMatchObject({ method: 'POST', path: '/v1/outcomes' })
    expect(JSON.parse(String(service.seen[0]?.body))).toEqual({ event: 'evt_1', outcomes: { late: true }, selection_probability: 0.5 })
  })

  it('list models', async () => {
    const models = [{ id: 'service-1-pro', name: 'Service 1 Pro', available: true, status: 'available' }]
    service.script({ body: { object: 'list', models } })
    expect(await client().models()).toEqual(models)
  })

  it('fit a calibration and take it back, once each, whatever comes of it', async () => {
    const fitted = { model: 'service-1-pro', decision: 'serve', version: 'cal_1', held_out: null, reason: 'better' }
    const change = { at: 1, action: 'roll back', version: null, from: 'cal_1', why: 'worse', held_out: null }
    service.script({ body: fitted }, { body: change }, refusal(503, 'overloaded'), refusal(503, 'overloaded'))
    expect(await client().fitCalibration({ model: 'service-1-pro' })).toEqual(fitted)
    expect(await client().rollBackCalibration({ why: 'worse' })).toEqual(change)
    expect(service.seen.map(({ method, path, body }) => [method, path, JSON.parse(String(body))])).toEqual([
      ['POST', '/v1/calibration/fit', { model: 'service-1-pro' }],
      ['POST', '/v1/calibration/rollback', { why: 'worse' }],
    ])
    expect(await thrownBy(client().fitCalibration())).toMatchObject({ status: 503 })
    expect(await thrownBy(client().rollBackCalibration())).toMatchObject({ status: 503 })
    expect(service.seen.slice(2).map(({ body }) => JSON.parse(String(body)))).toEqual([{}, {}])
  })

  it('say how the service is, once, also when it is not well', async () => {
    service.script({ status: 503, body: { ok: false, service: 'assay', db: false } })
    expect(await client().health()).toEqual({ ok: false, service: 'assay', db: false })
    expect(service.seen).toHaveLength(1)
  })
})

describe('options that would be ignored', () => {
  it.each<[string, unknown, string]>([
    ['misspelt', { timeout: 5 }, 'ask has no option "timeout". Did you mean "timeoutMs"?'],
    ['of a request', { sets: { coverage: 0.9 } }, 'simo: { sets: … }'],
    ['that are null', null, 'The options of ask are an object of signal, timeoutMs, idempotencyKey; received null'],
    ['without a signal in signal', { signal: 5 }, 'signal is an AbortSignal'],
  ])('are refused by ask: %s', async (_, asked, message) => {
    await expect(client().ask(REQUEST, asked as never)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message),
    })
  })

  it('are refused by the other calls', async () => {
    await expect(client().models({ timeot: 5 } as never)).rejects.toThrow('Did you mean "timeoutMs"?')
    await expect(client().recordOutcome('evt_1', {}, { selection_probability: 1 } as never)).rejects.toThrow('"selectionProbability"')
    expect(() => client({ timeout: 5 } as never)).toThrow('createClient has no option "timeout". Did you mean "timeoutMs"?')
    expect(() => createClient(undefined as never)).toThrow('The options of createClient are an object of baseUrl, apiKey')
  })
})

describe('the key', () => {
  it('is nowhere to be seen', async () => {
    const asker = client()
    expect(inspect(asker, { depth: 9, showHidden: true }) + JSON.stringify(asker)).not.toContain(KEY)
    service.script({ status: 400, body: { error: { code: 'not_found', message: `No ${KEY} here`, param: null } } })
    const echoed = await thrownBy(asker.ask(REQUEST))
    expect(echoed).toMatchObject({ code: 'not_found', message: 'No … here' })
    const closed = await startScriptedService()
    await closed.close()
    const refused = await thrownBy(client({ baseUrl: closed.url, retries: 0 }).ask(REQUEST))
    for (const error of [echoed, refused]) expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY)
  })

  it('is not repeated when it is none', () => {
    for (const apiKey of ['', ` ${KEY}`, `${KEY}\n`, 'schlüssel-canary', undefined as never]) {
      try {
        client({ apiKey })
        expect.fail(`took ${JSON.stringify(apiKey)}`)
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('apiKey') })
        expect(inspect(error)).not.toContain('canary')
      }
    }
  })

  it('stays out of pages unless that is meant', () => {
    vi.stubGlobal('window', { document: {} })
    expect(() => client()).toThrow(/dangerouslyAllowBrowser/)
    expect(client({ dangerouslyAllowBrowser: true }).ask).toBeTypeOf('function')
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })
})

describe('an address', () => {
  it.each([
    ['assay.example.com', 'the address of the service'],
    ['ftp://assay.example.com', 'ftp:'],
    ['https://user:hunter2@assay.example.com', 'apiKey'],
    ['https://assay.example.com/?key=1', '? and #'],
    ['https://assay.example.com/v1/', 'without /v1'],
  ])('is refused with what it takes: %s', (baseUrl, said) => {
    expect(() => client({ baseUrl })).toThrow(said)
    expect(() => client({ baseUrl })).not.toThrow('hunter2')
  })

  it('goes with numbers that can be', () => {
    expect(() => client({ timeoutMs: 0 })).toThrow(/timeoutMs/)
    expect(() => client({ retries: 1.5 })).toThrow(/retries/)
    expect(() => client({ mostWaitMs: Number.NaN })).toThrow(/mostWaitMs/)
  })

  it('and a name for an ask that a header can hold', async () => {
    for (const idempotencyKey of ['', 'a b', 'ä', 'x'.repeat(256)])
      expect(await thrownBy(client().ask(REQUEST, { idempotencyKey }))).toMatchObject({ code: 'invalid_request' })
  })
})

// Replies of a running service held to its OpenAPI document: all routes, all types of answers on both models, and every
// error that can be provoked.
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { questionTypes } from '../../src/questions/index.ts'
import { ASK_FORM, ASK_PICTURE, ASK_TEXT } from '../../src/service/openapi/examples.ts'
import { evidenceOf, keep, SCRIPT } from './calibration/over-sure.ts'
import { described, documentOf } from './described.ts'
import { type Running, type RunningOptions, startRunning } from './running.ts'

const document = documentOf()
const wire = described(document)
const MODEL = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))

const SCORE = { type: 'score', criteria: ['low', { label: 'high', description: { any: 'JSON' } }] }
/** What clients of the System One wire send besides. */
const SYSTEM_ONE_CLIENT = { 'x-typesafe-sdk': 'typesafe-sdk/0.6.0' }
/** Every type of question in every form an answer has. */
const EVERYTHING = {
  state: [
    { type: 'text', text: 'Order A-1042 for 59.90 EUR, ordered on 2026-03-02 by buyer@example.com, and A-1043.' },
    { type: 'json', value: { shop: 'lamps', total: 59.9 } },
    { type: 'image', id: 'page', source: ASK_PICTURE.state[1]!.source },
  ],
  questions: {
    late: { type: 'noul' },
    next: {
      type: 'choice',
      options: [
        { value: 'wait', args: { sure: SCORE } },
        { value: 'refund', args: { sum: { type: 'extract', kind: 'money' } } },
      ],
      args: { which: { type: 'choice', criteria: ['a', 'b'] }, many: { type: 'extract', many: true } },
    },
    plain: { type: 'choice', criteria: { a: null, b: 'text' } },
    haste: SCORE,
    about: { type: 'select', criteria: ['money', 'time', 'place'], min: 1 },
    text: { type: 'fill', self_check: true },
    int: { type: 'fill', kind: 'int' },
    number: { type: 'fill', kind: 'number' },
    date: { type: 'fill', kind: 'date' },
    list: { type: 'fill', kind: 'list', item: { kind: 'enum', values: ['x', 'y'] } },
    enum: { type: 'fill', kind: 'enum', values: ['x', 'y'], self_check: true },
    mail: { type: 'extract', kind: 'email', self_check: true },
    all: { type: 'extract', many: true, self_check: true },
    box: { type: 'extract', kind: 'coordinates' },
    boxes: { type: 'extract', kind: 'coordinates', many: true, image: 'page' },
  },
  derive: { risk: 'late * 2', said: 'plain', none: 'mail', broken: { expr: '1 / 0' }, yes: 'late > 0' },
}

/** Paths that take a method. */
const pathsOf = (method: 'get' | 'post'): string[] =>
  Object.keys(document.paths).filter((path) => document.paths[path]![method] !== undefined)

/** Routes that change what is served: asked by the service that learns. */
const LEARNING = ['/v1/calibration/fit', '/v1/calibration/rollback']

/** A reply, and what of it is not as described. */
async function held(running: Running, method: 'get' | 'post', path: string, body?: unknown, init: RequestInit = {}) {
  const reply = await running.post(path, body, { method: method.toUpperCase(), ...(method === 'get' ? { body: null } : {}), ...init })
  const text = await reply.text()
  const said = reply.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
  return { status: reply.status, body: said, faults: wire.faults(method, path, reply, said) }
}

describe('a service, held to its document,', () => {
  let running: Running
  beforeAll(async () => {
    running = await startRunning()
  })
  afterAll(() => running.end())

  it('serves it', async () => {
    const reply = await fetch(`${running.url}/openapi.json`)
    expect(reply.headers.get('content-type')).toContain('application/json')
    expect(await reply.json()).toEqual(document)
  })

  it('serves what is described, and describes what it serves', () => {
    const { app } = running.service
    const described = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    for (const each of described) {
      const [method, url] = each.split(' ') as ['GET', string]
      expect(app.hasRoute({ method, url }), each).toBe(true)
    }
    // A tree, four characters a level; what stands deeper goes on from what stands above.
    const above: string[] = []
    const served = app
      .printRoutes({ commonPrefix: false })
      .split('\n')
      .flatMap((line) => {
        const [, indent, part, methods] = /^(.*?)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? []
        if (indent === undefined) return []
        above.splice(indent.length / 4, above.length, part as string)
        return (methods ?? '').split(', ').map((method) => `${method} ${above.join('')}`)
      })
    expect(served.filter((each) => /^(GET|POST|PUT|PATCH|DELETE) /.test(each)).sort()).toEqual([...described].sort())
  })

  it('takes every example of a request, and answers as described', async () => {
    for (const path of pathsOf('post').filter((path) => !LEARNING.includes(path))) {
      const examples: Record<string, { value: object }> = document.paths[path]!.post.requestBody.content['application/json'].examples
      expect(Object.keys(examples), `${path} has an example`).not.toEqual([])
      for (const [name, { value }] of Object.entries(examples)) {
        const answered = 'event' in value ? { event: (await held(running, 'post', '/v1/ask', ASK_TEXT)).body.id } : {}
        const { status, faults, body } = await held(running, 'post', path, { ...value, ...answered }, { headers: SYSTEM_ONE_CLIENT })
        expect({ path, name, status, faults, error: body.error }).toEqual({ path, name, status: 200, faults: [], error: undefined })
      }
    }
  })

  it('takes the example of a form', async () => {
    const form = new FormData()
    form.set('request', JSON.stringify(ASK_FORM))
    form.set(
      'photo',
      new Blob([
        await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
          .png()
          .toBuffer(),
      ]),
      'photo.png',
    )
    const reply = await fetch(`${running.url}/v1/ask`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${running.secret}` },
    })
    expect(wire.faults('post', '/v1/ask', reply, await reply.json())).toEqual([])
    expect(reply.status).toBe(200)
  })

  it.each(['/v1/ask', '/v1/systemone', '/v1/decisions'])('describes the form that %s takes beside JSON', async (path) => {
    const { 'application/json': json, 'multipart/form-data': described } = document.paths[path]!.post.requestBody.content
    expect(described).toBeDefined()
    const form = new FormData()
    form.set('request', JSON.stringify(Object.values<{ value: object }>(json.examples)[0]!.value))
    const headers = { authorization: `Bearer ${running.secret}`, ...SYSTEM_ONE_CLIENT }
    expect((await fetch(`${running.url}${path}`, { method: 'POST', body: form, headers })).status).toBe(200)
  })

  it('answers routes that ask nothing as described', async () => {
    const paths = pathsOf('get')
    expect(paths).toContain('/v1/models')
    for (const path of paths) {
      const { status, faults } = await held(running, 'get', path)
      expect({ path, status, faults }).toEqual({ path, status: 200, faults: [] })
    }
  })

  it('replays and limits as described', async () => {
    const { secret } = await running.newKey({ requestsPerMinute: 2 })
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': 'once' }
    const seen: number[] = []
    for (let i = 0; i < 3; i++) {
      const { status, faults } = await held(running, 'post', '/v1/ask', ASK_TEXT, { headers })
      expect(faults).toEqual([])
      seen.push(status)
    }
    expect(seen).toEqual([200, 200, 429])
  })

  it('refuses as described', async () => {
    const { secret } = await running.newKey({ scopes: ['outcomes'] })
    const json = { 'content-type': 'application/json' }
    const long = { state: 'word '.repeat(5000), questions: { q: { type: 'noul' } } }
    const cases: readonly [number, string, string, unknown, RequestInit?][] = [
      [400, 'invalid_json', '/v1/ask', null, { body: '{' }],
      [400, 'invalid_request', '/v1/ask', { questions: 7 }],
      [400, 'invalid_question', '/v1/ask', { state: 'x', questions: { q: { type: 'noul', criterion: 1, x: 2 } } }],
      [400, 'unknown_question_type', '/v1/systemone', { state: 'x', questions: { q: { type: 'unheard' } } }],
      [400, 'invalid_derive', '/v1/ask', { ...ASK_TEXT, derive: { a: 'b +' } }],
      [400, 'context_length_exceeded', '/v1/ask', long],
      [400, 'invalid_request', '/v1/decisions', { input: 5 }],
      [401, 'missing_api_key', '/v1/ask', ASK_TEXT, { headers: { ...json, authorization: 'none' } }],
      [401, 'invalid_api_key', '/v1/systemone', ASK_TEXT, { headers: { ...json, authorization: 'Bearer service_sk_none' } }],
      [403, 'permission_denied', '/v1/ask', ASK_TEXT, { headers: { ...json, authorization: `Bearer ${secret}` } }],
      [403, 'permission_denied', '/v1/calibration/fit', {}, { headers: { ...json, authorization: `Bearer ${secret}` } }],
      [404, 'model_not_found', '/v1/ask', { ...ASK_TEXT, model: 'other' }],
      [404, 'model_not_available', '/v1/ask', { ...ASK_TEXT, model: 'service-1' }],
      [404, 'not_found', '/v1/outcomes', { event: 'evt_none', outcomes: { q: true } }],
      [
        413,
        'too_many_questions',
        '/v1/ask',
        { state: 'x', questions: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [i, { type: 'noul' }])) },
      ],
      [
        415,
        'unsupported_media_type',
        '/v1/ask',
        ASK_TEXT,
        { headers: { 'content-type': 'text/plain', authorization: `Bearer ${running.secret}` } },
      ],
      [422, 'capability_not_supported', '/v1/ask', { state: 'x', questions: { q: { type: 'fill', kind: 'json' } } }],
    ]
    for (const [status, code, path, body, init] of cases) {
      const reply = await held(running, 'post', path, body, init)
      expect({ path, status: reply.status, code: reply.body.error.code, faults: reply.faults }).toEqual({ path, status, code, faults: [] })
    }
  })

  it('refuses a wrong method and a wrong path as described', async () => {
    const schemas = document.components.responses.MethodNotAllowed.content['application/json'].schema
    expect(schemas.allOf[1].properties.error.properties.code.enum).toEqual(['method_not_allowed'])
    const wrong = await fetch(`${running.url}/v1/ask`)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await fetch(`${running.url}/v1/aks`)).status).toBe(404)
  })
})

describe('a service that learns, held to its document,', () => {
  it('fits, says what it serves, and takes it back, as described', async () => {
    const running = await startRunning({ fake: SCRIPT })
    const keeps = await held(running, 'post', '/v1/calibration/fit', {})
    const nothing = await held(running, 'post', '/v1/calibration/rollback', { why: 'a test' })
    await keep(running.store.outcomes('main'), running.engine.loaded()[0]!, evidenceOf(150, 8))
    const serves = await held(running, 'post', '/v1/calibration/fit', { model: 'service-1-pro' })
    const answer = await held(running, 'post', '/v1/ask', { state: 'Parcel: 2', questions: { late: { type: 'noul' } } })
    const status = await held(running, 'get', '/v1/calibration')
    const back = await held(running, 'post', '/v1/calibration/rollback', {})
    await running.end()
    expect([keeps, nothing, serves, answer, status, back].map(({ status, faults }) => [status, faults])).toEqual([
      [200, []],
      [400, []],
      [200, []],
      [200, []],
      [200, []],
      [200, []],
    ])
    expect([keeps.body.decision, serves.body.decision, answer.body.simo.calibration.applied]).toEqual(['keep', 'serve', 'fitted'])
    expect(status.body.history).toHaveLength(1)
    expect(status.body.models[0].labels.length).toBeGreaterThan(0)
    expect(back.body.action).toBe('roll back')
  })
})

describe('a service that is poor or busy, held to its document,', () => {
  const key = (secret: string, name: string) => ({
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': name },
  })

  it('asks for money as described', async () => {
    const running = await startRunning({ settings: { prices: { '*': 1_000_000n } } })
    const { status, body, faults } = await held(running, 'post', '/v1/ask', ASK_TEXT)
    await running.end()
    expect({ status, code: body.error.code, faults }).toEqual({ status: 402, code: 'insufficient_balance', faults: [] })
  })

  it('refuses what comes twice, is too much, or takes too long, as described', async () => {
    let free = () => {}
    const blocked = new Promise<null>((resolve) => {
      free = () => resolve(null)
    })
    const running = await startRunning({ settings: { concurrency: 1, queue: 1, deadlineMs: 3000 }, fake: { score: () => blocked } })
    const first = held(running, 'post', '/v1/ask', ASK_TEXT, key(running.secret, 'one'))
    await expect.poll(() => running.service.context.answerer.load.running).toBe(1)
    const codes: unknown[] = []
    const note = ({ status, body, faults }: Awaited<ReturnType<typeof held>>) => codes.push([status, body.error?.code, faults])
    note(await held(running, 'post', '/v1/ask', ASK_TEXT, key(running.secret, 'one')))
    note(await held(running, 'post', '/v1/ask', { ...ASK_TEXT, state: 'other' }, key(running.secret, 'one')))
    const second = held(running, 'post', '/v1/ask', ASK_TEXT)
    await expect.poll(() => running.service.context.answerer.load.waiting).toBe(1)
    note(await held(running, 'post', '/v1/ask', ASK_TEXT))
    note(await first)
    note(await second)
    free()
    await running.end()
    expect(codes).toEqual([
      [409, 'idempotency_in_progress', []],
      [422, 'idempotency_mismatch', []],
      [503, 'overloaded', []],
      [504, 'deadline_exceeded', []],
      [504, 'deadline_exceeded', []],
    ])
  })
})

/** What a service over this model says to the question of everything. */
async function everything(options: RunningOptions) {
  const running = await startRunning(options)
  const reply = await held(running, 'post', '/v1/ask', EVERYTHING)
  await running.end()
  return reply
}

describe('an answer to everything, held to the document,', () => {
  it('is of every type of question', () => {
    expect([...new Set(Object.values(EVERYTHING.questions).map(({ type }) => type))].sort()).toEqual([...questionTypes()].sort())
  })

  it('is as described on the fake model', async () => {
    const { faults, body, status } = await everything({})
    expect({ status, faults, error: body.error }).toEqual({ status: 200, faults: [], error: undefined })
    expect(Object.keys(body.answers)).toEqual([...Object.keys(EVERYTHING.questions), ...Object.keys(EVERYTHING.derive)])
  })

  it('is as described when every read fails', async () => {
    const read = () => {
      throw new Error('The model fell over.')
    }
    const { faults, body } = await everything({ fake: { read } })
    expect(faults).toEqual([])
    expect(body.answers.box).toMatchObject({ valid: false, coordinates: null, error: expect.any(String) })
  })

  it('is as described on the shipped model', async () => {
    const { faults, body, status } = await everything({ models: [await loadOnnxModel(MODEL, { inProcess: true })] })
    expect({ status, faults, error: body.error }).toEqual({ status: 200, faults: [], error: undefined })
  })

  it('would be noticed if a field were missing, had another type, or were not described', async () => {
    const { body } = await everything({})
    const reply = () =>
      new Response('{}', {
        headers: {
          'x-request-id': 'evt_1',
          'x-service-cost-usd': '0.000000000',
          'x-service-balance-usd': '0.000000000',
          'x-service-latency-ms': '1',
        },
      })
    expect(wire.faults('post', '/v1/ask', reply(), body)).toEqual([])
    const { noul, ...without } = body.answers.late
    for (const late of [
      without,
      { ...body.answers.late, noul: String(noul) },
      { ...body.answers.late, noul: 1 },
      { ...body.answers.late, more: 1 },
    ]) {
      expect(wire.faults('post', '/v1/ask', reply(), { ...body, answers: { ...body.answers, late } })).not.toEqual([])
    }
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import { SettlementInDoubt } from '../../src/service/store/settle.ts'
import { createGate, until } from './gate.ts'
import { QUESTION, type Running, startRunning, type Wire } from './running.ts'

let running: Running
afterEach(() => running.end())

const PRICED = { prices: { '*': 2_000_000_000n } }
/** Of `QUESTION` on the fake model: 9 tokens. */
const COST = 18_000n

async function errorOf(response: Wire) {
  const { error } = (await response.json()) as { error: { code: string; message: string; param: string | null; request_id: string } }
  return error
}

describe('POST /v1/ask', () => {
  it('answers every question and every derive under its name', async () => {
    running = await startRunning()
    const response = await running.ask({
      state: 'The parcel came today, order 81.',
      questions: {
        here: { type: 'noul', instructions: 'Is it here?' },
        tone: { type: 'choice', instructions: 'Which tone?', criteria: { calm: null, angry: null } },
        mood: { type: 'score', instructions: 'How happy?', criteria: ['low', 'middle', 'high'] },
        tags: { type: 'select', instructions: 'Which hold?', criteria: { order: null, refund: null } },
        order: { type: 'fill', instructions: 'Which order?', kind: 'int' },
        thing: { type: 'extract', instructions: 'What came?' },
      },
      derive: { risk: '1 - here' },
    })
    expect(response.status).toBe(200)
    const { answers, model, usage } = await response.json()
    expect(Object.entries<{ type: string }>(answers).map(([id, { type }]) => [id, type])).toEqual([
      ['here', 'noul'],
      ['tone', 'choice'],
      ['mood', 'score'],
      ['tags', 'select'],
      ['order', 'fill'],
      ['thing', 'extract'],
      ['risk', 'derive'],
    ])
    expect(answers.risk.value).toBe(1 - answers.here.noul)
    expect(model).toBe('service-1-pro')
    expect(usage.input_tokens).toBeGreaterThan(0)
  })

  it('answers as the engine does', async () => {
    running = await startRunning()
    const wire = await (await running.ask(QUESTION)).json()
    const direct = await running.engine.ask(QUESTION as never)
    expect(wire.answers).toEqual(JSON.parse(JSON.stringify(direct.answers)))
  })

  it('says its id, its cost, the balance after it and its latency in headers that browsers may read', async () => {
    running = await startRunning({ settings: PRICED })
    await running.store.ledger.credit('main', 5_000_000_000n, 'test')
    const response = await running.ask(QUESTION)
    const { id, usage } = await response.json()
    expect(id).toMatch(/^evt_[0-9a-f]{24}$/)
    expect(response.headers.get('x-request-id')).toBe(id)
    expect(response.headers.get('x-service-cost-usd')).toBe('0.000018000')
    expect(response.headers.get('x-service-balance-usd')).toBe('4.999982000')
    expect(response.headers.get('x-service-latency-ms')).toMatch(/^\d+$/)
    expect(usage).toEqual({ input_tokens: 9, output_tokens: 0, cost: 0.000018 })
    const exposed = response.headers.get('access-control-expose-headers')!.split(', ')
    expect(exposed).toEqual(
      expect.arrayContaining(['x-request-id', 'x-service-cost-usd', 'x-service-balance-usd', 'x-service-latency-ms', 'retry-after']),
    )
  })

  it('charges once, and writes what was asked into the log of requests without the state', async () => {
    running = await startRunning({ settings: PRICED })
    await running.store.ledger.credit('main', 1_000_000n, 'test')
    const { id } = await (await running.ask(QUESTION)).json()
    const entries = await running.store.ledger.entries('main', { limit: 10 })
    expect(entries.map(({ kind, amount, request }) => [kind, amount, request])).toEqual([
      ['charge', -COST, id],
      ['credit', 1_000_000n, null],
    ])
    const [record] = await running.store.requests.list({ limit: 10 })
    expect(record).toMatchObject({
      id,
      account: 'main',
      key: running.key.id,
      model: 'service-1-pro',
      dialect: 'ask',
      status: 200,
      code: null,
      questions: 1,
      inputTokens: 9,
      cost: COST,
    })
    expect(await running.store.ledger.audit()).toEqual([])
    expect(JSON.stringify(running.log)).not.toContain('parcel')
    expect(JSON.stringify(running.log)).not.toContain(running.secret)
  })

  it('answers under the name of an alias, and says which model it was', async () => {
    running = await startRunning()
    const { model } = await (await running.ask({ ...QUESTION, model: 'jev-latest' })).json()
    expect(model).toBe('service-1-pro')
  })

  it('charges the price of the model that answered', async () => {
    running = await startRunning({ settings: { prices: { '*': 1n, 'service-1-pro': 2_000_000_000n } } })
    await running.store.ledger.credit('main', 1_000_000_000n, 'test')
    const response = await running.ask({ ...QUESTION, model: 'gpt-5' })
    expect(response.headers.get('x-service-cost-usd')).toBe('0.000018000')
  })

  it('warns of fields it does not know, and leaves them out', async () => {
    running = await startRunning()
    const { simo } = await (await running.ask({ ...QUESTION, temperature: 1 })).json()
    expect(simo.warnings).toEqual([expect.stringContaining('"temperature"')])
  })

  it('is served under the name of the setting too, and under /v1/decisions', async () => {
    running = await startRunning({ settings: { legacyName: 'oracle' } })
    const legacy = await running.post('/v1/oracle', QUESTION)
    expect([legacy.status, (await legacy.json()).answers.here.noul]).toEqual([200, expect.any(Number)])
    expect((await running.post('/v1/systemone', QUESTION)).status).toBe(404)
    const decisions = await running.post('/v1/decisions', {})
    expect(decisions.status).toBe(400)
  })

  it('takes and refuses under the second name what /v1/ask does, without headers of other vendors', async () => {
    running = await startRunning()
    const bodies = [
      QUESTION,
      { ...QUESTION, state: null },
      { state: 'x', questions: { scale: { type: 'score', criteria: ['low', null] } } },
      { state: 'x', questions: { scale: { type: 'score', criteria: [{ words: ['low'] }, 'high'] } } },
      { state: 'x', questions: { q: { type: 'noul', typo: 1 } } },
      'no request',
    ]
    for (const body of bodies) {
      const [own, second] = [await running.ask(body), await running.post('/v1/systemone', body)]
      expect([...second.headers.keys()].filter((name) => name.includes('typesafe'))).toEqual([])
      const [said, saidSecond] = [await own.json(), await second.json()]
      expect([second.status, saidSecond.error?.code, saidSecond.error?.message]).toEqual([
        own.status,
        said.error?.code,
        said.error?.message,
      ])
    }
    const theirs = { headers: { 'x-typesafe-sdk': 'typesafe-sdk/0.6.0' } }
    const translated = await running.post('/v1/systemone', bodies[2], theirs)
    expect([translated.status, translated.headers.get('x-typesafe-request-id')]).toEqual([200, translated.headers.get('x-request-id')])
    const named = await running.post('/v1/systemone', { ...(bodies[2] as object), model: 'jev-latest' })
    expect([named.status, named.headers.get('x-typesafe-request-id')]).toEqual([200, null])
    const refused = await running.post('/v1/systemone', bodies[4], theirs)
    expect([refused.status, refused.headers.get('x-typesafe-request-id')]).toEqual([400, refused.headers.get('x-request-id')])
  })

  it('refuses questions by names with characters that nobody sees', async () => {
    running = await startRunning()
    const refused = await running.ask({ state: 'x', questions: { 'ur\u202egent': { type: 'noul' } } })
    const { error } = await refused.json()
    expect([refused.status, error.code, error.param]).toEqual([400, 'invalid_request', '/questions/ur\u202egent'])
    expect(error.message).toContain('U+202E')
  })

  it('holds keys of any name harmless', async () => {
    running = await startRunning()
    const response = await running.ask(null, {
      body: '{"state":{"__proto__":{"a":1}},"questions":{"__proto__":{"type":"noul","instructions":"Is it?"}},"__proto__":{"x":1}}',
    })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).toContain('"__proto__":{"type":"noul"')
    expect(JSON.parse(text).simo.warnings).toEqual([expect.stringContaining('__proto__')])
  })
})

describe('a refused question', () => {
  it.each([
    ['invalid_json', 400, null, '{"state":'],
    ['invalid_request', 400, '', '[]'],
    ['invalid_request', 400, '/state', '{"questions":{"a":{"type":"noul"}}}'],
    ['unknown_question_type', 400, '/questions/a/type', '{"state":"x","questions":{"a":{"type":"nuol"}}}'],
    ['invalid_question', 400, '/questions/a/criterai', '{"state":"x","questions":{"a":{"type":"noul","criterai":{}}}}'],
    ['invalid_derive', 400, '/derive/b', '{"state":"x","questions":{"a":{"type":"noul"}},"derive":{"b":"c + 1"}}'],
    [
      'invalid_image',
      400,
      '/state/0/source/data',
      '{"state":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"!"}}],"questions":{"a":{"type":"noul"}}}',
    ],
    ['invalid_video', 400, '/state/0/frames', '{"state":[{"type":"video","frames":[]}],"questions":{"a":{"type":"noul"}}}'],
    ['model_not_found', 404, '/model', '{"model":"service-2","state":"x","questions":{"a":{"type":"noul"}}}'],
    ['model_not_available', 404, '/model', '{"model":"service-1","state":"x","questions":{"a":{"type":"noul"}}}'],
    ['capability_not_supported', 422, '/questions/a/kind', '{"state":"x","questions":{"a":{"type":"fill","kind":"json","schema":{}}}}'],
  ])('%s is %i with a pointer, in the one shape', async (code, status, param, body) => {
    running = await startRunning({ settings: PRICED })
    await running.store.ledger.credit('main', 1_000_000n, 'test')
    const response = await running.ask(null, { body })
    expect(response.status).toBe(status)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code, param, request_id: response.headers.get('x-request-id') })
    expect(error.request_id).toMatch(/^evt_[0-9a-f]{24}$/)
    expect(error.message.length).toBeGreaterThan(10)
    expect(response.headers.get('x-service-cost-usd')).toBeNull()
    expect((await running.store.ledger.account('main'))?.balance).toBe(1_000_000n)
  })

  it('that is too long for the model is context_length_exceeded', async () => {
    running = await startRunning({ fake: { contextLength: 8 } })
    const response = await running.ask(QUESTION)
    expect([response.status, (await errorOf(response)).code]).toEqual([400, 'context_length_exceeded'])
  })

  it('that has more questions than the setting says is too_many_questions', async () => {
    running = await startRunning({ settings: { questions: 1 } })
    const noul = { type: 'noul' }
    const response = await running.ask({ state: 'x', questions: { a: noul, b: noul } })
    expect([response.status, (await errorOf(response)).code]).toEqual([413, 'too_many_questions'])
  })

  it('names everything that is wrong', async () => {
    running = await startRunning()
    const response = await running.ask({ state: 'x', questions: { a: { type: 'nuol' }, b: { type: 'score' } } })
    const { error } = await response.json()
    expect(error.problems.map(({ param }: { param: string }) => param)).toEqual([
      '/questions/a/type',
      expect.stringContaining('/questions/b'),
    ])
  })

  it('is written into the log of requests, its model without what a log cannot hold', async () => {
    running = await startRunning()
    await running.ask({ ...QUESTION, model: 'no\u0000thing' })
    const [record] = await running.store.requests.list({ limit: 10 })
    expect(record).toMatchObject({ model: 'nothing', status: 404, code: 'model_not_found', questions: 1, inputTokens: 0, cost: 0n })
  })

  it('reads no file of the machine', async () => {
    running = await startRunning()
    const image = { type: 'image', source: { type: 'path', path: '/etc/passwd' } }
    const response = await running.ask({ ...QUESTION, state: [image] })
    expect([response.status, (await errorOf(response)).code]).toEqual([400, 'invalid_request'])
  })

  it('whose model fails is internal_error, and says nothing of why', async () => {
    running = await startRunning({
      fake: {
        score() {
          throw new Error('secret detail at /home/somebody')
        },
      },
    })
    const response = await running.ask(QUESTION)
    const text = await response.text()
    expect([response.status, JSON.parse(text).error.code]).toEqual([500, 'internal_error'])
    expect(text).not.toMatch(/secret|home|at /)
    expect(running.log.some(({ level }) => level === 'error')).toBe(true)
  })
})

describe('money', () => {
  it.each(['*', 'service-1-pro'])('that is gone is 402 before the body is read where %s has a price', async (model) => {
    running = await startRunning({ settings: { prices: { [model]: 1n } } })
    const response = await running.ask(null, { body: 'no JSON at all' })
    expect([response.status, (await errorOf(response)).code]).toEqual([402, 'insufficient_balance'])
    expect(running.service.context.answerer.load).toEqual({ running: 0, waiting: 0 })
  })

  it('is not asked for where the model is free', async () => {
    running = await startRunning({ settings: { prices: { '*': 2_000_000_000n, 'service-1-pro': 0n } } })
    expect((await running.ask(QUESTION)).status).toBe(200)
  })

  it('that is too little for an answer is 402, charges nothing, and keeps nothing of the answer', async () => {
    running = await startRunning({ settings: PRICED })
    await running.store.ledger.credit('main', COST - 1n, 'test')
    const response = await running.ask(QUESTION)
    const text = await response.text()
    expect([response.status, JSON.parse(text).error.code]).toEqual([402, 'insufficient_balance'])
    expect(text).not.toContain('noul')
    expect((await running.store.ledger.account('main'))?.balance).toBe(COST - 1n)
    const id = response.headers.get('x-request-id')!
    expect(await running.store.outcomes('main').find(id)).toBeNull()
  })

  it('that does not pay for the state has the model score nothing', async () => {
    const gate = createGate()
    gate.open()
    running = await startRunning({ settings: PRICED, fake: gate.fake })
    await running.store.ledger.credit('main', 1n, 'test')
    const response = await running.ask(QUESTION)
    expect([response.status, (await errorOf(response)).code]).toEqual([402, 'insufficient_balance'])
    expect(gate.count).toBe(0)
    expect((await running.store.ledger.account('main'))?.balance).toBe(1n)
    await running.store.ledger.credit('main', COST, 'test')
    expect((await running.ask(QUESTION)).status).toBe(200)
  })

  it('pays for exactly as many answers as it covers, however many are asked for at once', async () => {
    running = await startRunning({ settings: { ...PRICED, concurrency: 8, queue: 100 } })
    await running.store.ledger.credit('main', COST * 7n + 1n, 'test')
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const response = await running.ask(QUESTION)
        await response.text()
        return response.status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(7)
    expect(statuses.filter((status) => status === 402)).toHaveLength(23)
    expect((await running.store.ledger.account('main'))?.balance).toBe(1n)
    expect(await running.store.ledger.audit()).toEqual([])
  })

  it('is safe when the store fails at the end: no answer, no charge, and when to come back', async () => {
    running = await startRunning({ settings: PRICED })
    await running.store.ledger.credit('main', 1_000_000n, 'test')
    const { settle } = running.store
    Object.assign(running.store, { settle: async () => Promise.reject(new Error('disk full at /var/db')) })
    const response = await running.ask(QUESTION)
    const text = await response.text()
    Object.assign(running.store, { settle })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(text).not.toMatch(/noul|disk|var/)
    expect((await running.store.ledger.account('main'))?.balance).toBe(1_000_000n)
    expect((await running.ask(QUESTION)).status).toBe(200)
  })

  it('that may have been charged is not called uncharged, and a retry with the Idempotency-Key gives the answer', async () => {
    running = await startRunning({ settings: PRICED })
    await running.store.ledger.credit('main', 1_000_000n, 'test')
    const { settle } = running.store
    const unheard: typeof settle = async (settlement) => {
      await settle(settlement)
      throw new SettlementInDoubt('cut')
    }
    Object.assign(running.store, { settle: unheard })
    const keyed = { headers: { 'idempotency-key': 'once' } }
    const response = await running.ask(QUESTION, keyed)
    Object.assign(running.store, { settle })
    const { message } = await errorOf(response)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(message).toContain('it may have been charged')
    expect(message).toContain('the same Idempotency-Key')
    expect(message).not.toContain('nothing was charged')
    expect((await running.ask(QUESTION, keyed)).headers.get('x-service-idempotent-replayed')).toBe('true')
    expect((await running.store.ledger.account('main'))?.balance).toBe(1_000_000n - COST)
  })
})

describe('the line over HTTP', () => {
  it('refuses when it is full, before the body is read, with Retry-After', async () => {
    const gate = createGate()
    running = await startRunning({ fake: gate.fake, settings: { concurrency: 1, queue: 1 } })
    const first = running.ask(QUESTION)
    await gate.reached(1)
    const second = running.ask(QUESTION)
    await until(() => running.service.context.answerer.load.waiting === 1)
    const third = await running.ask(null, { body: 'no JSON at all' })
    expect([third.status, third.headers.get('retry-after'), (await errorOf(third)).code]).toEqual([503, '1', 'overloaded'])
    gate.open()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
  })

  it('takes turns between accounts', async () => {
    const gate = createGate()
    running = await startRunning({ fake: gate.fake, settings: { concurrency: 1, queue: 20 } })
    const other = await running.newKey({ account: 'other' })
    const asked = [running.ask({ ...QUESTION, state: 'main 1' })]
    await gate.reached(1)
    for (const n of [2, 3, 4]) {
      asked.push(running.ask({ ...QUESTION, state: `main ${n}` }))
      await until(() => running.service.context.answerer.load.waiting === n - 1)
    }
    asked.push(running.ask({ ...QUESTION, state: 'other 1' }, { headers: { authorization: `Bearer ${other.secret}` } }))
    await until(() => running.service.context.answerer.load.waiting === 4)
    gate.open()
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200)
    expect(gate.states.indexOf('other 1')).toBe(2)
  })

  it('gives a place back after every kind of failure', async () => {
    running = await startRunning({ settings: { concurrency: 1, queue: 0 } })
    for (const body of ['{', '[]', '{"state":"x"}']) expect((await running.ask(null, { body })).status).toBe(400)
    const form = { 'content-type': 'multipart/form-data; boundary=x' }
    expect((await running.ask(null, { body: '--x\r\nbroken', headers: form })).status).toBe(400)
    await until(() => running.service.context.answerer.load.waiting === 0)
    expect((await running.ask(QUESTION)).status).toBe(200)
  })
})

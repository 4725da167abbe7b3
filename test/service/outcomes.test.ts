import { afterEach, describe, expect, it } from 'vitest'
import { QUESTION, type Running, startRunning, type Wire } from './running.ts'

let running: Running
afterEach(() => running.end())

async function asked(): Promise<string> {
  return (await (await running.ask(QUESTION)).json()).id
}

async function said(response: Wire): Promise<[number, string, string | null]> {
  const { error } = await response.json()
  return [response.status, error.code, error.param]
}

describe('POST /v1/outcomes', () => {
  it('records what was true, and says what it replaced', async () => {
    running = await startRunning()
    const event = await asked()
    const first = await running.post('/v1/outcomes', { event, outcomes: { here: true } })
    expect([first.status, await first.json()]).toEqual([200, { event, recorded: ['here'], replaced: [], quarantined: [] }])
    const second = await running.post('/v1/outcomes', { event, outcomes: { here: false }, selection_probability: 0.5 })
    expect([second.status, await second.json()]).toEqual([200, { event, recorded: ['here'], replaced: ['here'], quarantined: [] }])
    const found = await running.store.outcomes('main').find(event)
    expect(found?.labels).toEqual({ here: { truth: [1], weight: 2 } })
  })

  it('of a replayed answer belong to the answer that was first', async () => {
    running = await startRunning()
    const headers = { 'idempotency-key': 'one' }
    await running.ask(QUESTION, { headers })
    const { id } = await (await running.ask(QUESTION, { headers })).json()
    expect((await running.post('/v1/outcomes', { event: id, outcomes: { here: true } })).status).toBe(200)
  })

  it('of an event that is not there is 404', async () => {
    running = await startRunning()
    const response = await running.post('/v1/outcomes', { event: 'evt_000000000000000000000000', outcomes: { here: true } })
    expect(await said(response)).toEqual([404, 'not_found', '/event'])
  })

  it('of an event of another account is 404 in the same words', async () => {
    running = await startRunning()
    const event = await asked()
    const { secret } = await running.newKey({ account: 'other' })
    const headers = { authorization: `Bearer ${secret}` }
    const response = await running.post('/v1/outcomes', { event, outcomes: { here: true } }, { headers })
    expect(await said(response)).toEqual([404, 'not_found', '/event'])
    expect((await running.store.outcomes('main').find(event))?.labels).toEqual({})
  })

  it('of a request that failed is 404: nothing was decided', async () => {
    running = await startRunning({ fake: { contextLength: 8 } })
    const { error } = await (await running.ask(QUESTION)).json()
    const response = await running.post('/v1/outcomes', { event: error.request_id, outcomes: { here: true } })
    expect(response.status).toBe(404)
  })

  it.each([
    [[], ''],
    [{}, '/event'],
    [{ event: 1, outcomes: {} }, '/event'],
    [{ event: 'evt_1', outcomes: [] }, '/outcomes'],
    [{ event: 'evt_1', outcomes: { a: 1 }, selection_probability: '1' }, '/selection_probability'],
    [{ event: 'evt_1', outcome: {} }, '/outcome'],
  ])('refuse the body %j with a pointer', async (body, param) => {
    running = await startRunning()
    expect(await said(await running.post('/v1/outcomes', body))).toEqual([400, 'invalid_request', param])
  })

  it.each([
    [{ outcomes: { here: 'yes' } }, '/outcomes/here'],
    [{ outcomes: { there: true } }, '/outcomes/there'],
    [{ outcomes: {} }, '/outcomes'],
    [{ outcomes: { here: true }, selection_probability: 0 }, '/selection_probability'],
  ])('refuse what does not fit the event, %j, and record nothing', async (body, param) => {
    running = await startRunning()
    const event = await asked()
    expect(await said(await running.post('/v1/outcomes', { event, ...body }))).toEqual([400, 'invalid_request', param])
    expect((await running.store.outcomes('main').find(event))?.labels).toEqual({})
  })

  it('are small: a body beyond 256 KiB is 413', async () => {
    running = await startRunning()
    const response = await running.post('/v1/outcomes', { event: 'x'.repeat(2 ** 18), outcomes: {} })
    expect(await said(response)).toEqual([413, 'request_too_large', null])
  })
})

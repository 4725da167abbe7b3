import { afterEach, describe, expect, it } from 'vitest'
import { createGate, until } from './gate.ts'
import { QUESTION, type Running, startRunning } from './running.ts'
import { postHead, sendRaw } from './wire.ts'

let running: Running
afterEach(() => running.end())

const PRICED = { prices: { '*': 2_000_000_000n } }

async function startPriced(options: Parameters<typeof startRunning>[0] = {}): Promise<void> {
  running = await startRunning({ ...options, settings: { ...PRICED, ...options.settings } })
  await running.store.ledger.credit('main', 1_000_000n, 'test')
}

const balance = async () => (await running.store.ledger.account('main'))!.balance
const load = () => running.service.context.answerer.load

describe('a deadline', () => {
  it('that passes while the model works is 504, and nothing is charged', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake, settings: { deadlineMs: 50 } })
    const response = await running.ask(QUESTION)
    const { error } = await response.json()
    expect([response.status, error.code]).toEqual([504, 'deadline_exceeded'])
    expect(error.message).toContain('its deadline of 50 ms')
    gate.open()
    await until(() => load().running === 0)
    expect(await balance()).toBe(1_000_000n)
    expect((await running.store.requests.list({ limit: 1 }))[0]).toMatchObject({ status: 504, code: 'deadline_exceeded', cost: 0n })
  })

  it('that passes in the line is 504 and says how long the wait was, and the place is free', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake, settings: { deadlineMs: 300, concurrency: 1 } })
    const first = running.ask(QUESTION)
    await gate.reached(1)
    const second = await running.ask(QUESTION)
    expect([second.status, (await second.json()).error.message]).toEqual([
      504,
      expect.stringMatching(/\(\d+ ms of them waiting for a turn\)/),
    ])
    expect((await first).status).toBe(504)
    gate.open()
    await until(() => load().running === 0)
    expect(load()).toEqual({ running: 0, waiting: 0 })
  })

  it('counts the time in which the body came', async () => {
    await startPriced({ settings: { deadlineMs: 50 } })
    const body = JSON.stringify(QUESTION)
    const { socket, received } = sendRaw(
      running.url,
      postHead('/v1/ask', running.secret, { 'content-length': body.length }) + body.slice(0, 5),
    )
    // A request takes a place when its body is there, so nothing waits yet.
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(load()).toEqual({ running: 0, waiting: 0 })
    socket.write(body.slice(5))
    await until(() => received().includes('evt_'))
    expect(received()).toContain('deadline_exceeded')
    socket.destroy()
  })
})

describe('a client that goes away', () => {
  it('while the model works is not charged, and its turn is free', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake, settings: { concurrency: 1 } })
    const leaving = new AbortController()
    const gone = running.ask(QUESTION, { signal: leaving.signal }).catch(() => 'gone')
    await gate.reached(1)
    leaving.abort()
    expect(await gone).toBe('gone')
    await until(() => running.finished.length === 1)
    gate.open()
    await until(() => load().running === 0)
    await until(async () => (await running.store.requests.list({ limit: 1 })).length === 1)
    expect((await running.store.requests.list({ limit: 1 }))[0]).toMatchObject({ status: 499, code: 'client_gone', cost: 0n })
    expect(await balance()).toBe(1_000_000n)
    expect(running.finished.at(-1)).toMatchObject({ route: '/v1/ask', status: 499, code: 'client_gone' })
    // The fake model has the name of the shipped one, and not its calibration: that is said once.
    const said = running.log.filter(
      ({ level, message }) => (level === 'error' || level === 'warn') && !message.startsWith('What comes with'),
    )
    expect(said).toEqual([])
  })

  it('frees its turn only when the model is done with it, so that going away buys nobody more of the model', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake, settings: { concurrency: 1 } })
    const leaving = new AbortController()
    const gone = running.ask(QUESTION, { signal: leaving.signal }).catch(() => 'gone')
    await gate.reached(1)
    leaving.abort()
    await gone
    await until(() => running.finished.length === 1)
    const next = running.ask(QUESTION)
    await until(() => load().waiting === 1 && load().running === 1)
    expect(gate.count).toBe(1)
    gate.open()
    expect((await next).status).toBe(200)
  })

  it('in the line leaves it, and is never asked', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake, settings: { concurrency: 1 } })
    const first = running.ask(QUESTION)
    await gate.reached(1)
    const leaving = new AbortController()
    const gone = running.ask(QUESTION, { signal: leaving.signal }).catch(() => 'gone')
    await until(() => load().waiting === 1)
    leaving.abort()
    await gone
    await until(() => load().waiting === 0)
    gate.open()
    expect((await first).status).toBe(200)
    expect(gate.count).toBe(1)
  })

  it('lets go of its idempotency key, so that a retry is answered', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake })
    const headers = { 'idempotency-key': 'one' }
    const leaving = new AbortController()
    const gone = running.ask(QUESTION, { headers, signal: leaving.signal }).catch(() => 'gone')
    await gate.reached(1)
    leaving.abort()
    await gone
    await until(() => running.finished.length === 1)
    gate.open()
    await until(async () => (await running.ask(QUESTION, { headers })).status === 200)
    expect(await balance()).toBe(1_000_000n - 18_000n)
  })
})

describe('a drain', () => {
  it('answers what runs and what waits, and charges it', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake, settings: { concurrency: 1 } })
    const asked = [running.ask(QUESTION), running.ask(QUESTION)]
    await gate.reached(1)
    await until(() => load().waiting === 1)
    const drained = running.service.drain()
    gate.open()
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200)
    await drained
    expect(await balance()).toBe(1_000_000n - 36_000n)
  })

  it('refuses what comes after with 503 and Retry-After, and says so in its health', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake })
    const first = running.ask(QUESTION)
    await gate.reached(1)
    const drained = running.service.drain()
    const refused = await running.ask(QUESTION)
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([503, '1', 'close'])
    expect((await refused.json()).error.code).toBe('overloaded')
    const health = await fetch(`${running.url}/health`)
    expect([health.status, await health.json()]).toEqual([503, { ok: false, service: 'assay', db: true }])
    gate.open()
    expect((await first).status).toBe(200)
    await drained
  })

  it('stops what takes longer than it may, and charges nothing for it', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake, settings: { drainMs: 30 } })
    const first = running.ask(QUESTION)
    await gate.reached(1)
    await running.service.drain()
    const response = await first
    expect([response.status, (await response.json()).error.code]).toEqual([503, 'overloaded'])
    gate.open()
    expect(await balance()).toBe(1_000_000n)
  })

  it('does not wait for a client that never ends its body', async () => {
    await startPriced({ settings: { drainMs: 30 } })
    const { closed } = sendRaw(running.url, `${postHead('/v1/ask', running.secret, { 'content-length': 500 })}{`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await running.service.drain()
    await closed
  })

  it('happens once, however often it is asked for', async () => {
    await startPriced()
    expect(running.service.drain()).toBe(running.service.drain())
  })
})

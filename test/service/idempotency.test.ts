import { afterEach, describe, expect, it } from 'vitest'
import { openStore } from '../../src/service/store/open.ts'
import { createGate, until } from './gate.ts'
import { QUESTION, type Running, startRunning } from './running.ts'

let running: Running
afterEach(() => running.end())

const PRICED = { prices: { '*': 2_000_000_000n } }
const COST = 18_000n
const withKey = (key = 'one') => ({ headers: { 'idempotency-key': key } })

async function balance(): Promise<bigint> {
  return (await running.store.ledger.account('main'))!.balance
}

async function startPriced(options: Parameters<typeof startRunning>[0] = {}): Promise<void> {
  running = await startRunning({ ...options, settings: { ...PRICED, ...options.settings } })
  await running.store.ledger.credit('main', 1_000_000n, 'test')
}

describe('a request with an Idempotency-Key', () => {
  it('that was answered is answered again, word for word, and not charged again', async () => {
    await startPriced()
    const first = await running.ask(QUESTION, withKey())
    const second = await running.ask(QUESTION, withKey())
    expect(second.status).toBe(200)
    expect(await second.text()).toBe(await first.text())
    for (const name of ['x-request-id', 'x-service-cost-usd', 'x-service-balance-usd']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name))
    }
    expect([first, second].map(({ headers }) => headers.get('x-service-idempotent-replayed'))).toEqual([null, 'true'])
    expect(await balance()).toBe(1_000_000n - COST)
  })

  it.each([
    ['a b', 'received a space or another character'],
    ['x'.repeat(256), 'received 256 characters'],
  ])('that cannot be one is refused: %j', async (key, words) => {
    running = await startRunning()
    const reply = await running.ask(QUESTION, withKey(key))
    const { error } = (await reply.json()) as { error: { message: string } }
    expect([reply.status, error.message]).toEqual([400, expect.stringContaining(words)])
  })

  it('is answered again even when the money is gone by then', async () => {
    running = await startRunning({ settings: PRICED })
    await running.store.ledger.credit('main', COST, 'test')
    expect((await running.ask(QUESTION, withKey())).status).toBe(200)
    expect((await running.ask(QUESTION, withKey())).status).toBe(200)
    expect((await running.ask(QUESTION, withKey('two'))).status).toBe(402)
  })

  it('whose body is another one is refused', async () => {
    await startPriced()
    await running.ask(QUESTION, withKey())
    const response = await running.ask({ ...QUESTION, state: 'Another.' }, withKey())
    expect([response.status, (await response.json()).error.code]).toEqual([422, 'idempotency_mismatch'])
    expect(await balance()).toBe(1_000_000n - COST)
  })

  it('is another request on another route', async () => {
    await startPriced()
    await running.ask(QUESTION, withKey())
    const response = await running.post('/v1/systemone', QUESTION, withKey())
    expect((await response.json()).error.code).toBe('idempotency_mismatch')
  })

  it('belongs to its API key alone', async () => {
    await startPriced()
    await running.ask(QUESTION, withKey())
    const other = await running.newKey()
    const headers = { 'idempotency-key': 'one', authorization: `Bearer ${other.secret}` }
    const response = await running.ask({ ...QUESTION, state: 'Another.' }, { headers })
    expect([response.status, response.headers.get('x-service-idempotent-replayed')]).toEqual([200, null])
  })

  it('that is being answered is 409 with Retry-After meanwhile', async () => {
    const gate = createGate()
    await startPriced({ fake: gate.fake })
    const first = running.ask(QUESTION, withKey())
    await gate.reached(1)
    const second = await running.ask(QUESTION, withKey())
    expect([second.status, (await second.json()).error.code]).toEqual([409, 'idempotency_in_progress'])
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    gate.open()
    expect((await first).status).toBe(200)
    expect(await balance()).toBe(1_000_000n - COST)
  })

  it('that failed is asked again', async () => {
    let fails = true
    await startPriced({
      fake: {
        score() {
          if (fails) throw new Error('once')
          return null
        },
      },
    })
    expect((await running.ask(QUESTION, withKey())).status).toBe(500)
    fails = false
    const response = await running.ask(QUESTION, withKey())
    expect([response.status, response.headers.get('x-service-idempotent-replayed')]).toEqual([200, null])
    expect(await balance()).toBe(1_000_000n - COST)
  })

  it('whose holder crashed is answered by the next one after the lease, and charged once', async () => {
    let now = 1_800_000_000_000
    const store = await openStore(':memory:', { now: () => now })
    await startPriced({ store, now: () => now })
    const response = await running.ask(QUESTION, withKey('learn-its-hash'))
    expect(response.status).toBe(200)
    // The holder of this claim is gone: it neither settles nor abandons.
    const seen: string[] = []
    const { begin } = store.idempotency
    Object.assign(store.idempotency, {
      begin: (claim: Parameters<typeof begin>[0]) => {
        seen.push(claim.bodyHash)
        return begin(claim)
      },
    })
    await running.ask(QUESTION, withKey('learn-its-hash'))
    await begin({ key: running.key.id, idempotencyKey: 'crashed', bodyHash: seen[0]!, leaseMs: 70_000 })
    expect((await running.ask(QUESTION, withKey('crashed'))).status).toBe(409)
    now += 70_001
    expect((await running.ask(QUESTION, withKey('crashed'))).status).toBe(200)
    expect((await running.ask(QUESTION, withKey('crashed'))).headers.get('x-service-idempotent-replayed')).toBe('true')
    expect(await balance()).toBe(1_000_000n - 2n * COST)
    await store.close()
  })

  it('whose claim was taken over while it ran gives the reply of whoever answered first', async () => {
    let now = 1_800_000_000_000
    const gate = createGate()
    const store = await openStore(':memory:', { now: () => now })
    await startPriced({ store, now: () => now, fake: gate.fake })
    const slow = running.ask(QUESTION, withKey())
    await gate.reached(1)
    now += 1_000_000
    const fast = running.ask(QUESTION, withKey())
    await gate.reached(2)
    gate.open()
    const texts = await Promise.all([(await slow).text(), (await fast).text()])
    expect(texts[0]).toBe(texts[1])
    expect(await balance()).toBe(1_000_000n - COST)
    await until(() => running.service.context.answerer.load.waiting === 0)
    await store.close()
  })

  it.each([
    ['empty', ''],
    ['with a space', 'a b'],
    ['too long', 'x'.repeat(256)],
  ])('%s is refused', async (_, key) => {
    await startPriced()
    const response = await running.ask(QUESTION, withKey(key))
    expect([response.status, (await response.json()).error.code]).toEqual([400, 'invalid_request'])
  })

  it('of 255 characters is taken', async () => {
    await startPriced()
    expect((await running.ask(QUESTION, withKey('~'.repeat(255)))).status).toBe(200)
  })

  it('that raced itself twenty times is answered once and charged once', async () => {
    await startPriced({ settings: { concurrency: 8 } })
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await running.ask(QUESTION, withKey())).status))
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect(statuses).toContain(200)
    expect(await balance()).toBe(1_000_000n - COST)
  })
})

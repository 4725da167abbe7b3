// Keys and names of requests in hostile hands: guessed, reused by others, reused for something else, and what they
// leave in the log.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../../src/service/log.ts'
import { parseDollars } from '../../../src/service/money.ts'
import { QUESTION, type Running, startRunning } from '../running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning({ settings: { prices: { '*': parseDollars('1')! } } })
  await running.store.ledger.credit('main', parseDollars('10')!, 'for the tests')
  await running.store.ledger.credit('other', parseDollars('10')!, 'for the tests')
})
afterAll(() => running.end())

interface Said {
  readonly status: number
  readonly code: string | null
  readonly text: string
  readonly headers: Headers
}

async function ask(headers: Record<string, string>, body: unknown = QUESTION, path = '/v1/ask'): Promise<Said> {
  const response = await running.post(path, body, { headers })
  const text = await response.text()
  return {
    status: response.status,
    code: (JSON.parse(text) as { error?: { code: string } }).error?.code ?? null,
    text,
    headers: response.headers,
  }
}
const charges = async (account: string) =>
  (await running.store.ledger.entries(account, { limit: 1000 })).filter(({ kind }) => kind === 'charge').length

describe('keys', () => {
  it('that are nearly right are told apart from the right one in nothing but the answer', async () => {
    const { secret } = await running.newKey()
    const revoked = await running.newKey()
    await running.store.keys.revoke(revoked.key.id)
    const last = secret.at(-1) === 'A' ? 'B' : 'A'
    const wrong = [
      `${secret.slice(0, -1)}${last}`,
      secret.slice(0, -1),
      `${secret}A`,
      secret.toUpperCase(),
      secret.replace('service_sk_', 'service_sk-'),
      revoked.secret,
      `service_sk_${'A'.repeat(43)}`,
      'service_sk_',
      `service_sk_${'A'.repeat(5000)}`,
      '__proto__',
    ]
    const said = await Promise.all(wrong.map((guess) => ask({ authorization: `Bearer ${guess}` })))
    expect(new Set(said.map(({ status }) => status))).toEqual(new Set([401]))
    const without = (text: string) => text.replace(/evt_[0-9a-f]{24}/g, '')
    expect(new Set(said.map(({ text }) => without(text))).size).toBe(1)
    expect((await ask({ authorization: `Bearer ${secret}` })).status).toBe(200)
  })

  it.each(['Basic c2VydmljZV9zazp4', 'Bearer', 'Bearer  ', 'Token x', 'Bearer a b', 'bearer\tx', ''])(
    'in another form are missing: %j',
    async (authorization) => {
      expect(await ask({ authorization })).toMatchObject({ status: 401, code: 'missing_api_key' })
    },
  )

  it('are not taken from the URL or from a cookie', async () => {
    const response = await fetch(`${running.url}/v1/ask?api_key=${running.secret}&authorization=Bearer%20${running.secret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `authorization=Bearer ${running.secret}`, 'x-api-key': running.secret },
      body: JSON.stringify(QUESTION),
    })
    expect(response.status).toBe(401)
  })
})

describe('names of requests', () => {
  it('belong to their key: others who use the same name get no answer of its', async () => {
    const mine = await ask({ 'idempotency-key': 'shared-name' })
    const { secret } = await running.newKey({ account: 'other' })
    const theirs = await ask({ 'idempotency-key': 'shared-name', authorization: `Bearer ${secret}` })
    expect(theirs.status).toBe(200)
    expect(theirs.headers.get('x-request-id')).not.toBe(mine.headers.get('x-request-id'))
    expect(theirs.headers.get('x-service-idempotent-replayed')).toBeNull()
  })

  it('are of no use to a key that was revoked', async () => {
    const { key, secret } = await running.newKey()
    const headers = { 'idempotency-key': 'before-revoking', authorization: `Bearer ${secret}` }
    expect((await ask(headers)).status).toBe(200)
    await running.store.keys.revoke(key.id)
    expect(await ask(headers)).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })

  it('stand for one body on one route', async () => {
    const headers = { 'idempotency-key': 'one-body' }
    expect((await ask(headers)).status).toBe(200)
    expect(await ask(headers, { ...QUESTION, state: 'Another.' })).toMatchObject({ status: 422, code: 'idempotency_mismatch' })
    expect(await ask(headers, QUESTION, '/v1/systemone')).toMatchObject({ status: 422 })
    const again = await ask(headers)
    expect(again.headers.get('x-service-idempotent-replayed')).toBe('true')
  })

  it('used by many at once are charged once', async () => {
    const before = await charges('main')
    const said = await Promise.all(Array.from({ length: 30 }, () => ask({ 'idempotency-key': 'all-at-once' })))
    for (const { status } of said) expect([200, 409, 503]).toContain(status)
    const ids = new Set(said.filter(({ status }) => status === 200).map(({ headers }) => headers.get('x-request-id')))
    expect(ids.size).toBe(1)
    expect(await charges('main')).toBe(before + 1)
  })

  it.each(['', 'a b', 'x'.repeat(256), 'tab\tbed', 'caf\u00e9'])('that are none are refused, and nothing is charged: %#', async (name) => {
    const before = await charges('main')
    expect(await ask({ 'idempotency-key': name })).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(await charges('main')).toBe(before)
  })

  it('that look like code are names', async () => {
    for (const name of ["';DROP", '__proto__', '../../x', '%00', '$where', '*']) {
      const first = await ask({ 'idempotency-key': name })
      const again = await ask({ 'idempotency-key': name })
      expect(first.status, name).toBe(200)
      expect(again.text, name).toBe(first.text)
    }
  })
})

describe('the log', () => {
  it('takes nothing that was sent for a line of its own, and no key, state or answer', async () => {
    const forged = 'x\r\n{"level":"error","message":"forged"}\u001b[31m'
    const canary = 'CANARY-STATE'
    await ask(
      { authorization: `Bearer ${running.secret}`, 'user-agent': 'CANARY-AGENT' },
      { ...QUESTION, state: `${canary} ${forged}`, model: `CANARY-MODEL${forged}` },
    )
    await ask({}, { ...QUESTION, state: canary, questions: { [`CANARY-QUESTION${forged}`]: { type: 'nuol' } } })
    await ask({ authorization: 'Bearer service_sk_CANARYKEYCANARYKEYCANARYKEY' })
    await fetch(`${running.url}/CANARY-PATH%0d%0a${encodeURIComponent(forged)}?token=CANARY-TOKEN`)

    const lines: string[] = []
    const log = createLog({ level: 'debug', write: (line) => lines.push(line) })
    for (const { level, fields, message } of running.log) log[level](fields, message)
    expect(lines.length).toBe(running.log.length)
    for (const line of lines) {
      expect(line.trimEnd().split('\n')).toHaveLength(1)
      expect(JSON.parse(line)).toMatchObject({ level: expect.stringMatching(/^(debug|info|warn|error)$/) })
      expect(line.trimEnd()).not.toMatch(/CANARY|forged|\p{Cc}/u)
      expect(line).not.toContain(running.secret)
    }
  })
})

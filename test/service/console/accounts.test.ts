import { afterEach, describe, expect, it } from 'vitest'
import { MOST_NAME_CHARACTERS } from '../../../src/service/store/store.ts'
import { QUESTION } from '../running.ts'
import { codeOf, type SignedIn, startSignedIn } from './signed-in.ts'

let signedIn: SignedIn
afterEach(() => signedIn.end())

interface Fault {
  readonly param: string | null
  readonly message: string
}

const NEW_KEY = { account: 'shop', name: 'inbox', scopes: ['ask'], requests_per_minute: null }

describe('keys in the console', () => {
  it('are made with a secret that works, is said once, and is nowhere afterwards', async () => {
    signedIn = await startSignedIn()
    const { key, secret } = (await (await signedIn.send('keys', NEW_KEY)).json()) as { key: { id: string }; secret: string }
    expect(key).toMatchObject({ account: 'shop', name: 'inbox', scopes: ['ask'], revoked_at: null })
    const asked = await signedIn.ask(QUESTION, { headers: { authorization: `Bearer ${secret}` } })
    expect(asked.status).toBe(200)
    const listed = await (await signedIn.read('keys')).text()
    expect(listed).toContain(key.id)
    expect(listed).not.toContain(secret)
    expect(JSON.stringify(signedIn.log)).not.toContain(secret)
  })

  it('are taken, and credited, under names as long as the store keeps them', async () => {
    signedIn = await startSignedIn()
    const account = 'a'.repeat(MOST_NAME_CHARACTERS)
    expect((await signedIn.send('keys', { ...NEW_KEY, account, name: account })).status).toBe(200)
    expect((await signedIn.send('credits', { account, dollars: '1', note: '' })).status).toBe(200)
    expect((await signedIn.send('keys', { ...NEW_KEY, account: `${account}a` })).status).toBe(400)
  })

  it('stop working as soon as they are revoked', async () => {
    signedIn = await startSignedIn()
    const { key, secret } = (await (await signedIn.send('keys', NEW_KEY)).json()) as { key: { id: string }; secret: string }
    expect(await (await signedIn.send('keys/revoke', { id: key.id })).json()).toMatchObject({ id: key.id, revoked_at: expect.any(Number) })
    const asked = await signedIn.ask(QUESTION, { headers: { authorization: `Bearer ${secret}` } })
    expect(await codeOf(asked)).toBe('invalid_api_key')
  })

  it('are refused with everything that is wrong with them, field by field', async () => {
    signedIn = await startSignedIn()
    const reply = await signedIn.send('keys', { account: ' ', name: 'a\nb', scopes: ['fly'], requests_per_minute: -1, admin: true })
    const { error } = (await reply.json()) as { error: { code: string; problems: { param: string }[] } }
    expect([reply.status, error.code]).toEqual([400, 'invalid_request'])
    expect(error.problems.map(({ param }) => param)).toEqual(
      expect.arrayContaining(['/account', '/name', '/scopes/0', '/requests_per_minute']),
    )
  })

  it.each([
    [{}, ['/account The field "account" is missing.', '/name The field "name" is missing.', '/scopes The field "scopes" is missing.']],
    [{ ...NEW_KEY, name: 7 }, ['/name This must be a text, received a number.']],
    [{ ...NEW_KEY, scopes: 'ask' }, ['/scopes This must be a list, received a string.']],
    [{ ...NEW_KEY, scopes: ['nix'] }, ['/scopes/0 This must be one of ask, ']],
    [{ ...NEW_KEY, scope: ['ask'] }, ['/scope The field "scope" is not known. Did you mean "scopes"?']],
    [[], ['This must be an object, received an array.']],
  ])('are refused in plain words: %j', async (body, said) => {
    signedIn = await startSignedIn()
    const { error } = (await (await signedIn.send('keys', body)).json()) as { error: Fault & { problems?: readonly Fault[] } }
    const problems = (error.problems ?? [error]).map(({ param, message }) => `${param} ${message}`)
    for (const words of said) expect(problems).toContainEqual(expect.stringContaining(words))
    expect(problems.join()).not.toMatch(/Invalid|expected|Unrecognized/)
  })

  it('that are not there cannot be revoked', async () => {
    signedIn = await startSignedIn()
    expect(await codeOf(await signedIn.send('keys/revoke', { id: 'key_none' }))).toBe('not_found')
  })
})

describe('credits in the console', () => {
  it('are booked to the nano-dollar, and stand in the ledger with their note', async () => {
    signedIn = await startSignedIn()
    const reply = await signedIn.send('credits', { account: 'main', dollars: '12.000000001', note: 'invoice 7' })
    expect(await reply.json()).toMatchObject({ entry: { amount: '12.000000001', balance_after: '12.000000001', note: 'invoice 7' } })
    expect(await (await signedIn.read('accounts')).json()).toMatchObject({ accounts: [{ id: 'main', balance: '12.000000001' }] })
    expect(await (await signedIn.read('ledger?account=main')).json()).toMatchObject({ entries: [{ kind: 'credit' }], next: null })
  })

  it.each(['', '0', 'ten', '1e3', '0.0000000001', '99999999999'])('are not booked for %j', async (dollars) => {
    signedIn = await startSignedIn()
    const reply = await signedIn.send('credits', { account: 'main', dollars, note: '' })
    expect(await reply.json()).toMatchObject({ error: { code: 'invalid_request', param: '/dollars' } })
    expect((await signedIn.store.ledger.account('main'))?.balance).toBe(0n)
  })

  it('are not taken below zero, nor booked to an account that is not there', async () => {
    signedIn = await startSignedIn()
    const below = await signedIn.send('credits', { account: 'main', dollars: '-0.01', note: '' })
    expect(await below.json()).toMatchObject({ error: { code: 'invalid_request', param: '/dollars' } })
    expect(await codeOf(await signedIn.send('credits', { account: 'nobody', dollars: '5', note: '' }))).toBe('not_found')
  })

  it('page through the ledger without a gap or a repetition', async () => {
    signedIn = await startSignedIn()
    for (let i = 0; i < 7; i++) await signedIn.store.ledger.credit('main', 1n, `line ${i}`)
    const notes: string[] = []
    for (let before: string | null = ''; before !== null; ) {
      const page = await signedIn.read(`ledger?account=main&limit=3${before === '' ? '' : `&before=${before}`}`)
      const { entries, next } = (await page.json()) as { entries: { note: string }[]; next: string | null }
      notes.push(...entries.map(({ note }) => note))
      before = next
    }
    expect(notes).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `line ${i}`))
  })
})

describe('usage in the console', () => {
  it('counts what was asked and what failed, bucket by bucket', async () => {
    const time = 1_800_000_000_000
    signedIn = await startSignedIn({ now: () => time, settings: { prices: { '*': 1_000_000n } } })
    await signedIn.store.ledger.credit('main', 1_000_000n, '')
    await signedIn.ask(QUESTION)
    await signedIn.ask({ ...QUESTION, questions: {} })
    const from = time - 3_600_000
    const reply = await signedIn.read(`usage?account=main&from=${from}&to=${time + 3_600_000}&bucket_ms=3600000`)
    const { buckets } = (await reply.json()) as { buckets: { requests: number; failed: number; cost: string }[] }
    expect(buckets.map(({ requests, failed }) => [requests, failed])).toEqual([
      [0, 0],
      [2, 1],
    ])
    expect(Number(buckets[1]!.cost)).toBeGreaterThan(0)
  })

  it('is not counted in so many buckets that it takes long', async () => {
    signedIn = await startSignedIn()
    expect((await signedIn.read('usage?from=0&to=1800000000000&bucket_ms=60000')).status).toBe(400)
  })
})

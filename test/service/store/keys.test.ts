import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fakeClock, makeKey, settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

describe('keys', () => {
  eachStore(({ open }) => {
    it('are 256 random bits after their prefix, found by the secret and by nothing near it', async () => {
      const store = await open()
      const { key, secret } = await makeKey(store)
      expect(secret).toMatch(/^service_sk_[A-Za-z0-9_-]{43}$/)
      expect(await store.keys.find(secret)).toEqual(key)
      const last = secret.at(-1) === 'A' ? 'E' : 'A'
      for (const near of [`${secret.slice(0, -1)}${last}`, secret.slice(0, -1), `${secret}A`, ` ${secret}`, secret.toUpperCase()]) {
        expect(await store.keys.find(near)).toBeNull()
      }
      expect((await makeKey(store)).secret).not.toBe(secret)
    })

    it('ask the database nothing when a secret cannot be one', async () => {
      const store = await open()
      await store.close()
      const strange = ['', 'service_sk_', 'x', `service_sk_${'\u0000'.repeat(43)}`, `service_sk_${'é'.repeat(43)}`, 'A'.repeat(1_000_000)]
      for (const secret of strange) expect(await store.keys.find(secret)).toBeNull()
      await expect(store.keys.find(`service_sk_${'A'.repeat(43)}`)).rejects.toThrow()
    })

    it('stop working when they are revoked, on every look, and keep the first time', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const { key, secret } = await makeKey(store)
      const revokedAt = clock.now()
      expect(await store.keys.revoke(key.id)).toEqual({ ...key, revokedAt })
      clock.pass(1000)
      expect((await store.keys.revoke(key.id))?.revokedAt).toBe(revokedAt)
      expect(await store.keys.find(secret)).toBeNull()
      expect(await store.keys.revoke('key_none')).toBeNull()
      expect(await store.keys.revoke('key_\u0000')).toBeNull()
    })

    it.each(['ac\u200bme', 'acme\u202e', '\ufeffacme', 'ac\u2060me', 'ac\u00adme', 'a\u2066b\u2069', 'acme\u3164', 'a\u2028b'])(
      'and accounts are refused by names with characters that nobody sees: %j',
      async (name) => {
        const store = await open()
        const made = store.keys.create({ account: 'acme', name, scopes: ['ask'] })
        await expect(made).rejects.toMatchObject({
          code: 'invalid_request',
          param: '/name',
          message: expect.stringMatching(/holds U\+[0-9A-F]{4},/),
        })
        const named = store.keys.create({ account: name, name: 'first', scopes: ['ask'] })
        await expect(named).rejects.toMatchObject({ code: 'invalid_request', param: '/account' })
        await expect(store.ledger.credit(name, 1n, '')).rejects.toMatchObject({ param: '/account' })
        expect(await store.ledger.accounts()).toEqual([])
      },
    )

    it('may be called by emoji and by words of any script', async () => {
      const store = await open()
      for (const name of ['👩‍💻 laptop', '❤️', '1️⃣ first', '👍🏽', 'clé', '測試', 'مفتاح', 'कुंजी'])
        expect((await store.keys.create({ account: name, name, scopes: ['ask'] })).key.name).toBe(name)
    })

    it('make their account, and share it', async () => {
      const store = await open()
      await makeKey(store)
      await store.ledger.credit('acme', 7n, '')
      await makeKey(store)
      expect(await store.ledger.accounts()).toMatchObject([{ id: 'acme', balance: 7n }])
    })

    it('are listed newest first, of one account or of all', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const ids: string[] = []
      for (const account of ['acme', 'other', 'acme']) {
        ids.unshift((await makeKey(store, account)).key.id)
        clock.pass(1)
      }
      expect((await store.keys.list()).map(({ id }) => id)).toEqual(ids)
      expect((await store.keys.list('acme')).map(({ id }) => id)).toEqual([ids[0], ids[2]])
      expect(await store.keys.list('nobody')).toEqual([])
    })

    it('keep their name, scopes and limit as they were given', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const { key, secret } = await store.keys.create({
        account: 'acme',
        name: ' Ünïcode 🗝 ',
        scopes: ['calibration', 'ask'],
        requestsPerMinute: 120,
      })
      expect(await store.keys.find(secret)).toEqual(key)
      expect(key).toMatchObject({ name: 'Ünïcode 🗝', scopes: ['ask', 'calibration'], requestsPerMinute: 120, createdAt: clock.now() })
      expect(key.prefix).toBe(secret.slice(0, 15))
    })

    it('are refused with a bad name, scope, limit or account, and then leave nothing', async () => {
      const store = await open()
      const good = { account: 'acme', name: 'n', scopes: ['ask'] as const }
      const bad = [
        { ...good, name: ' ' },
        { ...good, name: 'n'.repeat(129) },
        { ...good, name: 'a\u0000b' },
        { ...good, scopes: [] },
        { ...good, scopes: ['admin' as never] },
        { ...good, requestsPerMinute: 0 },
        { ...good, requestsPerMinute: 1.5 },
        { ...good, account: '' },
        { ...good, account: 'a\nb' },
        { ...good, account: 'a'.repeat(129) },
      ]
      for (const key of bad) await expect(store.keys.create(key)).rejects.toMatchObject({ code: 'invalid_request' })
      expect(await store.keys.list()).toEqual([])
      expect(await store.ledger.accounts()).toEqual([])
    })

    it('say when they were last used by what was settled, the latest of it', async () => {
      const store = await open()
      const { key, secret } = await makeKey(store)
      await store.keys.find(secret)
      expect((await store.keys.list())[0]?.lastUsedAt).toBeNull()
      for (const at of [1000, 3000, 2000]) await store.settle(settlement({ key: key.id, cost: 0n, at }))
      expect((await store.keys.list())[0]?.lastUsedAt).toBe(3000)
    })
  })

  eachStore(({ open, tamper }) => {
    it('revoked on one replica are dead on the other at once', async () => {
      const [one, other] = [await open(), await open()]
      const { key, secret } = await makeKey(one)
      expect((await other.keys.find(secret))?.id).toBe(key.id)
      await one.keys.revoke(key.id)
      expect(await other.keys.find(secret)).toBeNull()
    })

    it('are kept as a hash: a key whose hash is changed is found by nothing but what hashes to it', async () => {
      const store = await open()
      const { key, secret } = await makeKey(store)
      const other = `service_sk_${'B'.repeat(43)}`
      await tamper(`update api_keys set hash = '${createHash('sha256').update(other).digest('hex')}'`)
      expect(await store.keys.find(secret)).toBeNull()
      expect((await store.keys.find(other))?.id).toBe(key.id)
    })
  }, SHARED)
})

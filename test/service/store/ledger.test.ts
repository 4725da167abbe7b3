import { describe, expect, it } from 'vitest'
import { MOST_NANO_DOLLARS } from '../../../src/service/money.ts'
import type { Database } from '../../../src/service/store/database.ts'
import { ledger } from '../../../src/service/store/ledger.ts'
import { openLibsql } from '../../../src/service/store/libsql.ts'
import { prepareSchema } from '../../../src/service/store/schema.ts'
import { fakeClock, settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

describe('the ledger', () => {
  eachStore(({ open }) => {
    it('adds to a balance and makes the account for it', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      expect(await store.ledger.account('acme')).toBeNull()
      const entry = await store.ledger.credit('acme', 1_500_000_000n, 'first')
      expect(entry).toEqual({
        id: expect.stringMatching(/^led_[0-9a-f]{24}$/),
        at: clock.now(),
        account: 'acme',
        kind: 'credit',
        amount: 1_500_000_000n,
        balanceAfter: 1_500_000_000n,
        request: null,
        note: 'first',
      })
      expect(await store.ledger.entries('acme', { limit: 10 })).toEqual([entry])
      expect(await store.ledger.account('acme')).toEqual({ id: 'acme', balance: 1_500_000_000n, createdAt: clock.now() })
    })

    it.each([2n ** 53n + 1n, 2n ** 62n + 12_345_678_901n, MOST_NANO_DOLLARS])('keeps %s nano-dollars to the last digit', async (amount) => {
      const store = await open()
      await store.ledger.credit('acme', amount, '')
      expect((await store.ledger.account('acme'))?.balance).toBe(amount)
      const [entry] = await store.ledger.entries('acme', { limit: 1 })
      expect([entry?.amount, entry?.balanceAfter]).toEqual([amount, amount])
      expect(await store.settle(settlement({ cost: 1n }))).toEqual({ state: 'settled', balance: amount - 1n })
      expect(await store.ledger.audit()).toEqual([])
    })

    it('refuses what passes the largest balance, and changes nothing then', async () => {
      const store = await open()
      await store.ledger.credit('acme', MOST_NANO_DOLLARS - 5n, '')
      for (const amount of [6n, MOST_NANO_DOLLARS, 2n ** 64n]) {
        await expect(store.ledger.credit('acme', amount, '')).rejects.toMatchObject({ code: 'invalid_request' })
      }
      expect((await store.ledger.credit('acme', 5n, ''))?.balanceAfter).toBe(MOST_NANO_DOLLARS)
      expect(await store.ledger.entries('acme', { limit: 10 })).toHaveLength(2)
    })

    it('takes away, never below zero', async () => {
      const store = await open()
      await store.ledger.credit('acme', 10n, '')
      expect((await store.ledger.credit('acme', -4n, 'back'))?.balanceAfter).toBe(6n)
      expect(await store.ledger.credit('acme', -7n, '')).toBeNull()
      expect(await store.ledger.credit('nobody', -1n, '')).toBeNull()
      expect(await store.ledger.account('nobody')).toBeNull()
      expect((await store.ledger.account('acme'))?.balance).toBe(6n)
      expect(await store.ledger.entries('acme', { limit: 10 })).toHaveLength(2)
    })

    it('pages through entries newest first, in the order in which the balance moved', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      for (let i = 1; i <= 7; i++) {
        await store.ledger.credit('acme', BigInt(i), `${i}`)
        // A clock that goes back must not shuffle the lines.
        clock.pass(-1)
      }
      await store.ledger.credit('other', 1n, '')
      const notes: string[] = []
      let before: string | undefined
      for (;;) {
        const page = await store.ledger.entries('acme', { limit: 3, ...(before === undefined ? {} : { before }) })
        notes.push(...page.map(({ note }) => note))
        before = page.at(-1)?.id
        if (before === undefined) break
      }
      expect(notes).toEqual(['7', '6', '5', '4', '3', '2', '1'])
      const [foreign] = await store.ledger.entries('other', { limit: 1 })
      expect(await store.ledger.entries('acme', { limit: 3, before: foreign!.id })).toEqual([])
    })

    it('sums to its balances also when sums pass 64 bits on their way', async () => {
      const store = await open()
      for (const amount of [MOST_NANO_DOLLARS, -MOST_NANO_DOLLARS, MOST_NANO_DOLLARS, -MOST_NANO_DOLLARS + 3n]) {
        await store.ledger.credit('acme', amount, '')
      }
      expect(await store.ledger.audit()).toEqual([])
      expect((await store.ledger.account('acme'))?.balance).toBe(3n)
    })

    it('keeps notes that a database would choke on', async () => {
      const store = await open()
      await store.ledger.credit('acme', 1n, "'; drop table ledger; -- \u0000 🧾")
      expect((await store.ledger.entries('acme', { limit: 1 }))[0]?.note).toBe("'; drop table ledger; -- \ufffd 🧾")
    })

    it('adds up when credits come all at once', async () => {
      const store = await open()
      await Promise.all(Array.from({ length: 40 }, () => store.ledger.credit('acme', 3n, '')))
      expect((await store.ledger.account('acme'))?.balance).toBe(120n)
      const balances = (await store.ledger.entries('acme', { limit: 100 })).map(({ balanceAfter }) => balanceAfter)
      expect(balances).toEqual(Array.from({ length: 40 }, (_, i) => BigInt(120 - 3 * i)))
    })
  })

  eachStore(({ open, tamper, database }) => {
    it('is append-only: the database itself refuses to change or delete a line', async () => {
      const store = await open()
      await store.ledger.credit('acme', 10n, 'kept')
      const [entry] = await store.ledger.entries('acme', { limit: 1 })
      const attempts = [
        'update ledger set amount = 11',
        `update ledger set note = 'x'`,
        'delete from ledger',
        `delete from ledger where id = '${entry?.id}'`,
        database.kind === 'postgres' ? 'truncate ledger' : 'update or replace ledger set amount = 11',
      ]
      for (const attempt of attempts) await expect(tamper(attempt)).rejects.toThrow('append-only')
      expect(await store.ledger.entries('acme', { limit: 10 })).toEqual([entry])
    })

    it('tells of a balance that somebody changed by hand', async () => {
      const store = await open()
      await store.ledger.credit('acme', 10n, '')
      await store.ledger.credit('other', 10n, '')
      await tamper(`update accounts set balance = 9 where id = 'acme'`)
      expect(await store.ledger.audit()).toEqual([{ account: 'acme', balance: 9n, sum: 10n }])
    })

    it('lets no hand put a balance below zero', async () => {
      const store = await open()
      await store.ledger.credit('acme', 10n, '')
      await expect(tamper('update accounts set balance = -1')).rejects.toThrow()
    })
  }, SHARED)
})

describe('a credit whose connection breaks', () => {
  /** A database that fails a transaction before or after it is committed; `isGone`: it cannot be asked afterwards. */
  async function breaking(when: 'before' | 'after', isGone = false): Promise<Database> {
    const database = openLibsql(':memory:')
    await prepareSchema(database)
    return {
      ...database,
      async write(work) {
        if (when === 'after') await database.write(work)
        if (isGone) await database.close()
        throw new Error('cut')
      },
    }
  }

  it('during the commit is said to be booked when it was', async () => {
    const database = await breaking('after')
    const { credit, entries } = ledger(database, fakeClock().now)
    const entry = await credit('acme', 5n, 'once')
    expect(entry).toMatchObject({ account: 'acme', amount: 5n, balanceAfter: 5n, note: 'once' })
    expect(await entries('acme', { limit: 10 })).toEqual([entry])
    await database.close()
  })

  it('during the commit is in doubt when the database cannot be asked any more', async () => {
    const { credit } = ledger(await breaking('after', true), fakeClock().now)
    const doubt = { code: 'internal_error', message: expect.stringContaining('It is not known whether the amount was added') }
    await expect(credit('acme', 5n, '')).rejects.toMatchObject(doubt)
  })

  it('before anything was written is not in doubt', async () => {
    const { credit } = ledger(await breaking('before', true), fakeClock().now)
    await expect(credit('acme', 5n, '')).rejects.toThrow('cut')
  })
})

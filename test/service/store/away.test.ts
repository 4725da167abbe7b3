import { setTimeout as sleep } from 'node:timers/promises'
import Libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../../../src/service/store/open.ts'
import { SettlementInDoubt } from '../../../src/service/store/settle.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { LIBSQL_FILE, POSTGRES } from '../databases.ts'
import { begun, settlement } from './settlements.ts'
import { proxyTo, type SeverableProxy } from './severable-proxy.ts'
import { eachStore } from './suite.ts'

describe('a database that is away', () => {
  eachStore(
    ({ url, open, tamper }) => {
      let line: SeverableProxy
      let store: Store
      beforeEach(async () => {
        line = await proxyTo(url())
        store = await openStore(line.url, { pingTimeoutMs: 300, statementTimeoutMs: 5000 })
      })
      afterEach(async () => {
        line.cut()
        await store.close()
        await line.close()
      })

      // A busy machine may need more than one try within the time of a ping.
      const answers = () =>
        store.ping().then(
          () => true,
          () => false,
        )

      it('is told by ping, and works again when it is back', async () => {
        await Promise.all(Array.from({ length: 8 }, () => store.ledger.credit('acme', 1n, '')))
        line.cut()
        await expect(store.ping()).rejects.toThrow()
        await expect(store.ledger.credit('acme', 1n, '')).rejects.toThrow()
        await expect(store.settle(settlement({ cost: 1n }))).rejects.toThrow()
        line.mend()
        await expect.poll(answers, { timeout: 20_000 }).toBe(true)
        expect((await store.ledger.credit('acme', 1n, ''))?.balanceAfter).toBe(9n)
      })

      it('that is silent is told by ping within its time', async () => {
        await store.ledger.accounts()
        line.hold()
        await expect(store.ping()).rejects.toThrow('did not answer within 300 ms')
        line.mend()
        await expect.poll(answers, { timeout: 20_000 }).toBe(true)
      })

      it('ends nothing when its connections die in the middle of transactions', async () => {
        await store.ledger.credit('acme', 1000n, '')
        const work = Promise.allSettled(Array.from({ length: 100 }, () => store.settle(settlement({ cost: 1n }))))
        await sleep(10)
        await tamper(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        )
        const settled = (await work).filter((one) => one.status === 'fulfilled')
        const other = await open()
        expect((await other.ledger.account('acme'))?.balance).toBe(1000n - BigInt(settled.length))
        expect(await other.ledger.audit()).toEqual([])
        expect(await store.settle(settlement({ cost: 1n }))).toMatchObject({ state: 'settled' })
      })

      it('leaves no doubt about an answer whose commit went through unheard', async () => {
        await store.ledger.credit('acme', 100n, '')
        const token = await begun(store)
        const one = settlement({ cost: 30n }, { token })
        line.cutAfterCommit()
        expect(await store.settle(one)).toEqual({ state: 'settled', balance: 70n })
        expect((await store.ledger.account('acme'))?.balance).toBe(70n)
        await expect(store.settle(one)).rejects.toThrow('settled before')
      })

      it('says that an answer may have been charged when it went away during the commit and cannot be asked', async () => {
        await store.ledger.credit('acme', 100n, '')
        const one = settlement({ cost: 30n }, { token: await begun(store) })
        line.cutAfterCommit('for good')
        await expect(store.settle(one)).rejects.toBeInstanceOf(SettlementInDoubt)
        const other = await open()
        expect((await other.ledger.account('acme'))?.balance).toBe(70n)
      })

      it('leaves no doubt about a credit whose commit went through unheard', async () => {
        line.cutAfterCommit()
        expect((await store.ledger.credit('acme', 30n, ''))?.balanceAfter).toBe(30n)
        expect(await store.ledger.entries('acme', { limit: 10 })).toHaveLength(1)
      })

      it('says that a credit may have been added when it went away during the commit and cannot be asked', async () => {
        line.cutAfterCommit('for good')
        await expect(store.ledger.credit('acme', 30n, '')).rejects.toThrow('It is not known whether the amount was added')
        const other = await open()
        expect((await other.ledger.account('acme'))?.balance).toBe(30n)
      })

      it('leaves no doubt when it was away before the commit', async () => {
        line.cut()
        await expect(store.settle(settlement({ cost: 30n }))).rejects.not.toBeInstanceOf(SettlementInDoubt)
        await expect(store.ledger.credit('acme', 30n, '')).rejects.not.toThrow('not known')
      })
    },
    [POSTGRES],
  )

  eachStore(
    ({ url, open }) => {
      it('because another process writes to it is waited for, and nothing else in this process waits', async () => {
        const store = await open()
        const other = new Libsql(url())
        other.exec('begin immediate')
        let isDone = false
        const credited = store.ledger.credit('acme', 1n, '').then((entry) => {
          isDone = true
          return entry
        })
        // Were this process stopped until the lock is free, it would never get to free it.
        await sleep(50)
        expect(isDone).toBe(false)
        other.exec('commit')
        other.close()
        expect((await credited)?.balanceAfter).toBe(1n)
      })

      it('because another process never lets go is refused in the end, and then nothing is written', async () => {
        const store = await open({ lockTimeoutMs: 60 })
        const other = new Libsql(url())
        other.exec('begin immediate')
        await expect(store.ledger.credit('acme', 1n, '')).rejects.toMatchObject({ code: 'overloaded' })
        other.exec('rollback')
        other.close()
        expect(await store.ledger.accounts()).toEqual([])
        expect((await store.ledger.credit('acme', 1n, ''))?.balanceAfter).toBe(1n)
      })
    },
    [LIBSQL_FILE],
  )
})

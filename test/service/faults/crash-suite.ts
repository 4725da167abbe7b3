// A service killed with -9 in the middle of a load, and what is charged and answered then, over any database.
import { expect, it } from 'vitest'
import { parseDollars } from '../../../src/service/money.ts'
import { openStore } from '../../../src/service/store/open.ts'
import { eachDatabase, type TestDatabase } from '../databases.ts'
import { startChild } from './child.ts'
import { askAll, askOnce, askUntilAnswered, chargedIds } from './load.ts'

const ARGS = ['--prices', 'fake=1000', '--deadline', '1s', '--concurrency', '8', '--log-level', 'error']

/**
 * Called by one test file for each database, so that they run side by side: after a crash the claims of the dead have
 * to run out first.
 */
export function crashSuite(database: TestDatabase): void {
  eachDatabase(() => {
    it('a service killed in the middle of a load has charged each answer once, and retries after it are answered and charged once', async () => {
      const { url: databaseUrl, drop } = await database.make()
      const store = await openStore(databaseUrl)
      let child = await startChild({ databaseUrl, args: [...ARGS, '--fake', '5ms'] })
      try {
        const { secret } = await store.keys.create({ account: 'payer', name: 'load', scopes: ['ask'] })
        await store.ledger.credit('payer', parseDollars('1000')!, 'for the load')

        const ask = { url: child.url, secret }
        let isKilled = false
        const asked = await askAll(16, ask, (soFar) => {
          if (!isKilled && soFar.filter(({ status }) => status === 200).length >= 100) {
            isKilled = true
            child.kill('SIGKILL')
          }
          return isKilled
        })
        expect((await child.ended).signal).toBe('SIGKILL')
        const answered = asked.filter(({ status }) => status === 200)
        const unanswered = asked.filter(({ status }) => status !== 200)
        expect(unanswered.length).toBeGreaterThan(0)

        // What was answered is charged; what was charged without an answer belongs to a request that is retried below.
        const chargedBefore = await chargedIds(store, 'payer')
        expect(new Set(chargedBefore).size).toBe(chargedBefore.length)
        for (const { id } of answered) expect(chargedBefore).toContain(id)
        expect(chargedBefore.length - answered.length).toBeLessThanOrEqual(unanswered.length)
        expect(await store.ledger.audit()).toEqual([])

        child = await startChild({ databaseUrl, args: [...ARGS, '--fake', '5ms'] })
        const again = { url: child.url, secret }
        const retried = await Promise.all(unanswered.map(({ idempotencyKey }) => askUntilAnswered({ ...again, idempotencyKey })))
        expect(retried.map(({ status }) => status)).toEqual(unanswered.map(() => 200))
        for (const { id, isReplay } of retried) if (isReplay) expect(chargedBefore).toContain(id)
        const [first] = answered
        expect(await askOnce({ ...again, idempotencyKey: first!.idempotencyKey })).toMatchObject({
          status: 200,
          id: first!.id,
          isReplay: true,
        })

        const charged = await chargedIds(store, 'payer')
        expect([...charged].sort()).toEqual([...answered, ...retried].map(({ id }) => id).sort())
        expect(await store.ledger.audit()).toEqual([])
      } finally {
        child.kill('SIGKILL')
        await child.ended
        await store.close()
        await drop()
      }
    })
  }, [database])
}

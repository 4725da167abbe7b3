// Two replicas on one PostgreSQL: what an account had at one of them counts when the other chooses whose turn is next.
import { expect, it } from 'vitest'
import { openStore } from '../../src/service/store/open.ts'
import type { Store } from '../../src/service/store/store.ts'
import { POSTGRES } from './databases.ts'
import { createGate, until } from './gate.ts'
import { QUESTION, startRunning } from './running.ts'
import { eachStore } from './store/suite.ts'

/** A store that says how many other replicas were heard when turns were exchanged last. */
function listening(store: Store) {
  const table = store.recentTurns
  if (table === null) throw new Error('this store has no recent turns')
  let heard = 0
  const exchange: typeof table.exchange = async (...told) => {
    const others = await table.exchange(...told)
    heard = others.length
    return others
  }
  return { store: { ...store, recentTurns: { ...table, exchange } }, heard: () => heard }
}

eachStore(
  ({ url, count }) => {
    it('lets an account that had nothing go before one that had turns at another replica', async () => {
      const stores = await Promise.all([openStore(url()), openStore(url())])
      const gate = createGate()
      const settings = { concurrency: 1 }
      const { store, heard } = listening(stores[0]!)
      const here = await startRunning({ store, settings, fake: gate.fake })
      const there = await startRunning({ store: stores[1]!, settings })
      try {
        const asking = async (account: string) => {
          const { secret } = await here.newKey({ account })
          const headers = { authorization: `Bearer ${secret}` }
          return (replica: typeof here, state: string) => replica.ask({ ...QUESTION, state }, { headers })
        }
        const [first, wide, narrow] = [await asking('first'), await asking('wide'), await asking('narrow')]
        for (let i = 0; i < 8; i++) expect((await wide(there, `there ${i}`)).status).toBe(200)
        await until(async () => (await count('recent_turns')) === 1)

        // What comes later waits behind this one.
        const asked = [first(here, 'first')]
        await until(() => heard() === 1)
        for (const state of ['wide 0', 'wide 1']) asked.push(wide(here, state))
        await until(() => here.service.context.queue.load.waiting === 2)
        for (const state of ['narrow 0', 'narrow 1']) asked.push(narrow(here, state))
        await until(() => here.service.context.queue.load.waiting === 4)
        gate.open()
        for (const reply of await Promise.all(asked)) expect(reply.status).toBe(200)
        const order = [...new Set(gate.states.map((state) => /first|wide|narrow/.exec(state)?.[0]))]
        expect(order).toEqual(['first', 'narrow', 'wide'])
      } finally {
        gate.open()
        await Promise.all([here.end(), there.end()])
        await Promise.all(stores.map((store) => store.close()))
      }
    })
  },
  [POSTGRES],
)

import { describe, expect, it } from 'vitest'
import { LIBSQL_FILE, MEMORY, POSTGRES } from '../databases.ts'
import { eachStore } from './suite.ts'

const KEEP_MS = 1000

describe('recent turns in the store', () => {
  eachStore(
    ({ open, tamper, count }) => {
      it('are what each other replica said last', async () => {
        const [one, other] = [(await open()).recentTurns!, (await open()).recentTurns!]
        expect(await one.exchange('one', new Map([['acme', 1]]))).toEqual([])
        expect(await other.exchange('other', new Map([['acme', 2.5]]))).toEqual([new Map([['acme', 1]])])
        expect(await one.exchange('one', new Map([['globex', 3]]))).toEqual([new Map([['acme', 2.5]])])
        expect(await other.exchange('other', new Map())).toEqual([new Map([['globex', 3]])])
        expect(await count('recent_turns')).toBe(2)
      })

      it('take any name of an account', async () => {
        const [one, other] = [(await open()).recentTurns!, (await open()).recentTurns!]
        const turns = new Map([
          ['__proto__', 1],
          ["'; drop table recent_turns; --", 2],
          ['nul\u0000', 3],
        ])
        await one.exchange('one', turns)
        expect(await other.exchange('other', new Map())).toEqual([turns])
      })

      it('are of replicas that said something within 5 s by the clock of the database, whatever clocks of replicas say', async () => {
        const [one, other] = [(await open({ now: () => 0 })).recentTurns!, (await open({ now: () => 9e12 })).recentTurns!]
        await one.exchange('one', new Map([['acme', 1]]))
        await tamper("update recent_turns set said_at = now() - interval '4 seconds'")
        expect(await other.exchange('other', new Map())).toHaveLength(1)
        await tamper("update recent_turns set said_at = now() - interval '5 seconds'")
        expect(await other.exchange('other', new Map())).toEqual([])
        expect(await one.exchange('one', new Map())).toHaveLength(1)
      })

      it('are deleted a minute after a replica has gone', async () => {
        const store = await open()
        for (const replica of ['gone', 'slow']) await store.recentTurns!.exchange(replica, new Map())
        await tamper("update recent_turns set said_at = now() - interval '61 seconds' where replica = 'gone'")
        await store.purge(KEEP_MS)
        expect(await count('recent_turns')).toBe(1)
      })

      it('are said by many replicas at once, each of which hears of the others', async () => {
        const replicas = await Promise.all(Array.from({ length: 4 }, () => open()))
        const names = Array.from({ length: 20 }, (_, i) => `replica-${i}`)
        const say = () => Promise.all(names.map((name, i) => replicas[i % 4]!.recentTurns!.exchange(name, new Map([[name, 1]]))))
        await say()
        const heard = await say()
        for (const [i, others] of heard.entries())
          expect(others.flatMap((other) => [...other.keys()]).sort()).toEqual(names.filter((_, j) => j !== i).sort())
      })

      it('are written to no log of the database', async () => {
        const store = await open()
        await store.recentTurns!.exchange('one', new Map())
        await tamper("do $$ begin assert (select relpersistence from pg_class where oid = 'recent_turns'::regclass) = 'u'; end $$")
      })
    },
    [POSTGRES],
  )

  eachStore(
    ({ open }) => {
      it('are not kept by the embedded database, which has one replica', async () => {
        const store = await open()
        expect(store.recentTurns).toBeNull()
        await store.purge(KEEP_MS)
      })
    },
    [MEMORY, LIBSQL_FILE],
  )
})

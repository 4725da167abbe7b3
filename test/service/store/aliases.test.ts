import { describe, expect, it } from 'vitest'
import { eachStore, SHARED } from './suite.ts'

describe('aliases', () => {
  eachStore(({ open }) => {
    it('stand for what they were made to stand for last, and everything before is kept', async () => {
      let at = 1000
      const store = await open({ now: () => at })
      expect(await store.aliases.current()).toEqual([])
      expect(await store.aliases.point('fast', 'small', 'to begin with')).toEqual({
        at: 1000,
        name: 'fast',
        model: 'small',
        from: null,
        why: 'to begin with',
      })
      at = 2000
      await store.aliases.point('default', 'large', '')
      expect(await store.aliases.point('fast', 'small', 'again')).toBeNull()
      at = 3000
      expect(await store.aliases.point('fast', 'tiny', 'faster')).toMatchObject({ at: 3000, from: 'small', model: 'tiny' })
      expect(await store.aliases.current()).toEqual([
        { name: 'default', model: 'large', since: 2000 },
        { name: 'fast', model: 'tiny', since: 3000 },
      ])
      at = 4000
      expect(await store.aliases.point('fast', null, 'no longer')).toMatchObject({ model: null, from: 'tiny' })
      expect(await store.aliases.point('fast', null, 'twice')).toBeNull()
      expect(await store.aliases.point('never', null, 'unknown')).toBeNull()
      expect((await store.aliases.current()).map(({ name }) => name)).toEqual(['default'])
      await store.purge(1)
      expect((await store.aliases.history({ name: 'fast', limit: 9 })).map((change) => [change.at, change.from, change.model])).toEqual([
        [4000, 'tiny', null],
        [3000, 'small', 'tiny'],
        [1000, null, 'small'],
      ])
      expect((await store.aliases.history({ limit: 2 })).map(({ name, why }) => `${name} ${why}`)).toEqual([
        'fast no longer',
        'fast faster',
      ])
    })

    it('take any text, as a table of names that may be those of objects', async () => {
      const store = await open()
      for (const name of ['__proto__', "'; drop table alias_changes; --", 'jev-*']) await store.aliases.point(name, 'm\u0000', 'why\u0000')
      expect((await store.aliases.current()).map(({ name, model }) => `${name} ${model}`).sort()).toEqual(
        ["'; drop table alias_changes; -- m\ufffd", '__proto__ m\ufffd', 'jev-* m\ufffd'].sort(),
      )
    })
  })

  eachStore(({ open }) => {
    it('are changed by several replicas at once, each change behind the one before', async () => {
      const replicas = await Promise.all([open(), open(), open()])
      await Promise.all(replicas.flatMap((store, i) => [0, 1, 2].map((j) => store.aliases.point('fast', `model-${i}-${j}`, ''))))
      const history = await replicas[0]!.aliases.history({ name: 'fast', limit: 20 })
      expect(history).toHaveLength(9)
      for (const [i, change] of history.entries()) expect(change.from).toBe(history[i + 1]?.model ?? null)
      for (const store of replicas) expect(await store.aliases.current()).toMatchObject([{ name: 'fast', model: history[0]!.model }])
    })
  }, SHARED)
})

import { describe, expect, it } from 'vitest'
import { record, settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

describe('the request log', () => {
  eachStore(({ open }) => {
    it('keeps failures as they were, those without an account of the ledger too', async () => {
      const store = await open()
      const failed = record({ account: 'nobody', status: 402, code: 'insufficient_balance', model: null, cost: 0n, key: 'key_1' })
      await store.requests.failed(failed)
      await store.requests.failed(failed)
      expect(await store.requests.list({ limit: 10 })).toEqual([failed])
      expect(await store.ledger.accounts()).toEqual([])
    })

    it('keeps names of models that a client made up', async () => {
      const store = await open()
      await store.requests.failed(record({ model: `a\u0000b${'x'.repeat(1000)}`, status: 404, code: 'model_not_found' }))
      const [one] = await store.requests.list({ limit: 1 })
      expect(one?.model).toBe(`a\ufffdb${'x'.repeat(197)}`)
    })

    it('pages newest first by time and then by id, of one account or of all', async () => {
      const store = await open()
      const rows = [1, 2, 2, 2, 3, 4].map((at, i) => record({ id: `evt_${i}`, at, account: i % 2 === 0 ? 'even' : 'odd' }))
      for (const row of rows) await store.requests.failed(row)
      const pages = async (account?: string): Promise<string[]> => {
        const found: string[] = []
        let before: string | undefined
        for (;;) {
          const page = await store.requests.list({
            limit: 2,
            ...(account === undefined ? {} : { account }),
            ...(before === undefined ? {} : { before }),
          })
          if (page.length === 0) return found
          found.push(...page.map(({ id }) => id))
          before = page.at(-1)!.id
        }
      }
      expect(await pages()).toEqual(['evt_5', 'evt_4', 'evt_3', 'evt_2', 'evt_1', 'evt_0'])
      expect(await pages('odd')).toEqual(['evt_5', 'evt_3', 'evt_1'])
      expect(await store.requests.list({ limit: 2, before: 'evt_unknown' })).toEqual([])
    })

    it('sums usage into buckets, empty ones too, from the first moment and without the last', async () => {
      const store = await open()
      await store.ledger.credit('acme', 1_000_000n, '')
      for (const at of [999, 1000, 1099, 1100, 1350, 1400]) await store.settle(settlement({ at, cost: 10n, inputTokens: 7 }))
      await store.requests.failed(record({ at: 1000, account: 'acme', code: 'overloaded', status: 503, cost: 0n, inputTokens: 0 }))
      await store.requests.failed(record({ at: 1350, account: 'other', code: 'overloaded', status: 503, cost: 0n, inputTokens: 0 }))
      const range = { from: 1000, to: 1400, bucketMs: 100 }
      const empty = { requests: 0, failed: 0, inputTokens: 0, cost: 0n }
      expect(await store.requests.usage({ ...range, account: 'acme' })).toEqual([
        { at: 1000, requests: 3, failed: 1, inputTokens: 14, cost: 20n },
        { at: 1100, requests: 1, failed: 0, inputTokens: 7, cost: 10n },
        { at: 1200, ...empty },
        { at: 1300, requests: 1, failed: 0, inputTokens: 7, cost: 10n },
      ])
      expect((await store.requests.usage(range)).map(({ failed }) => failed)).toEqual([1, 0, 0, 1])
    })

    it('sums costs above 2^53 to the last digit', async () => {
      const store = await open()
      const cost = 2n ** 53n + 1n
      await store.ledger.credit('acme', 4n * cost, '')
      for (let i = 0; i < 2; i++) await store.settle(settlement({ at: 0, cost }))
      expect(await store.requests.usage({ from: 0, to: 10, bucketMs: 10 })).toMatchObject([{ cost: 2n * cost }])
    })

    it('refuses buckets that are none, or too many', async () => {
      const store = await open()
      for (const bucketMs of [0, -1, 1.5, Number.NaN, 1]) {
        await expect(store.requests.usage({ from: 0, to: 1e9, bucketMs })).rejects.toThrow(RangeError)
      }
      expect(await store.requests.usage({ from: 10, to: 10, bucketMs: 5 })).toEqual([])
    })
  })

  eachStore(({ open, tamper }) => {
    it('sums a long log, and lets others have a turn meanwhile', async () => {
      const store = await open()
      // Ten lines a millisecond, so that no page ends where a millisecond does.
      await tamper(`insert into requests
        with recursive n (i) as (select 0 union all select i + 1 from n where i < 44999)
        select 'evt_' || i, i / 10, case when i % 3 = 0 then 'acme' else 'other' end, null, null, 'ask', 503, 'overloaded', 1, 2, 0, 3, 1.5 from n`)
      let [turns, isDone] = [0, false]
      const count = () => {
        turns += 1
        if (!isDone) setImmediate(count)
      }
      setImmediate(count)
      const buckets = await store.requests.usage({ from: 0, to: 4500, bucketMs: 900 })
      isDone = true
      const sums = { requests: 9000, failed: 9000, inputTokens: 18_000, cost: 27_000n }
      expect(buckets).toEqual([0, 900, 1800, 2700, 3600].map((at) => ({ at, ...sums })))
      expect(turns).toBeGreaterThan(1)
      const own = await store.requests.usage({ account: 'acme', from: 0, to: 4500, bucketMs: 4500 })
      expect(own).toMatchObject([{ requests: 15_000 }])
    })
  }, SHARED)
})

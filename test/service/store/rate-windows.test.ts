import { describe, expect, it } from 'vitest'
import { eachStore, SHARED } from './suite.ts'

const NONE = { requests: 0, questions: 0 }
const AT = 1_700_000_000_000

describe('windows of rate limits', () => {
  eachStore(({ open }) => {
    it('count no more than there is room for, over two replicas that count at once', async () => {
      const [one, other] = [await open(), await open()]
      const asked = await Promise.all(
        Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? one : other).rates.count('key_1', { requests: 17, questions: 0 }, AT)),
      )
      expect(
        asked
          .filter(({ isCounted }) => isCounted)
          .map(({ requests }) => requests)
          .sort((a, b) => a - b),
      ).toEqual(Array.from({ length: 17 }, (_, i) => i + 1))
      expect(asked.filter(({ isCounted }) => !isCounted).every(({ requests, begunAt }) => requests === 17 && begunAt === AT)).toBe(true)
    })

    it('begin with a request, last a minute and then begin anew', async () => {
      const { rates } = await open()
      const ceilings = { requests: 1, questions: 0 }
      expect(await rates.count('key_1', ceilings, AT)).toEqual({ begunAt: AT, requests: 1, questions: 0, isCounted: true })
      expect(await rates.count('key_1', ceilings, AT + 59_999)).toMatchObject({ begunAt: AT, isCounted: false })
      expect(await rates.count('key_1', ceilings, AT + 60_000)).toEqual({
        begunAt: AT + 60_000,
        requests: 1,
        questions: 0,
        isCounted: true,
      })
      expect(await rates.count('key_2', ceilings, AT)).toMatchObject({ isCounted: true })
    })

    it('add up the questions that were answered, and forget them with the minute', async () => {
      const [{ rates }, other] = [await open(), await open()]
      const ceilings = { requests: 0, questions: 5 }
      // Of a key that has not asked, there is nothing to add to.
      await rates.answered('key_1', 100, AT)
      expect(await rates.count('key_1', ceilings, AT)).toMatchObject({ questions: 0 })
      await Promise.all([rates.answered('key_1', 2, AT + 1), other.rates.answered('key_1', 3, AT + 1)])
      expect(await rates.count('key_1', ceilings, AT + 2)).toMatchObject({ questions: 5, requests: 1, isCounted: false })
      await rates.answered('key_1', 9, AT + 60_000)
      expect(await other.rates.count('key_1', ceilings, AT + 60_000)).toMatchObject({ questions: 0, requests: 1, isCounted: true })
    })

    it('have no end of room without limits, and begin anew when a clock was set back', async () => {
      const { rates } = await open()
      for (let i = 1; i <= 3; i++) expect(await rates.count('key_1', NONE, AT)).toMatchObject({ requests: i, isCounted: true })
      const back = AT - 3_600_000
      expect(await rates.count('key_1', { requests: 3, questions: 0 }, back)).toMatchObject({ begunAt: back, requests: 1 })
    })
  }, SHARED)
})

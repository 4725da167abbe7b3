import { describe, expect, it } from 'vitest'
import { fakeClock } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

describe('sessions of the console', () => {
  eachStore(({ open }) => {
    it('open by a link, once', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const token = await store.admin.issueLink(1000)
      const opened = await store.admin.redeem(token, 5000)
      expect(opened?.state).toEqual({ expiresAt: clock.now() + 5000, csrfToken: expect.stringMatching(/^[\w-]{43}$/) })
      expect(await store.admin.find(opened!.session)).toEqual(opened!.state)
      expect(await store.admin.redeem(token, 5000)).toBeNull()
    })

    it('open for one of many who redeem a link at once', async () => {
      const store = await open()
      const token = await store.admin.issueLink(1000)
      const opened = await Promise.all(Array.from({ length: 10 }, () => store.admin.redeem(token, 5000)))
      expect(opened.filter((one) => one !== null)).toHaveLength(1)
    })

    it('do not open by links that are late, unknown or misshapen', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const token = await store.admin.issueLink(1000)
      clock.pass(1000)
      for (const bad of [token, 'A'.repeat(43), '', '\u0000', 'x'.repeat(1_000_000)]) expect(await store.admin.redeem(bad, 1000)).toBeNull()
    })

    it('end when they are over, or ended', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const [first, second] = [await store.admin.open(1000), await store.admin.open(2000)]
      await store.admin.end(first.session)
      await store.admin.end('no such session')
      expect(await store.admin.find(first.session)).toBeNull()
      clock.pass(1999)
      expect(await store.admin.find(second.session)).toEqual(second.state)
      clock.pass(1)
      expect(await store.admin.find(second.session)).toBeNull()
    })

    it('end all at once, with links that nobody has used yet', async () => {
      const clock = fakeClock()
      const store = await open({ now: clock.now })
      const opened = [await store.admin.open(1000), await store.admin.open(2000), await store.admin.open(3000)]
      const token = await store.admin.issueLink(5000)
      clock.pass(1000)
      expect(await store.admin.endAll()).toBe(2)
      for (const { session } of opened) expect(await store.admin.find(session)).toBeNull()
      expect(await store.admin.redeem(token, 1000)).toBeNull()
      const { session, state } = await store.admin.open(1000)
      expect(await store.admin.find(session)).toEqual(state)
    })

    it('have a token of their own against forged requests, which opens nothing', async () => {
      const store = await open()
      const [first, second] = [await store.admin.open(1000), await store.admin.open(1000)]
      expect(first.state.csrfToken).not.toBe(second.state.csrfToken)
      expect(await store.admin.find(first.state.csrfToken)).toBeNull()
      expect(await store.admin.redeem(first.session, 1000)).toBeNull()
    })
  })

  eachStore(({ open }) => {
    it('opened on one replica are known to the other, and a link is spent for both', async () => {
      const [one, other] = [await open(), await open()]
      const token = await one.admin.issueLink(60_000)
      const opened = await Promise.all([one.admin.redeem(token, 60_000), other.admin.redeem(token, 60_000)])
      const won = opened.filter((each) => each !== null)
      expect(won).toHaveLength(1)
      for (const store of [one, other]) expect(await store.admin.find(won[0]!.session)).toEqual(won[0]!.state)
    })
  }, SHARED)
})

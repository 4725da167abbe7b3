// What replicas know of each other's turns, and what comes of it when several queues go by it. Time is counted by hand.
import { describe, expect, it } from 'vitest'
import { type AdmissionQueue, createAdmissionQueue } from '../../src/service/admission-queue.ts'
import { createRecentTurns, type RecentTurns } from '../../src/service/recent-turns.ts'
import type { RecentTurnsTable } from '../../src/service/store/store.ts'

/** Exchanges happen when a test asks for them. */
const BY_HAND = 2 ** 31 - 1

/** A table in memory, the clock of all replicas, and replicas over both. A silent table never answers. */
function surroundings() {
  const rows = new Map<string, ReadonlyMap<string, number>>()
  const state = { at: 0, isAway: false, isSilent: false, exchanges: 0, warnings: 0 }
  const table: RecentTurnsTable = {
    freshMs: 5000,
    async exchange(replica, turns) {
      state.exchanges += 1
      if (state.isAway) throw new Error('away')
      if (state.isSilent) await new Promise(() => {})
      rows.set(replica, turns)
      return [...rows].flatMap(([other, said]) => (other === replica ? [] : [said]))
    },
  }
  const log = {
    warn() {
      state.warnings += 1
    },
  }
  return { state, replica: () => createRecentTurns({ table, log, everyMs: BY_HAND, now: () => state.at }) }
}

describe('recent turns', () => {
  it('are those under way and those that ended, which count half as much every 5 s, of all replicas', async () => {
    const { state, replica } = surroundings()
    const [here, there] = [replica(), replica()]
    here.begin('acme')
    here.begin('acme')()
    there.begin('acme')()
    await there.exchange()
    await here.exchange()
    expect(here.overReplicas()?.('acme')).toBe(3)
    expect(here.overReplicas()?.('nobody')).toBe(0)
    state.at = 5000
    expect(here.overReplicas()?.('acme')).toBe(2)
  })

  it('are not known before another replica said something, nor when what was heard is older than 5 s', async () => {
    const { state, replica } = surroundings()
    const [here, there] = [replica(), replica()]
    here.begin('acme')
    expect(here.overReplicas()).toBeNull()
    await here.exchange()
    expect(here.overReplicas()).toBeNull()
    there.begin('acme')
    await there.exchange()
    await here.exchange()
    expect(here.overReplicas()).not.toBeNull()
    state.at = 5001
    expect(here.overReplicas()).toBeNull()
  })

  it('count a turn here also for each other replica where the account had some, until the next exchange', async () => {
    const { replica } = surroundings()
    const [here, ...others] = [replica(), replica(), replica()]
    for (const other of others) {
      other.begin('everywhere')
      await other.exchange()
    }
    here!.begin('here')
    await here!.exchange()
    here!.begin('here')
    here!.begin('everywhere')
    expect(here!.overReplicas()?.('here')).toBe(2)
    expect(here!.overReplicas()?.('everywhere')).toBe(2 + 1 + 2)
    await here!.exchange()
    expect(here!.overReplicas()?.('everywhere')).toBe(2 + 1)
  })

  it('warn once while the store is away, and are known again when it is back', async () => {
    const { state, replica } = surroundings()
    const [here, there] = [replica(), replica()]
    for (const one of [here, there]) one.begin('acme')
    state.isAway = true
    for (let i = 0; i < 3; i++) await here.exchange()
    expect([here.overReplicas(), state.warnings]).toEqual([null, 1])
    state.isAway = false
    await there.exchange()
    await here.exchange()
    expect(here.overReplicas()?.('acme')).toBe(2)
  })

  it('are no longer known 5 s after the store fell silent, and it is not asked twice meanwhile', async () => {
    const { state, replica } = surroundings()
    const [here, there] = [replica(), replica()]
    for (const one of [there, here]) {
      one.begin('acme')
      await one.exchange()
    }
    state.isSilent = true
    for (state.at = 1000; state.at <= 5000; state.at += 1000) void here.exchange()
    expect(state.exchanges).toBe(3)
    state.at = 5000
    expect(here.overReplicas()?.('acme')).toBe(1.5)
    state.at = 5001
    expect(here.overReplicas()).toBeNull()
  })

  it('ask nothing of the store where nothing is under way, and for one exchange at a time', async () => {
    const { state, replica } = surroundings()
    const here = replica()
    await here.exchange()
    expect(state.exchanges).toBe(0)
    here.begin('acme')()
    await Promise.all([here.exchange(), here.exchange()])
    expect(state.exchanges).toBe(1)
    // A turn that ended 10 s ago is forgotten.
    state.at = 10_001
    await here.exchange()
    expect(state.exchanges).toBe(1)
  })
})

/** Requests of these accounts wait all the time. Each call of what is given back ends those that run. */
function keepAsking(queue: AdmissionQueue, accounts: readonly string[], had: string[]): () => Promise<void> {
  const ends: (() => void)[] = []
  const ask = (account: string): void => {
    const slot = queue.enter(account)
    void slot.turn(new AbortController().signal).then((end) => {
      had.push(account)
      ask(account)
      ends.push(() => {
        end()
        slot.leave()
      })
    })
  }
  for (const account of accounts) for (let i = 0; i < 4; i++) ask(account)
  return async () => {
    for (const end of ends.splice(0)) end()
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
}

/** Who had turns of 100 ms at each replica within a minute; replicas exchange every second, one after the other. */
async function minute(asking: readonly (readonly string[])[], isShared: boolean): Promise<readonly (readonly string[])[]> {
  const { state, replica } = surroundings()
  const replicas: RecentTurns[] = asking.map(replica)
  const had: string[][] = asking.map(() => [])
  const steps: (() => Promise<void>)[] = []
  for (const [i, accounts] of asking.entries()) {
    const queue = createAdmissionQueue({ concurrency: 2, queue: 30, arrivals: 8 }, isShared ? replicas[i]! : null)
    steps.push(keepAsking(queue, accounts, had[i]!))
  }
  for (let tenth = 0; tenth < 600; tenth++) {
    state.at += 100
    for (const one of steps) await one()
    const due = tenth % 10
    if (due < replicas.length) await replicas[due]!.exchange()
  }
  return had
}

const shareOf = (account: string, had: readonly (readonly string[])[]): number => {
  const all = had.flat()
  return all.filter((one) => one === account).length / all.length
}

describe('queues of several replicas', () => {
  it('make up at one replica for what an account has at another, up to a round in eight', async () => {
    const asking = [['wide', 'narrow'], ['wide']]
    expect(shareOf('narrow', await minute(asking, false))).toBeCloseTo(0.25, 2)
    const shared = await minute(asking, true)
    expect(shareOf('narrow', shared)).toBeGreaterThan(0.42)
    expect(shareOf('narrow', shared)).toBeLessThan(0.5)
    expect(shared[0]!.filter((one) => one === 'wide').length).toBeGreaterThan(shared[0]!.length / 20)
  })

  it('let accounts that ask everywhere go on in turn, where one seldom has two turns in a row', async () => {
    const everywhere = Array.from({ length: 8 }, () => ['one', 'other'])
    const shared = await minute(everywhere, true)
    expect(shareOf('one', shared)).toBeCloseTo(0.5, 1)
    const again = shared.flatMap((had) => had.slice(1).filter((account, i) => account === had[i]))
    expect(again.length / shared.flat().length).toBeLessThan(0.05)
  })
})

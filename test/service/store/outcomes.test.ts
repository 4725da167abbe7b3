import { describe, expect, it } from 'vitest'
import { recordOutcome } from '../../../src/calibration/outcomes/record-outcome.ts'
import { BINARY, decision, event, listOf } from '../../calibration/outcome-events.ts'
import { settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

const label = (...truth: number[]) => ({ truth, weight: 1 })

describe('outcomes in the store', () => {
  eachStore(({ open }) => {
    it('make evidence of events and truths, as every outcome store does', async () => {
      const outcomes = (await open()).outcomes('acme')
      const decisions = {
        urgent: BINARY,
        team: decision(['billing', 'sales', 'support']),
        level: decision(['low', 'high'], { readout: 'ordinal' }),
      }
      await outcomes.event(event('evt_1', 1, decisions))
      const said = await recordOutcome(outcomes, 'evt_1', { level: 0.5, urgent: true }, { selectionProbability: 0.25 })
      expect(said).toEqual({ event: 'evt_1', recorded: ['level', 'urgent'], replaced: [] })
      expect((await recordOutcome(outcomes, 'evt_1', { urgent: false, team: 'sales' })).replaced).toEqual(['urgent'])
      const evidence = await listOf(outcomes.evidence())
      expect(evidence.map(({ task, truth, weight }) => [task, truth, weight])).toEqual([
        ['urgent', [1], 1],
        ['team', [1], 1],
        ['level', [0.5], 4],
      ])
      expect(evidence[0]).toMatchObject({ single: BINARY.single, readout: 'binary', event: 'evt_1', at: 1 })
    })

    it('keep the first of two events with one id, and nothing that an event does not have', async () => {
      const outcomes = (await open()).outcomes('acme')
      await outcomes.event({ ...event('evt_1', 1), secret: 'the state' } as never)
      await outcomes.event(event('evt_1', 2))
      expect(await outcomes.find('evt_1')).toEqual({ event: event('evt_1', 1), labels: {} })
    })

    it('keep rows with -Infinity, and fractions of times', async () => {
      const outcomes = (await open()).outcomes('acme')
      const odd = event('evt_1', 1.75, { urgent: { ...BINARY, single: [[0, -Infinity]] } })
      await outcomes.event(odd)
      expect((await outcomes.find('evt_1'))?.event).toEqual(odd)
    })

    it('are found by their own account, and by nobody else', async () => {
      const store = await open()
      await store.settle(settlement({ id: 'evt_1', account: 'acme', cost: 0n }, { event: event('evt_1', 1) }))
      const other = store.outcomes('other')
      expect(await other.find('evt_1')).toBeNull()
      expect(await other.outcome('evt_1', { urgent: label(0) })).toBe(false)
      expect(await listOf(other.recent(5))).toEqual([])
      expect(await store.outcomes('acme').outcome('evt_1', { urgent: label(0) })).toBe(true)
      expect(await listOf(other.evidence())).toEqual([])
      expect(await listOf(store.outcomes().evidence())).toHaveLength(1)
      expect((await store.outcomes().find('evt_1'))?.labels).toEqual({ urgent: label(0) })
    })

    it('belong to somebody: the outcomes of all accounts take no event', async () => {
      const store = await open()
      await expect(store.outcomes().event(event('evt_1', 1))).rejects.toThrow('belongs to an account')
    })

    it('are not found by ids that no database can hold', async () => {
      const outcomes = (await open()).outcomes('acme')
      for (const id of ['', '\u0000', '\ud800', "' or 1=1 --", 'x'.repeat(100_000)]) {
        expect(await outcomes.find(id)).toBeNull()
        expect(await outcomes.outcome(id, { urgent: label(0) })).toBe(false)
      }
    })

    it('take decisions whose names no column can hold', async () => {
      const outcomes = (await open()).outcomes('acme')
      const names = ['\u0000', '__proto__', '\ud800', '"; drop', '']
      await outcomes.event(event('evt_1', 1, Object.fromEntries(names.map((name) => [name, BINARY]))))
      await recordOutcome(outcomes, 'evt_1', Object.fromEntries(names.map((name) => [name, true])))
      expect((await listOf(outcomes.evidence())).map(({ task }) => task).sort()).toEqual([...names].sort())
    })

    it('stream more than a page in order, oldest first as evidence and newest first as recent', async () => {
      const outcomes = (await open()).outcomes('acme')
      const ids = Array.from({ length: 450 }, (_, i) => `evt_${String(i).padStart(4, '0')}`)
      // Two at a time at the same moment: pages must neither skip nor repeat.
      await Promise.all(ids.map((id, i) => outcomes.event(event(id, Math.floor(i / 2)))))
      await Promise.all(ids.filter((_, i) => i % 9 !== 0).map((id) => outcomes.outcome(id, { urgent: label(0) })))
      expect((await listOf(outcomes.evidence())).map((item) => item.event)).toEqual(ids.filter((_, i) => i % 9 !== 0))
      expect((await listOf(outcomes.recent(1000))).map(({ id }) => id)).toEqual([...ids].reverse())
      expect((await listOf(outcomes.recent(203))).map(({ id }) => id)).toEqual([...ids].reverse().slice(0, 203))
      expect(await listOf(outcomes.recent(0))).toEqual([])
    })

    it('keep every label when many come to one event at once', async () => {
      const outcomes = (await open()).outcomes('acme')
      const names = Array.from({ length: 12 }, (_, i) => `question ${i}`)
      await outcomes.event(event('evt_1', 1, Object.fromEntries(names.map((name) => [name, BINARY]))))
      await Promise.all(names.map((name) => recordOutcome(outcomes, 'evt_1', { [name]: true })))
      expect(Object.keys((await outcomes.find('evt_1'))!.labels)).toEqual(names)
    })

    it.each([
      [86_400_000, '1 day'],
      [30 * 86_400_000, '30 days'],
      [3_600_000, '1 hour'],
      [90 * 60_000, '1.5 hours'],
      [60_000, '1 minute'],
    ])('say in fitting units how long they are kept: %d ms', async (keepMs, said) => {
      expect((await open({ keepMs })).outcomes('acme').retention).toBe(`${said}, those with an outcome longer`)
    })

    it('say how long they are kept', async () => {
      const outcomes = (await open({ keepMs: 36 * 3_600_000 })).outcomes('acme')
      expect(outcomes.retention).toBe('1.5 days, those with an outcome longer')
      await expect(recordOutcome(outcomes, 'evt_gone', { urgent: true })).rejects.toThrow('events are kept 1.5 days')
    })
  })

  eachStore(({ open, tamper }) => {
    it('keep the labels that two replicas write to the same decisions in opposite order', async () => {
      const replicas = [(await open()).outcomes('acme'), (await open()).outcomes()]
      const names = Array.from({ length: 8 }, (_, i) => `q${i}`)
      await replicas[0]!.event(event('evt_1', 1, Object.fromEntries(names.map((name) => [name, BINARY]))))
      const all = (order: readonly string[]) => Object.fromEntries(order.map((name) => [name, label(0)]))
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => replicas[i % 2]!.outcome('evt_1', all(i % 2 === 0 ? names : [...names].reverse()))),
      )
      expect((await replicas[0]!.find('evt_1'))?.labels).toEqual(all(names))
    })

    it('pass over an event whose line is damaged', async () => {
      const outcomes = (await open()).outcomes('acme')
      for (const id of ['evt_1', 'evt_2']) {
        await outcomes.event(event(id, 1))
        await outcomes.outcome(id, { urgent: label(0) })
      }
      await tamper(`update events set line = '{"id":"evt_1"' where id = 'evt_1'`)
      expect(await outcomes.find('evt_1')).toBeNull()
      expect((await listOf(outcomes.evidence())).map((item) => item.event)).toEqual(['evt_2'])
      expect((await listOf(outcomes.recent(5))).map(({ id }) => id)).toEqual(['evt_2'])
    })
  }, SHARED)
})

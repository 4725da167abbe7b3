import { describe, expect, it } from 'vitest'
import { recordOutcome } from '../../../src/calibration/outcomes/record-outcome.ts'
import { valueHash } from '../../../src/questions/shared/decision-key.ts'
import { openLibsql } from '../../../src/service/store/libsql.ts'
import { openPostgres } from '../../../src/service/store/postgres.ts'
import { keyValueHashes } from '../../../src/service/store/value-hashes.ts'
import { BINARY, event, listOf } from '../../calibration/outcome-events.ts'
import { settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

const PLAIN = valueHash('Ada Lovelace')
const CHECK = { ...BINARY, readout: 'check', value: PLAIN } as const
const NOTHING = { ...BINARY, readout: 'absence', value: null } as const
const decided = (id: string) => event(id, 1, { who: CHECK, urgent: BINARY, none: NOTHING })

describe('values behind checks', () => {
  eachStore(({ open }) => {
    it('are kept as hashes that a guess alone cannot be held against', async () => {
      const store = await open()
      await store.settle(settlement({ id: 'evt_1', account: 'acme', cost: 0n }, { event: decided('evt_1') }))
      const outcomes = store.outcomes('acme')
      await outcomes.event(decided('evt_2'))
      const kept = await Promise.all(['evt_1', 'evt_2'].map(async (id) => (await outcomes.find(id))!.event.decisions.who!.value))
      expect(kept[0]).toMatch(/^k1:[0-9a-f]{32}$/)
      expect(kept[1]).toBe(kept[0])
      expect(kept[0]).not.toContain(PLAIN)
      expect((await outcomes.find('evt_1'))!.event.decisions.none!.value).toBeNull()
    })

    it('are compared with the right value when it is said', async () => {
      const outcomes = (await open()).outcomes('acme')
      for (const [id, truth] of [
        ['evt_1', ' ada  LOVELACE'],
        ['evt_2', 'Grace Hopper'],
        ['evt_3', null],
        ['evt_4', true],
      ] as const) {
        await outcomes.event(decided(id))
        await recordOutcome(outcomes, id, { who: truth })
      }
      expect((await listOf(outcomes.evidence())).map(({ truth }) => truth)).toEqual([[0], [1], [1], [0]])
    })
  })

  eachStore(({ open, tamper, url, database }) => {
    it('that were kept without a key get one when the tables are brought up to date, once', async () => {
      const store = await open()
      const outcomes = store.outcomes('acme')
      const keptValue = async () => (await outcomes.find('evt_1'))!.event.decisions.who!.value
      await outcomes.event(decided('evt_1'))
      const keyed = await keptValue()
      await tamper(`update events set line = replace(line, '${keyed}', '${PLAIN}')`)
      expect(await keptValue()).toBe(PLAIN)
      await recordOutcome(outcomes, 'evt_1', { who: 'Ada Lovelace' })
      const raw = database.kind === 'libsql' ? openLibsql(url()) : openPostgres(url())
      for (let times = 0; times < 2; times++) {
        await raw.write(async (writes) => {
          await raw.lockSchema(writes)
          await keyValueHashes(writes)
        })
        expect(await keptValue()).toBe(keyed)
      }
      await raw.close()
      await recordOutcome(outcomes, 'evt_1', { who: 'Ada Lovelace' })
      expect((await listOf(outcomes.evidence())).map(({ truth }) => truth)).toEqual([[0]])
    })
  }, SHARED)

  eachStore(({ open, tamper }) => {
    it('have another hash in another installation', async () => {
      const first = (await open()).outcomes('acme')
      await first.event(decided('evt_1'))
      await tamper(`update installation set value = '${'0f'.repeat(32)}'`)
      const second = (await open()).outcomes('acme')
      await second.event(decided('evt_2'))
      const [one, two] = await Promise.all(['evt_1', 'evt_2'].map(async (id) => (await second.find(id))!.event.decisions.who!.value))
      expect(one).not.toBe(two)
    })
  }, SHARED)
})

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordOutcome } from '../../src/calibration/outcomes/record-outcome.ts'
import { openStore } from '../../src/service/store/open.ts'
import { BINARY, event, listOf } from '../calibration/outcome-events.ts'
import { serviceFolder } from './service-folder.ts'

const service = serviceFolder()
const run = async (args: readonly string[], isInteractive?: boolean) => (await service.run(['quarantine', ...args], isInteractive)).out

/** The database of a service with a burst of two labels of each account. */
async function withBursts(accounts: readonly string[]): Promise<void> {
  const store = await openStore(join(service.folder, 'assay.db'), { now: () => Date.UTC(2030, 0, 1) })
  for (const account of accounts) {
    const outcomes = store.outcomes(account, { labels: 1, quarantined() {} })
    for (const id of [`evt_${account}_1`, `evt_${account}_2`]) {
      await outcomes.event(event(id, 1, { urgent: BINARY }))
      await recordOutcome(outcomes, id, { urgent: true })
    }
  }
  await store.close()
}

describe('assay quarantine', () => {
  it('lists what waits, releases it, and drops it', async () => {
    await withBursts(['acme', 'other'])
    const said = await run(['list'], true)
    expect(said).toContain('acme  2 labels, 2030-01-01 00:00:00 to 2030-01-01 00:00:00\n  of evt_acme_1, evt_acme_2\n')
    expect(JSON.parse(await run(['release', 'acme']))).toEqual({ account: 'acme', released: 2 })
    expect(await run(['drop', 'other'], true)).toBe('2 labels of other dropped\n')
    expect(await run(['list'], true)).toBe('no labels wait\n')
    const store = await openStore(join(service.folder, 'assay.db'))
    expect(await listOf(store.outcomes('acme').evidence())).toHaveLength(2)
    expect(await listOf(store.outcomes('other').evidence())).toHaveLength(0)
    await store.close()
  })
})

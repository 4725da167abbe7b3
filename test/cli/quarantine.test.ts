import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { recordOutcome } from '../../src/calibration/outcomes/outcomes.ts'
import { runCli } from '../../src/cli/program.ts'
import { openStore } from '../../src/service/store/open.ts'
import { BINARY, event, listOf } from '../calibration/outcome-events.ts'
import { fakeTerminal } from '../shared/terminal.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cli-quarantine-'))
  vi.stubEnv('DATABASE_URL', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

async function run(args: readonly string[], isInteractive = false) {
  const { terminal, heard } = fakeTerminal(folder, { isInteractive, isErrorInteractive: isInteractive, columns: 100 })
  await runCli(['quarantine', ...args], terminal, () => Promise.reject(new Error('no engine is needed')))
  return heard.out
}

/** The database of a service with a burst of two labels of each account. */
async function withBursts(accounts: readonly string[]): Promise<void> {
  const store = await openStore(join(folder, 'assay.db'), { now: () => Date.UTC(2030, 0, 1) })
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
    const store = await openStore(join(folder, 'assay.db'))
    expect(await listOf(store.outcomes('acme').evidence())).toHaveLength(2)
    expect(await listOf(store.outcomes('other').evidence())).toHaveLength(0)
    await store.close()
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { listOf } from '../../calibration/outcome-events.ts'
import { settlement } from './settlements.ts'
import { eachStore, SHARED } from './suite.ts'

const child = fileURLToPath(new URL('./settling-child.ts', import.meta.url))

/** Runs a replica until it said so many answers, and kills it in the middle of the next ones. Returns what it said. */
async function killedAfter(url: string, name: string, answers: number): Promise<readonly string[]> {
  const replica = spawn(process.execPath, ['--import', 'tsx', child, url, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  replica.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > answers) replica.kill('SIGKILL')
  })
  await once(replica, 'close')
  // A line that was cut off was not said.
  return said.split('\n').slice(0, -1)
}

describe('a crash', () => {
  eachStore(({ open, url, count }) => {
    it('of a replica leaves nothing half: what it said is charged once, and everything else is whole or not there', async () => {
      const store = await open()
      await store.ledger.credit('acme', 1_000_000n, '')
      const said = (await Promise.all(['a', 'b'].map((name) => killedAfter(url(), name, 40)))).flat()
      expect(said.length).toBeGreaterThanOrEqual(80)

      const lines = await store.ledger.entries('acme', { limit: 100_000 })
      const charged = lines.flatMap(({ request }) => request ?? [])
      expect(new Set(charged).size).toBe(charged.length)
      expect(said.filter((id) => !charged.includes(id))).toEqual([])
      expect(await store.ledger.audit()).toEqual([])
      expect((await store.ledger.account('acme'))?.balance).toBe(1_000_000n - 3n * BigInt(charged.length))
      const logged = (await store.requests.list({ limit: 100_000 })).map(({ id }) => id)
      expect(logged.sort()).toEqual([...charged].sort())
      expect((await listOf(store.outcomes('acme').recent(100_000))).map(({ id }) => id).sort()).toEqual([...charged].sort())
      // Every charged answer can be had again; claims of those that were under way are still held.
      expect(await count('claims where reply_body is not null')).toBe(charged.length)
      // The next one is settled as if nothing had happened.
      expect(await store.settle(settlement({ cost: 0n }))).toMatchObject({ state: 'settled' })
    })
  }, SHARED)
})

import { execFile, execFileSync } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/service/store/open.ts'
import { LIBSQL_FILE } from '../databases.ts'
import { startChild } from './child.ts'
import { askAll, askUntilAnswered, chargedIds } from './load.ts'

const run = promisify(execFile)

/** `prlimit` sets how large the files of a running process may get, which fails writes as a full disk does. */
function hasLimits(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function health(url: string): Promise<unknown> {
  const reply = await fetch(`${url}/health`)
  return [reply.status, await reply.json()]
}

const isMissing = !hasLimits()

describe.skipIf(isMissing)(`a disk that is full${isMissing ? ' (prlimit is not installed)' : ''}`, () => {
  it('fails requests and charges nothing, and answers again when there is room', async () => {
    const { url: databaseUrl, drop } = await LIBSQL_FILE.make()
    const store = await openStore(databaseUrl)
    const { secret } = await store.keys.create({ account: 'payer', name: 'load', scopes: ['ask'] })
    await store.ledger.credit('payer', 10n ** 12n, 'for the load')
    const child = await startChild({
      databaseUrl,
      args: ['--prices', 'fake=1000', '--concurrency', '4', '--deadline', '1s', '--log-level', 'error'],
    })
    try {
      const ask = { url: child.url, secret }
      const room = (await stat(`${databaseUrl}-wal`)).size + 200_000
      await run('prlimit', ['--pid', String(child.pid), `--fsize=${room}:unlimited`])
      const asked = await askAll(4, ask, (soFar) => soFar.filter(({ status }) => status >= 500).length >= 8)
      expect(asked.some(({ status }) => status === 200)).toBe(true)
      expect(asked.every(({ status }) => [200, 500, 503].includes(status))).toBe(true)
      const answered = asked.filter(({ status }) => status === 200)
      expect((await chargedIds(store, 'payer')).sort()).toEqual(answered.map(({ id }) => id).sort())
      await expect.poll(() => health(child.url), { timeout: 20_000 }).toEqual([503, { ok: false, service: 'assay', db: false }])

      await run('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:unlimited'])
      await expect.poll(() => health(child.url), { timeout: 20_000 }).toEqual([200, { ok: true, service: 'assay', db: true }])
      // With new keys: the claims of those that failed could not be let go on a full disk, and run out by themselves.
      const later = await Promise.all([1, 2, 3, 4].map((turn) => askUntilAnswered({ ...ask, idempotencyKey: `later-${turn}` })))
      expect(later.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect((await chargedIds(store, 'payer')).sort()).toEqual([...answered, ...later].map(({ id }) => id).sort())
      expect(await store.ledger.audit()).toEqual([])
    } finally {
      child.kill('SIGKILL')
      await child.ended
      await store.close()
      await drop()
    }
  })
})

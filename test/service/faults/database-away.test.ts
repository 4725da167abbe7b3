import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/service/store/open.ts'
import { startChild } from './child.ts'
import { findBinaries, startCluster } from './cluster.ts'
import { askAll, askOnce, askUntilAnswered, chargedIds } from './load.ts'

const binaries = findBinaries()

async function health(url: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const reply = await fetch(`${url}/health`)
  return { status: reply.status, body: await reply.json() }
}

/** Asks for the health until it has the status. */
async function healthUntil(url: string, status: number): Promise<unknown> {
  for (let tries = 0; tries < 100; tries++) {
    const now = await health(url)
    if (now.status === status) return now.body
    await sleep(100)
  }
  throw new Error(`The health was never ${status}.`)
}

const isMissing = typeof binaries === 'string'

describe.skipIf(isMissing)(`a database that goes away${isMissing ? ` (${binaries})` : ''}`, () => {
  it('is answered with 503s, and without a restart when it is back; nothing is charged wrongly', async () => {
    if (typeof binaries === 'string') return
    const cluster = await startCluster(binaries)
    const child = await startChild({
      databaseUrl: cluster.url,
      args: ['--prices', 'fake=1000', '--concurrency', '8', '--deadline', '2s', '--fake', '5ms', '--log-level', 'error'],
    }).catch(async (error: unknown) => {
      await cluster.remove()
      throw error
    })
    try {
      const before = await openStore(cluster.url)
      const { secret } = await before.keys.create({ account: 'payer', name: 'load', scopes: ['ask'] })
      await before.ledger.credit('payer', 10n ** 12n, 'for the load')
      await before.close()
      expect(await health(child.url)).toMatchObject({ status: 200, body: { ok: true } })

      // Goes away under load.
      const ask = { url: child.url, secret }
      let stopping: Promise<void> | null = null
      const asked = await askAll(8, ask, (soFar) => {
        if (stopping === null && soFar.filter(({ status }) => status === 200).length >= 30) stopping = cluster.stop()
        return soFar.filter(({ status }) => status === 503).length >= 8
      })
      await stopping
      expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200, 503]))
      expect(await healthUntil(child.url, 503)).toMatchObject({ ok: false })
      expect((await askOnce({ ...ask, idempotencyKey: 'meanwhile' })).status).toBe(503)

      await cluster.start()
      expect(await healthUntil(child.url, 200)).toMatchObject({ ok: true })
      const failed = asked.filter(({ status }) => status !== 200)
      const retried = await Promise.all(failed.map(({ idempotencyKey }) => askUntilAnswered({ ...ask, idempotencyKey })))
      expect(retried.map(({ status }) => status)).toEqual(failed.map(() => 200))

      const after = await openStore(cluster.url)
      const answered = [...asked, ...retried].filter(({ status }) => status === 200)
      expect((await chargedIds(after, 'payer')).sort()).toEqual(answered.map(({ id }) => id).sort())
      expect(await after.ledger.audit()).toEqual([])
      await after.close()
    } finally {
      child.kill('SIGKILL')
      await child.ended
      await cluster.remove()
    }
  })
})

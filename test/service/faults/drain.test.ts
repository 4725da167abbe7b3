import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/service/store/open.ts'
import { LIBSQL_FILE } from '../databases.ts'
import { startChild } from './child.ts'
import { askAll, askOnce, chargedIds } from './load.ts'

const ARGS = ['--prices', 'fake=1000', '--concurrency', '4', '--log-level', 'info']

async function withService(args: readonly string[], work: (service: Awaited<ReturnType<typeof prepare>>) => Promise<void>): Promise<void> {
  const service = await prepare(args)
  try {
    await work(service)
  } finally {
    service.child.kill('SIGKILL')
    await service.child.ended
    await service.store.close()
    await service.drop()
  }
}

async function prepare(args: readonly string[]) {
  const { url: databaseUrl, drop } = await LIBSQL_FILE.make()
  const store = await openStore(databaseUrl)
  const { secret } = await store.keys.create({ account: 'payer', name: 'load', scopes: ['ask'] })
  await store.ledger.credit('payer', 10n ** 12n, 'for the load')
  const child = await startChild({ databaseUrl, args: [...ARGS, ...args] })
  return { child, store, secret, drop }
}

/** Whether the service answers a request right now. */
async function runningOn(url: string): Promise<boolean> {
  return /^assay_requests_running 1$/m.test(await (await fetch(`${url}/metrics`)).text())
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200 && !(await isSo()); tries++) await sleep(20)
}

it('a service that is told to end under load answers everything it admitted, charges that and ends well', () =>
  withService(['--fake', '50ms'], async ({ child, store, secret }) => {
    let isTold = false
    const asked = await askAll(12, { url: child.url, secret }, (soFar) => {
      if (!isTold && soFar.length >= 40) {
        isTold = true
        child.kill('SIGTERM')
      }
      return isTold
    })
    expect(await child.ended).toEqual({ code: 0, signal: null })
    const answered = asked.filter(({ status }) => status === 200)
    // Those that waited when the signal came are answered; who came later heard 503 or found the door closed.
    expect(answered.length).toBeGreaterThanOrEqual(48)
    expect(asked.every(({ status }) => [0, 200, 503].includes(status))).toBe(true)
    expect((await chargedIds(store, 'payer')).sort()).toEqual(answered.map(({ id }) => id).sort())
    expect(await store.ledger.audit()).toEqual([])
    expect(child.log()).toContain('"msg":"ended"')
  }))

it('a service whose time to end is over tells those it gives up, charges them nothing, and ends', () =>
  withService(['--fake', '30s', '--drain', '200ms'], async ({ child, store, secret }) => {
    const asked = askOnce({ url: child.url, secret, idempotencyKey: 'slow' })
    await until(() => runningOn(child.url))
    child.kill('SIGTERM')
    expect(await asked).toMatchObject({ status: 503, code: 'overloaded' })
    expect((await child.ended).code).not.toBe(1)
    expect(await chargedIds(store, 'payer')).toEqual([])
    expect(child.log()).toContain('ended while a model still ran')
  }))

it('a service that is ending says so, and a second signal ends it at once', () =>
  withService(['--fake', '30s'], async ({ child, secret }) => {
    const asked = askOnce({ url: child.url, secret, idempotencyKey: 'slow' })
    await until(() => runningOn(child.url))
    child.kill('SIGINT')
    await until(async () => child.log().includes('answering what was admitted'))
    // Whoever watches it hears that it ends, and so does whoever asks; what runs goes on.
    const health = await fetch(`${child.url}/health`)
    expect({ status: health.status, body: await health.json() }).toMatchObject({ status: 503, body: { ok: false } })
    expect(await askOnce({ url: child.url, secret, idempotencyKey: 'late' })).toMatchObject({ status: 503, code: 'overloaded' })
    child.kill('SIGTERM')
    expect(await child.ended).toEqual({ code: null, signal: 'SIGTERM' })
    expect((await asked).status).not.toBe(200)
  }))

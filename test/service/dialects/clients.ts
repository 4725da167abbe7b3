// What the tests of published clients share: a picture, very many options, and an asking that is given up.
import sharp from 'sharp'
import { expect } from 'vitest'
import { createGate } from '../gate.ts'
import { type Running, startRunning } from '../running.ts'

export const PNG = (
  await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
).toString('base64')

/** As many options as a question takes. */
export const MANY: readonly string[] = Array.from({ length: 255 }, (_, i) => `option ${i + 1}`)

/**
 * Starts asking a service that is paid, gives up once the model is at work, and lets the model end. The request is over
 * as one whose client went away, and nothing is charged. Gives the client's error.
 */
export async function givenUp(ask: (running: Running, signal: AbortSignal) => PromiseLike<unknown>): Promise<unknown> {
  const gate = createGate()
  const running = await startRunning({ fake: gate.fake, settings: { prices: { '*': 2_000_000_000n } } })
  try {
    await running.store.ledger.credit('main', 5_000_000_000n, 'test')
    const enough = new AbortController()
    const asked = Promise.resolve(ask(running, enough.signal)).then(
      () => new Error('was answered'),
      (reason: unknown) => reason,
    )
    await gate.reached(1)
    enough.abort()
    const error = await asked
    await expect.poll(() => running.finished.map(({ status, code }) => [status, code])).toEqual([[499, 'client_gone']])
    gate.open()
    await expect.poll(() => running.service.context.answerer.load).toEqual({ running: 0, waiting: 0 })
    expect((await running.store.ledger.account('main'))?.balance).toBe(5_000_000_000n)
    return error
  } finally {
    gate.open()
    await running.end()
  }
}

import { afterEach, describe, expect, it } from 'vitest'
import { type Running, startRunning } from './running.ts'

let running: Running
afterEach(() => running.end())

const stateOf = (url: string) => [{ type: 'image_url', image_url: { url } }]
const questions = { red: { type: 'noul', instructions: 'It is red.' } }

async function refused(url: string): Promise<{ status: number; code: string; param: string | null; message: string }> {
  const response = await running.ask({ state: stateOf(url), questions })
  const { error } = (await response.json()) as { error: { code: string; param: string | null; message: string } }
  return { status: response.status, ...error }
}

describe('a picture by URL over HTTP', () => {
  it('is refused unless the service was told hosts', async () => {
    running = await startRunning()
    const reply = await refused('https://images.example/a.png')
    expect(reply).toMatchObject({ status: 400, code: 'invalid_request', param: '/state/0/image_url/url' })
    expect(reply.message).toContain('URLs are not fetched')
  })

  it('is refused from other hosts, and from this machine even when its name is listed', async () => {
    running = await startRunning({ settings: { urlHosts: ['images.example', 'localhost', '127.0.0.1'] } })
    expect(await refused('https://other.example/a.png')).toMatchObject({ status: 400, code: 'invalid_request' })
    for (const host of ['localhost', '127.0.0.1']) {
      const { status, code, message } = await refused(`https://${host}/a.png`)
      expect([status, code]).toEqual([400, 'invalid_image'])
      expect(message).not.toMatch(/127|refused|private|address/i)
    }
  })

  it('costs nothing when it cannot be had', async () => {
    running = await startRunning({ settings: { urlHosts: ['localhost'], prices: { '*': 1_000_000_000n } } })
    await running.store.ledger.credit('main', 1_000_000_000n, 'for the test')
    await refused('https://localhost/a.png')
    expect((await running.store.ledger.account('main'))!.balance).toBe(1_000_000_000n)
  })
})

// Getting into the console and out of it, in a real browser.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { ADMIN_TOKEN } from '../service/console/signed-in.ts'
import { describeInBrowser } from './browser.ts'

describeInBrowser('signing in to the console', ({ start, open }) => {
  it('works by a one-time link, whose token is gone from the address and the history', async () => {
    const running = await start()
    const { page } = await open(running, { isSignedIn: false })
    const token = await running.store.admin.issueLink(60_000)
    await page.goto(`${running.url}/console#token=${token}`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).not.toContain(token)
    await page.goBack()
    await page.goForward()
    expect(page.url()).not.toContain(token)
  })

  it('lasts over a reload, and not into a browser that has only the spent link', async () => {
    const running = await start()
    const token = await running.store.admin.issueLink(60_000)
    const { page } = await open(running, { isSignedIn: false })
    await page.goto(`${running.url}/console#token=${token}`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const other = await open(running, { isSignedIn: false })
    await other.page.goto(`${running.url}/console#token=${token}`)
    await other.page.getByText('This token opens nothing').waitFor()
    await other.page.getByLabel('Token').waitFor()
  })

  it('works by the standing token, and ends with "Sign out" on the service too', async () => {
    const running = await start()
    const { page } = await open(running, { isSignedIn: false })
    await page.getByLabel('Token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Token').fill(ADMIN_TOKEN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const [cookie] = await page.context().cookies(`${running.url}/console`)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/console' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    const reply = await fetch(`${running.url}/console/api/keys`, { headers: { cookie: `${cookie!.name}=${cookie!.value}` } })
    expect(reply.status).toBe(401)
  })

  it('is asked for again when the session has ended meanwhile', async () => {
    const running = await start()
    const { page } = await open(running)
    const [cookie] = await page.context().cookies(`${running.url}/console`)
    // What the overview still asks for would be refused too, and take the page away before the click.
    await page.waitForLoadState('networkidle')
    await running.store.admin.end(cookie!.value)
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByText('Your session has ended.').waitFor()
  })

  it('gives another site nothing: what it sends changes nothing', async () => {
    const running = await start()
    const { page } = await open(running)
    const before = await running.store.keys.list()
    const key = JSON.stringify({ account: 'main', name: 'stolen', scopes: ['ask'], requests_per_minute: null })
    const script = `fetch('${running.url}/console/api/keys', { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${JSON.stringify(key)} })
      .catch(() => {}).finally(() => document.title = 'sent')`
    const other = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end(`<script>${script}</script>`))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    await page.goto(`http://localhost:${port}/`)
    await page.waitForFunction(`document.title === 'sent'`)
    other.close()
    expect((await running.store.keys.list()).length).toBe(before.length)
    expect(
      running.finished.filter(({ route, method }) => route === '/console/api/keys' && method === 'POST').map(({ status }) => status),
    ).toEqual([403])
  })
})

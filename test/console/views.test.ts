// Keys, credits, requests and calibration, clicked through in a real browser.
import { expect, it } from 'vitest'
import { live, SCRIPT } from '../service/calibration/over-sure.ts'
import { QUESTION } from '../service/running.ts'
import { describeInBrowser, goTo } from './browser.ts'

describeInBrowser('the console', ({ start, open }) => {
  it('makes a key that works, shows its secret once, and revokes it', async () => {
    const running = await start()
    const { page } = await open(running)
    await goTo(page, 'API keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('inbox')
    await page.getByLabel('Account that pays').fill('shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByText('You will not see it again').waitFor()
    const secret = (await page.locator('.secret').textContent())!
    const headers = { authorization: `Bearer ${secret}` }
    expect((await running.ask(QUESTION, { headers })).status).toBe(200)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Revoke inbox' }).click()
    await page.getByRole('button', { name: 'Keep it' }).click()
    expect((await running.ask(QUESTION, { headers })).status).toBe(200)
    await page.getByRole('button', { name: 'Revoke inbox' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('The key inbox is revoked.').waitFor()
    expect((await running.ask(QUESTION, { headers })).status).toBe(401)
  })

  it('says at its field what is wrong with a key', async () => {
    const { page } = await open(await start())
    await goTo(page, 'API keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('inbox')
    await page.getByLabel('Requests a minute').fill('0')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByText('This is 1 or more').waitFor()
    expect(await page.getByLabel('Requests a minute').getAttribute('aria-invalid')).toBe('true')
  })

  it('adds credits, and shows balance, usage and ledger', async () => {
    const running = await start()
    await running.ask(QUESTION)
    const { page } = await open(running)
    await page.getByText('1 request', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add credits' }).click()
    await page.getByLabel('US dollars').fill('12.5')
    await page.getByLabel('Note').fill('invoice 7')
    await page.getByRole('dialog').getByRole('button', { name: 'Add credits' }).click()
    await page.getByRole('cell', { name: 'credit invoice 7' }).waitFor()
    expect(await page.locator('.tile', { hasText: 'balance' }).textContent()).toBe('$12.50balance')
    expect((await running.store.ledger.account('main'))!.balance).toBe(12_500_000_000n)
  })

  it('lists requests, opens one, and records what was true of it', async () => {
    const running = await start()
    const mood = { type: 'choice', instructions: 'The mood?', criteria: ['calm', 'angry'] }
    const topics = { type: 'select', instructions: 'About?', criteria: ['delivery', 'price'] }
    const reply = await running.ask({ ...QUESTION, questions: { ...QUESTION.questions, mood, topics } })
    const { id } = (await reply.json()) as { id: string }
    await running.ask({ state: 'x' })
    const { page } = await open(running)
    await goTo(page, 'Requests')
    await page.getByText('400 invalid_request').waitFor()
    await page.getByLabel('Status').selectOption('answered')
    await page.getByText('400 invalid_request').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: `Open ${id}` }).click()
    await page.getByLabel('What was true of here').selectOption('true')
    await page.getByLabel('What was true of mood').selectOption('angry')
    await page.getByLabel('What was true of topics').selectOption('exactly those ticked below')
    await page.getByLabel('price').check()
    await page.getByRole('button', { name: 'Record 3 outcomes' }).click()
    await page.getByText('angry (recorded)').waitFor({ state: 'attached' })
    const found = await running.store.outcomes('main').find(id)
    expect(Object.fromEntries(Object.entries(found!.labels).map(([name, { truth }]) => [name, truth]))).toEqual({
      here: [0],
      mood: [0],
      topics: [1, 0],
    })
  })

  it('fits a calibration from outcomes, shows what it is worth, and goes back', async () => {
    const running = await start({ fake: SCRIPT })
    const { page } = await open(running)
    await goTo(page, 'Calibration')
    await running.ask({ state: 'Parcel 0: 1.0000', questions: { late: { type: 'noul', instructions: 'The parcel is late.' } } })
    await page.reload()
    await page.getByRole('button', { name: 'Fit from outcomes' }).click()
    await page.getByText('Nothing changed.').waitFor()
    await live(running, 240, 7)
    await page.getByRole('button', { name: 'Fit from outcomes' }).click()
    await page.getByText('A new calibration is served.').waitFor()
    const { calibration } = await running.store.calibrations('main').current()
    await page.getByRole('cell', { name: calibration!.version }).waitFor()
    await page.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByText('Rolled back.').waitFor()
    expect((await running.store.calibrations('main').current()).calibration).toBeNull()
  })
})

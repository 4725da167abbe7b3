// Whatever a user can name is shown as text: markup in every such field runs nothing, and the policy of the page is
// never called upon.
import { expect, it } from 'vitest'
import { choose, describeInBrowser, goTo } from './browser.ts'

const MARKUP = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>'"&\${7*7}{{7*7}}`

describeInBrowser('names full of markup', ({ start, open }) => {
  it('are text in every view', async () => {
    const running = await start()
    const { key, secret } = await running.store.keys.create({ account: MARKUP, name: MARKUP, scopes: ['ask'] })
    await running.store.ledger.credit(MARKUP, 5n, MARKUP)
    const headers = { authorization: `Bearer ${secret}` }
    const questions = {
      [MARKUP]: { type: 'choice', instructions: MARKUP, criteria: [MARKUP, { value: 'b', description: MARKUP }] },
      s: { type: 'select', criteria: [MARKUP, 'c'] },
    }
    const { id } = (await (await running.ask({ state: MARKUP, questions }, { headers })).json()) as { id: string }
    await running.ask({ model: MARKUP, state: MARKUP, questions: { [MARKUP]: { type: MARKUP } } }, { headers })
    const { page } = await open(running)
    const shows = async (count: number) => {
      const shown = page.locator('main').getByText(MARKUP).filter({ visible: true })
      await shown.first().waitFor()
      expect(await shown.count()).toBeGreaterThanOrEqual(count)
      expect(await page.locator('main img, main script').count()).toBe(0)
      expect(await page.evaluate('window.ran')).toBeUndefined()
    }
    await shows(1)
    await page.getByRole('button', { name: `Open account ${MARKUP}` }).click()
    await page.getByRole('cell', { name: MARKUP }).waitFor()
    await shows(1)
    await goTo(page, 'API keys')
    await shows(2)
    await page.getByRole('button', { name: `Revoke ${MARKUP}` }).click()
    await page.getByRole('dialog').getByText(MARKUP).waitFor()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText(`The key ${MARKUP} is revoked.`).waitFor()
    await goTo(page, 'Requests')
    await shows(3)
    await page.getByRole('link', { name: `Open ${id}` }).click()
    await page.getByLabel(`What was true of ${MARKUP}`).selectOption({ label: MARKUP })
    await page.getByRole('button', { name: 'Record 1 outcome' }).click()
    await page.getByText(`${MARKUP} (recorded)`).waitFor({ state: 'attached' })
    await shows(3)
    await goTo(page, 'Calibration')
    await page.getByText('came with the model').or(page.getByText("the model's own")).first().waitFor()
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect((await running.store.keys.list()).find((other) => other.id === key.id)!.revokedAt).not.toBeNull()
  })

  it('are text in the playground: states, ids, options, values, pictures and refusals', async () => {
    const running = await start()
    const { page } = await open(running)
    await goTo(page, 'Playground')
    await choose(page, 'The request as', 'JSON')
    const ask = async (request: object) => {
      await page.getByLabel('Request as JSON').fill(JSON.stringify(request))
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByRole('button', { name: 'Run' }).waitFor()
    }
    const questions = {
      [MARKUP]: {
        type: 'choice',
        instructions: MARKUP,
        criteria: [MARKUP, 'b'],
        args: { [MARKUP]: { type: 'fill', kind: 'enum', values: [MARKUP, 'x'] } },
      },
      e: { type: 'extract', instructions: MARKUP },
      c: { type: 'score', criteria: [MARKUP, 'high'] },
    }
    await ask({ state: MARKUP, questions, derive: { [`d${MARKUP}`]: JSON.stringify(MARKUP) }, [MARKUP]: 1 })
    await page.getByText('Response as JSON').waitFor()
    await page.getByText('is not known and was ignored').first().waitFor()
    expect(await page.locator('.results').getByText(MARKUP).count()).toBeGreaterThanOrEqual(3)
    await ask({ state: MARKUP, questions: { [MARKUP]: { type: MARKUP, [MARKUP]: MARKUP } } })
    await page.getByRole('alert').getByText('onerror').waitFor()
    await ask({ state: MARKUP, questions: { [MARKUP]: { type: 'noul', instructions: MARKUP } } })
    await choose(page, 'The request as', 'Form')
    await page.locator('input[type=file]').setInputFiles({ name: `${MARKUP}.png`, mimeType: 'image/png', buffer: Buffer.from(MARKUP) })
    await choose(page, 'The request as', 'curl')
    expect(await page.locator('main script').count()).toBe(0)
    expect(await page.evaluate('window.ran')).toBeUndefined()
  })
})

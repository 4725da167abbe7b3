// The page of models and the names that stand for them, clicked through in a real browser.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { QUESTION, type Running } from '../service/running.ts'
import { describeInBrowser, goTo } from './browser.ts'

const models = () => [createFakeBackend({ id: 'small' }), createFakeBackend({ id: 'large' })]

async function answeredBy(running: Running, name: string): Promise<string> {
  const { model, error } = await (await running.ask({ ...QUESTION, model: name })).json()
  return model ?? error.code
}

/** The texts of the rows of a table, without its head. */
async function rows(page: Page, panel: 'Models' | 'Names' | 'History'): Promise<string[]> {
  const table = page.getByRole('region', { name: panel, exact: true }).locator('tbody tr')
  const all = await table.evaluateAll((found) =>
    found.map((row) => [...row.querySelectorAll('.held')].map((cell) => cell.textContent).join(' | ')),
  )
  return all.map((row) => row.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME'))
}

describeInBrowser('the page of models', ({ start, open }) => {
  it('adds a name, points it to another model and takes it away, and keeps what answered when', { timeout: 120_000 }, async () => {
    const running = await start({ models: models(), settings: { aliases: { 'gpt-*': 'gone' } } })
    const { page } = await open(running)
    await goTo(page, 'Models')
    await page.getByText('Nothing was changed yet').waitFor()
    expect(await rows(page, 'Models')).toEqual(['small | none | served ', 'large | none | served ', 'service-1 | none | not yet '])
    expect(await rows(page, 'Names')).toEqual(['gpt-* | gone | settings of the service | not served: refused | Point…'])
    expect(await page.getByRole('button', { name: 'Take away gpt-*' }).count()).toBe(0)

    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add name' }).focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Name')
    await page.keyboard.type('fast')
    await dialog.getByText('Requests for fast are answered by small from now on. Those').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('fast stands for small from now on.').waitFor()
    expect(await answeredBy(running, 'fast')).toBe('small')

    await page.getByRole('button', { name: 'Point fast to another model' }).click()
    await dialog.getByText('Requests for fast are answered by large from now on, no longer by small.').waitFor()
    await dialog.getByText('Calibrations are each model’s own').waitFor()
    const described = await dialog.getByRole('button', { name: 'Point name' }).getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).textContent()).toContain('are answered by large')
    await dialog.getByLabel('Reason').fill('better on pictures')
    expect(await answeredBy(running, 'fast')).toBe('small')
    await dialog.getByRole('button', { name: 'Point name' }).click()
    await page.getByText('fast stands for large from now on.').waitFor()
    expect(await answeredBy(running, 'fast')).toBe('large')
    await page.getByRole('cell', { name: 'better on pictures' }).waitFor()
    expect((await rows(page, 'Models'))[1]).toBe('large | fast | served ')

    await page.getByRole('button', { name: 'Take away fast' }).click()
    await dialog.getByText('Requests for fast are refused from now on').waitFor()
    await dialog.getByLabel('Reason').fill('nobody asks for it')
    await dialog.getByRole('button', { name: 'Take away' }).click()
    await page.getByText('fast no longer stands for large.').waitFor()
    expect(await answeredBy(running, 'fast')).toBe('model_not_found')
    await page.getByRole('cell', { name: 'nobody asks for it' }).waitFor()

    await running.store.aliases.point('default', 'large', 'elsewhere')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('cell', { name: 'elsewhere' }).waitFor()
    await page.getByRole('region', { name: 'History' }).getByLabel('Name').selectOption('fast')
    await page.getByRole('cell', { name: 'elsewhere' }).waitFor({ state: 'detached' })
    expect(await rows(page, 'History')).toEqual([
      'TIME | now | fast | taken away | large | nobody asks for it',
      'TIME | TIME | fast | large | small | better on pictures',
      'TIME | TIME | fast | small | – | in the console',
    ])
  })

  it('shows what the service refuses at its field, with the next step', { timeout: 120_000 }, async () => {
    const running = await start({ models: models() })
    await running.store.aliases.point('default', 'large', '')
    const { page } = await open(running)
    await goTo(page, 'Models')
    await page.getByRole('button', { name: 'Take away default' }).click()
    await page.getByText('Requests that name no model are answered by small from now on').waitFor()
    await page.getByRole('button', { name: 'Keep it' }).click()
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add name' }).click()
    await dialog.getByLabel('Name').fill('small')
    await dialog.getByRole('button', { name: 'Add name' }).click()
    await dialog.getByText('choose another name').waitFor()
    expect(await dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
    // A model that has gone since the page was loaded.
    await page.keyboard.press('Escape')
    await page.route('**/console/api/aliases', async (route) =>
      route.request().method() === 'POST'
        ? route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), model: 'smal' }) })
        : route.continue(),
    )
    await page.getByRole('button', { name: 'Point default to another model' }).click()
    await dialog.getByRole('button', { name: 'Point name' }).click()
    await dialog.getByText('There is small, large.').waitFor()
    expect(await dialog.getByLabel('Model that it stands for').getAttribute('aria-invalid')).toBe('true')
    expect((await running.store.aliases.history({ limit: 9 })).length).toBe(1)
  })

  it('shows earlier changes when asked for them', { timeout: 120_000 }, async () => {
    const running = await start({ models: models() })
    for (let i = 0; i < 25; i++) await running.store.aliases.point('fast', i % 2 === 0 ? 'small' : 'large', `change ${i}`)
    const { page } = await open(running)
    await goTo(page, 'Models')
    await page.getByRole('cell', { name: 'change 24' }).waitFor()
    expect((await rows(page, 'History')).length).toBe(20)
    await page.getByRole('button', { name: 'Earlier changes' }).click()
    await page.getByRole('cell', { name: 'change 0' }).waitFor()
    expect((await rows(page, 'History')).length).toBe(25)
    expect(await page.getByRole('button', { name: 'Earlier changes' }).count()).toBe(0)
  })
})

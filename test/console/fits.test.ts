// Nothing of a view is cut off on a wide or a narrow screen, the current tab and the answers are in view, and words of
// our own are explained where they stand.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Running } from '../service/running.ts'
import { choose, describeInBrowser, goTo, settled } from './browser.ts'

const VIEWS = ['Overview', 'Playground', 'API keys', 'Requests', 'Calibration', 'Models'] as const

/** What reaches out of the window, or out of an element that hides or scrolls what is too wide. */
const CUT_OFF = `(() => {
  const cut = []
  for (const element of document.querySelectorAll('main *, dialog *')) {
    const own = element.getBoundingClientRect()
    if (own.width === 0 || element.closest('.unseen, .track, svg, .skip') || !element.checkVisibility()) continue
    let holder = element.parentElement
    while (holder !== document.body && getComputedStyle(holder).overflowX === 'visible') holder = holder.parentElement
    const room = holder === document.body ? { left: 0, right: innerWidth } : holder.getBoundingClientRect()
    if (own.right > room.right + 1 || own.left < room.left - 1) cut.push(element.tagName + ' ' + element.textContent.slice(0, 40))
  }
  if (document.documentElement.scrollWidth > innerWidth) cut.push('the page scrolls sideways')
  return cut
})()`

const LONG = 'shop-support-of-the-northern-region-and-its-neighbours'

async function fill(running: Running): Promise<string> {
  const { key, secret } = await running.newKey({ account: LONG, scopes: ['ask', 'outcomes', 'calibration'], requestsPerMinute: 1000 })
  await running.store.keys.revoke((await running.newKey({ account: key.account })).key.id)
  await running.store.ledger.credit(LONG, 123_456_789_000_000_001n, `a note that is long enough for two lines of a table: ${LONG}`)
  await running.store.aliases.point(`alias-of-${LONG.repeat(2)}`, 'service-1-pro', `a reason of some length: ${LONG}`)
  await running.store.aliases.point('gone', `a-model-of-${LONG}`, 'x'.repeat(200))
  const criteria = ['delivery of something that has not arrived after several weeks', 'b'.repeat(80), '10', '9']
  const questions = { [`question_${'of_a_long_name_'.repeat(4)}`]: { type: 'choice', criteria }, here: { type: 'noul' } }
  const reply = await running.ask({ state: 'x', questions }, { headers: { authorization: `Bearer ${secret}` } })
  await running.ask({ state: 'x' })
  await running.ask({ state: 'x', model: 'a-model-that-is-not-there-and-has-a-long-name', questions })
  return ((await reply.json()) as { id: string }).id
}

const PRICED = { settings: { prices: { '*': 1_000_000_000n } } }

/** Runs the example of the playground, and opens all that is folded in its answers. */
async function runExample(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('How it was answered').click()
}

describeInBrowser('every view', ({ start, open }) => {
  it.each([1280, 1024, 390])('shows all of itself at a width of %d', { timeout: 120_000 }, async (width) => {
    const running = await start(PRICED)
    const event = await fill(running)
    const { page } = await open(running, { viewport: { width, height: 800 } })
    for (const view of VIEWS) {
      await goTo(page, view)
      await settled(page)
      if (view === 'Overview') {
        expect([view, await page.evaluate(CUT_OFF)]).toEqual([view, []])
        await page.getByRole('button', { name: `Open account ${LONG}` }).click()
        await page.getByText('Balance after').first().waitFor({ state: 'attached' })
      }
      if (view === 'Playground') await runExample(page)
      if (view === 'Models') {
        expect([view, await page.evaluate(CUT_OFF)]).toEqual([view, []])
        await page.getByRole('button', { name: 'Take away alias-of' }).click()
        await page.getByRole('dialog').waitFor()
        expect([view, await page.evaluate(CUT_OFF)]).toEqual([view, []])
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Point alias-of' }).click()
      }
      if (view === 'Requests') {
        expect([view, await page.evaluate(CUT_OFF)]).toEqual([view, []])
        await page.getByRole('link', { name: `Open ${event}` }).click()
        await page.getByRole('button', { name: 'Record outcomes' }).waitFor()
      }
      expect([view, await page.evaluate(CUT_OFF)]).toEqual([view, []])
      if (view === 'API keys')
        await page
          .getByRole('button', { name: `Revoke of ${LONG}` })
          .first()
          .waitFor()
    }
  })

  it('has its tab in view, however narrow the screen', async () => {
    const { page } = await open(await start(), { viewport: { width: 320, height: 700 } })
    for (const view of VIEWS) {
      await goTo(page, view)
      const { left, right } = (await page.evaluate(`(() => {
        const { left, right } = document.querySelector('nav [aria-current]').getBoundingClientRect()
        return { left, right }
      })()`)) as { left: number; right: number }
      expect([view, left >= 0, right <= 320]).toEqual([view, true, true])
    }
  })
})

describeInBrowser('running a request', ({ start, open }) => {
  it.each([1280, 390])('brings its answers into view at a width of %d, from wherever the form is', async (width) => {
    const { page } = await open(await start(), { viewport: { width, height: 800 } })
    await goTo(page, 'Playground')
    const top = async () => (await page.locator('.outcome').boundingBox())!.y
    const run = async () => {
      await page.keyboard.press('Control+Enter')
      await page.getByText('Response as JSON').waitFor()
      await page.getByRole('button', { name: 'Run' }).waitFor()
      await expect.poll(top).toBeLessThan(400)
      expect(await top()).toBeGreaterThanOrEqual(0)
    }
    await page.getByLabel('Expression of queue').focus()
    await run()
    await page.getByLabel('State as text').focus()
    await run()
    expect((await page.getByRole('button', { name: 'Run' }).boundingBox())!.y).toBeGreaterThanOrEqual(0)
  })

  it('is not lost where the keys come before the accounts do', async () => {
    const { page } = await open(await start())
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/accounts', (route) => held.then(() => route.continue()))
    await goTo(page, 'Playground')
    await page.getByLabel('State as text').press('Control+Enter')
    expect(await page.getByText('Response as JSON').count()).toBe(0)
    release()
    await page.getByText('Response as JSON').waitFor()
  })

  it('says whose credit it spends, and takes an account that has some', async () => {
    const running = await start(PRICED)
    await running.newKey({ account: 'empty' })
    await running.store.ledger.credit('main', 2_000_000_000n, '')
    const { page } = await open(running)
    await goTo(page, 'Playground')
    await page.getByText('Run spends the credit of main: $2.00 left, $1.00 per million input tokens.').waitFor()
    await page.getByLabel('Account that pays').selectOption('empty')
    await page.getByText('Run would spend the credit of empty, which has none.').waitFor()
    await page.getByRole('button', { name: 'Add credits' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await page.getByLabel('Account', { exact: true }).inputValue()).toBe('=empty')
  })

  it('shows options as the caller wrote them, in the answer and in the record', async () => {
    const running = await start()
    await running.ask({ state: 'x', questions: { q: { type: 'noul' } } })
    const { page } = await open(running)
    await goTo(page, 'Playground')
    const options = ['refund', '10', '5', 'exchange', '1']
    await choose(page, 'The request as', 'JSON')
    await page
      .getByLabel('Request as JSON')
      .fill(
        JSON.stringify({ state: 'x', questions: { choice: { type: 'choice', criteria: options }, select: { type: 'select', options } } }),
      )
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('link', { name: 'Say what was true' }).waitFor()
    expect(await page.locator('.answers dt').allTextContents()).toEqual([...options, ...options])
    await page.getByRole('link', { name: 'Say what was true' }).click()
    await page.getByLabel('What was true of choice').waitFor()
    expect(await page.locator('.decision dt').allTextContents()).toEqual([...options, ...options])
    expect(await page.getByLabel('What was true of choice').locator('option').allTextContents()).toEqual(['not recorded', ...options])
    await page.getByLabel('What was true of choice').selectOption('5')
    await page.getByRole('button', { name: 'Record 1 outcome' }).click()
    await page.getByText('1 outcome recorded.').waitFor()
    await expect.poll(() => page.getByText('5 (recorded)').count()).toBe(1)
    expect(
      await page
        .getByText(/recorded/i)
        .filter({ visible: true })
        .count(),
    ).toBeLessThanOrEqual(3)
  })
})

describeInBrowser('words of our own', ({ start, open }) => {
  it('are explained where they stand, to a mouse, to keys and to a screen reader', async () => {
    const { page } = await open(await start())
    await goTo(page, 'Playground')
    await runExample(page)
    const mass = page.getByRole('button', { name: 'Mass' }).first()
    const hint = page.getByRole('tooltip').filter({ hasText: 'How much probability the model gave' }).filter({ visible: true })
    await mass.hover()
    await hint.waitFor()
    const { x, width } = (await hint.boundingBox())!
    expect(x >= 0 && x + width <= 1360).toBe(true)
    await page.mouse.move(0, 0)
    await hint.waitFor({ state: 'hidden' })
    await mass.focus()
    await hint.waitFor()
    await page.keyboard.press('Escape')
    await hint.waitFor({ state: 'hidden' })
    const id = (await mass.getAttribute('aria-describedby'))!
    expect(await page.locator(`[id="${id}"]`).textContent()).toContain('How much probability the model gave')
    const noul = page.locator('.answers').getByRole('button', { name: 'noul' }).first()
    await noul.hover()
    await page.getByRole('tooltip').filter({ hasText: 'which is called a noul' }).filter({ visible: true }).first().waitFor()
  })
})

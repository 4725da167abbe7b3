// The playground, driven in a real browser: on the fake model, and once on the shipped one with a screenshot.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { choose, describeInBrowser, goTo } from './browser.ts'

const SHIPPED = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))
const PICTURE = fileURLToPath(new URL('../../examples/shop.png', import.meta.url))

const run = async (page: Page) => {
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Response as JSON').waitFor()
}
const responseOf = async (page: Page) => {
  await page.getByText('Response as JSON').click()
  return JSON.parse((await page.locator('.results pre').textContent())!) as {
    id: string
    answers: Record<string, { coordinates: [number, number, number, number]; noul: number; choice: string; values: string[] }>
  }
}

describeInBrowser('the playground', ({ start, open }) => {
  it('runs an example: answers, marks in the text, derived values, cost and details', async () => {
    const running = await start({ settings: { prices: { '*': 1_000_000_000n } } })
    await running.store.ledger.credit('main', 1_000_000_000n, '')
    const { page } = await open(running)
    await goTo(page, 'Playground')
    await run(page)
    const { id, answers } = await responseOf(page)
    expect(Object.keys(answers)).toEqual(['angry', 'intent', 'mood', 'topics', 'order', 'mail', 'escalate', 'queue'])
    const text = await page.locator('.answers').innerText()
    for (const name of Object.keys(answers)) expect(text).toContain(name)
    expect(await page.locator('.leading dt', { hasText: answers.intent!.choice }).count()).toBeGreaterThan(0)
    const balance = (await running.store.ledger.account('main'))!.balance
    expect(balance).toBeLessThan(1_000_000_000n)
    await page.getByText(/^cost · \$0\.99\d* left$/).waitFor()
    await page.getByText('How it was answered').click()
    await page.getByText(id).first().waitFor()
    await page.getByRole('link', { name: 'Say what was true of this answer' }).click()
    await page.getByLabel('What was true of angry').waitFor()
    await goTo(page, 'Playground')
    expect(await page.locator('.answers').innerText()).toBe(text)
  })

  it('takes pictures that are dropped or pasted, under names that are safe anywhere', async () => {
    const { page } = await open(await start())
    await goTo(page, 'Playground')
    await page.locator('.drop textarea').waitFor()
    const give = (event: string, name: string) =>
      page.evaluate(`(() => {
        const transfer = new DataTransfer()
        transfer.items.add(new File(['bytes'], ${JSON.stringify(name)}, { type: 'image/png' }))
        transfer.items.add(new File(['text'], 'notes.txt', { type: 'text/plain' }))
        const event = ${event}
        document.querySelector('.drop textarea').dispatchEvent(event)
      })()`)
    await give(`new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer })`, 'a $(rm) b.png')
    await give(`new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: transfer })`, 'request')
    await page.getByRole('img', { name: 'request-2' }).waitFor()
    await choose(page, 'The request as', 'curl')
    const command = (await page.locator('.request pre').textContent())!
    expect(command).toContain(`-F 'a-rm-b.png=@a-rm-b.png' \\\n  -F 'request-2=@request-2'`)
    expect(command).not.toContain('notes')
  })

  it('points at the field that is wrong, and says all that is', async () => {
    const running = await start()
    const { page } = await open(running)
    await goTo(page, 'Playground')
    await page.getByLabel('Start from').selectOption('An order as JSON')
    const question = page.getByRole('article', { name: 'Question paid_in' })
    await question.getByRole('button', { name: 'Remove option 3' }).click()
    await question.getByRole('button', { name: 'Remove option 2' }).click()
    await page.getByLabel('Expression of tell_customer').fill('delayed >')
    await page.getByRole('button', { name: 'Run' }).click()
    await question.getByText('1 options, but 2 to 255 are taken').waitFor()
    await question.getByRole('button', { name: '+ option' }).click()
    await page.keyboard.type('USD')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('.derive .problems').waitFor()
    expect(await page.getByLabel('Expression of tell_customer').getAttribute('aria-invalid')).toBe('true')
  })

  it('shows the request as JSON that can be edited, and as a command, and goes back to the form', async () => {
    const { page } = await open(await start())
    await goTo(page, 'Playground')
    await choose(page, 'The request as', 'JSON')
    const editor = page.getByLabel('Request as JSON')
    const request = JSON.parse(await editor.inputValue())
    request.questions = { late: { type: 'noul', instructions: "It's late." } }
    request.derive = {}
    await editor.fill(JSON.stringify(request))
    await run(page)
    expect(Object.keys((await responseOf(page)).answers)).toEqual(['late'])
    await choose(page, 'The request as', 'curl')
    expect(await page.locator('.request pre').textContent()).toContain(`It'\\''s late.`)
    await choose(page, 'The request as', 'Form')
    expect(await page.getByRole('article', { name: /^Question / }).count()).toBe(1)
    await choose(page, 'The request as', 'JSON')
    await editor.fill(JSON.stringify({ ...request, questions: { late: { type: 'noul', instructions: ['a', 'b'] } } }))
    await choose(page, 'The request as', 'Form')
    await page.getByText('it stays JSON').waitFor()
  })

  it('asks questions of every type that were put together by hand', async () => {
    const { page } = await open(await start())
    await goTo(page, 'Playground')
    for (const id of ['angry', 'intent', 'mood', 'topics', 'order', 'mail'])
      await page.getByRole('button', { name: `Remove question ${id}` }).click()
    for (const name of ['escalate', 'queue']) await page.getByRole('button', { name: `Remove ${name}` }).click()
    const add = async (type: string) => {
      await page.getByRole('button', { name: `+ ${type}` }).click()
      const card = page.getByRole('article', { name: `Question ${type}_1` })
      await card.getByLabel('Instructions').fill(`About ${type}`)
      return card
    }
    await add('noul')
    for (const type of ['choice', 'select', 'score']) {
      const card = await add(type)
      const noun = type === 'score' ? 'level' : 'option'
      await card.getByLabel(`${noun} 1`, { exact: true }).fill('one')
      await card.getByLabel(`${noun} 2`, { exact: true }).fill('two')
    }
    const fill = await add('fill')
    await fill.getByLabel('Kind').selectOption('list')
    await fill.getByLabel('Of').selectOption('int')
    const extract = await add('extract')
    await extract.getByLabel('every one of them').check()
    await run(page)
    expect(Object.keys((await responseOf(page)).answers).sort()).toEqual([
      'choice_1',
      'extract_1',
      'fill_1',
      'noul_1',
      'score_1',
      'select_1',
    ])
  })

  it.skipIf(!existsSync(SHIPPED))('draws the box that the shipped model finds on a screenshot', async () => {
    const running = await start({ models: [await loadOnnxModel(SHIPPED)] })
    const { page } = await open(running)
    await goTo(page, 'Playground')
    await choose(page, 'The request as', 'JSON')
    await page.getByLabel('Request as JSON').fill(
      JSON.stringify({
        state: '',
        questions: { save: { type: 'extract', kind: 'coordinates', instructions: 'Where is the Save button?' } },
      }),
    )
    await choose(page, 'The request as', 'Form')
    await page.locator('input[type=file]').setInputFiles(PICTURE)
    await run(page)
    const { answers } = await responseOf(page)
    const [left, top, right, bottom] = answers.save!.coordinates
    const box = page.locator('.picture .box rect')
    const drawn = await Promise.all(['x', 'y', 'width', 'height'].map(async (side) => Number(await box.getAttribute(side))))
    expect(drawn).toEqual([left, top, right - left, bottom - top])
    expect(await page.locator('.outcome .picture svg').getAttribute('viewBox')).toBe('0 0 1280 800')
  })
})

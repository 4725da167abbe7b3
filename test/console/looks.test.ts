// What can be measured of how the console looks: contrast in both themes, labels, and nothing wider than a narrow
// screen.
import { expect, it } from 'vitest'
import type { Running } from '../service/running.ts'
import { QUESTION } from '../service/running.ts'
import { choose, describeInBrowser, goTo, settled } from './browser.ts'

const VIEWS = ['Overview', 'Playground', 'API keys', 'Requests', 'Calibration', 'Models'] as const

/**
 * Texts that are shown with less contrast than WCAG AA asks for (4.5, or 3 for large ones), disabled controls aside.
 */
const LOW_CONTRAST = `(() => {
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgba = (colour) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255] }
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)]
  const groundOf = (element) => { if (element === null) return rgba(getComputedStyle(document.body).backgroundColor); return over(rgba(getComputedStyle(element).backgroundColor), groundOf(element.parentElement)) }
  const light = (colour) => { const [r, g, b] = colour.map((v) => { const s = v / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4 }); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
  const low = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { parentElement: element, textContent } = walker.currentNode
    if (textContent.trim() === '' || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || element.closest('svg, .unseen, :disabled, option')) continue
    const style = getComputedStyle(element)
    const ground = groundOf(element)
    const [a, b] = [light(over(rgba(style.color), ground)), light(ground)]
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700)
    if (contrast < (isLarge ? 3 : 4.5)) low.push(textContent.trim().slice(0, 40) + ' ' + contrast.toFixed(2))
  }
  return low
})()`

/** Controls that a screen reader has no name for. */
const NAMELESS = `[...document.querySelectorAll('input, select, textarea, button, a')].filter((control) => {
  const label = control.getAttribute('aria-label') ?? [...(control.labels ?? [])].map((one) => one.textContent).join('')
  return (label || control.textContent).trim() === ''
}).map((control) => control.outerHTML.slice(0, 120))`

/** Goes to the keys, gives a button of theirs the focus as soon as it appears, and tells what has it a little later. */
const FOCUSED_AT_ONCE = `new Promise((done) => {
  const button = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent.startsWith('Create key'))
  new MutationObserver((_, observer) => {
    if (button() === undefined) return
    observer.disconnect()
    button().focus()
    setTimeout(() => done(document.activeElement.textContent), 200)
  }).observe(document.body, { subtree: true, childList: true })
  location.hash = '#/keys'
})`

async function fill(running: Running): Promise<void> {
  await running.store.ledger.credit('main', 5_000_000_000n, 'a note')
  await running.store.aliases.point('fast', 'service-1-pro', 'to begin with')
  await running.store.aliases.point('gone', 'not-served', '')
  await running.ask(QUESTION)
  await running.ask({ state: 'x' })
  const { key } = await running.newKey()
  await running.store.keys.revoke(key.id)
}

describeInBrowser('the looks of the console', ({ start, open }) => {
  it.each(['light', 'dark'] as const)('keep text apart from its ground in every view when %s', async (colorScheme) => {
    const running = await start()
    await fill(running)
    const { page } = await open(running, { colorScheme })
    for (const view of VIEWS) {
      await goTo(page, view)
      if (view === 'Playground') {
        await page.getByRole('button', { name: 'Run' }).click()
        await page.getByText('Response as JSON').waitFor()
      }
      await settled(page)
      if (view === 'Models') await page.getByRole('button', { name: 'Point fast' }).click()
      expect([view, await page.evaluate(LOW_CONTRAST)]).toEqual([view, []])
      expect([view, await page.evaluate(NAMELESS)]).toEqual([view, []])
    }
  })

  it('can be chosen, against what the system says, and stay over a reload', async () => {
    const { page } = await open(await start(), { colorScheme: 'light' })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    await choose(page, 'Theme', 'Dark')
    const dark = await ground()
    expect(dark).not.toBe(light)
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await ground()).toBe(dark)
    await choose(page, 'Theme', 'Auto')
    expect(await ground()).toBe(light)
  })

  it('fit a screen of 400 pixels in every view', async () => {
    const running = await start()
    await fill(running)
    const { page } = await open(running, { viewport: { width: 400, height: 800 } })
    for (const view of VIEWS) {
      await goTo(page, view)
      await settled(page)
      expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, 400])
    }
  })

  it('need no other host', async () => {
    const running = await start()
    await fill(running)
    const { page } = await open(running)
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(running.url) && !/^(blob|data):/.test(request.url())) foreign.push(request.url())
    })
    for (const view of VIEWS) {
      await goTo(page, view)
      await settled(page)
    }
    await page.reload({ waitUntil: 'networkidle' })
    expect(foreign).toEqual([])
  })

  it('let a keyboard alone get to a view, make a key, and leave the dialog', async () => {
    const { page } = await open(await start())
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await page.getByRole('button', { name: 'Create key' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Name')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('leave the focus where a quick hand puts it as soon as a view is there', async () => {
    const { page } = await open(await start())
    const holder = await page.evaluate(FOCUSED_AT_ONCE)
    expect(holder).toBe('Create key…')
  })
})

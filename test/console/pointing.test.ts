// Pictures of the playground: boxes of answers stand where they belong at any width, and a pointer or keys read pixels
// of the picture as it was sent.
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import type { FakeOptions } from '../../src/backends/fake/index.ts'
import { choose, describeInBrowser, goTo } from './browser.ts'

const PICTURE = fileURLToPath(new URL('../../examples/shop.png', import.meta.url))
const WIDTHS = [1280, 390] as const

interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const rectOf = async (page: Page, selector: string) => (await page.locator(selector).first().boundingBox()) as Rect

/** At the form of the playground. */
async function attach(page: Page, picture: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(picture)
  await page.getByText('Click the picture for a pixel').waitFor()
}

describeInBrowser('a picture in the playground', ({ start, open }) => {
  it.each(WIDTHS)('gives the pixel that is clicked, and the box that is dragged, at a width of %d', async (width) => {
    const { page } = await open(await start(), { viewport: { width, height: 800 } })
    await goTo(page, 'Playground')
    await attach(page, PICTURE)
    await page.locator('.surface').scrollIntoViewIfNeeded()
    const at = await rectOf(page, '.surface')
    const place = (x: number, y: number) => [at.x + ((x + 0.5) / 1280) * at.width, at.y + ((y + 0.5) / 800) * at.height] as const
    const said = async () => JSON.parse((await page.locator('.pointed code').textContent())!) as number[]
    /** A pixel of the page is several of the picture, and a mouse stands on whole ones. */
    const near = (one: readonly number[], other: readonly number[]) =>
      one.length === other.length && one.every((edge, i) => Math.abs(edge - other[i]!) <= (1280 / at.width) * 2)
    await page.mouse.click(...place(423, 210))
    expect(near(await said(), [423, 210])).toBe(true)
    await page.mouse.move(...place(640, 400))
    await page.mouse.down()
    await page.mouse.move(...place(320, 160), { steps: 4 })
    await page.mouse.up()
    expect(near(await said(), [320, 160, 640, 400])).toBe(true)
    await page.getByText('x 3', { exact: false }).first().waitFor()
  })

  it('is read by arrow keys', async () => {
    const { page } = await open(await start())
    await goTo(page, 'Playground')
    await attach(page, PICTURE)
    await page.getByRole('application').focus()
    for (const key of ['ArrowRight', 'Shift+ArrowRight', 'ArrowUp']) await page.keyboard.press(key)
    expect(await page.locator('.pointed code').textContent()).toBe('[651, 399]')
    await page.keyboard.press('Escape')
    await page.getByText('Click the picture for a pixel').waitFor()
  })

  it('counts pixels as the file has them, also where a camera noted that it is to be turned', async () => {
    const { page } = await open(await start())
    const turned = await sharp({ create: { width: 60, height: 20, channels: 3, background: '#888' } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer()
    await goTo(page, 'Playground')
    await attach(page, { name: 'turned.jpg', mimeType: 'image/jpeg', buffer: turned })
    await page.getByText('60 × 20 pixels').waitFor()
  })

  it('is said to be none that the browser can show, where it cannot', async () => {
    const { page } = await open(await start())
    await goTo(page, 'Playground')
    await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
    await page.getByText('This browser cannot show this picture.').waitFor()
  })

  it.each(WIDTHS)('has the boxes of an answer where the answer says, at a width of %d', async (width) => {
    // Boxes near two corners, and in the middle.
    const boxes = [
      [0, 0, 128, 40],
      [1100, 700, 1280, 800],
      [320, 200, 640, 400],
    ] as const
    const read: FakeOptions['read'] = () => ({
      type: 'boxes',
      logProbability: -0.1,
      boxes: boxes.map(([left, top, right, bottom]) => ({
        image: 'image_1',
        edges: [left / 1280, top / 800, right / 1280, bottom / 800],
        logProbability: -0.1,
      })),
    })
    const { page } = await open(await start({ fake: { read } }), { viewport: { width, height: 800 } })
    await goTo(page, 'Playground')
    await choose(page, 'The request as', 'JSON')
    const questions = { 'buttons of the page': { type: 'extract', kind: 'coordinates', many: true } }
    await page.getByLabel('Request as JSON').fill(JSON.stringify({ state: '', questions }))
    await choose(page, 'The request as', 'Form')
    await attach(page, PICTURE)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('.outcome .box rect').first().waitFor()
    const surface = await rectOf(page, '.outcome .surface')
    expect(surface.width / surface.height).toBeCloseTo(1.6, 1)
    const drawn = await Promise.all((await page.locator('.outcome .box rect').all()).map(async (box) => (await box.boundingBox())!))
    const scale = surface.width / 1280
    for (const [i, box] of boxes.entries()) {
      const [left, top, right, bottom] = box as [number, number, number, number]
      const { x, y, width: across, height: down } = drawn[i]!
      const off = [
        x - surface.x - left * scale,
        y - surface.y - top * scale,
        across - (right - left) * scale,
        down - (bottom - top) * scale,
      ]
      // The line of a box is two pixels wide, whatever the width of the picture.
      expect(Math.max(...off.map(Math.abs))).toBeLessThanOrEqual(4)
    }
    for (const name of await page.locator('.outcome .box-name').all()) {
      const at = (await name.boundingBox())!
      expect([at.x >= surface.x - 1, at.x + at.width <= surface.x + surface.width + 1, at.y >= surface.y - 1]).toEqual([true, true, true])
    }
  })
})

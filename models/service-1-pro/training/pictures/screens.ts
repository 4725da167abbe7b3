/** A headless browser with one page for each scale, because the scale is fixed when a browser context is made. */
import { type Browser, chromium, type Page } from 'playwright-core'

export class Screens {
  readonly #browser: Browser
  readonly #pages = new Map<number, Page>()

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  /** `path` of Chromium; by default the environment variable CHROMIUM, then Debian's path. */
  static async open(path: string | undefined): Promise<Screens> {
    const executablePath = path ?? process.env.CHROMIUM ?? '/usr/bin/chromium'
    return new Screens(await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'] }))
  }

  async at(scale: number): Promise<Page> {
    const known = this.#pages.get(scale)
    if (known) return known
    const context = await this.#browser.newContext({ deviceScaleFactor: scale })
    const page = await context.newPage()
    this.#pages.set(scale, page)
    return page
  }

  close(): Promise<void> {
    return this.#browser.close()
  }
}

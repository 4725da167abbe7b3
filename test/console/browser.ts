// A real browser for tests of the console: one process for a test file, a context of its own for each test, and what
// went wrong in the page.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { ADMIN_TOKEN, startConsole } from '../service/console/signed-in.ts'
import type { Running, RunningOptions } from '../service/running.ts'
import { buildConsole } from './built.ts'

const PATH = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Notes what the policy of the page refused; runs before anything of the page. */
const WATCH = `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`

export interface Opened {
  readonly page: Page
  readonly running: Running
  /** Errors of scripts, and what the policy refused. Replies with an error status are none. */
  readonly wrongs: readonly string[]
}

export interface BrowserTests {
  start(options?: RunningOptions): Promise<Running>
  /** A page of its own at /console, by default with somebody signed in. */
  open(running: Running, options?: BrowserContextOptions & { readonly isSignedIn?: boolean }): Promise<Opened>
}

/**
 * Tests in a browser; skipped with the reason where there is none. Services and pages that a test opened end with it,
 * and nothing may have gone wrong in a page.
 */
export function describeInBrowser(name: string, tests: (browser: BrowserTests) => void): void {
  const isThere = existsSync(PATH)
  describe.skipIf(!isThere)(isThere ? name : `${name} (skipped: no Chromium at CHROMIUM_PATH or /usr/bin/chromium)`, () => {
    let browser: Browser
    let ends: (() => Promise<void>)[] = []
    const opened: Opened[] = []
    beforeAll(async () => {
      await buildConsole()
      browser = await chromium.launch({ executablePath: PATH, args: ARGUMENTS })
    })
    afterAll(() => browser.close())
    afterEach(async () => {
      const wrongs = opened.splice(0).flatMap((page) => page.wrongs)
      const ending = ends.reverse()
      ends = []
      for (const end of ending) await end()
      expect(wrongs).toEqual([])
    })
    tests({
      async start(options) {
        const running = await startConsole(options)
        ends.push(() => running.end())
        return running
      },
      async open(running, { isSignedIn = true, ...options } = {}) {
        const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, ...options })
        ends.push(() => context.close())
        const page = await context.newPage()
        page.setDefaultTimeout(15_000)
        await page.addInitScript(WATCH)
        const wrongs: string[] = []
        page.on('pageerror', (error) => wrongs.push(String(error)))
        page.on('console', (message) => {
          if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) wrongs.push(message.text())
        })
        await page.goto(`${running.url}/console${isSignedIn ? `#token=${encodeURIComponent(ADMIN_TOKEN)}` : ''}`)
        if (isSignedIn) await page.getByRole('heading', { name: 'Overview' }).waitFor()
        const found = { page, running, wrongs }
        opened.push(found)
        return found
      },
    })
  })
}

export async function goTo(
  page: Page,
  view: 'Overview' | 'Playground' | 'API keys' | 'Requests' | 'Calibration' | 'Models',
): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: view }).click()
  await page.getByRole('heading', { level: 1, name: view }).waitFor()
}

/** Waits until all that the view shows has come, however slow the machine is. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'hidden' })
  await page.waitForLoadState('networkidle')
}

/** Picks one of the options that stand side by side. */
export async function choose(page: Page, group: 'The request as' | 'Theme', option: string): Promise<void> {
  await page.getByRole('group', { name: group }).getByRole('radio', { name: option }).click()
}

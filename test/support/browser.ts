// Opens pages in Debian's Chromium and notes whatever a user would not want: console errors, requests to elsewhere,
// sideways scrolling, accessibility faults.

import type { AxeResults } from 'axe-core'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, type TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from './launch-browser.ts'

let started: Promise<Browser> | undefined

/** The browser of this process: test files that share the process share it, one after another. */
export async function openBrowser(): Promise<Browser> {
  started ??= launchBrowser()
  return started
}

/** Closes what a test file has left open; call it in `after`, before the application is closed. */
export async function closePages(): Promise<void> {
  const contexts = (await started)?.contexts() ?? []
  await Promise.all(contexts.map(async (context) => context.close()))
}

after(async () => (await started)?.close())

/** How long a page may take for anything, in milliseconds: machines are busy elsewhere. */
const patienceMs = 120_000

/** How a page is looked at. */
export interface Look {
  /** Width of the window in pixels. */
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

/** The shapes every page must read well in. */
export const looks: readonly Look[] = [
  { width: 1400, colorScheme: 'light' },
  { width: 1400, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
]

/** Where some tests write pictures of what they see. Default: nowhere. */
export const pictureFolder: string | undefined = process.env['FANLIGHT_SCREENSHOTS']

/** Whether `npm run test:browser` runs, which looks at more. */
export const isWhole: boolean = process.env['BROWSER'] === 'whole'

/** Each size and each colour scheme once; where all is looked at, each with the other. */
export const everyLook: readonly Look[] = isWhole ? looks : looks.filter((_, index) => index === 0 || index === 3)

/** A page, and everything wrong that was seen while it was open. */
export interface WatchedPage {
  readonly page: Page
  /** Console errors, page errors, requests to another origin. */
  readonly faults: string[]
  close(): Promise<void>
}

/** Opens an empty page in its own context and watches it. */
export async function watchedPage(browser: Browser, look: Look, origin: string): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 900 },
    colorScheme: look.colorScheme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser itself reports the status of the page it was sent to look at.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !url.startsWith('data:')) faults.push(`request to ${url}`)
  })
  return { page, faults, close: async () => context.close() }
}

/** Opens an empty page for a test, which fails at its end for what was wrong while the page was open. */
export async function openPage(test: TestContext, look: Look, origin: string): Promise<Page> {
  const { page, faults, close } = await watchedPage(await openBrowser(), look, origin)
  test.after(async () => {
    await close()
    assert.deepEqual(faults, [])
  })
  return page
}

/** Fails when the page is wider than its window. */
export async function assertNoSidewaysScrolling(page: Page): Promise<void> {
  // The functions below run in the page, where `document` is known.
  const widths = await page.evaluate('[document.documentElement.scrollWidth, document.documentElement.clientWidth]')
  const [content, window] = widths as [number, number]
  assert.ok(content <= window, `${page.url()} is ${content} px wide in a window of ${window} px`)
}

/** From the narrowest phone to a wide desk. `npm run test:browser` tries more; 700 is a window of 1400 at 200 %. */
const everyWidth = isWhole
  ? [320, 360, 480, 640, 641, 700, 768, 900, 1000, 1100, 1200, 1366, 1600]
  : [320, 360, 641, 768, 1100, 1600]

/** Fails when the page is wider than its window, whatever the width of that. */
export async function assertFitsEveryWidth(page: Page): Promise<void> {
  const before = page.viewportSize()
  for (const width of everyWidth) {
    await page.setViewportSize({ width, height: 900 })
    await assertNoSidewaysScrolling(page)
  }
  if (before !== null) await page.setViewportSize(before)
}

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Rules, as an expression for the page: none of lesser impact, and that targets have 24 px or are as far apart. */
const everyRule = `Object.fromEntries(axe._audit.rules.map(({ id, impact, enabled }) =>
  [id, { enabled: id === 'target-size' || (enabled && impact !== 'minor' && impact !== 'moderate') }]))`

/** The rules whose result depends on a font, asked alone where all tests run with another one; `undefined` for all rules. */
const usualRules = process.env['BROWSER_FONTS'] === undefined ? undefined : ['target-size']

/** Fails when axe finds something serious or critical. `only` names the rules to ask. Default: all. */
export async function assertAccessible(page: Page, only: readonly string[] | undefined = usualRules): Promise<void> {
  // Once for each document. Our pages hold no frames.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const chosen =
    only === undefined ? `rules: ${everyRule}` : `runOnly: ${JSON.stringify({ type: 'rule', values: only })}`
  const results = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], reporter: 'no-passes', selectors: false, preload: false, ${chosen} })`,
  )
  const serious = (results as AxeResults).violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
  assert.deepEqual(serious, [], page.url())
}

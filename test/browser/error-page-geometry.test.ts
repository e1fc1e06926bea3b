// Where things are on the error page: the marked line of the reader's code in the first screen, nothing wider than its window, headings
// clear of whatever sticks to the top.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  watchedPage,
  type WatchedPage,
} from '../support/browser.ts'
import { faultyRoutes, faultyTargets } from '../support/faulty-shop.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'

/** A laptop's window, and a phone's, where a third of a screen may be scrolled. */
const laptop = { width: 1366, height: 657 }
const phone = { width: 360, height: 780 }
const phoneScreens = 1.3
/** 683 px are a laptop's window at 200 % zoom. */
const widths = [320, 360, 640, 683, 768, 1000, 1366, 1600]
const maxBytes = 60_000
/** Pages of many errors or many log lines may be larger. */
const large: ReadonlySet<string> = new Set(['ten-causes', 'many-log-lines'])
/** No line of the application is at fault where no route matched. */
const withoutLine: ReadonlySet<string> = new Set(['not-found', 'wrong-method'])

describe('the geometry of the error page', () => {
  let browser: Browser
  let running: RunningApp
  let shop: RunningApp
  let watched: WatchedPage
  const targets: (readonly [name: string, address: string])[] = []

  before(async () => {
    ;[running, shop] = await Promise.all([startApp({ routes: faultyRoutes() }), startApp({ isShop: true })])
    for (const [name, target] of faultyTargets) targets.push([name, running.url + target])
    targets.push(['shop', `${shop.url}/demo/error`])
    browser = await openBrowser()
    watched = await watchedPage(browser, { width: laptop.width, colorScheme: 'light' }, running.url)
  })
  after(async () => {
    await closePages()
    await Promise.all([running[Symbol.asyncDispose](), shop[Symbol.asyncDispose]()])
  })

  it('is not wider than its window, and has the marked line in the first screen of a laptop, and in the first 1.3 screens of a phone', async () => {
    const { page } = watched
    let shown = 0
    const late: string[] = []
    for (const [name, address] of targets) {
      await page.setViewportSize(laptop)
      await page.goto(address)
      if (!withoutLine.has(name)) {
        shown += 1
        const onLaptop = await bottomOfMarkedLine(page)
        if (onLaptop > laptop.height) late.push(`${name}: ${onLaptop} px`)
        await page.setViewportSize(phone)
        const onPhone = await bottomOfMarkedLine(page)
        assert.ok(onPhone <= phone.height * phoneScreens, `${name}: ${onPhone} px on a phone`)
      }
      for (const width of widths) {
        await page.setViewportSize({ width, height: laptop.height })
        await assertNoSidewaysScrolling(page)
      }
    }
    assert.ok(shown >= 15)
    assert.ok(late.length <= 1, late.join(', '))
  })

  it('has at most 60 KB before compression', async () => {
    for (const [name, address] of targets) {
      const page = await (await fetch(address, { headers: { accept: 'text/html' } })).text()
      if (!large.has(name)) assert.ok(Buffer.byteLength(page) <= maxBytes, `${name}: ${Buffer.byteLength(page)} bytes`)
    }
  })

  it('keeps headings clear of the top when a link leads to them', async () => {
    const { page } = watched
    await page.setViewportSize(laptop)
    await page.goto(`${running.url}/log`)
    await page.getByRole('link', { name: /earlier line/ }).click()
    const heading = await page.locator('#log h2').boundingBox()
    assert.ok(heading !== null && heading.y >= 0 && heading.y < laptop.height / 2, String(heading?.y))
    const covering = await page.evaluate(
      `document.elementFromPoint(${heading.x + 5}, ${heading.y + heading.height / 2})?.closest('h2') !== null`,
    )
    assert.equal(covering, true)
  })

  it('shows the marked line without colours too', async () => {
    const context = await browser.newContext({ viewport: laptop, forcedColors: 'active' })
    const page = await context.newPage()
    await page.goto(`${running.url}/type-error`)
    const outline = await page.evaluate(`getComputedStyle(document.querySelector('.lead .at')).outlineStyle`)
    assert.equal(outline, 'solid')
    await assertAccessible(page)
    await context.close()
  })

  it('prints every step of the chain with its source', async () => {
    const { page } = watched
    await page.goto(`${running.url}/chain`)
    await page.emulateMedia({ media: 'print' })
    for (const id of ['error-3', 'error-1']) {
      const box = await page.locator(`#${id} .lead`).boundingBox()
      assert.ok((box?.height ?? 0) > 100, id)
    }
    await page.emulateMedia({ media: 'screen' })
  })
})

/** In pixels from the top of the page; endless if no marked line can be seen. */
async function bottomOfMarkedLine(page: Page): Promise<number> {
  const bottoms = (await page.evaluate(`[...document.querySelectorAll('.trace .at')]
    .filter((line) => line.checkVisibility())
    .map((line) => Math.round(line.getBoundingClientRect().bottom + scrollY))`)) as number[]
  return bottoms.find((bottom) => bottom > 0) ?? Infinity
}

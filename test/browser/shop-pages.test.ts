// The pages of the shop in a browser: they fit their window, and a narrow one breaks no words.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { openShop, type OpenShop } from '../app/open-shop.ts'
import {
  closePages,
  assertAccessible,
  assertNoSidewaysScrolling,
  openBrowser,
  watchedPage,
} from '../support/browser.ts'

let browser: Browser
let shop: OpenShop
let url: string
before(async () => {
  ;[browser, shop] = await Promise.all([openBrowser(), openShop()])
  url = (await shop.app.listen()).url
})
after(async () => {
  await closePages()
  await shop[Symbol.asyncDispose]()
})

describe('the pages of the shop', () => {
  it('fit a narrow window', async () => {
    const { page, faults, close } = await watchedPage(browser, { width: 360, colorScheme: 'light' }, url)
    for (const path of ['/', '/products', '/products/lion-knocker', '/currencies/USD', '/basket', '/demo/fetch']) {
      await page.goto(`${url}${path}`)
      await assertNoSidewaysScrolling(page)
    }
    assert.deepEqual(faults, [])
    await close()
  })

  it('break no word of /demo/fetch in a narrow window', async () => {
    const { page, close } = await watchedPage(browser, { width: 360, colorScheme: 'light' }, url)
    await page.goto(`${url}/demo/fetch`)
    for (const cell of await page.locator('.calls tbody :is(th, a)').all()) {
      const box = await cell.boundingBox()
      assert.ok((box?.height ?? 99) < 60, JSON.stringify(box))
    }
    assert.match(await page.locator('.calls tbody tr').first().innerText(), /\/api\/products\s+200/)
    await assertAccessible(page)
    await close()
  })
})

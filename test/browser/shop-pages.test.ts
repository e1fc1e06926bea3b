// The pages of the shop in a browser: they fit their window, and a narrow one breaks no words.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openShop } from '../app/open-shop.ts'
import { assertAccessible, assertNoSidewaysScrolling, openPage } from '../support/browser.ts'
import { forAll } from '../support/for-all.ts'

const shop = await forAll(openShop())
const url = (await shop.app.listen()).url

describe('the pages of the shop', () => {
  it('fit a narrow window', async (test) => {
    const page = await openPage(test, { width: 360, colorScheme: 'light' }, url)
    for (const path of ['/', '/products', '/products/lion-knocker', '/currencies/USD', '/basket', '/demo/fetch']) {
      await page.goto(`${url}${path}`)
      await assertNoSidewaysScrolling(page)
    }
  })

  it('break no word of /demo/fetch in a narrow window', async (test) => {
    const page = await openPage(test, { width: 360, colorScheme: 'light' }, url)
    await page.goto(`${url}/demo/fetch`)
    for (const cell of await page.locator('.calls tbody :is(th, a)').all()) {
      const box = await cell.boundingBox()
      assert.ok((box?.height ?? 99) < 60, JSON.stringify(box))
    }
    assert.match(await page.locator('.calls tbody tr').first().innerText(), /\/api\/products\s+200/)
    await assertAccessible(page)
  })
})
